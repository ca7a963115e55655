"""How many records a class has where null may match every value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.columns.pandas_types import WORDS
from kanonym.data.hierarchy.base import ROOT
from kanonym.kernels.classes.grouping import Groups, group_rows
from kanonym.kernels.classes.wildcard import wildcard_sizes
from kanonym.verification.released_classes import classes_of_release, group_by_code


@dataclass(frozen=True, slots=True)
class Counting:
    """How k is counted where cells were suppressed."""

    nulls: Literal["value", "wildcard"] = "value"
    subsets: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        few = {} if self.subsets is None else {"subsets": self.subsets}
        return {"nulls": self.nulls, **few}

    def sizes(
        self, quasi_identifiers: Sequence[pl.Series], groups: Groups, weights: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return (n_classes,) int64: how many records each class counts.

        groups: of `group_by_code`. weights: (n_classes,) records of each class.
        """
        nulls = _null_codes(quasi_identifiers, groups)
        d = len(quasi_identifiers)
        every = [tuple(range(d))] if self.subsets is None else combinations(range(d), self.subsets)
        counted = np.full(len(weights), int(weights.sum()), np.int64)
        for columns in every:
            chosen = np.ascontiguousarray(groups.codes[:, columns])
            parts = [np.ascontiguousarray(codes) for codes in chosen.T]
            own = group_rows(parts, (chosen.max(axis=0, initial=0) + 1).tolist())
            sizes = np.bincount(own.labels, weights, len(own.sizes)).astype(np.int64)
            if self.nulls == "wildcard":
                sizes = wildcard_sizes(own.codes, sizes, nulls[list(columns)])
            counted = np.minimum(counted, sizes[own.labels])
        return counted


def k_wildcard(
    quasi_identifiers: Sequence[pl.Series], counts: NDArray[np.int64] | None = None
) -> int | None:
    """Return k where null matches every value (`kernels.classes.wildcard`); None without a null.

    counts: (n_rows,) records that each row stands for; None for one each.
    """
    if not any(column.null_count() for column in quasi_identifiers):
        return None
    groups = group_by_code(quasi_identifiers)
    nulls = _null_codes(quasi_identifiers, groups)
    sizes = classes_of_release(groups, (), counts).sizes
    return int(wildcard_sizes(groups.codes, sizes, nulls).min())


def count_suppressed(
    quasi_identifiers: Sequence[pl.Series], counts: NDArray[np.int64] | None = None
) -> int:
    """Return how many records are `*` in every quasi-identifier; counts: as of `k_wildcard`."""
    columns = quasi_identifiers
    if not columns or any(column.dtype not in WORDS for column in columns):
        return 0
    cells = ((column.cast(pl.String) == ROOT).fill_null(value=False) for column in columns)
    rows = np.logical_and.reduce([column.to_numpy() for column in cells])
    return int(rows.sum() if counts is None else counts[rows].sum())


def _null_codes(quasi_identifiers: Sequence[pl.Series], groups: Groups) -> NDArray[np.int32]:
    """Return (n_columns,) int32: the code of null in each column, -1 where it has none."""
    nulls = np.full(len(quasi_identifiers), -1, np.int32)
    for place, column in enumerate(quasi_identifiers):
        if column.null_count():
            nulls[place] = groups.codes[groups.labels[column.is_null().arg_max() or 0], place]
    return nulls
