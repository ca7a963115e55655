"""How well a column set tells records apart: distinction and separation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.classes.group_sizes import count_groups
from kanonym.kernels.classes.grouping import append_codes

KEY_BITS = 64
"""Bits of a key: codes of several columns side by side."""

Codes = tuple[NDArray[np.int32], int]
"""(n_rows,) int32 codes from 0 of one column, and the number of codes."""

Key = tuple[NDArray[np.uint64], int]
"""(n_rows,) uint64 keys of several columns, and the bits that they take."""


@dataclass(frozen=True, slots=True)
class Separation:
    """How far a column set tells the records of a table apart.

    References
    ----------
    Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers (2007),
    section 2: the distinct ratio and the separation ratio.

    """

    records: int
    distinct: int
    uniques: int
    smallest: int
    together: int

    @classmethod
    def from_sizes(cls, sizes: NDArray[np.int64]) -> Self:
        """Summarize (n_groups,) numbers of equal records. Cost O(n_groups)."""
        return cls(
            records=int(sizes.sum()),
            distinct=len(sizes),
            uniques=int((sizes == 1).sum()),
            smallest=int(sizes.min()) if len(sizes) else 0,
            together=int((sizes * (sizes - 1) // 2).sum()),
        )

    @property
    def distinction(self) -> float:
        """Distinct combinations / records, in [0, 1]; 0 without records."""
        return self.distinct / self.records if self.records else 0.0

    @property
    def separation(self) -> float:
        """Share of the pairs of records that differ, in [0, 1]; 1 where there is no pair."""
        pairs = self.records * (self.records - 1) // 2
        return 1 - self.together / pairs if pairs else 1.0

    @property
    def others(self) -> float:
        """How many other records a record equals, on average over the records."""
        return 2 * self.together / self.records if self.records else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return what was counted, and the shares, by name."""
        return {
            "records": self.records,
            "distinct": self.distinct,
            "uniques": self.uniques,
            "smallest": self.smallest,
            "distinction": self.distinction,
            "separation": self.separation,
            "others": self.others,
        }


def separation_of(columns: Sequence[Codes], n_rows: int) -> Separation:
    """Return how far a column set tells records apart.

    Notes
    -----
    Exact. Cost O(n_rows) a column, and hash tables of n_rows keys.

    """
    key, _ = key_of(columns, n_rows)
    n_groups, n_alone, smallest, n_pairs = map(int, count_groups(key))
    return Separation(n_rows, n_groups, n_alone, smallest, n_pairs)


def key_of(columns: Sequence[Codes], n_rows: int) -> Key:
    """Return keys that are equal where records are, in all columns of a set."""
    key = np.zeros(n_rows, np.uint64), 0
    for codes, size in columns:
        key = append_codes(*key, codes, size)
    return key


def columns_of_one_key(columns: Sequence[Codes]) -> list[Codes]:
    """Return columns with many codes, as many as are counted by one sort of keys."""
    kept, bits = list[Codes](), 0
    for column in sorted(columns, key=_width, reverse=True):
        if bits + _width(column) <= KEY_BITS:
            kept.append(column)
            bits += _width(column)
    return kept


def _width(column: Codes) -> int:
    """Return the bits of a column's codes."""
    return max(column[1] - 1, 0).bit_length()
