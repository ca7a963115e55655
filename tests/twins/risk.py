"""Slow, obvious twins: special uniques, individual risk, deFinetti and reasons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
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


def individual(f, population):
    """Return E(1 / F) for f of `population` records, both exact; 1 / f where they are equal."""
    p = Fraction(f) / Fraction(population)
    if p >= 1:
        return 1 / f
    with localcontext() as context:
        # Each step multiplies what was lost by p / q.
        odds = p / (1 - p)
        lost = f * max(0, len(str(int(odds))))
        context.prec = 60 + lost
        at = Decimal(p.numerator) / Decimal(p.denominator)
        ratio = at / (1 - at)
        risk = -at.ln() * ratio
        for size in range(1, f):
            risk = (1 / Decimal(size) - risk) * ratio
        return float(risk)


def household(risks, households):
    """Return the risk of each record's household, member by member."""
    found = []
    for i, home in enumerate(households):
        missed = 1.0
        for j, other in enumerate(households):
            if i == j or (home >= 0 and other == home):
                missed *= 1 - risks[j]
        found.append(1 - missed)
    return found


def assigned(profiles, classes, shares):
    """Return for each person a dict of how likely each value is.

    profiles: a tuple of known values a person. classes: the class of each person. shares: a
    dict of a class's values and their shares.
    """
    people = range(len(profiles))
    values = sorted({value for one in shares.values() for value in one})
    found = [dict(shares[classes[i]]) for i in people]
    for _ in range(15):
        likelihood = {}
        for column in range(len(profiles[0])):
            domain = {profile[column] for profile in profiles}
            for value in values:
                counts = {
                    known: [profile[column] for profile in profiles].count(known) / len(profiles)
                    + sum(found[i].get(value, 0) for i in people if profiles[i][column] == known)
                    for known in domain
                }
                total = sum(counts.values())
                for known, count in counts.items():
                    likelihood[column, known, value] = count / total
        found = [
            {
                value: share
                * math.prod(likelihood[c, known, value] for c, known in enumerate(profiles[i]))
                for value, share in shares[classes[i]].items()
            }
            for i in people
        ]
        for one in set(classes):
            fit([found[i] for i in people if classes[i] == one], shares[one])
    return found


def fit(members, shares):
    """Scale the members of a class, in place: each adds up to 1, each value to its number."""
    for _ in range(1000):
        for one in members:
            total = sum(one.values())
            for value in one:
                one[value] /= total
        for value, share in shares.items():
            total = sum(one[value] for one in members)
            for one in members:
                one[value] *= share * len(members) / total


def failure(records, secrets, k, diversity):
    """Return the first of k-anonymity and l-diversity that a class fails, and what it has."""
    if not records:
        return None
    if len(records) < k:
        return ("k-anonymity", len(records))
    values = {secrets[i] for i in records}
    return ("l-diversity", len(values)) if len(values) < diversity else None


def reason(values, labels, secrets, row, asked):
    """Return the size of the class that shares a record's value, what fails, and in which part."""
    k, diversity = asked
    members = [i for i, label in enumerate(labels) if label == labels[row]]
    own = [i for i in members if values[i] == values[row]]
    rest = [i for i in members if values[i] != values[row]]
    first = failure(own, secrets, k, diversity)
    if first is not None:
        return len(own), first, False
    second = failure(rest, secrets, k, diversity)
    return len(own), second, second is not None
