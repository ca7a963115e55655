"""A released column as its few different values and which of them each class releases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import polars as pl

from kanonym.data.results.short_repr import ShortRepr


@dataclass(frozen=True, slots=True, repr=False)
class RepeatedColumn(ShortRepr):
    """A column of few different values: these, each of which occurs, and where they stand.

    values: (m,) the values, with the name of the column.
    value_of_class: (n_classes,) uint32, the value of each class.
    classes: (n,) uint32, the class of each row; columns of one release share it.
    """

    _shown: ClassVar[tuple[str, ...]] = ("name",)

    values: pl.Series
    value_of_class: pl.Series
    classes: pl.Series

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.values.name

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.classes)

    def to_series(self) -> pl.Series:
        """Return the column row by row."""
        return self.values.gather(self.value_of_class.gather(self.classes))


ReleasedColumn: TypeAlias = str | pl.Series | RepeatedColumn
"""A column of a release: a name stands for a column of the input."""
