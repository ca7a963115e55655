"""An intruder who knows how a release was made, all but its private seed.

He knows everybody's quasi-identifiers and class, and carries the algorithm out again for every
assignment of the released values and for many seeds. No code is shared with the attack
`minimality`.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from adversary.odds import BOUNDS, enumerate_odds, random_tables
from effort import NIGHTLY
from kanonym.algorithms.base import compile_criteria
from kanonym.algorithms.segmentation import cuts
from kanonym.engines import task

TOWNS = ka.hierarchy.from_mapping(
    {town: [part, "*"] for town, part in zip("abcd", "xxyy", strict=True)}
)
AGES = ka.hierarchy.from_mapping({str(age): [f"{age // 2}x", "*"] for age in range(8)})
SEEDS = 150
BOUND = 10 * 2**3 * (20 * 2) ** 2
"""Of the odds in a Mondrian class of at most 4 k records, below two nodes with a skipped cut."""


def problem_of(algorithm, towns, ages, ill, limit=0.0):
    """Return what an algorithm is asked of some persons: k = 2 and two distinct values."""
    policy = ka.Policy(
        attributes={
            "town": ka.QuasiIdentifier(TOWNS),
            "age": ka.QuasiIdentifier(AGES),
            "ill": ka.Sensitive(),
        },
        models=[ka.KAnonymity(2), ka.LDiversity("ill", l=2)],
        algorithm=algorithm,
        suppression_limit=limit,
    )
    table = pl.DataFrame({"town": towns, "age": ages, "ill": ill})
    return ka.anonymize(table, policy).decision.refinement[0]


def classes_of(problem, algorithm):
    """Return the class of each person, negative for the suppressed."""
    found = algorithm.partition(problem)
    labels = found.labels if found.by_row else found.labels[problem.table.tuple_of_row]
    return labels.tolist()


def shown(labels, persons, ill):
    """Return what everybody sees: the persons of each class, and the values that it has."""
    members = defaultdict(list)
    for i, label in enumerate(labels):
        members[label].append(i)
    return tuple(
        sorted(
            (
                tuple(sorted(persons[i] for i in some)),
                tuple(sorted(ill[i] for i in some)) if label >= 0 else (),
            )
            for label, some in members.items()
        )
    )


@pytest.mark.parametrize(
    ("name", "drawn"),
    [("mondrian", 0), ("mondrian", 1), pytest.param("full-domain", 1, marks=pytest.mark.nightly)],
)
def test_every_assignment_of_the_released_values_stays_possible(name, drawn):
    """Nobody's value is certain in a class of two values, and odds change by a bound at most."""
    algorithm = {"mondrian": ka.Mondrian(), "full-domain": ka.FullDomain()}[name]
    random = np.random.default_rng(drawn)
    towns, ages = random.choice(list("abcd"), 6), random.integers(0, 4, 6).astype(str)
    persons = list(zip(towns.tolist(), ages.tolist(), strict=True))
    led_to = defaultdict(Counter)
    for ill in sorted(set(itertools.permutations("ffffhh"))):
        asked = problem_of(algorithm, towns, ages, ill)
        for seed in range(SEEDS):
            labels = classes_of(replace(asked, key=seed * 7919), algorithm)
            led_to[shown(labels, persons, ill)][ill] += 1
    n_open = 0
    for release, assignments in led_to.items():
        total = sum(assignments.values())
        if total < SEEDS:
            continue
        for i, person in enumerate(persons):
            some = [(members.count(person), values) for members, values in release if values]
            number = sum(n for n, _ in some)
            share = sum(n * values.count("h") / len(values) for n, values in some) / max(number, 1)
            if not 0 < share < 1:
                continue
            ill_ones = sum(n for ill, n in assignments.items() if ill[i] == "h")
            assert 0 < ill_ones < total
            odds = ill_ones / (total - ill_ones) / (share / (1 - share))
            assert 1 / BOUND <= odds <= BOUND
            n_open += 1
    assert n_open


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.nightly) for name in sorted(BOUNDS) if name[0] != "l"],
)
def test_odds_stay_within_the_bound_whatever_the_values_are(name):
    """Small tables, all assignments, many seeds: nobody is certain, odds shift by a bound."""
    odds = enumerate_odds(name, 2, 30)
    assert odds.persons > 20
    assert odds.certain == 0
    assert max(odds.even, odds.skewed) <= BOUNDS[name]


def test_odds_of_local_recoding_stay_within_the_bound_whatever_is_drawn():
    """Small tables, all assignments and draws: nobody is certain, odds shift by a bound.

    In the first table two records of equal quasi-identifiers are as near to one class as to another
    one: which of them they join must not follow from whether their values are equal.
    """
    near = [(0, 0), (0, 0), (0, 1), (2, 0), (3, 1), (3, 2)], 1, 2
    several = random_tables(60 if NIGHTLY else 3, np.random.default_rng(1))
    odds = enumerate_odds("local-recoding", [near, *several], 0)
    assert odds.persons > 60
    assert odds.certain == 0
    assert 10 < max(odds.even, odds.skewed) <= BOUNDS["local-recoding"]


BY_NIGHT = [pytest.param(order, marks=pytest.mark.nightly) for order in ("hilbert", "serpentine")]


