"""Values of a sensitive attribute as numbers, in one table or in two alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr
from kanonym.evaluation.pair.tables import CategoricalColumn, NumericColumn, TablePair


@dataclass(frozen=True, slots=True, repr=False)
class Values(ShortRepr):
    """One attribute of persons and of released records, coded alike.

    own: (n_original,) int32 code of each person's value, below `size`.
    released: (n_released,) int32 code of each released value; `size` where the cell says nothing.
    line: (size,) float64, the numbers, NaN for null; None where values are categories.
    """

    own: NDArray[np.int32]
    released: NDArray[np.int32]
    size: int
    line: NDArray[np.float64] | None


def values_of(pair: TablePair, name: str) -> Values:
    """Code an attribute; cost O(n log n) for the sort of the values."""
    column = pair.column(name)
    coded = _numbers([column]) if isinstance(column, NumericColumn) else _categories([column])
    return coded[0]


def shared_values(first: TablePair, second: TablePair, name: str) -> tuple[Values, Values] | None:
    """Code an attribute in two pairs alike; None where only one of them holds numbers."""
    columns = first.column(name), second.column(name)
    numbers = [column for column in columns if isinstance(column, NumericColumn)]
    categories = [column for column in columns if isinstance(column, CategoricalColumn)]
    if numbers and categories:
        return None
    values, other = _numbers(numbers) if numbers else _categories(categories)
    return values, other


def _numbers(columns: Sequence[NumericColumn]) -> list[Values]:
    """Code columns of numbers; a cell that leaves a range open says nothing."""
    both = [part for column in columns for part in (column.original, column.low)]
    line = np.unique(np.concatenate(both))
    found = []
    for column in columns:
        released = np.searchsorted(line, column.low).astype(np.int32)
        ranges = ~np.isnan(column.low) & (column.low != column.high)
        released[column.suppressed | ranges] = len(line)
        own = np.searchsorted(line, column.original).astype(np.int32)
        found.append(Values(own, released, len(line), line))
    return found


def _categories(columns: Sequence[CategoricalColumn]) -> list[Values]:
    """Code columns of categories; a cell that leaves several open says nothing."""
    texts = [column.categories.cast(pl.String).alias("value") for column in columns]
    known = pl.concat(texts).unique().sort(nulls_last=True)
    code = {text: i for i, text in enumerate(known.to_list())}
    found = []
    for column, held in zip(columns, texts, strict=True):
        codes = np.array([code[text] for text in held.to_list()], np.int32)
        alone = np.diff(column.offsets) == 1
        label = np.full(len(alone), len(known), np.int32)
        label[alone] = codes[column.members[column.offsets[:-1][alone]]]
        found.append(Values(codes[column.original], label[column.labels], len(known), None))
    return found
