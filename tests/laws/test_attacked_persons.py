"""Laws of attacks where persons have several records, and the policy counts persons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attack_tables import HIDDEN, KNOWN, people, released, starred
from effort import examples
from kanonym.evaluation.attacks import ATTACKS
from kanonym.evaluation.attacks.linking.linkage import Linkage
from kanonym.evaluation.attacks.matching.predicates import Predicates, count_matches
from kanonym.evaluation.attacks.setup import build_context
from utility_pairs import numeric, pair

BY_VALUE = [
    "similarity-reidentification", "inference", "homogeneity", "background-knowledge", "skewness",
    "similarity", "membership", "intersection",
]  # fmt: skip


def scene_of(table, release, whose, control=None, theirs=None, *, sensitive=HIDDEN, aligned=True):
    """Return the scene of a release of persons, as (n,) codes, beside a control of others."""
    columns = [
        None if one is None else {name: one[name] for name in one.columns}
        for one in (table, release, control)
    ]
    return build_context(
        columns[0],
        columns[1],
        KNOWN,
        sensitive,
        control=columns[2],
        second=columns[1],
        aligned=aligned,
        persons=(whose, theirs),
    )


def run(name, scene):
    """Return the outcome of an attack on everybody."""
    kind = ATTACKS[name]
    attack = kind(attempts=10**6) if hasattr(kind, "attempts") else kind()
    return attack.run(scene, np.random.default_rng(0))


@pytest.mark.parametrize("name", BY_VALUE)
def test_records_that_say_the_same_count_once(name):
    """With each record twice, and two records a person, the outcome is that of one record each."""
    table, control = people(80), people(60, 1)
    release = released(table, 3)
    once = run(name, scene_of(table, release, None, control))
    twice = [pl.concat([one, one]) for one in (table, release, control)]
    whose = [np.tile(np.arange(len(one)), 2) for one in (table, control)]
    both = run(name, scene_of(twice[0], twice[1], whose[0], twice[2], whose[1]))
    for one in ("targets", "baseline", "control"):
        found, expected = getattr(both, one), getattr(once, one)
        assert (found is None) == (expected is None)
        if found is not None:
            assert found.attempts == expected.attempts
            assert found.rate == pytest.approx(expected.rate), one


@pytest.mark.parametrize("aligned", [True, False])
def test_what_is_suppressed_gives_no_person_away(aligned):
    """Where all known values are suppressed, no attack finds more persons than chance."""
    table = people(30)
    whose = np.unique(np.random.default_rng(0).integers(0, 12, 30), return_inverse=True)[1]
    release = starred(table, KNOWN)
    scene = scene_of(table, release, whose, table, whose, aligned=aligned)
    # Singling out tells records apart by the columns that are not suppressed.
    for name in ATTACKS.keys() - {"singling-out", "minimality"}:
        assert run(name, scene).risk <= 1e-9, name
    alone = scene_of(table.select(KNOWN), release.select(KNOWN), whose, sensitive=[])
    for name in ("singling-out", "linkage", "similarity-reidentification"):
        assert run(name, alone).risk <= 1e-9, name


def test_the_original_unchanged_gives_every_person_away():
    """Where no two records have the same age, each attack that finds persons finds all."""
    random = np.random.default_rng(0)
    table = people(60).with_columns(age=pl.Series(random.permutation(60)))
    whose = np.arange(60) % 20
    others = people(60, 1).with_columns(age=pl.lit(900))
    scene = scene_of(table, table, whose, others, whose)
    whole = "singling-out", "linkage", "membership", "definetti", "disco"
    exact = "unique-exact-matches", "apparent-matches"
    for name in (*whole, *exact, *BY_VALUE):
        found = run(name, scene)
        assert found.targets.rate == 1, name
        assert found.attempts == 20 or name == "singling-out"
    alone = scene_of(table, table, whose, sensitive=[])
    assert run("similarity-reidentification", alone).targets.rate == 1


def test_any_record_of_the_person_is_found():
    """In a class of four, two links find a person who has two of them in 3 of 4."""
    table = pl.DataFrame({"age": [20, 21, 22, 23], "sex": ["f"] * 4, "town": ["Ulm"] * 4})
    release = table.with_columns(age=pl.lit("[20, 23]"))
    scene = scene_of(table, release, np.array([0, 0, 1, 2]), sensitive=[])
    found = Linkage().run(scene, np.random.default_rng(0))
    assert found.targets.successes == pytest.approx(3 / 4 + 1 / 4 + 1 / 4)
    assert found.baseline.successes == pytest.approx(found.targets.successes)


def test_a_record_of_the_person_in_another_class_is_found_too():
    """A person nearest to a class with another of the person's records is found there."""
    table = pl.DataFrame({"age": [20, 21, 50], "sex": ["f"] * 3, "town": ["Ulm"] * 3})
    release = table.with_columns(age=pl.Series([21, 20, 50]))
    scene = scene_of(table, release, np.array([0, 0, 1]), sensitive=[])
    assert Linkage().run(scene, np.random.default_rng(0)).targets.rate == 1


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=40))
@settings(max_examples=examples(60))
def test_predicates_count_persons(rows):
    """A predicate is satisfied by the persons one of whose records has the value."""
    values, owners = zip(*rows, strict=True)
    whose = np.unique(owners, return_inverse=True)[1]
    cells = sorted(set(values))
    tables = replace(pair(numeric("a", list(map(float, values)), cells)), persons=whose)
    n = len(cells)
    zeros = np.zeros((n, 1), np.int64)
    asked = Predicates(np.arange(n), zeros, zeros.astype(np.int8))
    expected = [len({who for value, who in rows if value == cell}) for cell in cells]
    assert count_matches(tables, asked).tolist() == expected
