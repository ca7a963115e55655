"""Whether fewer records stand alone with their values than those of different persons would."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.data.table import Domain
from kanonym.kernels.classes.grouping import Groups, label_rows

LEAST_EXPECTED = 50
"""Of fewer records expected to be alone nothing is said."""
LEAST_SHARE = 0.1
"""The same as a share of all records: where most values are common, persons agree by chance."""
MOST_FOUND = 0.5
"""Of the records expected to be alone, the share that may be and still warns. Public tables of
persons have at least 0.85 (two to six columns of Adult, ACS, `mach2019`, credit cards)."""
DETERMINED = 0.95
"""A column without which this share of the combinations is left is told by the others."""
UNORDERED = 0.8
"""Of the changes that a random order has, along the column that tells it: a column of so many
follows no order of that one."""
CORRELATED = 0.5
"""Correlation of codes from which on one of two ordered columns is taken to tell the other."""
_LOOKED_AT = 100_000
"""Rows of a large table that are looked at first."""
_SURELY = 0.7
"""Share of them that stand alone from which on no more than `MOST_FOUND` of all can be missing."""
_MIXING = np.uint32(0x9E3779B1)
"""Odd, near 2^32 divided by the golden ratio: multiples of it spread over all numbers."""


class LoneRecords(NamedTuple):
    """Records whose values no other record has.

    Attributes
    ----------
    found
        How many there are.
    expected
        How many there would be, if each record were another person.
    records
        Of all.

    """

    found: int
    expected: int
    records: int


def lone_records(
    domains: Sequence[Domain],
    columns: Sequence[NDArray[np.int32]],
    counts: NDArray[np.int64] | None = None,
) -> LoneRecords | None:
    """Return how many records are alone with their values, where these are suspiciously few.

    Persons who agree in some columns agree in the other ones by chance, unless the columns depend
    on each other; several records of one person agree in all. So the columns are divided into two
    parts that are paired at random, and of all divisions that which leaves the fewest records
    alone is taken: dependent columns are then in one part.

    Parameters
    ----------
    domains, columns
        What the values of each column are, and their (n,) codes.
    counts
        (n,) records that each row stands for, or 0; None for one each.

    Returns
    -------
    None where as many are alone as expected, and where nothing can be expected: of a single
    column, of two where one tells the other (a postal code and its city), or where most values
    are so common that everybody agrees with somebody.

    Notes
    -----
    A record that agrees with n_a records in one part, and with n_b in the other one, is alone
    among n records with probability exp(-(n_a - 1)(n_b - 1) / (n - 1)), nearly. Parts are built
    column by column, as long as fewer are expected to be alone. Columns that the other ones
    determine are left out first, those of few values before those of many. Of the last two, one
    may tell the other because each person has a value of their own: so it is with a date or
    number whose order the other column does not follow.

    Cost O(n · d) for nearly all tables, O(n · d³) where it warns.

    """
    if len(columns) < 2 or not len(columns[0]):
        return None
    weights = np.ones(len(columns[0]), np.int64) if counts is None else counts
    records = int(weights.sum())
    least = max(LEAST_EXPECTED, LEAST_SHARE * records)
    table = _Combinations(tuple(columns), tuple(domains), weights)
    if table.expected_if_independent() < least or table.some().share_alone > _SURELY:
        return None
    table = table.distinct()
    found = table.alone
    least = max(least, found / MOST_FOUND)
    if least > records:
        return None
    table = table.without_determined()
    if table.is_one_told():
        return None
    expected = table.least_expected(least)
    return None if expected < least else LoneRecords(found, round(expected), records)


class _Combinations(NamedTuple):
    """Combinations of values of some columns, with their numbers of records.

    But for `expected_if_independent` and `distinct`, they are distinct.
    """

    columns: tuple[NDArray[np.int32], ...]
    domains: tuple[Domain, ...]
    weights: NDArray[np.int64]

    def expected_if_independent(self) -> float:
        """Return about how many records would be alone if no column told of another one."""
        n = len(self.weights)
        rows = np.linspace(0, n - 1, min(_LOOKED_AT, n)).astype(np.int64)
        weights, records = self.weights[rows], int(self.weights.sum())
        agreeing = np.full(len(rows), float(records))
        for column in self.columns:
            codes = column[rows]
            agreeing *= np.bincount(codes, weights)[codes] / max(weights.sum(), 1)
        return float(records * (weights @ np.exp(-agreeing)) / max(weights.sum(), 1))

    def some(self) -> _Combinations:
        """Return some of the combinations of a large table, with all of their records."""
        n = len(self.weights)
        if n <= 2 * _LOOKED_AT:
            return self.distinct()
        widest = sorted(range(len(self.columns)), key=lambda one: self.domains[one].size)[-2:]
        mixed = np.zeros(n, np.uint32)
        for column in widest:
            mixed += self.columns[column].view(np.uint32)
            mixed *= _MIXING
        rows = np.flatnonzero(mixed < np.uint32((1 << 32) // (n // _LOOKED_AT)))
        columns = tuple(codes[rows] for codes in self.columns)
        return _Combinations(columns, self.domains, self.weights[rows]).distinct()

    def distinct(self) -> _Combinations:
        """Return the combinations that a record has, each once."""
        groups = self._grouped(range(len(self.columns)))
        counted = np.bincount(groups.labels, self.weights).astype(np.int64)
        there = counted > 0
        first = groups.first[there]
        return _Combinations(
            tuple(codes[first] for codes in self.columns), self.domains, counted[there]
        )

    @property
    def alone(self) -> int:
        """Number of records that are the only one of their combination."""
        return int((self.weights == 1).sum())

    @property
    def share_alone(self) -> float:
        """Share of records that are the only one of their combination."""
        return self.alone / max(int(self.weights.sum()), 1)

    def without_determined(self) -> _Combinations:
        """Leave out columns that the others tell, but two."""
        kept = list(range(len(self.columns)))
        values = [len(np.unique(codes)) for codes in self.columns]
        for column in sorted(kept, key=values.__getitem__):
            rest = [one for one in kept if one != column]
            if len(rest) < 2:
                break
            if len(self._grouped(rest).sizes) >= DETERMINED * len(self.weights):
                kept = rest
        chosen = _Combinations(
            tuple(self.columns[one] for one in kept),
            tuple(self.domains[one] for one in kept),
            self.weights,
        )
        return chosen.distinct()

    def is_one_told(self) -> bool:
        """Whether there are two columns, one of which tells the other, or nearly."""
        if len(self.columns) > 2:
            return False
        values = [len(np.unique(codes)) for codes in self.columns]
        is_ordered = [one.kind in {"number", "temporal"} for one in self.domains]
        if min(values) == 1:
            return True
        if all(is_ordered) and abs(np.corrcoef(np.stack(self.columns)).min()) > CORRELATED:
            return True
        key, told = (0, 1) if values[0] > values[1] else (1, 0)
        if values[key] < DETERMINED * len(self.weights):
            return False
        if not is_ordered[key]:
            return True
        codes = self.columns[told][np.argsort(self.columns[key])]
        shares = np.unique_counts(codes).counts / len(codes)
        return bool((np.diff(codes) != 0).mean() < UNORDERED * (1 - shares @ shares))

    def least_expected(self, enough: float) -> float:
        """Return the fewest records that are expected to be alone, over divisions in two parts.

        A number below `enough` may be larger than the fewest.
        """
        part: list[int] = []
        fewest = np.inf
        while len(part) < len(self.columns) - 1:
            rest = [one for one in range(len(self.columns)) if one not in part]
            expected, column = min((self._expected([*part, one]), one) for one in rest)
            if expected >= fewest:
                break
            fewest, part = expected, [*part, column]
            if fewest < enough:
                break
        return fewest

    def _grouped(self, chosen: Iterable[int]) -> Groups:
        """Group the rows by some of the columns."""
        which = list(chosen)
        sizes = [self.domains[one].size for one in which]
        return label_rows([np.ascontiguousarray(self.columns[one]) for one in which], sizes)

    def _expected(self, part: Sequence[int]) -> float:
        """Return how many records are expected to be alone if two parts are paired at random."""
        rest = [one for one in range(len(self.columns)) if one not in part]
        records = int(self.weights.sum())
        left, left_share = self._agreeing(part)
        right, right_share = self._agreeing(rest)
        pairs = np.outer(left - 1, right - 1) / (records - 1)
        return float(records * (left_share @ np.exp(-pairs) @ right_share))

    def _agreeing(self, part: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return how many records agree in some columns, and with what share of them."""
        counted = np.bincount(self._grouped(part).labels, self.weights).astype(np.int64)
        numbers, where = np.unique_inverse(counted)
        return numbers, np.bincount(where, counted) / counted.sum()
