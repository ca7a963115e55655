"""What an algorithm of items is: sets and a guarantee in, the labels of every set out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

from kanonym.data.item_sets import ItemTree
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Int32s, Ints


@dataclass(frozen=True, slots=True, repr=False)
class ItemProblem(ShortRepr):
    """Sets of items, and how many candidates known items must have.

    offsets, items: (n + 1,) int64 and int32: the items of each record, ascending and distinct.
    """

    _shown: ClassVar[tuple[str, ...]] = ("tree", "k", "m")

    tree: ItemTree
    offsets: Ints
    items: Int32s
    k: int
    m: int

    @property
    def n_rows(self) -> int:
        """Number of records."""
        return len(self.offsets) - 1


@dataclass(frozen=True, slots=True, repr=False)
class ItemRecoding(ShortRepr):
    """What is released of every set.

    offsets, labels: (n + 1,) int64 and int32: the nodes that each record releases, ascending and
    distinct.
    """

    _shown: ClassVar[tuple[str, ...]] = ("account",)

    offsets: Ints
    labels: Int32s
    account: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class ItemAlgorithm(Protocol):
    """Who recodes items so that known itemsets have enough candidates.

    An algorithm inherits from this class.

    type: The name that a policy gives it.
    drop: Whether items may be dropped.
    within_classes: Whether it recodes the sets of each equivalence class apart, for (k,
        k^m)-anonymity.
    """

    __slots__ = ()

    type: ClassVar[str]
    within_classes: ClassVar[bool] = False

    @property
    def drop(self) -> bool: ...  # noqa: D102 - above

    def recode(self, problem: ItemProblem) -> ItemRecoding:
        """Return the labels of every set."""
        ...
