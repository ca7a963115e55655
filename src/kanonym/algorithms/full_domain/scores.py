"""What a node of the lattice is worth under differential privacy: scores of bounded sensitivity.

Bild, Kuhn and Prasser (2018), "SafePub", section 5, and ARX's implementation of it. Deviations:
loss and precision count what is kept instead of what is lost, and the class-size score does not
count suppression: adding a record then never lowers them, so that a draw needs half the noise.
Scores are whole numbers on a public grid, not floats.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from kanonym.algorithms.options import CLASSIFICATION
from kanonym.data.errors import PolicyError
from kanonym.data.hierarchy import Hierarchy
from kanonym.kernels.arrays import Int32s, Ints

GRID = 1 << 20
"""Units of one: shares and ratios are rounded down to whole multiples of 1/GRID."""


class NodeClasses(NamedTuple):
    """The classes that a node makes of a table.

    levels: (d,) int64, the level of each quasi-identifier.
    labels: (n_classes, d) int32, labels at these levels.
    sizes: (n_classes,) int64 records. Classes that are too small to be kept may be missing.
    """

    levels: Ints
    labels: Int32s
    sizes: Ints
    records: int


@dataclass(frozen=True, slots=True)
class Score(ABC):
    """A score of nodes: higher is better, in units of 1/`GRID`."""

    trees: tuple[Hierarchy, ...]
    k: int

    type: ClassVar[str]
    monotone: ClassVar[bool] = True
    """Whether one more record never lowers it."""

    @property
    @abstractmethod
    def sensitivity(self) -> int:
        """By how much one record more or less changes it at most, in units."""

    @abstractmethod
    def of(self, node: NodeClasses) -> int:
        """Return the score of a node, in units."""


@dataclass(frozen=True, slots=True)
class Loss(Score):
    """Σ over kept records and attributes of 1 − the share of values below the label.

    kept: by attribute and level, (n_labels,) int64: what a record with the label keeps, in units.
    """

    kept: tuple[tuple[Ints, ...], ...] = field(init=False)

    type = "loss"

    def __post_init__(self) -> None:
        every = (
            tuple(_kept_shares(tree, level) for level in range(tree.n_levels))
            for tree in self.trees
        )
        object.__setattr__(self, "kept", tuple(every))

    @property
    def sensitivity(self) -> int:
        """A class of k comes in: at most 1 a record and attribute."""
        return self.k * len(self.trees) * GRID

    def of(self, node: NodeClasses) -> int:
        """Add up what kept records keep."""
        kept = node.sizes >= self.k
        own = np.zeros(len(node.sizes), np.int64)
        for a, shares in enumerate(self.kept):
            own += shares[int(node.levels[a])][node.labels[:, a]]
        return int((own * node.sizes)[kept].sum())


class Precision(Score):
    """Σ over kept records and attributes of 1 − level / highest level."""

    type = "precision"

    @property
    def sensitivity(self) -> int:
        """A class of k comes in: at most 1 a record and attribute."""
        return self.k * len(self.trees) * GRID

    def of(self, node: NodeClasses) -> int:
        """Multiply the kept records by what each keeps."""
        kept = int(node.sizes[node.sizes >= self.k].sum())
        return kept * sum(
            GRID - GRID * int(level) // (tree.n_levels - 1)
            for level, tree in zip(node.levels, self.trees, strict=True)
        )


class ClassSize(Score):
    """The number of kept classes."""

    type = "average-class-size"

    @property
    def sensitivity(self) -> int:
        """One class comes in."""
        return GRID

    def of(self, node: NodeClasses) -> int:
        """Count kept classes."""
        return int((node.sizes >= self.k).sum()) * GRID


@dataclass(frozen=True, slots=True)
class Classification(Score):
    """Σ over targets and kept groups of the records with the commonest label of the target.

    A group agrees on all quasi-identifiers but the target; what it counts is weighted by
    1 − level / highest level of the target.
    """

    targets: tuple[int, ...]

    type = CLASSIFICATION

    @property
    def sensitivity(self) -> int:
        """A class of k comes in, for every target."""
        return self.k * len(self.targets) * GRID

    def of(self, node: NodeClasses) -> int:
        """Find the commonest label of each group."""
        kept = node.sizes >= self.k
        labels, sizes = node.labels[kept], node.sizes[kept]
        total = 0
        for target in self.targets:
            tree, level = self.trees[target], int(node.levels[target])
            weight = GRID - GRID * level // (tree.n_levels - 1)
            group = np.zeros(len(sizes), np.int64)
            for a in range(len(self.trees)):
                if a != target and node.levels[a] < self.trees[a].n_levels - 1:
                    group = group * (int(labels[:, a].max(initial=0)) + 1) + labels[:, a]
                    group = np.unique(group, return_inverse=True)[1]
            most = np.zeros(len(sizes), np.int64)
            np.maximum.at(most, group, sizes)  # a class has one label of the target
            total += int(most.sum()) * weight
        return total


class Discernibility(Score):
    """− (suppressed records + Σ of squared class sizes / records), Bild et al. section 5.3."""

    type = "discernibility"
    monotone = False

    @property
    def sensitivity(self) -> int:
        """k²/(k − 1) + 1, 5 for k = 1; and one unit of rounding."""
        return _quadratic_sensitivity(self.k)

    def of(self, node: NodeClasses) -> int:
        """Add up squared sizes."""
        n = node.records
        kept = node.sizes >= self.k
        gone = n - int(node.sizes[kept].sum())
        squares = int((node.sizes[kept] ** 2).sum())
        return -gone * GRID - (squares * GRID // n if n else 0)


class NonUniformEntropy(Score):
    """− Σ over attributes of (records without a label + Σ of squared label counts / records) / d.

    Bild et al. section 5.4: records that are suppressed, and those at the root, have no label.
    """

    type = "non-uniform-entropy"
    monotone = False

    @property
    def sensitivity(self) -> int:
        """As discernibility, of each attribute."""
        return _quadratic_sensitivity(self.k)

    def of(self, node: NodeClasses) -> int:
        """Count kept labels attribute by attribute."""
        n, d = node.records, len(self.trees)
        kept = node.sizes >= self.k
        labels, sizes = node.labels[kept], node.sizes[kept]
        left = int(sizes.sum())
        whole, squares = 0, 0
        for a, tree in enumerate(self.trees):
            names = len(tree.labels[int(node.levels[a])])
            if names == 1:
                whole += n
                continue
            counts = np.bincount(labels[:, a], sizes, names).astype(np.int64)
            whole += n - left
            squares += int((counts**2).sum())
        return -(whole * GRID // d) - (squares * GRID // (n * d) if n else 0)


SCORES: dict[str, type[Score]] = {
    one.type: one
    for one in (Loss, Precision, ClassSize, Classification, Discernibility, NonUniformEntropy)
}
"""Every score by the name of the metric that it stands for."""


def score_of_metric(
    metric: str, trees: Sequence[Hierarchy], k: int, targets: Sequence[int] = ()
) -> Score:
    """Return the score of a metric."""
    if metric not in SCORES:
        raise PolicyError(
            f"metric {metric!r} has no score of bounded sensitivity, so levels cannot be drawn by "
            f"it: choose one of {', '.join(SCORES)}, or name the levels"
        )
    if metric == Classification.type:
        return Classification(tuple(trees), k, tuple(targets))
    build: Callable[[tuple[Hierarchy, ...], int], Score] = SCORES[metric]
    return build(tuple(trees), k)


def _kept_shares(tree: Hierarchy, level: int) -> Ints:
    """Return (n_labels,) int64: 1 − the share of listed values below each label, in units."""
    root = tree.labels[-1][0]
    listed = sum(label not in (None, root) for label in tree.labels[0])
    shares = -(-GRID * np.minimum(tree.leaf_counts(level), listed) // max(listed, 1))
    shares[[label == root for label in tree.labels[level]]] = GRID
    return GRID - shares


def _quadratic_sensitivity(k: int) -> int:
    bound = 5 * GRID if k == 1 else math.ceil(GRID * k * k / (k - 1)) + GRID
    return bound + 2
