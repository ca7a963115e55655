"""Laws of record linkage by the nearest record."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from attack_tables import KNOWN, banded, people, released, scene, shuffled, starred
from effort import examples
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.base import AttackContext
from kanonym.evaluation.attacks.linking.linkage import CHANGED, Linkage
from linkage_tables import linkages
from margins import assert_covered
from twins import neighbours as naive_linkage
from utility_pairs import kept, numeric, pair


def carried_out(sight, attempts=None, seed=0):
    """Return the outcome of the attack, on everybody unless told otherwise."""
    return Linkage(attempts).run(sight, np.random.default_rng(seed))


@given(linkages(most=12))
@settings(max_examples=examples(100))
def test_equals_the_twin(tables):
    """Each person counts what a random pick of the nearest records is expected to find."""
    found = carried_out(AttackContext(tables, None, ()))
    expected = [
        naive_linkage.success(tables, person, tables.quasi_identifiers)
        for person in range(tables.n_original)
    ]
    assert found.targets.successes == pytest.approx(sum(expected))
    assert found.targets.attempts == tables.n_original
    assert found.parts["alone"] == pytest.approx(np.mean([one == 1 for one in expected]))


@pytest.mark.parametrize("aligned", [True, False])
def test_the_original_gives_everybody_away_who_is_unique(aligned):
    """Published unchanged, the rate is the number of distinct persons over that of persons."""
    table = people()
    found = carried_out(scene(table, table, KNOWN, aligned=aligned))
    distinct = table.select(KNOWN).n_unique()
    assert found.targets.rate == pytest.approx(distinct / len(table))
    alone = table.select(KNOWN).is_unique().sum() / len(table)
    assert found.parts["alone"] == pytest.approx(alone)
    assert found.risk > 0.5


def test_everybody_is_found_where_nobody_has_an_equal():
    """With unique quasi-identifiers the original unchanged gives everybody away."""
    table = {"age": list(range(50)), "disease": ["flu", "cold"] * 25}
    found = carried_out(scene(table, table, ["age"]))
    assert found.targets.rate == found.risk == 1


@pytest.mark.parametrize("aligned", [True, False])
def test_one_class_gives_the_baseline(aligned):
    """Where everything is suppressed, anybody's record is as good: rate and baseline are 1/n."""
    table = people()
    found = carried_out(scene(table, starred(table, KNOWN), KNOWN, aligned=aligned))
    assert found.targets.rate == pytest.approx(1 / len(table))
    assert found.baseline.rate == 1 / len(table)
    assert found.baseline.exact
    assert found.risk == pytest.approx(0)


def test_it_falls_as_k_grows():
    """On Mondrian at each larger k fewer are found, at most one in k, and as many if shuffled."""
    table = people()
    rates = []
    for k in (2, 5, 15, 60):
        release = released(table, k, keep_order=True)
        rates.append(carried_out(scene(table, release, KNOWN)).targets.rate)
        assert 1 / 3 / k < rates[-1] <= 1 / k
        moved = carried_out(scene(table, shuffled(release), KNOWN, aligned=False))
        assert moved.targets.rate == pytest.approx(rates[-1])
    assert rates == sorted(rates, reverse=True)


def test_suppressed_persons_are_not_found():
    """Who is not in the release counts nothing, and no stranger's record counts for them."""
    tables = pair(numeric("n", [1, 2, 3, 4], [1, 2, 3, 4]), rows=range(4), quasi_identifiers=("n",))
    found = carried_out(AttackContext(kept(tables, [0, 2]), None, ()))
    assert found.targets.rate == 0.5
    assert found.baseline.rate == 0.25


