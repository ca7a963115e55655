"""Hierarchies of groups, by order or by frequency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data.errors import HierarchyError, shown_value
from kanonym.data.hierarchy.builders.base import (
    Builder,
    Column,
    Level,
    Plan,
    integers_per_level,
    values_per_level,
)
from kanonym.data.hierarchy.labels import (
    count_phrase,
    parse_leaves,
    plain_text,
    quote_first,
    value_texts,
)
from kanonym.kernels.arrays import Bools, Ints


@dataclass(frozen=True, slots=True)
class Groups(Builder):
    """Order-based groups: neighbours in the order of the values, group by group.

    A group reads `[first, last]`, or as the value itself where it holds one. The last
    group of a level holds what is left.

    Parameters
    ----------
    fan_outs
        How many values make a group of level 1, how many of those make one of level
        2, and so on; each at least 2.
    order
        The values in order; those that the data does not have stay in the tree. None:
        numbers and dates by value, enumerations in their own order, text by alphabet.

    Raises
    ------
    HierarchyError
        A fan-out below 2; when bound, values of the data that `order` lacks.

    Examples
    --------
    >>> import polars as pl
    >>> from kanonym.data import hierarchy
    >>> sizes = pl.Series("size", ["S", "M", "L", "XL"])
    >>> ordered = hierarchy.groups(fan_outs=2, order=["XS", "S", "M", "L", "XL"]).bind(sizes)
    >>> ordered.generalize(1)
    ['[XS, S]', '[XS, S]', '[M, L]', '[M, L]', 'XL']
    """

    kind: ClassVar[str] = "groups"

    fan_outs: int | Sequence[int]
    order: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "fan_outs", integers_per_level("fan_outs", self.fan_outs, least=2))
        if self.order is None:
            return
        if not isinstance(self.order, Sequence) or isinstance(self.order, str):
            raise HierarchyError(f"order must be a list of values, not {shown_value(self.order)}")
        if None in self.order:
            raise HierarchyError("order: null has no place in it, it is a branch of its own")
        object.__setattr__(self, "order", tuple(self.order))

    def plan(self, column: Column) -> Plan:
        """Return the values in order, and one level a fan-out."""
        values = column.values if self.order is None else self._order_in_type(column, self.order)
        place = np.arange(len(values), dtype=np.int64)
        sizes = np.cumprod(integers_per_level("fan_outs", self.fan_outs, least=2), dtype=np.float64)
        groups = [place // int(min(size, len(values))) for size in sizes]
        return Plan(values, [Level(group, lambda a, b: _spans(values, a, b)) for group in groups])

    def _order_in_type(self, column: Column, order: Sequence[Any]) -> pl.Series:
        """Return the values of the parameter `order` in the column's type."""
        leaves = pl.Series(column.name, [plain_text(value) for value in order], dtype=pl.String)
        values = parse_leaves(
            leaves, column.values.dtype, lambda place: f"order, value {place + 1}"
        )
        missing = column.values.filter(~column.values.cast(values.dtype).is_in(values.implode()))
        if len(missing):
            raise HierarchyError(
                f"column {column.name!r}: {count_phrase(len(missing), 'value')} not in order: "
                f"{quote_first(missing.to_list())}",
                values=missing.to_list(),
            )
        return values


def _spans(values: pl.Series, starts: Ints, ends: Ints) -> list[str]:
    """Return the labels of groups from their first and last values."""
    first, last = value_texts(values.gather(starts)), value_texts(values.gather(ends - 1))
    return [a if a == b else f"[{a}, {b}]" for a, b in zip(first, last, strict=True)]


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


def _level(values: pl.Series, rare: Bools, other: str) -> Level:
    """Return the level that merges rare values, which stand last, into a group with a label."""
    groups = np.where(rare, len(values), np.arange(len(values)))

    def labels(starts: Ints, _: Ints) -> list[str]:
        kept = value_texts(values.gather(starts))
        return [other if merged else text for merged, text in zip(rare[starts], kept, strict=True)]

    return Level(groups, labels)
