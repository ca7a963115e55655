"""Slow, obvious twins: microaggregation."""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction

from kanonym.kernels.microaggregation.mdav import NOMINAL, NUMBER

Record = Sequence[float]


@dataclass(frozen=True)
class Space:
    """Records, what attributes weigh, and of which kind each is: all numbers unless said."""

    records: Sequence[Record]
    weights: Sequence[float]
    kinds: Sequence[int] | None = None

    def kind(self, a: int) -> int:
        """Return the kind of an attribute."""
        return NUMBER if self.kinds is None else self.kinds[a]

    def squared(self, one: Record, other: Record) -> float:
        """Return the weighted squared distance of two records, summed in order of attributes."""
        total = 0.0
        for a, weight in enumerate(self.weights):
            gap = one[a] - other[a]
            if self.kind(a) == NOMINAL:
                gap = 0.0 if one[a] == other[a] else 1.0
            total += gap * gap * weight
        return total

    def centroid(self, group: Sequence[int]) -> list[float]:
        """Return mean, lower median or most frequent value; sums are rounded once."""
        columns = zip(*(self.records[i] for i in group), strict=True)
        return [centre(column, self.kind(a)) for a, column in enumerate(columns)]

    def farthest(self, centre: Record, left: Sequence[int]) -> int:
        """Return the first of the records that are farthest from a centre."""
        return max(left, key=lambda i: (self.squared(self.records[i], centre), -i))

    def nearest(self, centre: Record, left: Sequence[int], k: int) -> list[int]:
        """Return the k nearest records, of equally near ones the first."""
        return sorted(left, key=lambda i: (self.squared(self.records[i], centre), i))[:k]


def centre(column: Sequence[float], kind: int) -> float:
    """Return the mean of numbers, the lower median of ranks, the lowest of nominal modes."""
    if kind == NUMBER:
        return math.fsum(column) / len(column)
    return min(statistics.multimode(column)) if kind == NOMINAL else statistics.median_low(column)


def mdav(
    records: Sequence[Record], weights: Sequence[float], k: int, kinds: Sequence[int] | None = None
) -> list[list[int]]:
    """Return the groups of records by number, in the order of their formation."""
    space = Space(records, weights, kinds)
    left = list(range(len(records)))
    groups = []

    def group_around(i: int) -> None:
        groups.append(space.nearest(records[i], left, k))
        left[:] = [other for other in left if other not in groups[-1]]

    while len(left) >= 3 * k:
        r = space.farthest(space.centroid(left), left)
        group_around(r)
        group_around(space.farthest(records[r], left))
    if len(left) >= 2 * k:
        group_around(space.farthest(space.centroid(left), left))
    return [*groups, left]


OnaRecord = Sequence[float]

GAIN, NOTHING, PATIENCE = 1e-9, 1e-20, 128


def squared(one: OnaRecord, other: OnaRecord) -> float:
    """Return the squared distance of two records, summed in order of attributes."""
    total = 0.0
    for a, b in zip(one, other, strict=True):
        total += (a - b) * (a - b)
    return total


