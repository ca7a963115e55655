"""Common prefixes: the trie of the values, compressed to a few levels."""

from __future__ import annotations

from dataclasses import dataclass
from os.path import commonprefix
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.hierarchy.builders.base import Builder, Column, Level, Plan, integers_per_level
from kanonym.data.hierarchy.builders.codes import code_texts, shared_prefixes, useful_prefix_lengths


@dataclass(frozen=True, slots=True)
class Prefix(Builder):
    """Values that start alike, shorter and shorter prefixes from level to level.

    For codes that grow from left to right, of any length (diagnoses, industries). A
    group reads as the longest prefix that its values share with `*`, or as the value
    itself where it holds one. Levels are the prefix lengths at which values part;
    where there are more of them than wanted, those are taken that thin the groups out
    most evenly, by about the same factor from level to level.

    Parameters
    ----------
    levels
        At most so many levels between values and root, besides the prefix that all values share.

    Raises
    ------
    HierarchyError
        `levels` below 1; when bound, a column that is neither text nor whole numbers.

    Examples
    --------
    >>> import polars as pl
    >>> from kanonym.data import hierarchy
    >>> codes = pl.Series("diagnosis", ["E11.9", "E11.65", "E10", "I10"])
    >>> found = hierarchy.prefix().bind(codes)
    >>> found.generalize(1)
    ['E10', 'E11.*', 'E11.*', 'I10']
    >>> found.generalize(2)
    ['E1*', 'E1*', 'E1*', 'I10']

    """

    kind: ClassVar[str] = "prefix"

    levels: int = 4

    def __post_init__(self) -> None:
        integers_per_level("levels", self.levels, least=1)

    def plan(self, column: Column) -> Plan:
        """Return the values by alphabet, and one level a chosen prefix length."""
        codes = code_texts(column.values, "prefix")
        frame = pl.DataFrame({"value": column.values, "code": codes}).sort("code")
        shared = shared_prefixes(frame["code"])
        levels = [_level(frame["code"], shared, length) for length in self._lengths(shared)]
        return Plan(frame["value"].alias(column.name), levels)

    def _lengths(self, shared: NDArray[np.int64]) -> list[int]:
        """Return the chosen prefix lengths, longest first, and last the one that all share."""
        every, groups = useful_prefix_lengths(shared)
        lengths, groups = every[groups > 1], groups[groups > 1]
        if len(lengths) > self.levels:
            wanted = np.log(len(shared) + 1) * np.arange(1, self.levels + 1) / (self.levels + 1)
            distance = np.abs(np.log(groups) - wanted[:, np.newaxis])
            lengths = lengths[np.unique(distance.argmin(axis=1))]
        chosen: list[int] = [*lengths.tolist(), *every[len(groups) :].tolist()]
        return chosen


def _level(codes: pl.Series, shared: NDArray[np.int64], length: int) -> Level:
    """Return the level of values that share a prefix of one length."""
    groups = np.concatenate([[0], np.cumsum(shared < length)])

    def labels(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> list[str]:
        # In alphabetic order the first and the last of a group part soonest. Characters
        # are meant, not components of a path.
        pairs = zip(codes.gather(starts), codes.gather(ends - 1), strict=True)
        return [a if a == b else f"{commonprefix([a, b])}*" for a, b in pairs]  # noqa: RUF071

    return Level(groups, labels)
