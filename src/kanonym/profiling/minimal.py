"""Minimal sets of quasi-identifiers, and how well they separate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Self

import numpy as np

from kanonym.kernels.arrays import Int32s, Ints, UInt64s
from kanonym.kernels.classes.group_sizes import count_groups, exceeds_pairs
from kanonym.kernels.classes.grouping import append_codes
from kanonym.kernels.parallel import parallel

KEY_BITS = 64
"""Bits of a key: codes of several columns side by side."""

Codes = tuple[Int32s, int]
"""(n_rows,) int32 codes from 0 of one column, and the number of codes."""

Key = tuple[UInt64s, int]
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
    def from_sizes(cls, sizes: Ints) -> Self:
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
    """Return how far a column set tells records apart."""
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


MOST_COLUMNS = 20
"""A search looks at so many columns: those that tell most pairs apart alone."""
MOST_SETS = 20_000
"""A search looks at no more than so many column sets,"""
MOST_VISITS = 30_000_000
"""counts no more than so many records times sets,"""
MOST_FOUND = 20
"""and stops when it has found so many."""
MOST_EXACT = 100_000
"""Tables of more records are searched by a sample,"""
SAMPLE = 50_000
"""of so many records,"""
SEED = 2007
"""which this seed draws."""
ERROR = 1e-6
"""How likely what is said of the sample is wrong of the table, at most."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a column set must reach."""

    others: float

    def is_reached(self, counted: Separation, n_rows: int) -> bool:
        """Tell whether a set reaches it in a table of n_rows, by itself or by a sample."""
        return counted.together <= self.most_together(counted.records, n_rows)

    def most_together(self, n_counted: int, n_rows: int) -> int:
        """Return most pairs of equal records among those counted with which a set reaches it."""
        most = math.floor(self.others * (n_counted * (n_counted - 1)))
        return most // (2 * max(n_rows - 1, 1))

    def is_met(self, columns: Sequence[Codes], n_rows: int) -> bool:
        """Tell whether a set reaches it, counted on all records: what a part reaches, all do."""
        some = columns_of_one_key(columns)
        return self.is_reached(separation_of(some, n_rows), n_rows) or (
            len(some) < len(columns) and self.is_reached(separation_of(columns, n_rows), n_rows)
        )


