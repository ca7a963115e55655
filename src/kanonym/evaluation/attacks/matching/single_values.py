"""Persons and released records as plain values, where each released cell says one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.evaluation.pair.tables import NumericColumn, TablePair

OPEN = "every released record leaves several values open, so none is equal to a person's values"

Limits = Mapping[str, NDArray[np.float64]]
"""By column of numbers, the borders of its bins."""


def person_values(
    pair: TablePair, names: Sequence[str], limits: Limits | None = None
) -> pl.DataFrame:
    """Return the values of the persons of a pair, null for null.

    limits: numbers are the bins that these borders make; None leaves them as they are.
    """
    columns = []
    for name in names:
        column = pair.column(name)
        if isinstance(column, NumericColumn):
            columns.append(_numbers(column.original, name, limits))
        else:
            values = column.categories.cast(pl.String).gather(column.original)
            columns.append(values.alias(name))
    return pl.DataFrame(columns)


def record_values(
    pair: TablePair, names: Sequence[str], limits: Limits | None = None
) -> pl.DataFrame:
    """Return the values of the released records of which each cell says one value.

    limits: as of `person_values`; an interval within one bin says one value.
    """
    columns = []
    single = np.ones(pair.n_released, np.bool_)
    for name in names:
        column = pair.column(name)
        if isinstance(column, NumericColumn):
            low, high = (_numbers(end, name, limits) for end in (column.low, column.high))
            single &= low.eq_missing(high).to_numpy()
            columns.append(low)
        else:
            first = column.members[column.offsets[:-1]][column.labels]
            single &= (np.diff(column.offsets) == 1)[column.labels]
            columns.append(column.categories.cast(pl.String).gather(first).alias(name))
        single &= ~column.suppressed
    return pl.DataFrame(columns).filter(pl.Series(single, dtype=pl.Boolean))


def held_by_one(values: pl.DataFrame, whose: NDArray[np.int64] | None) -> NDArray[np.bool_]:
    """Return (n,) bool: rows of values that no other person has.

    whose: (n,) int64, whose each row is; None where each is another person's.
    """
    if whose is None:
        return values.is_unique().to_numpy()
    owner = pl.Series("\0", whose)  # no column of a table is called so
    alone = pl.col("\0").n_unique().over(values.columns) == 1
    return values.with_columns(owner).select(alone).to_series().to_numpy()


def are_among(values: pl.DataFrame, records: pl.DataFrame) -> NDArray[np.bool_]:
    """Return (n,) bool: rows that some record equals in all of the records' columns."""
    rows = values.with_row_index("\0").join(
        records.unique(), on=records.columns, how="semi", nulls_equal=True
    )
    mask = np.zeros(len(values), np.bool_)
    mask[rows["\0"].to_numpy()] = True
    return mask


def _numbers(values: NDArray[np.float64], name: str, limits: Limits | None) -> pl.Series:
    """Return numbers, or the numbers of their bins; null for NaN."""
    null = np.isnan(values)
    if limits is not None:
        values = np.searchsorted(limits[name], values, side="right").astype(np.float64)
    return pl.Series(name, np.where(null, np.nan, values), dtype=pl.Float64).fill_nan(None)
