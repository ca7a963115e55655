"""Persons who are told apart by several columns together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self, TypeAlias

import polars as pl

from kanonym.data.errors import PolicyError

EntityColumns: TypeAlias = str | Sequence[str]
"""The name of the identifier of persons, or those of several that identify them together."""


class PersonKey(str):
    """Several columns that identify persons together, in the place of the name of one.

    `data.frames.column` reads it as a column, and the columns of a table do not have it.
    """

    __slots__ = ("columns",)

    columns: tuple[str, ...]

    def __new__(cls, columns: Iterable[str]) -> Self:
        """Join the names."""
        names = tuple(columns)
        key = super().__new__(cls, " + ".join(names))
        key.columns = names
        return key

    def __getnewargs__(self) -> tuple[tuple[str, ...]]:  # type: ignore[override]
        """Return what a copy is made of."""
        return (self.columns,)

    def __repr__(self) -> str:
        """Return the names as a list, as a policy has them."""
        return repr(list(self.columns))

    def combine(self, parts: Sequence[pl.Series]) -> pl.Series:
        """Return (n_rows,) texts, equal where all parts are; null where all of them are null."""
        texts = pl.DataFrame([_texts(one).alias(str(i)) for i, one in enumerate(parts)])
        each = (
            pl.format("{}:{}", one.str.len_bytes(), one).fill_null("-")
            for one in map(pl.col, texts.columns)
        )
        expression = pl.any_horizontal(pl.all().is_not_null())
        return (
            texts.select(pl.when(expression).then(pl.concat_str(*each, separator=" ")))
            .to_series()
            .alias(self)
        )


def entity_of(owner: str, given: EntityColumns) -> str:
    """Return the column of persons, or one key of several columns.

    owner: what error messages name.
    """
    names = [given] if isinstance(given, str) else given
    known = isinstance(names, list | tuple) and all(
        isinstance(name, str) and name for name in names
    )
    if not known or not names or len(set(names)) < len(names):
        raise PolicyError(
            f"{owner}: entity is {given!r}; it must be the name of the identifier of persons, or a "
            "list of several that identify them together"
        )
    return names[0] if len(names) == 1 else PersonKey(names)


def columns_of(names: Iterable[str]) -> list[str]:
    """Return the columns behind names, each once: those of a key in its place."""
    several = (one.columns if isinstance(one, PersonKey) else (one,) for one in names)
    return list(dict.fromkeys(name for columns in several for name in columns))


def _texts(column: pl.Series) -> pl.Series:
    """Return values as texts, equal where values are."""
    if column.dtype.is_float():
        return column.cast(pl.String).str.strip_suffix(".0").replace("-0", "0")
    return (column.to_physical() if column.dtype == pl.Duration else column).cast(pl.String)
