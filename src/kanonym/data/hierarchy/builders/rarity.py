"""Rare values first: merged into one group that grows from level to level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy.builders.base import Builder, Column, Level, Plan, values_per_level
from kanonym.data.hierarchy.leaves import value_texts

OTHER = "other"


@dataclass(frozen=True, slots=True)
class Frequency(Builder):
    """Rare values merged into `other`, frequent ones kept, with a higher bar at each level.

    Where a value of the data reads `other` itself, the group is `(other)`: a label that reads as a
    value would be taken for it.

    Parameters
    ----------
    shares
        One a level, ascending, each above 0 and at most 1: a value that a smaller share
        of the records has is merged. Records without a value do not count.

    Raises
    ------
    HierarchyError
        Shares out of range or not ascending.

    Examples
    --------
    >>> import numpy as np
    >>> import polars as pl
    >>> from kanonym.data import hierarchy
    >>> jobs = pl.Series("job", ["nurse", "smith", "clerk", "judge"])
    >>> tree = hierarchy.frequency(shares=[0.1, 0.4]).bind(jobs, np.array([50, 3, 39, 8]))
    >>> print(tree.show())
    * (4)
    ├── nurse (1)
    │   └── nurse (1)
    │       └── nurse
    └── other (3)
        ├── clerk (1)
        │   └── clerk
        └── other (2)
            ├── judge
            └── smith

    """

    kind: ClassVar[str] = "frequency"

    shares: float | Sequence[float] = (0.01, 0.05, 0.2)

    def __post_init__(self) -> None:
        shares = values_per_level("shares", self.shares)
        for share in shares:
            if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
                raise HierarchyError(f"shares must be above 0 and at most 1, not {share!r}")
        if any(low >= high for low, high in pairwise(shares)):
            raise HierarchyError(f"shares must be ascending: {', '.join(map(str, shares))}")
        object.__setattr__(self, "shares", shares)

    def plan(self, column: Column) -> Plan:
        """Return the values, the most frequent first, and one level a share."""
        order = np.argsort(-column.counts, kind="stable")
        values, counts = column.values.gather(order), column.counts[order]
        total, texts, other = int(counts.sum()), set(value_texts(values)), OTHER
        while other in texts:
            other = f"({other})"
        levels = [
            _level(values, counts < share * total, other)
            for share in values_per_level("shares", self.shares)
        ]
        return Plan(values, [level for level in levels if level.groups.min() < len(values)])


def _level(values: pl.Series, rare: NDArray[np.bool_], other: str) -> Level:
    """Return the level that merges rare values, which stand last, into a group with a label."""
    groups = np.where(rare, len(values), np.arange(len(values)))

    def labels(starts: NDArray[np.int64], _: NDArray[np.int64]) -> list[str]:
        kept = value_texts(values.gather(starts))
        return [other if merged else text for merged, text in zip(rare[starts], kept, strict=True)]

    return Level(groups, labels)
