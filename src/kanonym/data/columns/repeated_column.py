"""A released column as its few different values and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import polars as pl

from kanonym.data.results.short_repr import ShortRepr


@dataclass(frozen=True, slots=True, repr=False)
class RepeatedColumn(ShortRepr):
    """A column of few different values: these, each of which occurs, and where they stand.

    Attributes
    ----------
    values
        (m,) the values, with the name of the column.
    places
        (n,) uint32, the value of each row.

    """

    _shown: ClassVar[tuple[str, ...]] = ("name",)

    values: pl.Series
    places: pl.Series

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.values.name

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.places)

    def to_series(self) -> pl.Series:
        """Return the column row by row."""
        return self.values.gather(self.places)


ReleasedColumn: TypeAlias = str | pl.Series | RepeatedColumn
"""A column of a release: a name stands for a column of the input."""