class Search:
    """Groups of records by number, and what is free, near, or waiting."""

    def __init__(self, records, labels, k, width, nothing):
        self.records, self.k, self.nothing = records, k, nothing
        self.width = min(len(records) // k, width)
        numbers = range(len(records) // k + 1)
        self.groups = [[i for i, label in enumerate(labels) if label == c] for c in numbers]
        self.free = [c for c in reversed(numbers) if not self.groups[c]]
        self.near: list[list[int]] = [[] for _ in numbers]
        self.queue: deque[int] = deque()
        self.touched: dict[int, float] = {}
        self.trial, self.changed, self.found = 0, [0 for _ in numbers], [-1 for _ in numbers]

    def has_changed(self, c, trial):
        """Say whether a group or one nearby has changed since a trial."""
        return max(self.changed[other] for other in (c, *self.near[c])) > trial

    def note(self):
        """Write this trial beside the groups that it has changed."""
        for c in self.touched:
            self.changed[c] = self.trial

    def centre(self, c):
        """Return the centroid of a group."""
        columns = zip(*(self.records[i] for i in self.groups[c]), strict=True)
        return [sum(column) / len(self.groups[c]) for column in columns]

    def reach(self, i, c):
        """Return the squared distance of a record to a centroid."""
        return squared(self.records[i], self.centre(c))

    def loss(self, c):
        """Return the squared distances of a group's records to its centroid."""
        return sum((self.reach(i, c) for i in self.groups[c]), 0.0)

    def meet(self):
        """Find the groups with the nearest centroids, where one has changed."""
        alive = [c for c, group in enumerate(self.groups) if group]
        centres = {c: self.centre(c) for c in alive}
        for c in [c for c in alive if self.has_changed(c, self.found[c])]:
            self.found[c] = self.trial
            nearest = sorted(alive, key=lambda other: (squared(centres[other], centres[c]), other))
            self.near[c] = [other for other in nearest[: self.width + 1] if other != c]
            self.near[c] = self.near[c][: self.width]

    def wake(self, c):
        """Let a group wait, once."""
        if c not in self.queue:
            self.queue.append(c)

    def touch(self, *numbers):
        """Write down what groups lost before they changed."""
        for c in numbers:
            self.touched.setdefault(c, self.loss(c) if self.groups[c] else 0.0)

    def move(self, i, old, new):
        """Move a record; the last of its group takes its place."""
        self.touch(old, new)
        place = self.groups[old].index(i)
        last = self.groups[old].pop()
        if last != i:
            self.groups[old][place] = last
        self.groups[new].append(i)

    def exchange(self, i, one, j, other):
        """Let two records change places."""
        self.touch(one, other)
        here, there = self.groups[one].index(i), self.groups[other].index(j)
        self.groups[one][here], self.groups[other][there] = j, i

    def split(self, c):
        """Divide a group of 2 k: the outermost record and its nearest leave."""
        if len(self.groups[c]) < 2 * self.k:
            return
        new = self.free.pop()
        self.touch(new)
        outermost = max(self.groups[c], key=lambda i: self.reach(i, c))
        centre = self.records[outermost]
        order = sorted(self.groups[c], key=lambda i: (squared(self.records[i], centre), i))
        for i in order[: self.k]:
            self.move(i, c, new)
        self.near[new] = [c, *self.near[c]][: self.width]
        self.wake(c)
        self.wake(new)

    def steps(self, one, other):
        """Yield the steps between two groups: what the loss falls by, who goes, and who comes."""
        records, k = self.records, self.k
        m, n = len(self.groups[one]), len(self.groups[other])
        here, there = self.centre(one), self.centre(other)
        line = [2.0 * (b - a) for a, b in zip(here, there, strict=True)]
        middle = [(a + b) / 2.0 for a, b in zip(here, there, strict=True)]

        def lean(i):
            total = 0.0
            for value, half, way in zip(records[i], middle, line, strict=True):
                total += (value - half) * way
            return total

        leans = {i: lean(i) for i in self.groups[one] + self.groups[other]}
        share = 1.0 / m + 1.0 / n
        for j in self.groups[other] if n > k else []:
            reach = self.reach(j, other)
            yield n / (n - 1) * reach - m / (m + 1) * (reach + leans[j]), GAIN * reach, None, j
        for i in self.groups[one]:
            if m > k:
                reach = self.reach(i, one)
                yield m / (m - 1) * reach - n / (n + 1) * (reach - leans[i]), GAIN * reach, i, None
            for j in self.groups[other]:
                distance = squared(records[j], records[i])
                yield leans[i] - leans[j] + distance * share, 0.0, i, j

    def deal(self, one, other):
        """Take the step that gains most, if one does."""
        best = GAIN * squared(self.centre(other), self.centre(one)) + self.nothing
        giver = taker = None
        for gain, noise, i, j in self.steps(one, other):
            if gain > best and gain > noise:
                best, giver, taker = gain, i, j
        if giver is None and taker is None:
            return False
        if taker is None:
            self.move(giver, one, other)
        elif giver is None:
            self.move(taker, other, one)
        else:
            self.exchange(giver, one, taker, other)
        self.split(one)
        self.split(other)
        return True

    def settle(self, patience):
        """Let those who wait deal with those nearby."""
        while self.queue and patience > 0:
            c = self.queue.popleft()
            if not self.groups[c]:
                continue
            changed = False
            for other in self.near[c]:
                if other == c or not self.groups[other]:
                    continue
                patience -= 1
                while self.deal(c, other):
                    patience -= 1
                    changed = True
                    self.wake(other)
            if changed:
                self.wake(c)

    def dissolved(self, c):
        """Dissolve a group, and say whether the loss has fallen."""
        while self.groups[c]:
            i = self.groups[c][0]
            rises = []
            for other in self.near[c]:
                size = len(self.groups[other])
                if other != c and 0 < size < 2 * self.k:
                    rises.append((self.reach(i, other) * (size / (size + 1)), other))
            if not rises:
                return False
            chosen = min(rises, key=lambda rise: rise[0])[1]
            self.move(i, c, chosen)
            self.wake(chosen)
        for other in list(self.touched):
            self.split(other)
        self.settle(PATIENCE * self.width)
        before, after = 0.0, 0.0
        for other, loss in self.touched.items():
            before += loss
            after += self.loss(other) if self.groups[other] else 0.0
        if not after < before * (1.0 - GAIN):
            return False
        self.settle(math.inf)
        self.free.append(c)
        return True


def ona(
    rows: Sequence[OnaRecord],
    weights: Sequence[float],
    labels: Sequence[int],
    k: int,
    width: int,
    rounds: int,
    above: float,
) -> list[int]:
    """Return the groups of records that `labels` become, numbered by their first records."""
    records = [
        [x * math.sqrt(weight) for x, weight in zip(row, weights, strict=True)] for row in rows
    ]
    nothing = 0.0
    for column in zip(*records, strict=True):
        nothing += NOTHING * max(map(abs, column)) * max(map(abs, column))
    search = Search(records, labels, k, width, nothing)
    search.meet()
    search.queue.extend(c for c, group in enumerate(search.groups) if group)
    search.trial = 1
    search.settle(math.inf)
    search.note()
    tried = [-1] * len(search.groups)
    for _ in range(rounds):
        search.meet()
        losses = [search.loss(c) for c, group in enumerate(search.groups) if group]
        least = max(above * (sum(losses, 0.0) / len(losses)), nothing)
        improved = False
        for c in range(len(search.groups)):
            if not search.groups[c] or search.loss(c) <= least:
                continue
            if not search.has_changed(c, tried[c]):
                continue
            search.trial += 1
            tried[c] = search.trial
            before = deepcopy((search.groups, search.free))
            search.touched = {}
            if search.dissolved(c):
                improved = True
                search.note()
            else:
                search.groups, search.free = before
                search.queue.clear()
        if not improved:
            break
    return numbered(search.groups)


def numbered(groups: Sequence[Sequence[int]]) -> list[int]:
    """Return the group of each record, groups numbered by their first records."""
    place = {}
    for number, group in enumerate(sorted(filter(None, groups), key=min)):
        place.update(dict.fromkeys(group, number))
    return [place[i] for i in range(len(place))]


def squared_error(values: Sequence[float]) -> Fraction:
    """Return the sum of squared differences to the mean, not rounded."""
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    return sum(((value - mean) ** 2 for value in exact), Fraction(0))


def cuts(n: int, k: int) -> Iterator[list[int]]:
    """Yield the group sizes of every way to cut n records into groups of at least k."""
    if n >= k:
        yield [n]
    for first in range(k, n - k + 1):
        for others in cuts(n - first, k):
            yield [first, *others]


def error_of(values: Sequence[float], sizes: Sequence[int]) -> Fraction:
    """Return the squared error of sorted values cut into groups of these sizes."""
    total, start = Fraction(0), 0
    for size in sizes:
        total += squared_error(values[start : start + size])
        start += size
    return total


def best_cuts(values: Sequence[float], k: int) -> tuple[Fraction, list[list[int]]]:
    """Return the least squared error of sorted values, and every cut that has it."""
    found = [(error_of(values, sizes), sizes) for sizes in cuts(len(values), k)]
    least = min(error for error, _ in found)
    return least, [sizes for error, sizes in found if error == least]
