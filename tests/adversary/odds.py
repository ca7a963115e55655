"""How far a release shifts the odds of a value, by enumeration of small tables.

    python tests/adversary/odds.py [--tables N] [--seeds N] [--only ALGORITHM]

For each table every assignment of its sensitive values to its persons, and so many seeds, go
through the algorithm itself. The intruder sees the persons and the values of each class. Printed:
tables, releases, and the largest number of times by which the odds of a person's value differ from
those in the class, for even odds and for a person who is thrice as likely to be ill.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
import polars as pl

import kanonym as ka
from kanonym.algorithms.base import Problem
from kanonym.data.table import encode
from kanonym.metrics.certainty import certainty_costs

TOWNS = ka.hierarchy.from_mapping(
    {town: [part, "*"] for town, part in zip("abcd", "xxyy", strict=True)}
)
AGES = ka.hierarchy.from_mapping({str(age): [f"{age // 2}x", "*"] for age in range(8)})
ALGORITHMS = {
    "mondrian": ka.Mondrian(),
    "segmentation": ka.Segmentation(),
    "local-recoding": ka.LocalRecoding(),
    "full-domain": ka.FullDomain(),
}
BOUNDS = {
    # 10 for a class of 2 k, 80 of 4 k, times 20 j for a node above it with j = 2 skipped cuts.
    "mondrian": 80 * 40**2,
    # Of 6 persons: 100 (1 + 6 / 4)³, and 100 for the order.
    "segmentation": 100 * 2.5**3 * 100,
    # k = 2: two classes by size, each 10 at the most, and one pair of the tree, 10.
    "local-recoding": 1000,
    # Levels raised by four steps in all, at the least.
    "full-domain": 4**2 / 0.05 * 2**4,
}


@dataclass
class Odds:
    """What was enumerated: `certain` counts persons whose value only some assignments explain."""

    tables: int = 0
    releases: int = 0
    persons: int = 0
    even: float = 1.0
    skewed: float = 1.0
    certain: int = 0


def releases_of(algorithm, random, n, seeds, model):
    """Return how often each assignment of a random table leads to each release."""
    towns, ages = random.choice(list("abcd"), n), random.integers(0, 4, n).astype(str)
    persons = list(zip(towns.tolist(), ages.tolist(), strict=True))
    known = [(pl.Series("town", towns), TOWNS), (pl.Series("age", ages), AGES)]
    n_ill = int(random.integers(2, n // 2 + 1))
    led_to = defaultdict(Counter)
    for ill in itertools.combinations(range(n), n_ill):
        values = ["h" if i in ill else "f" for i in range(n)]
        table = encode(known, [(pl.Series("ill", values), None, True)], n)
        costs = certainty_costs(table.domains, ["hierarchy"] * 2)
        for seed in seeds:
            problem = Problem(table, costs, [ka.KAnonymity(2), model], key=int(seed))
            found = algorithm.partition(problem)
            labels = found.labels if found.by_row else found.labels[table.tuple_of_row]
            led_to[_shown(labels.tolist(), persons, values)][ill] += 1
    return persons, led_to


def _shown(labels, persons, values):
    members = defaultdict(list)
    for i, label in enumerate(labels):
        members[label].append(i)
    return tuple(
        sorted(
            (
                tuple(sorted(persons[i] for i in some)),
                "".join(sorted(values[i] for i in some)) if label >= 0 else "",
            )
            for label, some in members.items()
        )
    )


def enumerate_odds(name, tables, n_seeds, seed=0, model=None, bound=None):
    """Return the odds of `tables` random tables of 6 persons."""
    algorithm, bound = ALGORITHMS[name], bound or BOUNDS[name]
    random, odds = np.random.default_rng(seed), Odds()
    for _ in range(tables):
        odds.tables += 1
        seeds = random.integers(0, 2**62, n_seeds)
        persons, led_to = releases_of(
            algorithm, random, 6, seeds, model or ka.LDiversity("ill", l=2)
        )
        for release, assignments in led_to.items():
            odds.releases += 1
            for i in range(6):
                _count_person(odds, release, assignments, persons, i, bound)
    return odds


def _count_person(odds, release, assignments, persons, i, bound):
    """Compare the odds of person i with what the classes show."""
    mine = [(one.count(persons[i]), values) for one, values in release if values]
    number = sum(n for n, _ in mine)
    if not number:
        return
    share = sum(n * values.count("h") / len(values) for n, values in mine) / number
    if not 0 < share < 1:
        return
    shown = share / (1 - share)
    odds.persons += 1
    for prior in (1, 3):
        weights = {ill: prior ** (0 in ill) * n for ill, n in assignments.items()}
        have = sum(weight for ill, weight in weights.items() if i in ill)
        others = sum(weight for ill, weight in weights.items() if i not in ill)
        times = prior if i == 0 else 1
        if min(have, others) == 0:
            # Of events as rare as the bound allows, at least 5 were expected.
            if prior == 1 and max(have / shown, others * shown) >= 5 * bound:
                odds.certain += 1
            continue
        ratio = have / others / shown / times
        least = max(ratio, 1 / ratio)
        if prior == 1:
            odds.even = max(odds.even, least)
        else:
            odds.skewed = max(odds.skewed, least)


def main():
    """Print a line for each algorithm."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--only", choices=ALGORITHMS)
    asked = parser.parse_args()
    for name in ALGORITHMS:
        if asked.only in (None, name):
            line = f"{enumerate_odds(name, asked.tables, asked.seeds)}, bound {BOUNDS[name]:,.0f}"
            print(f"{name}: {line}", flush=True)  # noqa: T201 - a script


if __name__ == "__main__":
    main()
