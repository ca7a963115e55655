"""A slow, obvious twin of SUDA: every set of attributes is tried for every record."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

Record = Sequence[int]
Chosen = tuple[int, ...]


def minimal_uniques(records: Sequence[Record], largest: int) -> list[list[Chosen]]:
    """Return the minimal sample uniques of each record, by size and then by attributes."""
    found: list[list[Chosen]] = [[] for _ in records]
    d = len(records[0]) if records else 0
    for size in range(1, min(largest, d) + 1):
        for chosen in combinations(range(d), size):
            parts = [tuple(record[a] for a in chosen) for record in records]
            counts = Counter(parts)
            for i, part in enumerate(parts):
                if counts[part] == 1 and not any(set(other) < set(chosen) for other in found[i]):
                    found[i].append(chosen)
    return found


@dataclass(frozen=True)
class Scores:
    """Everything that is said of a table."""

    scores: list[int]
    dis: list[float]
    file_dis: Fraction
    counts: list[int]
    contributions: list[Fraction]


def scored(records: Sequence[Record], d: int, largest: int, fraction: Fraction) -> Scores:
    """Return scores by their definitions, the chance of the whole table by fractions."""
    found = minimal_uniques(records, largest)

    def points(chosen: Chosen) -> int:
        return math.prod(d - i for i in range(len(chosen), min(largest, d - 1) + 1))

    scores = [sum(points(chosen) for chosen in sets) for sets in found]
    total = sum(scores)
    carried = [
        sum(points(chosen) for sets in found for chosen in sets if a in chosen) for a in range(d)
    ]
    times = Counter(Counter(map(tuple, records)).values())
    weighted = times[1] * fraction
    chance = weighted / (weighted + 2 * times[2] * (1 - fraction)) if times[1] else Fraction(0)
    power = 1 + (8 - d) / 20
    spread = sum(score**-power for score in scores if score)
    return Scores(
        scores,
        [
            1 / (1 + float(times[1] / chance - times[1]) / (score**power * spread)) if score else 0
            for score in scores
        ],
        chance,
        [sum(len(chosen) == k for sets in found for chosen in sets) for k in range(1, largest + 1)],
        [Fraction(part, total) if total else Fraction(0) for part in carried],
    )
