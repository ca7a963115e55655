"""Full-domain generalization under differential privacy: levels first, then a fresh sample.

Levels are named, or drawn from the whole table by the exponential mechanism; the release is made
of a sample that is drawn afterwards. The two are independent mechanisms, whose ε add up. In ARX
the search looks at the sample that it releases, and takes the visited node of the best exact
score, which is not differentially private; see docs/decisions/0040-safepub.md.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kanonym.algorithms.base import Problem
from kanonym.algorithms.full_domain.search import visit_every_node
from kanonym.algorithms.full_domain.space import hierarchies, level_bounds, prepare_space
from kanonym.algorithms.options import CLASSIFICATION, Bounds
from kanonym.data.errors import PolicyError
from kanonym.data.hierarchy import Hierarchy
from kanonym.data.partition import SUPPRESSED, Partition
from kanonym.data.table import EncodedTable
from kanonym.differential_privacy.noise import Bits, SeededBits, SystemBits, draw_candidate
from kanonym.differential_privacy.sampling import draw_one_each, draw_sample
from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows
from kanonym.metrics.information_loss import metric_from
from kanonym.models import KAnonymity
from kanonym.models.differential import DifferentialPrivacy

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


MOST_NODES = 200_000
"""Every node of the lattice is looked at before one is drawn: larger ones are refused."""

DEGREES: dict[str, Fraction] = {
    "none": Fraction(0),
    "low": Fraction(1, 5),
    "low-medium": Fraction(2, 5),
    "medium": Fraction(1, 2),
    "medium-high": Fraction(3, 5),
    "high": Fraction(4, 5),
    "complete": Fraction(1),
}
"""How far up its hierarchy an attribute goes, as a share of the highest level; as in ARX."""


def private_partition(
    problem: Problem,
    model: DifferentialPrivacy,
    metric: str,
    levels: Mapping[str, Bounds],
    *,
    degree: str | None = None,
    targets: Sequence[str] = (),
) -> Partition:
    """Choose the levels, draw a sample, and keep its classes of at least k records."""
    table = problem.table
    bits: Bits = SystemBits() if problem.seed is None else SeededBits(problem.seed)
    taking_part = np.ones(len(table.tuple_of_row), np.bool_)
    if problem.persons is not None:
        taking_part = draw_one_each(problem.persons, bits)
    account: dict[str, Any] = {}
    ranges = lattice_ranges(table, levels, degree)
    if model.search_epsilon is None:
        chosen = np.array([one.start for one in ranges], np.int64)
    else:
        chosen = draw_levels(
            records_taking_part(table, taking_part), model, bits, metric, levels, tuple(targets)
        )
        account |= {"metric": metric, "lattice_size": math.prod(map(len, ranges))}
    sampled = taking_part & draw_sample(len(taking_part), model.sampling.beta, bits)
    names = [domain.name for domain in table.domains]
    labels, n_classes = classes_of_sample(table, sampled, chosen, model.sampling.k)
    return Partition(
        labels,
        n_classes,
        by_row=True,
        levels=np.tile(chosen.astype(np.int32), (n_classes, 1)),
        account={
            "levels": dict(zip(names, chosen.tolist(), strict=True)),
            "drawn": model.search_epsilon is not None,
            **account,
            "beta": float(model.sampling.beta),
            "k": model.sampling.k,
            "delta_reached": model.sampling.delta,
            "sampled": int(sampled.sum()),
        },
    )


def lattice_ranges(
    table: EncodedTable, levels: Mapping[str, Bounds], degree: str | None = None
) -> list[range]:
    """Return the levels that each quasi-identifier may have; errors as of `level_bounds`."""
    level_bounds(table, levels)
    trees = hierarchies(table)
    return [
        # A level that reads as the next one would be drawn twice.
        allowed_levels(
            tree, levels.get(domain.name), degree, len(tree.labels[0]) == len(tree.labels[1])
        )
        for domain, tree in zip(table.domains, trees, strict=True)
    ]


def level_at_degree(highest: int, degree: str) -> int:
    """Return how far up a hierarchy a degree is, half levels up."""
    return math.floor(DEGREES[degree] * highest + Fraction(1, 2))


def allowed_levels(
    tree: Hierarchy, bounds: Bounds | None, degree: str | None, lowest: int = 0
) -> range:
    """Return the levels that an attribute may have: one, unless it is drawn.

    bounds: as the policy names them, or None. lowest: of the hierarchy.
    """
    low, high = 0, tree.n_levels - 1
    if bounds is not None:
        low, high = (bounds, bounds) if isinstance(bounds, int) else (bounds[0], bounds[-1])
    low = min(max(low, lowest), high)
    if degree is not None:
        low = high = min(max(level_at_degree(tree.n_levels - 1, degree), low), high)
    return range(low, high + 1)


def records_taking_part(table: EncodedTable, taking_part: Bools) -> EncodedTable:
    """Return the table of some of its records."""
    if taking_part.all():
        return table
    of_row = table.tuple_of_row[taking_part]
    weights = np.bincount(of_row, minlength=len(table.weights)).astype(np.int64)
    left = weights > 0
    place = np.cumsum(left, dtype=np.int32) - np.int32(1)
    return replace(
        table,
        codes=np.ascontiguousarray(table.codes[left]),
        sensitive_codes=table.sensitive_codes[left],
        weights=weights[left],
        tuple_of_row=place[of_row],
    )


def draw_levels(
    table: EncodedTable,
    model: DifferentialPrivacy,
    bits: Bits,
    metric: str,
    levels: Mapping[str, Bounds],
    targets: tuple[str, ...] = (),
) -> Ints:
    """Return (d,) levels, drawn from the whole table by one exponential draw over all nodes.

    A class counts as kept where it is expected to have k records of the sample: from ⌈k/β⌉ on.
    """
    sampling = model.sampling
    nodes, scores, score = score_every_node(
        table, metric, math.ceil(sampling.k / sampling.beta), levels, targets
    )
    drawn: int = draw_candidate(
        scores, model.drawing_epsilon, score.sensitivity, bits, monotone=score.monotone
    )
    return np.array(nodes[drawn])


def score_every_node(
    table: EncodedTable,
    metric: str,
    k: int,
    levels: Mapping[str, Bounds],
    targets: tuple[str, ...] = (),
) -> tuple[Ints, Ints, Score]:
    """Return (n, d) nodes in order, their (n,) scores, and what scored them.

    k: records from which on a class counts as kept. Errors as of `draw_levels`.
    """
    ranges = lattice_ranges(table, levels)
    names = [domain.name for domain in table.domains]
    trees = hierarchies(table)
    score = score_of_metric(metric, trees, k, [names.index(name) for name in targets])
    n_nodes = math.prod(map(len, ranges))
    if n_nodes > MOST_NODES:
        raise PolicyError(
            f"the lattice has {n_nodes:,} nodes, and the draw of the levels looks at each of them: "
            f"bound the levels to at most {MOST_NODES:,} nodes, or name them"
        )
    nodes = np.array(list(itertools.product(*ranges)), np.int64).reshape(n_nodes, len(ranges))
    bounds = {name: (one[0], one[-1]) for name, one in zip(names, ranges, strict=True)}
    if not len(table.weights):
        empty = np.zeros((0, len(names)), np.int32), np.zeros(0, np.int64), 0
        return nodes, np.array([score.of(NodeClasses(one, *empty)) for one in nodes]), score
    space = prepare_space(table, metric_from("height"), [KAnonymity(k)], 1.0, bounds, {})

    def of_node(at: Ints, labels: Int32s, sizes: Ints) -> tuple[tuple[int, ...], int]:
        return tuple(at.tolist()), score.of(NodeClasses(at, labels, sizes, table.n_rows))

    found = dict(visit_every_node(space, of_node))
    return nodes, np.array([found[tuple(node)] for node in nodes.tolist()], np.int64), score


def classes_of_sample(
    table: EncodedTable, sampled: Bools, levels: Ints, k: int
) -> tuple[Int32s, int]:
    """Return (n_rows,) int32 classes of at least k sampled records, and their number."""
    labels = np.full(len(sampled), SUPPRESSED, np.int32)
    rows = np.flatnonzero(sampled)
    if not len(rows):
        return labels, 0
    codes = table.codes[table.tuple_of_row[rows]]
    columns, sizes = [], []
    for a, tree in enumerate(hierarchies(table)):
        level = int(levels[a])
        columns.append(tree.codes[level].take(codes[:, a]))
        sizes.append(len(tree.labels[level]))
    groups = group_rows(columns, sizes)
    kept = groups.sizes >= k
    place = np.where(kept, np.cumsum(kept) - 1, SUPPRESSED).astype(np.int32)
    labels[rows] = place[groups.labels]
    return labels, int(kept.sum())
