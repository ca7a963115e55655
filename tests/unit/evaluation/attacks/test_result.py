"""Laws of what an attack achieved: rates, chance, risk, and their intervals."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from effort import examples
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount, worst_of
from margins import least_held

TIMES = 2000
"""The least share of simulations that a 95 % interval covers, but for three in a thousand."""


def outcome(targets, baseline, control=None, **more):
    """Return an outcome of (successes, attempts); the baseline is exact where so said."""
    return AttackResult(
        "linkage",
        "Who is it?",
        SuccessCount(*targets),
        SuccessCount(*baseline),
        None if control is None else SuccessCount(*control),
        **more,
    )


EITHER = st.booleans()
NEVER = st.just(value=False)


@st.composite
def counted(draw, exact=EITHER):
    """Draw successes among 0 to 3000 attempts."""
    attempts = draw(st.integers(0, 3000))
    share = draw(st.sampled_from([0.0, 1.0]) | st.floats(0, 1))
    return SuccessCount(min(share * attempts, attempts), attempts, exact=draw(exact))


@st.composite
def outcomes(draw):
    """Draw an outcome, with a control or without."""
    control = draw(st.none() | counted(NEVER))
    return AttackResult("linkage", "Who is it?", draw(counted()), draw(counted()), control)


# --- counts -----------------------------------------------------------------------------


@given(st.integers(1, 5000), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.99]))
@settings(max_examples=examples(200))
def test_the_interval_of_a_rate_is_wilsons(attempts, share, confidence):
    """It is what SciPy computes for a proportion by Wilson's method."""
    successes = round(share * attempts)
    expected = binomtest(successes, attempts).proportion_ci(confidence, method="wilson")
    found = SuccessCount(successes, attempts).interval(confidence)
    assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(counted(NEVER))
def test_the_interval_of_a_rate_has_the_rate_and_stays_between_0_and_1(one):
    """Of expected successes, too, which are no whole numbers."""
    low, high = one.interval()
    assert 0 <= low <= one.rate + 1e-12
    assert one.rate - 1e-12 <= high <= 1


def test_without_an_attempt_nothing_is_known():
    """The rate is 0, and its interval everything."""
    assert (SuccessCount(0, 0).rate, SuccessCount(0, 0).interval()) == (0, (0, 1))


def test_an_exact_rate_is_its_own_interval():
    """What is computed and not estimated has no width, even where nobody was attacked."""
    assert SuccessCount(3, 12, exact=True).interval() == (0.25, 0.25)
    assert SuccessCount(0, 0, exact=True).interval() == (0, 0)


# --- chance and risk --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("baseline", "control", "chance"),
    [((20, 100), None, 0.2), ((20, 100), (30, 100), 0.3), ((20, 100), (10, 100), 0.1)],
)
def test_chance_is_the_control_where_there_is_one(baseline, control, chance):
    """A baseline that does better is another attack, and hides nothing that this one found."""
    assert outcome((50, 100), baseline, control).chance.rate == chance


def test_risk_is_the_share_of_what_chance_leaves():
    """(rate - chance) / (1 - chance): 0 at chance, 1 where everybody is attacked."""
    assert outcome((60, 100), (20, 100)).risk == pytest.approx(0.5)
    assert outcome((100, 100), (20, 100)).risk == 1
    assert outcome((20, 100), (20, 100)).risk == 0
    assert outcome((10, 100), (20, 100)).risk == 0


def test_a_baseline_that_always_succeeds_leaves_everything_open():
    """The risk is 0, but what the attack found may be anything up to its rate."""
    sure = outcome((100, 100), (100, 100, True), other_attack=True)
    assert (sure.risk, sure.interval) == (0, (0, 1))
    assert sure.hidden_by == "baseline"


def test_an_estimated_chance_that_always_succeeded_leaves_everything_open():
    """The risk is 0 where all of few others were attacked, though chance may be less in truth."""
    found = outcome((9, 9, True), (1, 9, True), (9, 9))
    assert (found.risk, found.interval) == (0, (0, 1))


@given(outcomes())
@settings(max_examples=examples(300))
def test_risk_lies_in_its_interval_and_that_between_0_and_1(one):
    """Whatever was counted, of whomever."""
    low, high = one.interval
    assert 0 <= low <= one.risk + 1e-12
    assert one.risk - 1e-12 <= high <= 1


@given(outcomes())
@settings(max_examples=examples(100))
def test_a_higher_confidence_is_a_wider_interval(one):
    """The interval at 99 % has the one at 80 %, unless chance surely succeeds as often at 80 %.

    Then chance is no bound at 80 %, and the interval reaches to the end of the rate's.
    """
    assume(one.chance.interval(0.8)[0] < one.targets.interval(0.8)[1])
    narrow, wide = (
        AttackResult("a", "b?", one.targets, one.baseline, one.control, confidence=confidence)
        for confidence in (0.8, 0.99)
    )
    assert wide.interval[0] <= narrow.interval[0] + 1e-12
    assert narrow.interval[1] <= wide.interval[1] + 1e-12


