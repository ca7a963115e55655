"""Slow, obvious twins of Mondrian's kernels: rows in lists, losses as exact fractions.

A row is its quasi-identifier codes, its sensitive codes (-1 for a null that does not
count) and its weight; a node is a list of rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from kanonym.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    PrivacyModel,
    TCloseness,
)
from twins import classes as naive


class Row(NamedTuple):
    """One tuple of a frequency set."""

    codes: tuple[int, ...]
    secrets: tuple[int, ...]
    weight: int


Node = Sequence[Row]
Cut = tuple[int, int]  # attribute and code: codes up to it go to the left


@dataclass(frozen=True, kw_only=True)
class Weighted:
    """An attribute whose loss counts as much as its weight says."""

    weight: Fraction = Fraction(1)

    def share(self, codes: set[int]) -> Fraction:
        """Return the loss of a class as a share of that of the table."""
        raise NotImplementedError

    def loss(self, codes: set[int]) -> Fraction:
        """Return the weighted loss of a class."""
        return self.weight * self.share(codes)


@dataclass(frozen=True)
class Range(Weighted):
    """Codes on a number line; null, where there is one, is the last code."""

    places: tuple[Fraction, ...]
    null: int = -1

    def share(self, codes: set[int]) -> Fraction:
        """Return the distance of the outer places; all of it where null is not alone."""
        if len(codes) == 1:
            return Fraction(0)
        if self.null in codes:
            return Fraction(1)
        return max(self.places[c] for c in codes) - min(self.places[c] for c in codes)


@dataclass(frozen=True)
class Set(Weighted):
    """Codes that are counted."""

    observed: int

    def share(self, codes: set[int]) -> Fraction:
        """Return the further values of a class as a share of those of the table."""
        return Fraction(len(codes) - 1, max(self.observed - 1, 1))


@dataclass(frozen=True)
class Tree(Weighted):
    """Codes that are leaves: each with its labels from level 0 up to the root."""

    paths: tuple[tuple[object, ...], ...]

    def share(self, codes: set[int]) -> Fraction:
        """Return the further leaves below the lowest common ancestor, as a share of all."""
        if len(codes) == 1:
            return Fraction(0)
        height = len(self.paths[0])
        level = next(h for h in range(height) if len({self.paths[c][h] for c in codes}) == 1)
        ancestor = self.paths[min(codes)][level]
        leaves = sum(path[level] == ancestor for path in self.paths)
        return Fraction(leaves - 1, len(self.paths) - 1)


Attribute = Range | Set | Tree


def records(node: Node) -> int:
    """Return the number of records."""
    return sum(row.weight for row in node)


def codes_of(node: Node, a: int) -> set[int]:
    """Return the distinct codes of an attribute."""
    return {row.codes[a] for row in node}


def loss(node: Node, attributes: Sequence[Attribute]) -> Fraction:
    """Return what all records of a class lose in all attributes."""
    lost = sum(attribute.loss(codes_of(node, a)) for a, attribute in enumerate(attributes))
    return Fraction(lost * records(node))


def divide(node: Node, cut: Cut) -> tuple[list[Row], list[Row]]:
    """Carry out a cut."""
    a, code = cut
    left = [row for row in node if row.codes[a] <= code]
    return left, [row for row in node if row.codes[a] > code]


# --- models ------------------------------------------------------------------


def secrets(node: Node, j: int) -> list[int]:
    """Return the values of sensitive attribute j, one a record that has one."""
    return [row.secrets[j] for row in node for _ in range(row.weight) if row.secrets[j] >= 0]


@dataclass(frozen=True)
class Requirement:
    """All models of a policy, asked of one class.

    `order` names the sensitive attributes as rows hold them, `paths` their trees.
    """

    models: Sequence[PrivacyModel]
    order: Sequence[str]
    table: Node
    paths: dict[str, naive.Paths]

    def __call__(self, node: Node) -> bool:
        """Say whether a class satisfies every model."""
        return all(self.asked(model, node) for model in self.models)

    def asked(self, model: PrivacyModel, node: Node) -> bool:
        """Say whether a class satisfies one model, as its paper puts it."""
        if isinstance(model, KAnonymity):
            return records(node) >= model.k
        j = self.order.index(str(model.attribute))
        values, table = secrets(node, j), secrets(self.table, j)
        if isinstance(model, AlphaKAnonymity):
            return records(node) >= model.k and at_most(naive.alpha(values), model.alpha)
        if isinstance(model, LDiversity):
            if model.kind == "recursive":
                return below(naive.recursive(values, int(model.l)), model.c or 0)
            measure = naive.distinct if model.kind == "distinct" else naive.entropy
            return at_most(model.l, measure(values))
        if isinstance(model, TCloseness):
            if model.distance == "hierarchical":
                paths = self.paths[str(model.attribute)]
                return at_most(naive.t_hierarchical(values, table, paths), model.t)
            distance = naive.t_equal if model.distance == "equal" else naive.t_ordered
            return at_most(distance(values, table), model.t)
        if isinstance(model, BetaLikeness):
            basic = at_most(naive.beta_basic(values, table), model.beta)
            return basic and (model.kind == "basic" or naive.beta_excess(values, table) <= 1)
        assert isinstance(model, DeltaDisclosure)
        return below(naive.delta(values, table), model.delta * math.log(2))


def at_most(value: float, threshold: float) -> bool:
    """Compare two numbers that may differ by rounding."""
    return value <= threshold or math.isclose(value, threshold, abs_tol=1e-12, rel_tol=1e-12)


def below(value: float, threshold: float) -> bool:
    """Compare strictly: a difference by rounding is none."""
    return not at_most(threshold, value)


Satisfies = Callable[[Node], bool]


# --- strict ------------------------------------------------------------------


def cuts(node: Node, d: int) -> Iterator[Cut]:
    """Yield every cut that leaves rows on both sides, by attribute and code."""
    for a in range(d):
        for code in sorted(codes_of(node, a))[:-1]:
            yield a, code


def least_loss_cut(node: Node, attributes: Sequence[Attribute], satisfies: Satisfies) -> Cut | None:
    """Return the allowed cut of least loss; ties: best balance, lowest attribute and code."""
    ranked = []
    for cut in cuts(node, len(attributes)):
        sides = divide(node, cut)
        if all(satisfies(side) for side in sides):
            left = sum(loss(side, attributes) for side in sides)
            ranked.append((left, -min(records(side) for side in sides), cut))
    return min(ranked)[2] if ranked else None


def median_cut(node: Node, attributes: Sequence[Attribute], satisfies: Satisfies) -> Cut | None:
    """Return the allowed cut of least loss beside the median of an attribute; ties as above."""
    ranked = []
    for a in range(len(attributes)):
        median = quantile(node, a, 8)
        for code in {max([c for c in codes_of(node, a) if c < median], default=None), median}:
            if code is None or code == max(codes_of(node, a)):
                continue
            sides = divide(node, (a, code))
            if all(satisfies(side) for side in sides):
                left = sum(loss(side, attributes) for side in sides)
                ranked.append((left, -min(records(side) for side in sides), (a, code)))
    return min(ranked)[2] if ranked else None


def quantile(node: Node, a: int, sixteenths: int) -> int:
    """Return the code of the record that stands behind so many sixteenths of all."""
    target = math.ceil(Fraction(records(node) * sixteenths, 16))
    return sorted(row.codes[a] for row in node for _ in range(row.weight))[target - 1]


def beside_quantile_cut(
    node: Node, attributes: Sequence[Attribute], satisfies: Satisfies, *, only_sizes: bool
) -> Cut | None:
    """Return the first allowed cut: median first, widest attribute first, better balance first.

    Where only sizes count, the median alone is tried; else quantiles outwards from it.
    """
    for sixteenths in (8,) if only_sizes else (8, 4, 12, 2, 14, 1, 15):
        varying = [a for a in range(len(attributes)) if len(codes_of(node, a)) > 1]
        for a in sorted(varying, key=lambda a: (-attributes[a].loss(codes_of(node, a)), a)):
            code = quantile(node, a, sixteenths)
            sides = [divide(node, (a, behind)) for behind in (code, code - 1)]
            # Stable: of two equally balanced cuts the one behind the quantile comes first.
            for left, right in sorted(sides, key=lambda two: -min(map(records, two))):
                if left and right and satisfies(left) and satisfies(right):
                    return a, max(row.codes[a] for row in left)
    return None


def strict(
    node: Node,
    attributes: Sequence[Attribute],
    satisfies: Satisfies,
    *,
    exact: int,
    only_sizes: bool,
    medians: int = 0,
) -> list[Node]:
    """Return the classes of strict Mondrian; nodes of up to `exact` rows cut by least loss.

    Larger nodes of up to `medians` rows are cut by least loss beside a median, if they may be.
    """
    cut = None
    if len(node) <= exact:
        cut = least_loss_cut(node, attributes, satisfies)
    elif len(node) <= medians:
        cut = median_cut(node, attributes, satisfies)
    if cut is None and len(node) > exact:
        cut = beside_quantile_cut(node, attributes, satisfies, only_sizes=only_sizes)
    if cut is None:
        return [node]
    return [
        part
        for side in divide(node, cut)
        for part in strict(
            side, attributes, satisfies, exact=exact, only_sizes=only_sizes, medians=medians
        )
    ]


# --- relaxed -----------------------------------------------------------------


def halves(node: Node, a: int) -> tuple[list[Row], list[Row]]:
    """Return the lower and the upper half of records; ties go by all codes."""
    order = sorted(sorted(node), key=lambda row: row.codes[a])
    middle = len(order) // 2
    return order[:middle], order[middle:]


def relaxed(
    node: Node, attributes: Sequence[Attribute], satisfies: Satisfies, *, by_loss: bool
) -> list[Node]:
    """Return the classes of relaxed Mondrian; every row has the weight 1."""

    def rank(a: int) -> tuple[Fraction, int]:
        if by_loss:
            return sum(loss(half, attributes) for half in halves(node, a)), a  # type: ignore[return-value]
        return -attributes[a].loss(codes_of(node, a)), a

    varying = (a for a in range(len(attributes)) if len(codes_of(node, a)) > 1)
    for a in sorted(varying, key=rank):
        both = halves(node, a)
        if all(satisfies(half) for half in both):
            return [
                part
                for half in both
                for part in relaxed(half, attributes, satisfies, by_loss=by_loss)
            ]
    return [node]


# --- suppression -------------------------------------------------------------


def suppressing_cut(
    node: Node, attributes: Sequence[Attribute], satisfies: Satisfies, budget: int
) -> tuple[Fraction, Cut, int, int] | None:
    """Return the cut that saves most loss for each record that it suppresses, or None.

    Returns what it saves, the cut, the side that stays (0 left) and the records
    suppressed; of equal cuts the lowest attribute, side and code.
    """
    best = None
    for a in range(len(attributes)):
        for side in (0, 1):
            for code in sorted(codes_of(node, a))[:-1]:
                both = divide(node, (a, code))
                stays, lost = both[side], records(both[1 - side])
                if lost > budget or not satisfies(stays):
                    continue
                saved = loss(node, attributes) - loss(stays, attributes)
                gain = saved / lost - sum(one.weight for one in attributes)
                if gain > (best[0] if best else 0):
                    best = gain, (a, code), side, lost
    return best
