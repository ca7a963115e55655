"""What readers of a file tell apart beyond the values: cells as texts, and other parts."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl


class CellTexts(dict[str, pl.Series]):
    """Columns of a file as texts, where several of them are read as one value."""

    def __init__(self) -> None:
        super().__init__()
        self.unread: list[str] = []


def keep_differing(
    texts: dict[str, pl.Series], columns: Iterable[tuple[pl.Series, pl.Series]]
) -> None:
    """Keep the columns, given as texts beside their values, in which texts tell more apart."""
    for given, values in columns:
        if given.n_unique() > _count_values(values):
            texts[values.name] = given.alias(values.name)


def _count_values(values: pl.Series) -> int:
    if values.dtype.is_nested() or values.dtype == pl.Object:
        return len({repr(value) for value in values.to_list()})
    if values.dtype.is_float():
        values = values.fill_nan(None) + 0.0
    return values.n_unique()


def float_texts(column: pl.Series) -> pl.Series:
    """Return floating-point numbers as texts: NaN is not null, and -0.0 is not 0.0."""
    text = column.cast(pl.String)
    negative = (column == 0) & (1 / column < 0)
    return pl.select(
        pl.when(column.is_nan()).then(pl.lit("NaN")).when(negative).then(pl.lit("-0.0"))
        .otherwise(text)
    ).to_series().alias(column.name)  # fmt: skip


def differing_floats(columns: Iterable[pl.Series]) -> dict[str, pl.Series]:
    """Return as texts the columns with both NaN and null, or both 0.0 and -0.0."""
    found: dict[str, pl.Series] = {}
    floats = [
        column
        for column in columns
        if column.dtype.is_float() and ((column.is_nan() | (1 / column == float("-inf"))).any())
    ]
    keep_differing(found, ((float_texts(one), one) for one in floats))
    return found