def test_a_control_without_an_attempt_says_nothing():
    """Chance and interval are those of the baseline."""
    alone = outcome((50, 100), (20, 100))
    assert outcome((50, 100), (20, 100), (0, 0)).interval == alone.interval
    assert outcome((50, 100), (20, 100), (0, 0)).risk == alone.risk


@pytest.mark.parametrize(
    ("rate", "baseline", "control"),
    [
        (0.5, 0.2, None),
        (0.02, 0.01, None),
        (0.5, 0.2, (0.3, 200)),
        # As good as the baseline, or a little better, or worse.
        (0.5, 0.25, (0.25, 200)),
        (0.5, 0.25, (0.3, 50)),
        (0.5, 0.25, (0.1, 50)),
        (0.3, 0.25, (0.3, 300)),
    ],
)
def test_the_interval_covers_the_true_risk(rate, baseline, control):
    """Of 2,000 seeded repetitions 95 % do, against an exact baseline and against a control."""
    random = np.random.default_rng([1, round(100 * rate), round(100 * baseline)])
    chance = control[0] if control else baseline
    truth = max(0.0, (rate - chance) / (1 - chance))
    covered = 0
    for _ in range(TIMES):
        drawn = (random.binomial(control[1], control[0]), control[1]) if control else None
        one = outcome((random.binomial(1000, rate), 1000), (baseline * 100, 100, True), drawn)
        low, high = one.interval
        covered += low <= truth + 1e-12 and truth <= high + 1e-12
    assert covered >= least_held(TIMES)


def test_the_baseline_hides_nothing_from_a_control():
    """Whatever the baseline achieves, risk and interval beside a control are the same."""
    weak, strong = (outcome((500, 1000), (right, 100, True), (100, 1000)) for right in (5, 90))
    assert (weak.risk, weak.interval) == (strong.risk, strong.interval)


# --- what hides a risk ---------------------------------------------------------------------


@given(outcomes())
@settings(max_examples=examples(300))
def test_a_risk_of_0_is_never_certain(one):
    """No interval is 0 to 0, unless the attack surely never succeeds."""
    assert one.interval[1] > 0 or one.targets.interval()[1] == 0


@pytest.mark.parametrize(
    ("targets", "baseline", "control", "hidden"),
    [
        ((30, 100), (60, 100, True), None, "baseline"),
        ((30, 100), (60, 100, True), (0, 0), "baseline"),
        ((0, 100), (60, 100, True), None, None),
        ((70, 100), (60, 100, True), None, None),
        ((30, 100), (60, 100, True), (10, 100), None),
        ((30, 100), (10, 100, True), (33, 100), None),
        ((30, 100), (10, 100, True), (60, 100), "control"),
    ],
)
def test_what_hides_a_risk_is_told(targets, baseline, control, hidden):
    """A baseline as good as the attack, without a control; or a control of other people."""
    found = outcome(targets, baseline, control, other_attack=True)
    assert found.hidden_by == hidden
    assert found.to_dict().get("hidden_by") == hidden


def test_a_baseline_that_is_chance_itself_hides_nothing():
    """Where it draws at random what the attack claims, a risk of 0 is one."""
    assert outcome((30, 100), (60, 100, True)).hidden_by is None


def test_of_equal_risks_the_hidden_one_is_told():
    """Of two attributes, that of which the risk cannot be told comes first."""
    shown = outcome((0, 100), (0, 100, True), other_attack=True)
    hidden = outcome((30, 100), (60, 100, True), other_attack=True)
    assert worst_of([shown, hidden]) == worst_of([hidden, shown])
    assert worst_of([shown, hidden]).targets == hidden.targets


# --- JSON -------------------------------------------------------------------------------


def test_the_json_form_is_that_of_the_contract():
    """Rates, risk, interval, confidence, attempts and seed; parts and reason where there are."""
    form = outcome((60, 100), (20, 100, True), (30, 100), seed=7).to_dict()
    assert list(form) == [
        "type", "question", "rate", "rate_interval", "baseline", "control", "risk", "interval",
        "confidence", "attempts", "unit", "seed",
    ]  # fmt: skip
    assert (form["rate"], form["baseline"], form["control"]) == (0.6, 0.2, 0.3)
    assert (form["confidence"], form["attempts"], form["seed"]) == (0.95, 100, 7)
    assert json.loads(json.dumps(form, allow_nan=False)) == form
    more = outcome((0, 0), (0, 0), parts={"age": 0.5}, reason="nobody is there").to_dict()
    assert (more["parts"], more["reason"]) == ({"age": 0.5}, "nobody is there")
    assert more["control"] is None
