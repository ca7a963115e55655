"""Laws of linkability: two tables about the same persons, put together through a release."""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from attack_tables import KNOWN, people, released, scene, shuffled, starred
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.linking.linkage import Linkability
from margins import least_held


def carried_out(sight, seed=0, **options):
    """Return the outcome of the attack, on everybody unless told otherwise."""
    attack = Linkability(**{"attempts": None, **options})
    return attack.run(sight, np.random.default_rng(seed))


def unique(n=60):
    """Return persons who are unique by age as well as by number."""
    return pl.DataFrame({"age": range(n), "number": [i * 7 % n for i in range(n)]})


def test_the_original_links_everybody_who_is_unique_by_both():
    """Published unchanged, both entries of each person lead to the same record."""
    table = unique()
    found = carried_out(scene(table, shuffled(table), ["age", "number"], aligned=False))
    assert found.targets.rate == found.risk == 1


def test_equals_share_their_chance():
    """Of c alike by one set, d by the other and b by both, each is linked with b/(c·d)."""
    table = people()
    found = carried_out(scene(table, table, KNOWN))
    one = Counter(table.select(KNOWN[:2]).rows())
    other = Counter(table.select(KNOWN[2:]).rows())
    both = Counter(table.select(KNOWN).rows())
    expected = sum(
        count * count / (one[row[:2]] * other[row[2:]]) for row, count in both.items()
    ) / len(table)
    assert found.targets.rate == pytest.approx(expected)


@pytest.mark.parametrize("neighbours", [1, 4, 39, 100])
def test_one_class_gives_the_baseline(neighbours):
    """Where everything is suppressed, neighbours are random records by either set."""
    table = people(80)
    sight = scene(table, starred(table, KNOWN), KNOWN)
    found = carried_out(sight, neighbours=neighbours)
    m = min(neighbours, 80)
    assert found.baseline.rate == pytest.approx(1 - comb(80 - m, m) / comb(80, m))
    assert found.targets.rate == pytest.approx(found.baseline.rate)
    assert found.risk == pytest.approx(0)


def test_it_falls_as_k_grows():
    """On Mondrian at each larger k fewer are linked."""
    random = np.random.default_rng(0)
    table = pl.DataFrame({"x": random.random(400), "y": random.random(400)})
    rates = [
        carried_out(
            scene(table, ka.anonymize(table, quasi_identifiers=["x", "y"], k=k).frame, ["x", "y"])
        ).targets.rate
        for k in (2, 5, 15, 60)
    ]
    assert rates == sorted(rates, reverse=True)
    assert 1 > 3 * rates[0] > 9 * rates[-1]


def test_the_order_of_rows_does_not_matter():
    """A shuffled release links as many, whether or not it is known whose records are whose."""
    table = people()
    release = released(table, 5, keep_order=True)
    rates = {
        round(carried_out(scene(table, one, KNOWN), neighbours=3).targets.rate, 12)
        for one in (release, shuffled(release), shuffled(release, 1))
    }
    assert len(rates) == 1


def test_the_control_links_only_what_columns_say_of_each_other():
    """Persons who are not in the original are linked less than those who are."""
    table, others = people(seed=0), people(seed=1)
    known = ["age", "sex", "cost"]
    found = carried_out(scene(table, table, known, control=others), neighbours=5)
    assert found.control is not None
    # By other seeds 0.06, 0.22 ± 0.02 and 0.95 ± 0.015.
    assert found.baseline.rate < found.control.rate < found.targets.rate
    assert found.chance is found.control


def test_a_control_is_measured_as_the_original_is():
    """Persons of the original, attacked one by one as a control, are linked as often."""
    random = np.random.default_rng(0)
    table = pl.DataFrame({"x": random.random(30), "y": 100 * random.random(30)})
    table = table.with_columns(z=pl.col("x") + random.random(30), w=pl.col("y"))
    release = table.with_columns(pl.all() * 0.8 + 0.1)
    each = [
        carried_out(scene(table, release, table.columns, control=table[[i]])) for i in range(30)
    ]
    assert sum(one.control.successes for one in each) == pytest.approx(each[0].targets.successes)
    assert 3 < each[0].targets.successes < 27


def test_dependent_columns_are_no_risk():
    """Where one column says the other, others are linked as well, and the risk is none."""
    random = np.random.default_rng(0)
    first, second = (random.random(300) for _ in range(2))
    table, others = (pl.DataFrame({"x": x, "y": x}) for x in (first, second))
    found = carried_out(scene(table, table, ["x", "y"], control=others))
    assert found.targets.rate == 1
    assert found.control.rate > 0.9


def test_columns_may_be_chosen():
    """Named columns are the two tables; the halves are what is taken otherwise."""
    table = people()
    sight = scene(table, table, KNOWN)
    halves = carried_out(sight)
    named = carried_out(sight, columns_a=["age", "sex"], columns_b=["town"])
    assert named == halves
    other = carried_out(sight, columns_a=["age"], columns_b=["cost"])
    assert other.targets.rate > 3 * named.targets.rate


def test_the_interval_covers_the_truth():
    """Of 100 samples of 60 persons, as many as promised have the rate of all in the interval."""
    table = unique(200).with_columns(number=pl.col("number") // 3)
    sight = scene(table, table, ["age", "number"])
    truth = carried_out(sight).targets.rate
    covered = 0
    for seed in range(100):
        low, high = carried_out(sight, seed, attempts=60).targets.interval()
        covered += low <= truth <= high
    assert truth == pytest.approx(1 / 3, abs=0.01)
    assert covered >= least_held(100)


def test_it_says_why_it_cannot_be_tried():
    """One quasi-identifier, or a column that the release lacks, gives no attempt and a reason."""
    table = people(20)
    for options, names in (({}, ["age"]), ({"columns_a": ["age"], "columns_b": ["x"]}, KNOWN)):
        found = carried_out(scene(table, table, names), **options)
        assert found.targets.attempts == 0
        assert found.reason


@pytest.mark.parametrize(
    "options",
    [
        {"columns_a": ["age"]},
        {"columns_a": [], "columns_b": ["age"]},
        {"columns_a": "age", "columns_b": ["sex"]},
        {"columns_a": ["age", "sex"], "columns_b": ["sex"]},
        {"neighbours": 0},
        {"attempts": 0},
    ],
)
def test_parameters_are_checked(options):
    """Columns for one table only, none, in both, or numbers below 1 are refused."""
    with pytest.raises(PolicyError, match="linkability"):
        Linkability(**options)