@dataclass(frozen=True, slots=True)
class MinimalSets:
    """The minimal column sets that reach a threshold."""

    others: float
    sets: tuple[tuple[tuple[str, ...], Separation], ...]
    sampled: int = 0
    epsilon: float = 0.0
    cut: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the sets, and how they were found."""
        return {
            "others": self.others,
            "sets": [{"columns": list(names), **one.to_dict()} for names, one in self.sets],
            "sampled": self.sampled or None,
            "epsilon": self.epsilon or None,
            "cut": self.cut or None,
        }


def minimal_sets(columns: Mapping[str, Codes], n_rows: int, threshold: Threshold) -> MinimalSets:
    """Find the minimal column sets that reach a threshold: no column can be left out.

    Notes
    -----
    Sets are looked at by levels: all of one column, of two, ... A set is looked at only if all its
    subsets of one column less fall short (Agrawal and Srikant 1994, section 2.1.1). One that falls
    short is widened as long as it does: no part of the widened set need be counted (Gunopulos et
    al. 2003, Discovering all most specific sentences, section 4). Keys are rolled up: those of a
    set and one more column from those of the set. Exact up to `MOST_EXACT` records. In larger
    tables the sets are those of a seeded sample (Motwani and Xu 2007, section 3): of m columns,
    each of the 2^m sets that leaves more than ε of the pairs together shows an equal pair among r /
    2 sampled pairs, except with probability (1 - ε)^(r / 2); ε = (m ln 2 + ln(1 / `ERROR`)) · 2 / r
    makes that less than `ERROR` for all of them. The work is bounded by `MOST_COLUMNS`,
    `MOST_SETS`, `MOST_VISITS` and `MOST_FOUND`; the result says where a bound cut the search off.

    """
    # What all columns together do not reach, none does.
    if n_rows < 2 or not columns or not threshold.is_met(list(columns.values()), n_rows):
        return MinimalSets(threshold.others, ())
    cut, sample, epsilon = [], dict(columns), 0.0
    if n_rows > MOST_EXACT:
        rows = np.random.default_rng(SEED).choice(n_rows, SAMPLE, replace=False)
        sample = {name: (codes[rows], size) for name, (codes, size) in columns.items()}
    names = list(columns)
    if len(names) > MOST_COLUMNS:
        alone = {name: separation_of([sample[name]], n_rows).together for name in names}
        most = set(sorted(names, key=alone.__getitem__)[:MOST_COLUMNS])
        cut.append(
            f"of {len(names)} columns, the {MOST_COLUMNS} that distinguish most are searched"
        )
        names = [name for name in names if name in most]
    search = _Search([sample[name] for name in names], n_rows, threshold)
    found = [tuple(names[place] for place in one) for one in search.run()]
    parts = parallel(lambda one: separation_of([columns[name] for name in one], n_rows), found)
    counted = list(zip(found, parts, strict=True))
    sets = [(one, part) for one, part in counted if threshold.is_reached(part, n_rows)]
    if counted and not sets:
        best, _ = min(counted, key=lambda pair: pair[1].together)
        sets = [_complete_set(columns, n_rows, threshold, best)]
    if n_rows > MOST_EXACT:
        epsilon = 2 / SAMPLE * (len(names) * math.log(2) - math.log(ERROR))
    return MinimalSets(
        others=threshold.others,
        sets=tuple(sets),
        sampled=SAMPLE if n_rows > MOST_EXACT else 0,
        epsilon=epsilon,
        cut="; ".join([*cut, *search.stopped]),
    )


def _complete_set(
    columns: Mapping[str, Codes], n_rows: int, threshold: Threshold, start: Sequence[str]
) -> tuple[tuple[str, ...], Separation]:
    """Return a minimal set made of one that falls short, and what is counted in it."""

    def count(names: Iterable[str]) -> Separation:
        return separation_of([columns[name] for name in names], n_rows)

    kept, counted = list(start), count(start)
    rest = [name for name in columns if name not in kept]
    for name in sorted(rest, key=lambda name: -columns[name][1]):
        if threshold.is_reached(counted, n_rows):
            break
        kept.append(name)
        counted = count(kept)
    for name in tuple(kept):
        fewer = [other for other in kept if other != name]
        without = count(fewer) if fewer else counted
        if fewer and threshold.is_reached(without, n_rows):
            kept, counted = fewer, without
    return tuple(name for name in columns if name in kept), counted


@dataclass(slots=True)
class _Search:
    """A search by levels; sets are ascending places of columns."""

    columns: Sequence[Codes]
    n_rows: int
    threshold: Threshold
    stopped: list[str] = field(default_factory=list)
    looked_at: int = 0
    visits: int = 0
    failing: list[int] = field(default_factory=list)  # bit sets of columns that fall short
    prefix: tuple[tuple[int, ...], Key] | None = None

    def run(self) -> list[tuple[int, ...]]:
        """Return the minimal sets that reach the threshold."""
        found: list[tuple[int, ...]] = []
        n = len(self.columns)
        if not self._is_reached(self._key(self.columns)):
            return found
        level: list[tuple[int, ...]] = [()]
        for size in range(1, n + 1):
            short = []
            for one in _extend_level(level, n):
                spent = self._exhausted_bound(len(found))
                if spent:
                    self.stopped.append(f"stopped among sets of {size} columns: {spent}")
                    return found or [self._narrow()]
                if self._falls_short(one):
                    short.append(one)
                else:
                    found.append(one)
            level = short
        return found

    def _narrow(self) -> tuple[int, ...]:
        """Return one minimal set: columns are left out while the others do without."""
        kept = list(range(len(self.columns)))
        for place in sorted(kept, key=lambda place: self.columns[place][1]):
            fewer = [other for other in kept if other != place]
            if fewer and self._is_reached(self._key([self.columns[other] for other in fewer])):
                kept = fewer
        return tuple(kept)

    def _exhausted_bound(self, n_found: int) -> str:
        """Return which bound of the work is reached, in words; empty while none is."""
        if n_found >= MOST_FOUND:
            return f"{n_found} sets found"
        if self.looked_at >= MOST_SETS or self.visits >= MOST_VISITS:
            return f"{self.looked_at:,} sets checked"
        return ""

    def _falls_short(self, one: tuple[int, ...]) -> bool:
        self.looked_at += 1
        bits = sum(1 << place for place in one)
        if any(bits & ~wide == 0 for wide in self.failing):
            return True
        key = self._key_of_set(one)
        if self._is_reached(key):
            return False
        self.failing.append(self._widen(bits, key))
        return True

    def _widen(self, bits: int, key: Key) -> int:
        """Return a set that falls short, and would not with any further column."""
        # Columns of few values first: more of them fit in.
        order = sorted(range(len(self.columns)), key=lambda place: self.columns[place][1])
        for place in order:
            if not bits >> place & 1:
                more = _append_column(key, self.columns[place])
                if not self._is_reached(more):
                    bits, key = bits | 1 << place, more
        return bits

    def _key_of_set(self, one: tuple[int, ...]) -> Key:
        """Return the keys of a set, from those of the set without its last column."""
        *before, last = one
        if self.prefix is None or self.prefix[0] != tuple(before):
            self.prefix = tuple(before), self._key([self.columns[place] for place in before])
        return _append_column(self.prefix[1], self.columns[last])

    def _key(self, columns: Sequence[Codes]) -> Key:
        return key_of(columns, len(self.columns[0][0]))

    def _is_reached(self, key: Key) -> bool:
        n = len(key[0])
        self.visits += n
        return not exceeds_pairs(key[0], self.threshold.most_together(n, self.n_rows))


def _append_column(key: Key, column: Codes) -> Key:
    """Return the keys with one column more; the given ones stay."""
    return append_codes(key[0].copy(), key[1], *column)


def _extend_level(level: Sequence[tuple[int, ...]], n: int) -> Iterator[tuple[int, ...]]:
    """Yield the sets of one column more, all of whose subsets stand in an ascending level."""
    if len(level) == 1 and not level[0]:
        yield from ((place,) for place in range(n))
        return
    known = set(level)
    for at, one in enumerate(level):
        for other in level[at + 1 :]:
            if other[:-1] != one[:-1]:
                break
            both = (*one, other[-1])
            if all(part in known for part in combinations(both, len(one))):
                yield both