@pytest.mark.parametrize("order", ["kd", "lexicographic", *BY_NIGHT])
def test_closed_places_make_a_class_whatever_its_order(order, monkeypatch):
    """Where no class starts inside of a released one, who has which of its values changes nothing.

    This is why the odds in a class change by no more than how rarely all its places are closed.
    """
    random = np.random.default_rng(3)
    algorithm = ka.Segmentation(order=order)
    for _ in range(10):
        n = 24
        different = random.permutation(list(itertools.product("abcd", map(str, range(8)))))[:n]
        towns, ages = different.T
        ill = random.choice(list("fffh"), n)
        ill[:2] = "f", "h"
        asked = replace(problem_of(algorithm, towns, ages, ill), key=1)
        closed = np.zeros(n, np.bool_)
        monkeypatch.setattr(cuts, "closed_places", lambda *_, c=closed: c.copy())
        labels = np.array(classes_of(asked, algorithm))
        criteria = compile_criteria(asked.models, asked.table)
        by_place = algorithm._cut(asked, criteria, None)[2]  # noqa: SLF001 - its places
        for label in range(labels.max() + 1):
            inside = by_place.labels == label
            closed[:] = inside & np.append(False, inside[:-1])
            members = np.flatnonzero(labels == label)
            other = ill.copy()
            other[members] = random.permutation(ill[members])
            again = replace(problem_of(algorithm, towns, ages, other), key=1)
            found = np.array(classes_of(again, algorithm))
            persons = list(zip(towns.tolist(), ages.tolist(), strict=True))
            assert shown(found.tolist(), persons, other) == shown(labels.tolist(), persons, other)


def test_who_joined_a_class_of_local_recoding_is_not_certain(shared_data, monkeypatch):
    """Adult, l = 2: a class with one rarer value shows whom it was made of, and not who has it.

    Classes for k alone are known. Of one that is whole in a released class, others have joined it:
    if only classes that satisfied l were joined, all of these others would have the commoner value.
    """
    frame = ka.read_table(shared_data / "adult" / "adult.csv").head(4000)
    known = ["sex", "age", "race", "marital-status", "education", "workclass"]
    asked = {
        "quasi_identifiers": known,
        "hierarchies": {
            name: ka.hierarchy.from_file(shared_data / "adult" / f"hierarchy_{name}.csv")
            for name in known
        },
        "algorithm": "local-recoding",
        "k": 2,
        "keep_order": True,
    }

    def classes(release):
        return release.frame.select(pl.struct(known).rank("dense")).to_series().to_numpy()

    before = classes(ka.anonymize(frame.select(known), **asked))
    claimed = right = 0
    for seed in range(24):
        monkeypatch.setattr(task, "draw_private_seed", lambda seed=seed: seed)
        release = ka.anonymize(
            frame.select(*known, "salary-class"), sensitive=["salary-class"], l=2, **asked
        )
        after, values = classes(release), frame["salary-class"].to_numpy()
        homes = defaultdict(set)
        for one, other in zip(before.tolist(), after.tolist(), strict=True):
            homes[one].add(other)
        whole = Counter(next(iter(one)) for one in homes.values() if len(one) == 1)
        hosts = {next(iter(one)): number for number, one in homes.items() if len(one) == 1}
        for label in np.unique(after):
            members = np.flatnonzero(after == label)
            (common, _), *others = Counter(values[members].tolist()).most_common()
            if [n for _, n in others] == [1] and whole[label] == 1:
                joined = members[before[members] != hosts[label]]
                claimed += len(joined)
                right += int((values[joined] == common).sum())
    assert claimed > 50
    assert right < claimed


def test_full_domain_suppresses_by_size_alone():
    """No class is released that has fewer records than a suppressed one."""
    random = np.random.default_rng(5)
    for drawn in range(5):
        n = 400
        towns, ages = random.choice(list("abcd"), n), random.integers(0, 4, n).astype(str)
        ill = np.where(towns == "a", "f", random.choice(list("fffh"), n))
        asked = replace(problem_of(ka.FullDomain(), towns, ages, ill, 0.3), key=drawn)
        found = ka.FullDomain().partition(asked)
        labels = found.labels[asked.table.tuple_of_row]
        levels = list(found.account["levels"].values())
        names = list(found.account["levels"])
        codes = asked.table.codes[asked.table.tuple_of_row]
        trees = [domain.hierarchy for domain in asked.table.domains]
        keys = [
            tuple(
                int(tree.codes[level][code])
                for tree, level, code in zip(trees, levels, row, strict=True)
            )
            for row in codes.tolist()
        ]
        assert names == ["town", "age"]
        sizes = Counter(keys)
        kept = {sizes[key] for key, label in zip(keys, labels.tolist(), strict=True) if label >= 0}
        gone = {sizes[key] for key, label in zip(keys, labels.tolist(), strict=True) if label < 0}
        assert not gone or max(gone) < min(kept)


def test_nothing_that_is_published_determines_what_was_drawn(tmp_path):
    """Each release draws anew, or from the custodian's own seed; the manifest has neither."""
    random = np.random.default_rng(0)
    table = pl.DataFrame({"age": np.arange(512), "ill": random.choice(["a", "b"], 512)})
    asked = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "k": 2, "l": 2}
    secret = tmp_path / "seed"
    secret.write_text("an example only, of data never")
    own = ka.Policy.from_columns(**asked).model_copy(update={"private_seed": {"file": str(secret)}})
    made = [ka.anonymize(table, own).decision.class_sizes for _ in range(2)]
    assert np.array_equal(*made)
    release = ka.anonymize(table, own)
    release.manifest(tmp_path / "manifest.json")
    text = (tmp_path / "manifest.json").read_text()
    assert secret.read_text() not in text
    assert "the custodian's private seed" in text
    assert str(release.decision.refinement[0].key) not in text
