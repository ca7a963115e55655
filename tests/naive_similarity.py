"""A slow, obvious twin of re-identification by similarity: everybody with everybody."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Row = tuple[float | None, ...]
TIE = 1e-9


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
        group = next(g for g, away in enumerate(distances) if away <= least * (1 + TIE))
        values = list(groups.values())[group]
        shared = values[0] if len(set(values)) == 1 and secrets is not None else None
        similar = 1 / (1 + least) >= threshold
        given = secrets is None or shared is not None
        found.append(Found(group, least, shared, reidentified=similar and given))
    return found