def test_noise_is_seen_through_where_records_are_known():
    """With little noise nearly everybody is found, with much noise hardly anybody."""
    random = np.random.default_rng(0)
    table = pl.DataFrame({"x": random.random(300), "y": random.random(300)})
    rates = [
        carried_out(
            scene(
                table,
                table.with_columns(pl.all() + pl.Series(random.normal(0, spread, 300))),
                ["x", "y"],
                aligned=True,
            )
        ).targets.rate
        for spread in (1e-4, 0.03, 3)
    ]
    assert rates[0] > 0.95
    assert 0.6 > rates[1] > 0.05 > rates[2]


def test_means_of_a_shuffled_release_are_not_judged():
    """Where nobody knows whose record is whose and values were changed, a reason is given."""
    table = pl.DataFrame({"age": [20, 30, 41, 51]})
    release = pl.DataFrame({"age": [46.0, 25.0, 46.0, 25.0]})
    found = carried_out(scene(table, release, ["age"], aligned=False))
    assert found.reason == CHANGED
    assert found.targets.attempts == 0
    known = carried_out(scene(table, release[[1, 1, 0, 0]], ["age"], aligned=True))
    assert known.targets.rate == 0.5


def test_suppression_is_no_change():
    """Of a shuffled release, persons may lack a record as far as records were suppressed."""
    table = pl.DataFrame({"age": list(range(100))})
    found = carried_out(scene(table, shuffled(table)[:60], ["age"], aligned=False), attempts=50)
    assert found.reason is None
    assert 0.3 < found.targets.rate < 0.9


def test_intervals_sets_labels_and_nulls_are_understood():
    """A person is found by whatever leaves the values open: interval, set, `*`, null."""
    table = {
        "age": [20, 30, None, 50, 60],
        "town": ["Ulm", "Bonn", "Kiel", None, "Jena"],
        "x": [1, 2, 3, 4, 5],
    }
    release = {
        "age": ["[18, 22]", "30", None, "<55", "*"],
        "town": ["{Bonn, Ulm}", "*", "Kiel", None, "Je**"],
        "x": [1, 2, 3, 4, 5],
    }
    found = carried_out(scene(table, release, ["age", "town"], aligned=True))
    assert found.targets.rate == 1


def test_the_control_tells_how_many_would_be_taken_for_somebody():
    """There is no control rate, but the share of others for whom some record is open."""
    table, others = people(seed=0), people(seed=1)
    for width, least, most in ((1, 0.3, 0.9), (200, 1.0, 1.0)):
        release = banded(table, width)
        found = carried_out(scene(table, release, KNOWN, control=others))
        assert found.control is None
        assert least <= found.parts["control_compatible"] <= most


def test_the_interval_covers_the_truth():
    """Of many samples of 60 persons, as many as promised have the rate of all in the interval."""
    table = people()
    sight = scene(table, released(table, 2, keep_order=True), KNOWN)
    truth = carried_out(sight).targets.rate
    assert_covered(truth, lambda seed: carried_out(sight, 60, seed).targets.interval())


def test_frames_of_any_library_are_attacked(frame):
    """From pandas, polars and pyarrow, as many are found."""
    table = {"age": [20, 30, 40, 50], "town": ["a", "b", "a", "b"], "x": [1, 2, 3, 4]}
    release = {**table, "age": ["[20, 30]", "[20, 30]", "[40, 50]", "[40, 50]"]}
    found = carried_out(scene(frame(table), frame(release), ["age"]))
    assert found.targets.rate == 0.5


@pytest.mark.parametrize("names", [[], ["age"]])
def test_nobody_is_attacked_without_records_or_knowledge(names):
    """An empty release, or no quasi-identifier, gives no attempt and a reason."""
    table = pl.DataFrame({"age": [1, 2], "x": [1, 2]})
    release = table[:0] if names else table
    found = carried_out(scene(table, release, names, aligned=False))
    assert found.targets.attempts == 0
    assert found.reason


@pytest.mark.parametrize("attempts", [0, -1, 2.5, True, "all"])
def test_attempts_are_a_number(attempts):
    """Anything but an integer of at least 1 is refused."""
    with pytest.raises(PolicyError, match="attempts"):
        Linkage(attempts)
