"""How far a release shifts the odds of a value, by enumeration of small tables.

    python tests/adversary/odds.py [--tables N] [--seeds N] [--only ALGORITHM] [--persons N]

For each table every assignment of its sensitive values to its persons, and so many seeds, go
through the algorithm itself; with local recoding, all that can be drawn, with its probability. The
intruder sees the persons and the values of each class. Printed: tables, releases, and the largest
number of times by which the odds of a person's value differ from those in the class, for even odds
and for a person who is thrice as likely to be ill. With --persons, all tables of so many persons
are counted, and one goes through of those that are equal but for the names of values.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass
from unittest.mock import patch

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
    # k = 2: two classes by size, each 15 at the most, and one pair of the tree, 15.
    "local-recoding": 15**3,
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


class Draws:
    """So many numbers from 0 to 1, of which nothing is known but what they were compared with."""

    def __init__(self, paths, n):
        self.paths = paths
        self.low, self.high = np.zeros(n), np.ones(n)

    def __lt__(self, limits):
        """Tell which numbers are below limits, by one of the ways that are still open."""
        return np.array([self._is_below(i, limit) for i, limit in enumerate(limits)], np.bool_)

    def __ge__(self, limits):
        """Tell which numbers are not below limits."""
        return ~(self < limits)

    def _is_below(self, i, limit):
        low, high = self.low[i], self.high[i]
        if not low < limit < high:
            return limit >= high
        if self.paths.take((limit - low) / (high - low)):
            self.high[i] = limit
            return True
        self.low[i] = limit
        return False


class Paths:
    """Every way in which comparisons with drawn numbers can go, and its probability."""

    def __init__(self):
        self.choices = []

    def random(self, n):
        """Return n numbers, as a generator of NumPy does."""
        return Draws(self, n)

    def take(self, probability):
        """Return how a comparison goes on this path; probability: that it is true."""
        if self.place == len(self.choices):
            self.choices.append(True)
        chosen = self.choices[self.place]
        self.place += 1
        self.weight *= probability if chosen else 1 - probability
        return chosen

    def outcomes(self, run):
        """Yield the probability of each outcome, and the outcome."""
        known = np.random.default_rng
        while True:
            self.place, self.weight = 0, 1.0
            with patch("numpy.random.default_rng", lambda key: self if key == KEY else known(key)):
                outcome = run(KEY)
            yield self.weight, outcome
            while self.choices and not self.choices[-1]:
                self.choices.pop()
            if not self.choices:
                return
            self.choices[-1] = False


KEY = 1 << 61
RENAMINGS = [
    (*left, *right) if straight else (*right, *left)
    for left in ((0, 1), (1, 0))
    for right in ((2, 3), (3, 2))
    for straight in (True, False)
]
"""Of four values, two of which have a common parent."""


def random_tables(n_tables, random):
    """Yield tables of 6 persons, how many tables they stand for, and how many persons are ill."""
    for _ in range(n_tables):
        towns, ages = random.integers(0, 4, 6), random.integers(0, 4, 6)
        yield list(zip(towns.tolist(), ages.tolist(), strict=True)), 1, int(random.integers(2, 4))


def distinct_tables(n):
    """Yield one of the tables of n persons that are equal but for names, as `random_tables`."""
    tables = Counter(
        min(
            tuple(sorted((towns[town], ages[age]) for town, age in table))
            for towns in RENAMINGS
            for ages in RENAMINGS
        )
        for table in itertools.combinations_with_replacement(np.ndindex(4, 4), n)
    )
    for table, number in tables.items():
        yield list(table), number, 2


def releases_of(algorithm, places, n_ill, seeds, model):
    """Return how often, or how probably, each assignment of a table leads to each release."""
    n = len(places)
    persons = [("abcd"[town], str(age)) for town, age in places]
    towns, ages = map(list, zip(*persons, strict=True))
    known = [(pl.Series("town", towns), TOWNS), (pl.Series("age", ages), AGES)]
    led_to = defaultdict(Counter)
    for ill in itertools.combinations(range(n), n_ill):
        values = ["h" if i in ill else "f" for i in range(n)]
        table = encode(known, [(pl.Series("ill", values), None, True)], n)
        costs = certainty_costs(table.domains, ["hierarchy"] * 2)

        def labels_of(key, table=table, costs=costs):
            problem = Problem(table, costs, [ka.KAnonymity(2), model], key=int(key))
            found = algorithm.partition(problem)
            return (found.labels if found.by_row else found.labels[table.tuple_of_row]).tolist()

        every = isinstance(algorithm, ka.LocalRecoding)
        outcomes = Paths().outcomes(labels_of) if every else ((1, labels_of(key)) for key in seeds)
        for weight, labels in outcomes:
            led_to[_shown(labels, persons, values)][ill] += weight
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
    """Return the odds in so many random tables, or in tables as of `random_tables`."""
    algorithm, bound = ALGORITHMS[name], bound or BOUNDS[name]
    random, odds = np.random.default_rng(seed), Odds()
    several = random_tables(tables, random) if isinstance(tables, int) else tables
    expected = 0 if name == "local-recoding" else 5 * bound
    for table, number, n_ill in several:
        odds.tables += number
        seeds = random.integers(0, 2**62, n_seeds)
        persons, led_to = releases_of(
            algorithm, table, n_ill, seeds, model or ka.LDiversity("ill", l=2)
        )
        for release, assignments in led_to.items():
            odds.releases += 1
            for i in range(len(persons)):
                _count_person(odds, release, assignments, persons, i, expected)
    return odds


def _count_person(odds, release, assignments, persons, i, expected):
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
            if prior == 1 and max(have / shown, others * shown) >= expected:
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
    parser.add_argument("--persons", type=int)
    asked = parser.parse_args()
    for name in ALGORITHMS:
        if asked.only in (None, name):
            tables = distinct_tables(asked.persons) if asked.persons else asked.tables
            odds = enumerate_odds(name, tables, asked.seeds)
            print(f"{name}: {odds}, bound {BOUNDS[name]:,.0f}", flush=True)  # noqa: T201 - a script


if __name__ == "__main__":
    main()
