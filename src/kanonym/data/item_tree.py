"""The labels that items may be released as: hierarchies of sets as one tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError
from kanonym.data.results.short_repr import ShortRepr

DROPPED = -1
"""The label of an item that is not released."""


@dataclass(frozen=True, slots=False, repr=False)
class ItemTree(ShortRepr):
    """Items and their labels, of one attribute or of several side by side.

    Nodes 0 to n_items - 1 are the items, in the order of their hierarchies; what covers the
    same items as a node below it is that node. Several attributes are one space of items with
    a root each.

    parents: (n_nodes,) int32, -1 for a root.
    first, last: (n_nodes,) int32: the items that a node covers, both ends included.
    attribute_of: (n_nodes,) int32, which attribute a node belongs to.
    """

    _shown: ClassVar[tuple[str, ...]] = ("n_items", "n_nodes")

    labels: tuple[str, ...]
    parents: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    attribute_of: NDArray[np.int32]
    names: tuple[str, ...]

    @classmethod
    def of(cls, hierarchies: Sequence[tuple[str, Any]]) -> ItemTree:
        """Return the tree of hierarchies, each with the name of its attribute."""
        tops, leaves, offset = [], [], 0
        for number, (name, hierarchy) in enumerate(hierarchies):
            items, inner = _nodes(name, hierarchy)
            leaves += [(label, low + offset, low + offset, number) for label, low in items]
            tops += [(label, low + offset, high + offset, number) for label, low, high in inner]
            offset += len(items)
        nodes = [*leaves, *tops]
        first = np.array([node[1] for node in nodes], np.int32)
        last = np.array([node[2] for node in nodes], np.int32)
        return cls(
            labels=tuple(node[0] for node in nodes),
            parents=_parents(first, last, len(leaves)),
            first=first,
            last=last,
            attribute_of=np.array([node[3] for node in nodes], np.int32),
            names=tuple(name for name, _ in hierarchies),
        )

    @property
    def n_nodes(self) -> int:
        """Number of labels, items included."""
        return len(self.parents)

    @cached_property
    def n_items(self) -> int:
        """Number of items."""
        return int((self.first == self.last).sum())

    @cached_property
    def covered(self) -> NDArray[np.int64]:
        """(n_nodes,) int64: how many items each node covers."""
        return (self.last - self.first + 1).astype(np.int64)

    @cached_property
    def domain(self) -> NDArray[np.int64]:
        """(n_nodes,) int64: how many items the attribute of each node has."""
        items = np.bincount(self.attribute_of[: self.n_items], minlength=len(self.names))
        return items.astype(np.int64)[self.attribute_of]

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """(n_nodes,) float64: NCP of a label, (items covered - 1) / (all items - 1), in [0, 1]."""
        return (self.covered - 1) / np.maximum(self.domain - 1, 1)

    @cached_property
    def children(self) -> list[NDArray[np.int32]]:
        """The nodes just below each node, in order of their items."""
        order = np.lexsort((self.first, self.parents)).astype(np.int32)
        order = order[self.parents[order] >= 0]
        bounds = np.searchsorted(self.parents[order], np.arange(self.n_nodes + 1))
        return [order[bounds[i] : bounds[i + 1]] for i in range(self.n_nodes)]

    def nodes_of(self, attribute: int) -> NDArray[np.int64]:
        """Return the nodes of one attribute, ascending."""
        return np.flatnonzero(self.attribute_of == attribute)


def _nodes(name: str, hierarchy: Any) -> tuple[list[tuple[str, int]], list[tuple[str, int, int]]]:
    """Return the items of a hierarchy, and its inner nodes from the lowest level up."""
    known: dict[tuple[int, int], str] = {}
    for level in range(hierarchy.n_levels):
        codes = hierarchy.codes[level]
        starts = np.flatnonzero(np.diff(codes, prepend=-1))
        ends = np.append(starts, len(codes))[1:] - 1
        for code, low, high in zip(
            codes[starts].tolist(), starts.tolist(), ends.tolist(), strict=True
        ):
            label = hierarchy.labels[level][code]
            if label is None:
                raise HierarchyError(f"hierarchy of {name!r}: null is no item; remove its row")
            known.setdefault((low, high), label)
    texts: dict[str, tuple[int, int]] = {}
    for span, label in known.items():
        if label in texts:
            raise HierarchyError(
                f"hierarchy of {name!r}: one label stands for different items at two levels, so a "
                "release with it could not be read; give each level labels of its own"
            )
        texts[label] = span
    items = [(label, low) for (low, high), label in known.items() if low == high]
    inner = [(label, low, high) for (low, high), label in known.items() if low < high]
    return sorted(items, key=lambda one: one[1]), sorted(inner, key=lambda one: one[2] - one[1])


def _parents(first: NDArray[np.int32], last: NDArray[np.int32], n_items: int) -> NDArray[np.int32]:
    """Return (n_nodes,) int32: the smallest node that covers each node, -1 where none does."""
    parents = np.full(len(first), -1, np.int32)
    top = np.arange(n_items, dtype=np.int32)  # of each item, the largest node so far
    order = n_items + np.argsort((last - first)[n_items:], kind="stable")
    for node in order.tolist():
        below = np.unique(top[first[node] : last[node] + 1])
        parents[below] = node
        top[first[node] : last[node] + 1] = node
    return parents
