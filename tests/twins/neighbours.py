"""Slow, obvious twins: nearest classes and records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kanonym.evaluation.pair.tables import NumericColumn

TIE = 1e-9


def distances(pair, person, record, names, units=None):
    """Return the distance to the nearest value left open, and the expected one.

    Numbers are looked at before categories, so that sums are rounded in the same order.
    """
    columns = sorted(
        (pair.column(name) for name in names), key=lambda one: not isinstance(one, NumericColumn)
    )
    first, second = 0.0, 0.0
    for column in columns:
        if isinstance(column, NumericColumn):
            known = (units or pair).column(column.name).original
            near, expected = _of_number(column, person, record, known[~np.isnan(known)])
        else:
            near, expected = _of_category(column, person, record)
        first, second = first + near, second + expected
    return first, second


def _of_number(column, person, record, known):
    value, low, high = (
        float(one) for one in (column.original[person], column.low[record], column.high[record])
    )
    if math.isnan(value) or math.isnan(low):
        opened = math.isnan(value) and (math.isnan(low) or column.suppressed[record])
        return float(not opened), float(not (math.isnan(value) and math.isnan(low)))
    origin = known.min()
    unit = (known.max() - origin) or 1.0
    value, low, high = ((one - origin) / unit for one in (value, low, high))
    near = min(max(low - value, value - high, 0.0), 1.0)
    if low < value < high:
        away = (value - low) * (value - low) + (high - value) * (high - value)
        return near, min(away / (2 * (high - low)), 1.0)
    return near, min(abs(value - (low + high) / 2), 1.0)


def _of_category(column, person, record):
    label = column.labels[record]
    opened = column.members[column.offsets[label] : column.offsets[label + 1]].tolist()
    if int(column.original[person]) not in opened:
        return 1.0, 1.0
    return 0.0, 1.0 - 1.0 / len(opened)


def nearer(one, other):
    """Say whether distances are nearer than others, by the first or else by the second."""
    if _less(one[0], other[0]):
        return True
    return not _less(other[0], one[0]) and _less(one[1], other[1])


def _less(one, other):
    return one * (1 + TIE) < other


def tied(pair, person, own, names):
    """Return how many records are as near as a person's own one, 0 where one is nearer."""
    away = [distances(pair, person, record, names) for record in range(pair.n_released)]
    if any(nearer(one, away[own]) for one in away):
        return 0
    return sum(not nearer(away[own], one) for one in away)


def success(pair, person, names):
    """Return the probability that one of the nearest records, picked at random, is the own one."""
    own = np.flatnonzero(pair.rows == person)
    found = tied(pair, person, int(own[0]), names) if len(own) else 0
    return 1 / found if found else 0.0


def nearest(pair, person, names):
    """Return the least distances of all records, by the first and then by the second."""
    return min(distances(pair, person, record, names) for record in range(pair.n_released))


def neighbour_sets(pair, person, names, wanted):
    """Return every set of records that could be the nearest ones, all equally likely."""
    away = [distances(pair, person, record, names) for record in range(pair.n_released)]
    sure, left = [], list(range(pair.n_released))
    while True:
        near = [i for i in left if not any(nearer(away[other], away[i]) for other in left)]
        if len(sure) + len(near) >= wanted:
            return [{*sure, *some} for some in combinations(near, wanted - len(sure))]
        sure += near
        left = [i for i in left if i not in near]


def linked(pair, person, names, wanted):
    """Return the probability that records picked by either set of columns have one in common."""
    one, other = (neighbour_sets(pair, person, columns, wanted) for columns in names)
    hits = sum(bool(first & second) for first in one for second in other)
    return hits / (len(one) * len(other))


@dataclass(frozen=True)
class Box:
    """One box: from low to high by dimension, or the set of values that it holds there."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    members: tuple[set[int] | None, ...]

    def contains(self, point: tuple[int, ...]) -> bool:
        """Say whether a point lies in the box."""
        return all(
            low <= value <= high and (own is None or value in own)
            for value, low, high, own in zip(point, self.low, self.high, self.members, strict=True)
        )


def containing(points: list[tuple[int, ...]], boxes: list[Box]) -> list[int]:
    """Return the first box that contains each point, -1 for none."""
    return [
        next((number for number, box in enumerate(boxes) if box.contains(point)), -1)
        for point in points
    ]


Row = tuple[float | None, ...]
SIMILARITY_TIE = 1e-9


@dataclass
class Found:
    """What is found for one person: group, distance, shared value, and whether it counts."""

    group: int
    distance: float
    sensitive: object
    reidentified: bool


def apart(one: Row, other: Row, units: Sequence[float], distance: str) -> float:
    """Return the distance of two rows, their differences counted in units."""
    steps = [abs(a - b) / unit for a, b, unit in zip(one, other, units, strict=True)]
    return sum(steps) if distance == "manhattan" else math.sqrt(sum(step**2 for step in steps))


def deviation(column: Sequence[float | None]) -> float:
    """Return the standard deviation of the values there are, 1 where it is 0."""
    held = [value for value in column if value is not None]
    if not held or min(held) == max(held):
        return 1.0
    mean = math.fsum(held) / len(held)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in held) / len(held))


def attacked(
    persons: Sequence[Row],
    released: Sequence[Row],
    secrets: Sequence[object] | None,
    distance: str,
    threshold: float,
    *,
    standardize: bool,
) -> list[Found]:
    """Return what an intruder finds for each person."""
    groups: dict[Row, list[object]] = {}
    for row, secret in zip(released, secrets or [0] * len(released), strict=True):
        if None not in row:
            groups.setdefault(row, []).append(secret)
    units = [
        deviation([person[a] for person in persons]) if standardize else 1.0
        for a in range(len(persons[0]) if persons else 0)
    ]
    found = []
    for person in persons:
        if None in person or not groups:
            found.append(Found(-1, math.inf, None, reidentified=False))
            continue
        distances = [apart(person, group, units, distance) for group in groups]
        least = min(distances)
        group = next(g for g, away in enumerate(distances) if away <= least * (1 + SIMILARITY_TIE))
        values = list(groups.values())[group]
        shared = values[0] if len(set(values)) == 1 and secrets is not None else None
        similar = 1 / (1 + least) >= threshold
        given = secrets is None or shared is not None
        found.append(Found(group, least, shared, reidentified=similar and given))
    return found
