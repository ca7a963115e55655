"""Slow, obvious twins of the metrics of generalized tables: plain Python, record by record.

Sums are fractions, so only logarithms and roots are rounded.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanonym.metrics.information_loss import Terms


Record = tuple[int, ...]
Tree = Sequence[Sequence[int]]  # by level the label of every leaf; level 0 the leaves themselves


@dataclass(frozen=True)
class Node:
    """A table at one node of the lattice, with the classes that are suppressed there.

    Attributes
    ----------
    records
        The leaf of every attribute, for each record.
    trees, levels
        The hierarchy of every attribute, and its level.
    lost
        The labels of the suppressed classes.
    factor
        The generalization/suppression factor.
    weights
        One an attribute, the largest of them 1.

    """

    records: list[Record]
    trees: list[Tree]
    levels: tuple[int, ...]
    lost: frozenset[Record]
    factor: Fraction
    weights: list[Fraction]

    def labels(self, record: Record) -> Record:
        """Return what a record is released as if it is released."""
        parts = zip(self.trees, self.levels, record, strict=True)
        return tuple(tree[level][leaf] for tree, level, leaf in parts)

    @property
    def kept(self) -> list[Record]:
        """The records that are released."""
        return [one for one in self.records if self.labels(one) not in self.lost]

    @property
    def suppressed(self) -> list[Record]:
        """The records that are not."""
        return [one for one in self.records if self.labels(one) in self.lost]

    def below(self, j: int, record: Record) -> int:
        """Return the leaves below the label of a record."""
        labels = self.trees[j][self.levels[j]]
        return list(labels).count(labels[record[j]])

    def size(self, j: int) -> int:
        """Return the leaves of a hierarchy."""
        return len(self.trees[j][0])

    @property
    def g(self) -> Fraction:
        """How much generalization counts."""
        return min(Fraction(1), 2 - 2 * self.factor)

    @property
    def s(self) -> Fraction:
        """How much suppression counts."""
        return min(Fraction(1), 2 * self.factor)

    @property
    def attributes(self) -> range:
        """The attributes, by number."""
        return range(len(self.trees))


def cut_off(value: Fraction | float) -> float:
    """Return a number with ten digits after the point."""
    return math.floor(Fraction(value) * 10**10) / 10**10


def losses(node: Node) -> list[float]:
    """Return the normalised loss of every attribute."""
    found = []
    for j in node.attributes:
        size, n = node.size(j), len(node.records)
        lost = Fraction(0)
        for record in node.kept:
            lost += node.g * Fraction(node.below(j, record), size)
        for record in node.suppressed:
            share = Fraction(node.below(j, record), size)
            lost += share + node.s * (1 - share)
        least, most = node.g * Fraction(n, size), Fraction(n)
        found.append(
            cut_off(max((lost - least) / (most - least), Fraction(0))) if most > least else 0.0
        )
    return found


def loss(node: Node) -> float:
    """Return the geometric mean of x · w + 1, less 1."""
    x = zip(losses(node), node.weights, strict=True)
    return math.prod(one * float(weight) + 1 for one, weight in x) ** (1 / len(node.trees)) - 1


def loss_arithmetic(node: Node) -> float:
    """Return the mean of x · w."""
    x = zip(losses(node), node.weights, strict=True)
    return math.fsum(one * float(weight) for one, weight in x) / len(node.trees)


def precision(node: Node) -> float:
    """Return the mean of the climbed shares of heights."""
    total = Fraction(0)
    for j in node.attributes:
        climbed = Fraction(node.levels[j], len(node.trees[j]) - 1)
        x = len(node.kept) * climbed * node.g + len(node.suppressed) * node.s
        total += node.weights[j] * x / len(node.records)
    return float(total / len(node.trees))


def height(node: Node) -> float:
    """Return the sum of the levels."""
    return float(sum(w * level for w, level in zip(node.weights, node.levels, strict=True)))


def class_sizes(node: Node) -> list[int]:
    """Return the sizes of the released classes."""
    return list(Counter(map(node.labels, node.kept)).values())


def average_class_size(node: Node) -> float:
    """Return records per class, the suppressed being one more."""
    counted = len(class_sizes(node)) * node.s + (node.g if node.suppressed else 0)
    return float(len(node.records) / counted) if counted else math.inf


def discernibility(node: Node) -> float:
    """Return the records that each record looks like, itself included, added up."""
    kept = node.kept
    alike = sum(node.labels(a) == node.labels(b) for a in kept for b in kept)
    return float(alike + len(node.suppressed) * len(node.records))


def bits(node: Node, j: int) -> float:
    """Return the non-uniform entropy of one attribute."""
    values = Counter(record[j] for record in node.records)
    labels = Counter(node.labels(record)[j] for record in node.records)
    lost = Counter(node.labels(record)[j] for record in node.suppressed)
    generalized = math.fsum(
        math.log2(labels[node.labels(record)[j]] / values[record[j]]) for record in node.records
    )
    apart = math.fsum(count * math.log2(len(node.suppressed) / count) for count in lost.values())
    return cut_off(float(node.g) * generalized + float(node.s) * apart)


def non_uniform_entropy(node: Node) -> float:
    """Return the bits of all attributes."""
    return math.fsum(float(node.weights[j]) * bits(node, j) for j in node.attributes)


def normalized_entropy(node: Node) -> float:
    """Return the bits of all attributes, each over those of its root."""
    total = 0.0
    for j in node.attributes:
        values = Counter(record[j] for record in node.records)
        n = len(node.records)
        whole = cut_off(math.fsum(count * math.log2(n / count) for count in values.values()))
        total += float(node.weights[j]) * bits(node, j) / whole if whole else 0.0
    return total


def kl_divergence(node: Node) -> float:
    """Return the sum of p log2(p / q) over distinct original tuples."""
    n, classes = len(node.records), Counter(map(node.labels, node.records))
    total = []
    for record, count in Counter(node.records).items():
        if node.labels(record) in node.lost:
            alike = len(node.suppressed)
            box = math.prod(node.size(j) for j in node.attributes)
        else:
            alike = classes[node.labels(record)]
            box = math.prod(node.below(j, record) for j in node.attributes)
        p, q = Fraction(count, n), Fraction(alike, n * box)
        total.append(float(p) * math.log2(p / q))
    return math.fsum(total)


def ambiguity(node: Node) -> float:
    """Return the combinations of leaves of all records."""
    kept = sum(math.prod(node.below(j, one) for j in node.attributes) for one in node.kept)
    return float(kept + len(node.suppressed) * math.prod(map(node.size, node.attributes)))


SCORES: dict[str, Callable[[Node], float]] = {
    "loss": loss,
    "loss-arithmetic": loss_arithmetic,
    "average-class-size": average_class_size,
    "discernibility": discernibility,
    "non-uniform-entropy": non_uniform_entropy,
    "normalized-entropy": normalized_entropy,
    "precision": precision,
    "height": height,
    "kl-divergence": kl_divergence,
    "ambiguity": ambiguity,
}
"""The twin of every metric, by its name."""

ADDITIVE = ("loss", "loss-arithmetic", "precision", "height")
"""Metrics that are sums over records, by name."""

CHARGED = ("non-uniform-entropy", "normalized-entropy")
"""Metrics that are sums over records and the entropy of what is suppressed, by name."""


def summed(terms: Terms, node: Node) -> float:
    """Return the score that the tables of an additive metric give, record by record."""
    x = []
    for j in node.attributes:
        total = 0.0
        for record in node.records:
            table = terms.lost if node.labels(record) in node.lost else terms.kept
            total += float(table[j][node.levels[j]][node.labels(record)[j]])
        if terms.charged:
            suppressed = Counter(
                node.labels(record)[j]
                for record in node.records
                if node.labels(record) in node.lost
            )
            every = sum(suppressed.values())
            total += terms.charged * sum(m * math.log2(every / m) for m in suppressed.values())
        low, high = float(terms.low[j]), float(terms.high[j])
        one = max(0.0, (total - low) / (high - low))
        x.append(math.floor(one * 1e10) / 1e10 if terms.rounded else one)
    score, product = 0.0, 1.0
    for one, weight in zip(x, terms.weights.tolist(), strict=True):
        score += one * weight
        product *= one * weight + 1
    return product ** (1 / len(x)) - 1 if terms.geometric else score
