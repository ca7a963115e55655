"""What the labels of every level cover, in flat arrays that a node indexes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy import Hierarchy
from kanonym.data.table import EncodedTable, records_of
from kanonym.metrics.information_loss.base import Generalized

BLOCK = 1 << 16
"""So many classes are looked up at a time: it bounds memory."""


@dataclass(frozen=True, slots=True)
class LabelTables:
    """Leaves and records below every label of every level, ready to be summed.

    Level l of attribute j owns the entries places[j][l] of the flat arrays: widths[j, l]
    of them, from starts[j, l] on. Past the root of a low hierarchy the root is repeated.

    starts, widths: (d, n_levels) int64.
    held: (d, n_levels) int64, how many labels of each level the data holds.
    leaves: (n_entries,) float64, leaves of the hierarchy below the label: whole numbers, so that
    sums below 2^53 are exact in any order. A branch of null is a leaf.
    counts: (n_entries,) float64, records with the label.
    heights: (d,) int64, the level of the root.
    sizes: (d,) float64, leaves of the whole hierarchy.
    """

    starts: NDArray[np.int64]
    widths: NDArray[np.int64]
    places: tuple[tuple[slice, ...], ...]
    held: NDArray[np.int64]
    leaves: NDArray[np.float64]
    counts: NDArray[np.float64]
    heights: NDArray[np.int64]
    sizes: NDArray[np.float64]
    n_rows: int

    @classmethod
    def of(cls, table: EncodedTable) -> LabelTables:
        """Tabulate the hierarchies of a table.

        Notes
        -----
        Cost O(n_tuples · d + labels of all levels).

        """
        trees = hierarchies(table)
        deepest = max((tree.n_levels for tree in trees), default=1)
        starts = np.zeros((len(trees), deepest), np.int64)
        widths, held = np.zeros_like(starts), np.zeros_like(starts)
        leaves: list[NDArray[np.int64]] = []
        counts: list[NDArray[np.float64]] = []
        place = 0
        for j, tree in enumerate(trees):
            records = records_of(table, j)
            for level, codes in enumerate(tree.codes):
                covered = tree.leaf_counts(level)
                starts[j, level:], widths[j, level:] = place, len(covered)
                leaves.append(covered)
                counts.append(np.bincount(codes, records, len(covered)).astype(np.float64))
                held[j, level:] = np.count_nonzero(counts[-1])
                place += len(covered)
        return cls(
            starts=starts,
            widths=widths,
            places=tuple(
                tuple(map(slice, first, last))
                for first, last in zip(starts.tolist(), (starts + widths).tolist(), strict=True)
            ),
            held=held,
            leaves=np.concatenate([np.zeros(0), *leaves]).astype(np.float64),
            counts=np.concatenate([np.zeros(0), *counts]),
            heights=np.array([tree.n_levels - 1 for tree in trees], np.int64),
            sizes=np.array([tree.size for tree in trees], np.float64),
            n_rows=int(table.weights.sum()),
        )

    @property
    def d(self) -> int:
        """Number of attributes."""
        return len(self.sizes)

    def at(self, table: NDArray[np.float64], levels: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return (d,): the entry of each attribute's level in a (d, n_levels) table."""
        return table[np.arange(self.d), levels]

    def own(self, flat: NDArray[np.float64], j: int, level: int) -> NDArray[np.float64]:
        """Return the part of a flat array that one level of one attribute owns."""
        return flat[self.places[j][level]]

    def totals(self, flat: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (d, n_levels) float64: the sum over all records of their labels' values.

        It is rounded once.
        """
        sums = np.zeros(self.starts.shape)
        products = flat * self.counts
        for j, height in enumerate(self.heights.tolist()):
            for level in range(height + 1):
                sums[j, level:] = math.fsum(self.own(products, j, level).tolist())
        return sums

    def kept_sums(
        self, flat: NDArray[np.float64], totals: NDArray[np.float64], classes: Generalized
    ) -> NDArray[np.float64]:
        """Return (d,) float64: the sums over kept records of their labels' values.

        flat: (n_entries,) whole numbers; totals: (d,) their sums over all records, from
        which those of the suppressed are taken away where these are fewer classes.
        """
        labels, sizes, are_kept = _smaller_side(classes, self.n_rows)
        weights = sizes.astype(np.float64)
        starts = self.starts[np.arange(self.d), classes.levels]
        found = np.zeros(self.d)
        for first in range(0, len(labels), BLOCK):
            block = slice(first, first + BLOCK)
            found += weights[block] @ flat[labels[block] + starts]
        return found if are_kept else totals - found

    def kept_counts(self, classes: Generalized) -> NDArray[np.float64]:
        """Return (n_labels,) float64: the kept records with each label, as `gather` orders."""
        labels, sizes, are_kept = _smaller_side(classes, self.n_rows)
        widths = self.widths[np.arange(self.d), classes.levels]
        starts = np.cumsum(widths) - widths
        found = np.zeros(int(widths.sum()))
        for first in range(0, len(labels), BLOCK):
            block = slice(first, first + BLOCK)
            places = (labels[block] + starts).reshape(-1)
            found += np.bincount(places, np.repeat(sizes[block], self.d), len(found))
        return found if are_kept else self.gather(self.counts, classes.levels) - found

    def boxes(
        self, levels: NDArray[np.int64], columns: Iterable[NDArray[np.int32]]
    ) -> NDArray[np.float64]:
        """Return (n_classes,) float64: the combinations of leaves below each class's labels.

        columns: of each attribute, (n_classes,) int32 labels.
        """
        found = np.ones(0)
        for j, column in enumerate(columns):
            leaves = self.own(self.leaves, j, int(levels[j])).take(column)
            found = found * leaves if j else leaves
        return found

    def gather(self, flat: NDArray[np.float64], levels: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return (n_labels,) float64: the values of a node's labels, attribute by attribute."""
        return np.concatenate(
            [flat[own[level]] for own, level in zip(self.places, levels.tolist(), strict=True)]
        )


def hierarchies(table: EncodedTable) -> list[Hierarchy]:
    """Return the hierarchy of each quasi-identifier."""
    found = []
    for domain in table.domains:
        if domain.hierarchy is None:
            raise HierarchyError(
                f"column {domain.name!r} has no hierarchy; without one there is no level "
                "whose loss could be measured"
            )
        found.append(domain.hierarchy)
    return found


def _smaller_side(
    classes: Generalized, n_rows: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], bool]:
    """Return labels and sizes of the kept or of the suppressed classes, and which they are.

    They are the kept ones where suppressed classes were left out.
    """
    n_kept = int(np.count_nonzero(classes.kept))
    are_kept = 2 * n_kept <= len(classes.kept) or int(classes.sizes.sum()) < n_rows
    rows = np.flatnonzero(classes.kept if are_kept else ~classes.kept)
    return classes.labels.take(rows, axis=0), classes.sizes.take(rows), are_kept


def x_log2_x(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return c · log2(c) of counts, 0 for none."""
    return counts * np.log2(np.maximum(counts, 1.0))


def ordered_sum(values: NDArray[np.float64]) -> float:
    """Return the sum of values of at least 0: the same in any order, with any zeros among them."""
    return float(np.sort(values[values > 0]).sum())
