"""Laws of the membership attack."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from attack_tables import HIDDEN, KNOWN, banded, people, released, scene, shuffled, starred
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.membership import NO_CONTROL, Membership
from margins import SURE, assert_covered, slack

EVERYBODY = Membership(attempts=10**6)


def carried_out(sight, attack=EVERYBODY, seed=0):
    """Return the outcome of an attack."""
    return attack.run(sight, np.random.default_rng(seed))


def halves(n, seed=0):
    """Return two tables of n persons each of one population."""
    table = people(2 * n, seed)
    return table[:n], table[n:]


def test_the_original_tells_all_members_from_strangers():
    """Published unchanged, persons whose values nobody else has are told without an error."""
    table, control = pl.DataFrame({"age": range(0, 80, 2)}), pl.DataFrame({"age": range(1, 80, 2)})
    found = carried_out(scene(table, shuffled(table), ["age"], control=control))
    assert found.targets.rate == found.risk == 1
    assert found.parts == {"advantage": 1, "auc": 1}


def test_the_original_does_not_tell_equals_apart():
    """Where the persons of the control are those of the original, chance is all there is."""
    table = people(300)
    found = carried_out(scene(table, table, KNOWN, control=shuffled(table)))
    assert found.targets.rate == found.parts["auc"] == 0.5
    assert found.risk == 0


def test_one_class_gives_the_baseline():
    """Where everything is suppressed, exactly half of the decisions are right."""
    table, control = halves(201)
    found = carried_out(scene(table, starred(table, KNOWN), KNOWN, control=control))
    assert found.targets.rate == found.baseline.rate == 0.5
    assert found.parts["auc"] == 0.5
    assert found.risk == 0


def test_a_release_that_covers_the_domain_gives_the_baseline():
    """Where generalized values leave room for everybody, members are not told from others."""
    table, control = halves(400)
    release = banded(table, 20).with_columns(
        sex=pl.lit("{f, m}"), town=pl.lit("{Bonn, Jena, Kiel, Ulm, null}")
    )
    found = carried_out(scene(table, release, KNOWN, control=control))
    assert found.targets.rate == found.parts["auc"] == 0.5


def test_it_falls_as_k_grows():
    """On Mondrian fewer decisions are right at each larger k, at last as many as by chance.

    Of other tables, the shares are 0.76, 0.59 and 0.50, each with a standard deviation of 0.02 at
    most: their order is not left to chance.
    """
    table, control = halves(300)
    rates = [
        carried_out(
            scene(table, table if k == 1 else released(table, k), KNOWN, control=control)
        ).targets.rate
        for k in (1, 5, 100)
    ]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 0.5 + slack(300)
    assert abs(rates[-1] - 0.5) < slack(300)


def test_the_interval_covers_the_truth():
    """In as many attacks as promised the interval has the rate of all persons.

    A member is always right, and a stranger where nobody in the original has the values.
    """
    table, control = halves(1000)
    sight = scene(table, table, KNOWN, control=control)
    members = set(table.select(KNOWN).rows())
    strangers = [row not in members for row in control.select(KNOWN).rows()]
    truth = (1 + np.mean(strangers)) / 2
    assert_covered(
        truth, lambda seed: carried_out(sight, Membership(attempts=100), seed).targets.interval()
    )


def test_a_release_of_others_is_no_risk():
    """A release of independent persons has a risk whose interval contains 0."""
    for seed in range(10):
        table, control = halves(300, seed)
        sight = scene(table, people(300, 1000 + seed), KNOWN, control=control)
        assert replace(carried_out(sight, seed=seed), confidence=SURE).interval[0] == 0


def test_thresholds_are_not_fitted_to_what_they_decide():
    """Without anything to tell, the mean of many attacks is one half and not more."""
    rates = []
    for seed in range(60):
        random = np.random.default_rng(seed)
        table, control, release = (pl.DataFrame({"x": random.random(40)}) for _ in range(3))
        rates.append(carried_out(scene(table, release, ["x"], control=control)).targets.rate)
    # Thresholds that were fitted to the decided persons would reach about 0.58.
    assert np.mean(rates) == pytest.approx(0.5, abs=0.03)


def test_who_knows_sensitive_values_may_tell_more():
    """Where quasi-identifiers tell nothing, a sensitive value may still tell who is in."""
    table = pl.DataFrame({"age": range(40), "cost": [float(2 * i) for i in range(40)]})
    control = table.with_columns(pl.col("cost") + 1)
    found = carried_out(scene(table, starred(table, ["age"]), ["age"], ["cost"], control=control))
    assert found.targets.rate == 0.5
    assert found.parts["with sensitive values"] == 1
    assert found.parts["advantage with sensitive values"] == 1
    assert found.parts["auc with sensitive values"] == 1


def test_means_are_nearer_to_their_own():
    """Where values are changed a little, members are told by how near the nearest record is."""
    table, control = (
        pl.DataFrame({"age": range(0, 800, 10)}),
        pl.DataFrame({"age": range(5, 805, 10)}),
    )
    release = table.with_columns(pl.col("age") + 0.5)
    found = carried_out(scene(table, release, ["age"], control=control))
    assert found.targets.rate == 1


def test_the_control_may_have_another_range():
    """Persons with members' values are as near as these, however narrow the control is."""
    table = pl.DataFrame({"age": range(101)})
    release = table.with_columns(pl.col("age") + 0.5)
    found = carried_out(scene(table, release, ["age"], control=table[40:60]))
    assert found.targets.rate == found.parts["auc"] == 0.5


@pytest.mark.parametrize(("attempts", "decided"), [(2, 2), (7, 6), (100, 100), (10**6, 300)])
def test_attempts_are_the_decisions_counted(attempts, decided):
    """As many members as others are decided, and as many again fix the threshold."""
    table, control = halves(301)
    sight = scene(table, table, KNOWN, control=control)
    assert carried_out(sight, Membership(attempts)).targets.attempts == decided


def test_the_order_of_records_does_not_matter():
    """A shuffled release has the same outcome."""
    table, control = halves(200)
    release = released(table, 3)
    outcomes = [
        carried_out(scene(table, one, KNOWN, HIDDEN, control=control))
        for one in (release, shuffled(release))
    ]
    assert outcomes[0] == outcomes[1]


def test_pandas_and_polars_give_the_same():
    """The same tables have the same outcome, whatever library holds them."""
    tables = [one.with_columns(pl.col("age").cast(pl.Float64)) for one in halves(200)]
    tables.append(released(tables[0], 3))
    outcomes = [
        carried_out(scene(table, release, KNOWN, HIDDEN, control=control))
        for table, control, release in (tables, [one.to_pandas() for one in tables])
    ]
    assert outcomes[0] == outcomes[1]


def test_without_others_there_is_no_attempt():
    """Without a control, or with one person in it, nothing is decided, and the reason given."""
    table = people(20)
    found = carried_out(scene(table, table, KNOWN))
    assert found.targets.attempts == 0
    assert found.reason == NO_CONTROL
    alone = carried_out(scene(table, table, KNOWN, control=table[:1]))
    assert "two persons each" in alone.reason
    empty = carried_out(scene(table, table[:0], KNOWN, control=table))
    assert "no record" in empty.reason


@pytest.mark.parametrize("attempts", [1, 2.5, True])
def test_wrong_parameters_are_refused(attempts):
    """Attempts are an integer of at least 2: one member and one other."""
    with pytest.raises(PolicyError, match="membership: attempts"):
        Membership(attempts)
