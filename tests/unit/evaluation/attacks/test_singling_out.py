"""Laws of singling out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from attack_tables import KNOWN, people, released, scene, shuffled, starred
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount
from kanonym.evaluation.attacks.singling_out import SinglingOut, evidence_rank
from margins import SURE, least_held


def carried_out(sight, attack=None, seed=0):
    """Return the outcome of an attack."""
    return (attack or SinglingOut(attempts=300)).run(sight, np.random.default_rng(seed))


def known(n=400, seed=0):
    """Return people without what is unique of each."""
    return people(n, seed).drop("cost")


def test_the_original_singles_out_everybody_tried():
    """Published unchanged, every predicate that one record satisfies matches one person."""
    table = people()
    found = carried_out(scene(table, shuffled(table), KNOWN, ["disease"]))
    assert found.parts["univariate"] == found.parts["multivariate"] == 1
    assert found.targets.rate == found.risk == 1
    assert found.targets.attempts == 300


def test_a_suppressed_table_gives_the_baseline():
    """Where everything is suppressed nobody is singled out, and by chance nobody is either."""
    table = known().select(KNOWN)
    found = carried_out(scene(table, starred(table, KNOWN), KNOWN))
    assert found.targets.rate == found.baseline.rate == found.risk == 0


def test_no_rate_is_taken_as_known():
    """Where all predicates are tried, the rate and the baseline still have an interval."""
    table = known().select(KNOWN)
    found = carried_out(scene(table, table, KNOWN), SinglingOut(attempts=10**6))
    for counted in (found.targets, found.baseline):
        assert not counted.exact
    assert found.interval[0] < found.risk


def test_another_draw_of_the_population_is_no_risk():
    """Of independent persons, without a control, intervals of the risk contain 0 as promised."""
    outcomes = [
        carried_out(scene(known(400, 2 * seed), known(400, 2 * seed + 1), KNOWN))
        for seed in range(12)
    ]
    assert sum(found.interval[0] == 0 for found in outcomes) >= least_held(12)


def test_it_falls_as_k_grows():
    """On Mondrian fewer predicates match one person at each larger k."""
    table = known(1000)
    outcomes = [
        carried_out(scene(table, table if k == 1 else released(table, k, sensitive=["disease"]),
                          KNOWN, ["disease"]))
        for k in (1, 2, 5, 20, 100)
    ]  # fmt: skip
    rates = [found.targets.rate for found in outcomes]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == 1
    assert rates[-1] < 0.1


def test_intervals_sets_and_nulls_are_understood():
    """Cells of three kinds match one person each, and a cell that two persons fit does not."""
    table = {"age": [20, 24, 35, 36, None], "town": ["Ulm", "Bonn", "Kiel", "Kiel", "Kiel"]}
    release = {
        "age": ["[20, 24]", "[20, 24]", "[35, 36]", "[35, 36]", None],
        "town": ["Ulm", "Bonn", "{Kiel, Ulm}", "{Kiel, Ulm}", "Kiel"],
    }
    found = carried_out(scene(table, release, ["age", "town"]))
    # Univariate: null, both towns that one record has, and both ends of age (20 and 36);
    # Kiel, too, is in one record as itself, but three persons have it.
    assert found.parts["univariate attempts"] == 6
    assert found.parts["univariate"] == pytest.approx(5 / 6)
    # Of both columns: the two young ones and null are alone, the others are not.
    assert found.parts["multivariate attempts"] == 4
    assert found.parts["multivariate"] == pytest.approx(3 / 4)


def test_ends_are_tried_where_no_record_shares_them():
    """The ends of a column are predicates, unless several records are known to have one."""
    table = {"age": [1, 1, 2, 3, 3, 9]}
    found = carried_out(scene(table, table, ["age"]))
    # Alone are 2 and 9, and 9 is the highest; 1 is the lowest of two records.
    assert found.parts["univariate attempts"] == 3
    assert found.parts["univariate"] == 1


def test_suppressed_cells_are_no_predicates():
    """A cell that says nothing is neither a value of its own nor the end of a column."""
    table = {"age": [1, 2, 3, 4, 5, 6]}
    release = {"age": ["1", "2", "3", "4", "5", "*"]}
    found = carried_out(scene(table, release, ["age"]))
    # Five values and both ends, of which "at least 5" matches two persons.
    assert found.parts["univariate attempts"] == 7
    assert found.parts["univariate"] == pytest.approx(6 / 7)


def test_those_are_tried_first_that_the_fewest_records_may_satisfy():
    """Of combinations that one record has, one that no other may satisfy comes first."""
    table = {"age": [0, 0, 0, 0, 9]}
    release = {"age": ["[0, 1]", "[0, 2]", "[0, 3]", "[0, 4]", "9"]}
    sight = scene(table, release, ["age"])
    for seed in range(10):
        assert carried_out(sight, SinglingOut(attempts=1), seed).parts["multivariate"] == 1


def test_means_single_out_by_at_least_and_at_most():
    """Where numbers are means of several, predicates ask for more and less, and some succeed."""
    table = pl.DataFrame({"age": [10, 20, 30, 40, 50, 60, 70, 99], "sex": ["f", "m"] * 4})
    release = table.with_columns(age=pl.Series([15.0, 15, 35, 35, 55, 55, 84.5, 84.5]))
    found = carried_out(scene(table, release, ["age"]), SinglingOut(n_columns=2))
    assert found.parts["multivariate one-sided"] > 0.2


def test_a_kind_that_never_succeeds_hides_no_other():
    """One that is likely to beat chance is told before one with a narrow interval around 0."""

    def kind(successes, attempts, chance):
        counts = SuccessCount(successes, attempts), SuccessCount(chance * attempts, attempts)
        return AttackResult("singling-out", "Who?", *counts, best_of=4)

    never, likely, few = kind(0, 2000, 0), kind(50, 180, 0.2), kind(14, 100, 0.15)
    assert likely.interval[0] == few.interval[0] == never.interval[0] == 0
    assert max([never, likely], key=evidence_rank) == likely
    assert max([never, few], key=evidence_rank) == few


def test_a_lucky_attempt_is_not_the_outcome():
    """Success in the only attempt of a kind is not told while another kind has many attempts."""

    def kind(successes, attempts):
        counts = SuccessCount(successes, attempts), SuccessCount(0, attempts)
        return AttackResult("singling-out", "Who?", *counts, best_of=4)

    lucky, many, sure = kind(1, 1), kind(4, 400), kind(9, 9)
    assert lucky.interval[0] == many.interval[0] == 0 < sure.interval[0]
    assert max([lucky, many], key=evidence_rank) == many
    assert max([lucky, many, sure], key=evidence_rank) == sure


def test_without_a_control_the_release_tells_what_others_would_give():
    """Of every kind of predicate the baseline is near the rate of a control of other persons."""
    table, control = known(800, 0), known(800, 1)
    found = carried_out(scene(table, table, KNOWN, ["disease"], control=control))
    for kind in ("multivariate", "whole records"):
        baseline, elsewhere = (found.parts[f"{kind} {of}"] for of in ("baseline", "control"))
        assert baseline == pytest.approx(elsewhere, abs=0.1), kind


def test_the_interval_covers_the_truth():
    """Of 40 attacks on a release of twice as many, as many as promised have the rate of all."""
    release = people(600)
    sight = scene(release[:300], release, KNOWN)
    # At most as many as there are records are tried at once.
    attack = SinglingOut(n_columns=2, attempts=len(release))
    truth = np.mean([carried_out(sight, attack, seed).parts["multivariate"] for seed in range(10)])
    covered = 0
    for seed in range(40):
        found = carried_out(sight, SinglingOut(n_columns=2, attempts=60), seed)
        rate = SuccessCount(round(found.parts["multivariate"] * 60), 60)
        low, high = rate.interval()
        covered += low <= truth <= high
    assert 0.4 < truth < 0.6
    assert covered >= least_held(40)


@pytest.mark.parametrize("n_control", [300, 600, 900])
def test_others_of_the_same_population_are_no_worse_off(n_control):
    """A release of independent persons has a risk whose interval contains 0."""
    for seed in range(5):
        table, release, control = (
            known(n, 10 * seed + i) for i, n in enumerate((600, 600, n_control))
        )
        sight = scene(table, release, KNOWN, ["disease"], control=control)
        found = carried_out(sight, seed=seed)
        assert found.control is not None
        assert replace(found, confidence=SURE).interval[0] == 0


def test_the_control_shows_what_is_in_the_data():
    """Of the original unchanged the same predicates match others far more seldom."""
    table, control = known(400, 0), known(400, 1)
    found = carried_out(scene(table, table, KNOWN, ["disease"], control=control))
    assert found.targets.rate == 1
    assert found.control.rate < 0.5
    assert found.interval[0] > 0.9


def test_the_order_of_records_does_not_matter():
    """A shuffled release has the same outcome."""
    table = known()
    release = released(table, 3, sensitive=["disease"])
    outcomes = [
        carried_out(scene(table, one, KNOWN, ["disease"], aligned=False), SinglingOut(attempts=50))
        for one in (release, shuffled(release))
    ]
    assert outcomes[0] == outcomes[1]


def test_pandas_and_polars_give_the_same():
    """The same tables have the same outcome, whatever library holds them."""
    table = known().with_columns(pl.col("age").cast(pl.Float64))
    release = released(table, 3, sensitive=["disease"])
    outcomes = [
        carried_out(scene(one, other, KNOWN, ["disease"]))
        for one, other in ((table, release), (table.to_pandas(), release.to_pandas()))
    ]
    assert outcomes[0] == outcomes[1]


def test_more_columns_than_there_are_means_all():
    """Predicates take all columns where the tables have fewer than are asked for."""
    table = known().select(KNOWN)
    outcomes = [carried_out(scene(table, table, KNOWN), SinglingOut(n)) for n in (3, 9)]
    assert outcomes[0] == outcomes[1]


def test_wide_tables_are_sampled(monkeypatch):
    """Of more sets of columns than can be looked at some are drawn, and full success stays."""
    monkeypatch.setattr("kanonym.evaluation.attacks.singling_out.LOOKED_AT", 100_000)
    random = np.random.default_rng(0)
    table = {f"c{i}": random.integers(0, 20, 200).tolist() for i in range(60)}
    found = carried_out(scene(table, table, list(table)), SinglingOut(n_columns=4, attempts=100))
    assert found.parts["multivariate"] == 1


def test_no_record_is_no_attempt():
    """Without records nothing is tried, and the reason is given."""
    table = pl.DataFrame({"age": [1, 2]})
    found = carried_out(scene(table, table[:0], ["age"]))
    assert found.targets.attempts == 0
    assert "no record" in found.reason


@pytest.mark.parametrize("wrong", [{"n_columns": 0}, {"attempts": 0}, {"attempts": 1.5}])
def test_wrong_parameters_are_refused(wrong):
    """Both parameters are positive integers."""
    with pytest.raises(PolicyError, match="singling-out: "):
        SinglingOut(**wrong)
