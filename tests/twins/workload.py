"""Slow, obvious twins of cuts that are guided by a target.

Rows are those of `naive_mondrian` whose last secret is the code of the target, -1 where there is
none; no model looks at it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from twins import mondrian as naive
from twins.mondrian import Cut, Node, Satisfies


@dataclass(frozen=True)
class Aim:
    """What guides: numbers by code, or categories whose x log2 x stands in a table of integers."""

    numbers: Sequence[int] = ()
    curve: Sequence[int] = ()
    least: float = 0.0

    def score(self, node: Node) -> float:
        """Return how well a side is known: minus entropy, or what the mean explains."""
        known = targets(node)
        if not known:
            return 0.0
        if self.curve:
            held = sum(self.curve[count] for count in Counter(known).values())
            return float(held - self.curve[len(known)])
        total = float(sum(self.numbers[code] for code in known))
        return total * total / float(len(known))

    def gain(self, node: Node, cut: Cut) -> float:
        """Return how much better both sides are known than the node."""
        left, right = naive.divide(node, cut)
        return self.score(left) + self.score(right) - self.score(node)


def targets(node: Node) -> list[int]:
    """Return the target of each record that has one."""
    return naive.secrets(node, -1)


def gain_cut(node: Node, d: int, satisfies: Satisfies, aim: Aim) -> Cut | None:
    """Return the allowed cut of largest gain; ties: best balance, lowest attribute and code."""
    least = aim.least + (0.0 if aim.curve else 1e-12 * aim.score(node))
    ranked = []
    for cut in naive.cuts(node, d):
        sides = naive.divide(node, cut)
        gain = aim.gain(node, cut)
        if gain > least and all(satisfies(side) for side in sides):
            ranked.append((-gain, -min(naive.records(side) for side in sides), cut))
    return min(ranked)[2] if ranked else None


def by_gain(node: Node, d: int, satisfies: Satisfies, aim: Aim) -> list[Node]:
    """Return what is left where no cut gains."""
    cut = gain_cut(node, d, satisfies, aim)
    if cut is None:
        return [node]
    return [part for side in naive.divide(node, cut) for part in by_gain(side, d, satisfies, aim)]


def impurity(node: Node, numbers: Sequence[float] = ()) -> float:
    """Return entropy in bits times records, or the squared deviation from the mean."""
    known = targets(node)
    if not known:
        return 0.0
    if numbers:
        mean = math.fsum(numbers[code] for code in known) / len(known)
        return math.fsum((numbers[code] - mean) ** 2 for code in known)
    counts = Counter(known).values()
    return -math.fsum(count * math.log2(count / len(known)) for count in counts)
