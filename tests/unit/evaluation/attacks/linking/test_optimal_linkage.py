"""Laws of globally optimal record linkage."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_linkage
from effort import examples
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.intruder_view import AttackContext
from kanonym.evaluation.attacks.linking.linkage import Linkage
from kanonym.evaluation.attacks.linking.optimal_linkage import (
    SECOND,
    UNKNOWN,
    OptimalLinkage,
    _assign_records,
    _blocks,
)
from kanonym.evaluation.attacks.matching.classes import classes_by
from linkages import everybody, linkages
from margins import assert_covered
from pairs import categorical, kept, numeric, pair
from scenes import KNOWN, people, released, scene, shuffled, starred


def carried_out(sight, seed=0, **options):
    """Return the outcome of the attack, on everybody unless told otherwise."""
    attack = OptimalLinkage(**{"attempts": None, **options})
    return attack.run(sight, np.random.default_rng(seed))


def noisy(n, spread, seed=0):
    """Return the scene of n points that are released with noise."""
    random = np.random.default_rng(seed)
    table = pl.DataFrame({"x": random.random(n), "y": random.random(n)})
    moved = table.with_columns(pl.all() + pl.Series(random.normal(0, spread, n)))
    return scene(table, moved, ["x", "y"], aligned=True)


@given(linkages(most=5))
@settings(max_examples=examples(60))
def test_no_other_assignment_is_nearer(tables):
    """In one block the sum of distances is the least of all ways to give different records."""
    names = tables.quasi_identifiers
    classes = classes_by(tables, names)
    numbers, codes = classes.persons(tables, everybody(tables))
    slots = classes.of_record.astype(np.int64)
    given_ = _assign_records(classes, numbers, codes, slots)

    def cost(person, record):
        first, second = naive_linkage.distances(tables, person, record, names)
        return first + SECOND * second

    n, m = tables.n_original, tables.n_released
    ways = (
        zip(range(n), some, strict=True) if n <= m else zip(some, range(m), strict=True)
        for some in permutations(range(max(n, m)), min(n, m))
    )
    least = min(sum(cost(*one) for one in way) for way in ways)
    record = np.unique(slots, return_index=True)[1]
    total = sum(cost(person, record[one]) for person, one in enumerate(given_.tolist()) if one >= 0)
    assert total == pytest.approx(least)
    assert (given_ >= 0).sum() == min(n, m)


@given(st.integers(1, 40), st.integers(1, 60), st.integers(0, 5))
@settings(max_examples=examples(60))
def test_blocks_hold_everybody_and_every_record_once(block, n, seed):
    """Persons and records are each in at most one block, of at most the size asked for."""
    random = np.random.default_rng(seed)
    table = pl.DataFrame({"x": random.integers(0, 8, n)})
    tables = scene(table, table, ["x"], aligned=True).pair
    classes = classes_by(tables, ["x"])
    nearest, _ = classes.nearest(*classes.persons(tables, everybody(tables)))
    found = list(_blocks(classes, nearest, block, random))
    persons = np.concatenate([some for some, _ in found])
    assert sorted(persons.tolist()) == list(range(n))
    slots = np.concatenate([some for _, some in found])
    assert np.bincount(slots).tolist() == classes.sizes.tolist()
    assert all(len(some) <= block and len(near) <= 2 * block for near, some in found)


@pytest.mark.parametrize("block", [3, 50, 10**6])
def test_the_original_gives_everybody_away_who_is_unique(block):
    """Published unchanged, the rate is the number of distinct persons over that of persons."""
    table = people()
    found = carried_out(scene(table, table, KNOWN, aligned=True), block=block)
    assert found.targets.rate == pytest.approx(table.select(KNOWN).n_unique() / len(table))


def test_one_class_gives_the_baseline():
    """Where everything is suppressed, anybody's record is as good: rate and baseline are 1/n."""
    table = people()
    found = carried_out(scene(table, starred(table, KNOWN), KNOWN, aligned=True), block=70)
    assert found.targets.rate == pytest.approx(found.baseline.rate) == pytest.approx(1 / len(table))


def test_it_falls_as_k_grows():
    """On Mondrian, whose classes do not overlap, it finds what the nearest record finds."""
    table = people()
    rates = []
    for k in (2, 5, 15, 60):
        sight = scene(table, released(table, k, keep_order=True), KNOWN)
        rates.append(carried_out(sight).targets.rate)
        near = Linkage(None).run(sight, np.random.default_rng(0))
        assert rates[-1] == pytest.approx(near.targets.rate)
    assert rates == sorted(rates, reverse=True)


def test_it_sees_through_noise_better_than_the_nearest_record():
    """With noise it finds more than who takes the nearest record for each person alone."""
    sight = noisy(4000, 0.007)
    near = Linkage(None).run(sight, np.random.default_rng(0))
    assert carried_out(sight).targets.rate > near.targets.rate  # by other seeds 0.045 ± 0.009 more
    assert carried_out(noisy(500, 1)).targets.rate < 0.05


def test_the_order_of_rows_gives_nothing_away():
    """Where all distances are equal, persons in the order of the records are found by chance."""
    tables = pair(
        categorical("x", ["a"] * 200, [f"other {i:03}" for i in range(200)]),
        rows=range(200),
        quasi_identifiers=("x",),
    )
    found = [
        carried_out(AttackContext(tables, None, ()), seed).targets.successes for seed in range(20)
    ]
    assert 0.2 < np.mean(found) < 3


def test_suppressed_persons_are_not_found():
    """Who is not in the release counts nothing, and the others keep their records."""
    tables = pair(numeric("n", [1, 2, 3, 4], [1, 2, 3, 4]), rows=range(4), quasi_identifiers=("n",))
    found = carried_out(AttackContext(kept(tables, [0, 2]), None, ()))
    assert found.targets.rate == 0.5
    assert found.baseline.rate == 0.25


def test_the_interval_covers_the_truth():
    """Of many samples of 60 persons, as many as promised have the rate of all in the interval."""
    table = people(200)
    sight = scene(table, released(table, 2, keep_order=True), KNOWN)
    truth = carried_out(sight).targets.rate
    assert_covered(truth, lambda seed: carried_out(sight, seed, attempts=60).targets.interval())


def test_a_shuffled_release_is_not_judged():
    """Where nobody knows which record is whose, nobody is attacked, and a reason is given."""
    table = people()
    found = carried_out(scene(table, shuffled(table), KNOWN, aligned=False))
    assert found.reason == UNKNOWN
    assert found.targets.attempts == 0


@pytest.mark.parametrize("options", [{"block": 0}, {"block": 1.5}, {"attempts": 0}])
def test_parameters_are_checked(options):
    """Anything but integers of at least 1 is refused."""
    with pytest.raises(PolicyError, match=next(iter(options))):
        OptimalLinkage(**options)
