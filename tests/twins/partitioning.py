"""Slow, obvious twins: segmentation and small classes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

from twins import mondrian as naive
from twins.mondrian import Attribute, Row

Rows = Sequence[Row]
Satisfies = Callable[[Rows], bool]


def loss(rows: Rows, attributes: Sequence[Attribute]) -> float:
    """Return what the records of one class lose."""
    return float(naive.loss(rows, attributes))


def every_cut(n: int) -> Iterator[list[int]]:
    """Yield all ways to cut n places: where classes start, and n."""
    for chosen in range(1 << max(n - 1, 0)):
        yield [0, *(i + 1 for i in range(n - 1) if chosen >> i & 1), n]


def nothing(rows: Rows) -> float:  # noqa: ARG001
    """Return what a class loses besides, where nothing guides."""
    return 0.0


def best_of_all(
    rows: Rows,
    attributes: Sequence[Attribute],
    satisfies: Satisfies,
    further: Callable[[Rows], float] = nothing,
) -> float:
    """Return the least loss of all cuts whose classes satisfy, infinity without one.

    further: what a class loses besides.
    """
    known = {
        (i, j): (
            loss(rows[i:j], attributes) + further(rows[i:j]) if satisfies(rows[i:j]) else math.inf
        )
        for j in range(len(rows) + 1)
        for i in range(j)
    }
    return min(sum(known[pair] for pair in itertools.pairwise(cut)) for cut in every_cut(len(rows)))


def best_by_rule(
    units: Sequence[Rows],
    attributes: Sequence[Attribute],
    satisfies: Satisfies,
    known: Sequence[bool],
    reach: int,
    *,
    apart: bool,
) -> float:
    """Return the least loss where classes that consist of two good ones are left out.

    They are left out from the first one on that does, counted from its end to the left,
    but not before a class of the known division began.
    """
    best = [0.0] + [math.inf] * len(units)
    for end in range(1, len(units) + 1):
        shortest, passed, done = None, False, False
        for start in range(end - 1, max(end - reach, 0) - 1, -1):
            rows = [row for unit in units[start:end] for row in unit]
            if best[end] < math.inf:
                rest = [row for unit in units[start:shortest] for row in unit]
                done = done or bool(rest and satisfies(rest))
            if done and (passed or apart):
                break
            if satisfies(rows):
                shortest = start if shortest is None else shortest
                best[end] = min(best[end], best[start] + loss(rows, attributes))
            passed = passed or known[start]
            if apart and known[start]:
                break
    return best[-1]


def first_fit(units: Sequence[Rows], satisfies: Satisfies) -> list[bool]:
    """Join units from the left until they satisfy; what is left goes to the last ones."""
    classes: list[list[int]] = []
    current: list[int] = []
    for unit in range(len(units)):
        current.append(unit)
        if satisfies([row for i in current for row in units[i]]):
            classes.append(current)
            current = []
    while current:
        current = [*classes.pop(), *current] if classes else current
        if not classes or satisfies([row for i in current for row in units[i]]):
            classes.append(current)
            current = []
    firsts = {one[0] for one in classes}
    return [unit in firsts for unit in range(len(units))]


def serpentine(codes: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Turn sorted tuples: each attribute begins where the stretch before it ended, if nearer."""
    order = list(codes)
    for a in range(1, len(codes[0]) if codes else 0):
        turned: list[tuple[int, ...]] = []
        while order:
            same = [one for one in order if one[:a] == order[0][:a]]
            order = order[len(same) :]
            if turned and abs(same[-1][a] - turned[-1][a]) < abs(same[0][a] - turned[-1][a]):
                same.reverse()
            turned += same
        order = turned
    return order


Point = Sequence[float]


def squared(one: Point, other: Point, weights: Sequence[float]) -> float:
    """Return the weighted squared distance of two points, summed in order of attributes."""
    total = 0.0
    for a, b, weight in zip(one, other, weights, strict=True):
        total += (a - b) * (a - b) * weight
    return total


def nearest(
    point: Point, among: Sequence[int], centres: Sequence[Point], weights: Sequence[float]
) -> int:
    """Return the class of the nearest centre, of equally near ones the first."""
    return min(among, key=lambda c: (squared(point, centres[c], weights), c))


def merged(
    centres: Sequence[Point], weights: Sequence[float], sizes: Sequence[int], k: int
) -> list[int]:
    """Return the class that each class ends in: the smallest joins its nearest, again and again."""
    members = {c: [c] for c in range(len(sizes))}
    size = dict(enumerate(sizes))
    while True:
        leaving = min(members, key=lambda c: (size[c], c))
        if size[leaving] >= k:
            break
        others = [c for c in members if c != leaving]
        winner = nearest(centres[leaving], others, centres, weights)
        members[winner] += members.pop(leaving)
        size[winner] += size.pop(leaving)
    ends = {c: end for end, joined in members.items() for c in joined}
    return [ends[c] for c in range(len(sizes))]
