"""Tests: the cost of private mechanisms, and the ledger that adds it up."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data.errors import DataError
from kanonym.differential_privacy.ledger import (
    Budget,
    Ledger,
    OverspentError,
    Spending,
    epsilon_for,
    implies,
    read_ledger,
    rho_for,
    rho_of_exponential,
    rho_of_gaussian,
    spend,
)
from kanonym.differential_privacy.sampling import exact_number


def test_releases_add_up(tmp_path):
    """ε and δ add up exactly as written, ρ beside them."""
    path = tmp_path / "ledger.json"
    for _ in range(3):
        found = spend(path, Spending("differential-privacy", exact_number(0.1), exact_number(1e-6)))
    found = spend(path, Spending("aim", rho=exact_number(0.015), protects="person"))
    assert (found.epsilon, found.delta) == (Fraction(3, 10), Fraction(3, 10**6))
    assert found.rho == Fraction(15, 1000)
    assert read_ledger(path) == found
    total = json.loads(path.read_text())["total"]
    assert (total["releases"], total["epsilon"], total["delta"]) == (4, 0.3, 3e-06)
    assert (total["rho"], total["protects"]) == (0.015, "record")
    assert total["epsilon_with_rho"] == pytest.approx(0.3 + 1.001, abs=2e-3)
    assert total["delta_with_rho"] == pytest.approx(3.001e-06)


def test_a_file_that_is_not_there_has_spent_nothing(tmp_path):
    """The first release begins the ledger."""
    assert read_ledger(tmp_path / "none.json") == Ledger()
    assert Ledger().total["epsilon"] == 0


def test_numbers_without_a_short_decimal_are_rounded_up(tmp_path):
    """One third is written as the float above it: the sum is never below what was spent."""
    path = tmp_path / "ledger.json"
    spend(path, Spending("aim", rho=Fraction(1, 3)))
    assert Fraction(1, 3) <= read_ledger(path).rho < Fraction(1, 3) + Fraction(1, 10**15)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version": 1, "spent": [{"mechanism": "x", "when": "", "protects": "record"}]}',
        '{"version": 1, "spent": [{"mechanism": "x", "when": "", "protects": "record", "rho": 1}]}',
        '{"version": 1, "spent": [{"mechanism": "x", "when": "", "protects": "row", "rho": "1"}]}',
    ],
)
def test_a_broken_ledger_is_refused_and_left_alone(tmp_path, text):
    """Nothing is added to a file that does not say what was spent before."""
    path = tmp_path / "ledger.json"
    path.write_text(text)
    with pytest.raises(DataError, match="is no ledger"):
        spend(path, Spending("aim", rho=Fraction(1)))
    assert path.read_text() == text


def test_a_ledger_of_a_later_version_is_refused(tmp_path):
    """Its sums might mean something else."""
    path = tmp_path / "ledger.json"
    path.write_text('{"version": 2, "spent": []}')
    with pytest.raises(DataError, match="version 2"):
        read_ledger(path)


def test_what_was_spent_is_never_written_as_less():
    """The shortest decimal of a float may lie below it; the ledger then takes the next one."""
    for near in np.random.default_rng(0).random(200):
        below, exact = Fraction(repr(float(near))), Fraction(float(near))
        rho = (below + exact) / 2
        assert Fraction(Spending("aim", rho=rho).to_dict()["rho"]) >= rho


GOLDEN = [
    ("0.1", "1e-6", 0.0003210476903457401),
    ("0.5", "1e-9", 0.003953191141217897),
    ("1", "1e-9", 0.014973057673588523),
    ("1", "1e-5", 0.03055659519763956),
    ("2", "1e-6", 0.08815268837994626),
    ("3", "1e-9", 0.12058242891101999),
    ("5", "1e-5", 0.5509734749393385),
    ("10", "1e-9", 1.0907857043970155),
]
"""ε, δ, ρ; the same in OpenDP's accountant to 12 digits."""


@pytest.mark.parametrize(("epsilon", "delta", "rho"), GOLDEN)
def test_rho_of_a_promise_is_the_golden_one(epsilon, delta, rho):
    """Bisection of the formula gives the known digits, never more than they allow."""
    found = rho_for(Fraction(epsilon), Fraction(delta))
    assert float(found) == pytest.approx(rho, rel=2e-12)
    assert implies(found, Fraction(epsilon), Fraction(delta))
    assert not implies(found * Fraction(1 + 10**-9), Fraction(epsilon), Fraction(delta))


@pytest.mark.parametrize(("epsilon", "delta", "rho"), GOLDEN)
def test_epsilon_of_rho_is_the_way_back(epsilon, delta, rho):
    """From the golden ρ follows ε again, rounded up."""
    assert float(epsilon_for(Fraction(rho), Fraction(delta))) == pytest.approx(
        float(epsilon), rel=1e-10
    )


def test_conversions_agree_with_opendp():
    """OpenDP's conversion of ρ to ε at δ is ours."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.atom_domain(T="i64"), dp.absolute_distance(T="i64")
    measured = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=2.0))
    theirs = measured.map(1).epsilon(delta=1e-6)
    ours = epsilon_for(rho_of_gaussian(Fraction(4)), Fraction(1, 10**6))
    assert float(ours) == pytest.approx(theirs, rel=1e-6)


def test_costs_of_mechanisms_are_exact():
    """ρ of the Gaussian is Δ²/(2σ²), of an exponential draw ε²/8."""
    assert rho_of_gaussian(Fraction(9, 4)) == Fraction(2, 9)
    assert rho_of_gaussian(Fraction(9, 4), 2) == Fraction(4, 9)
    assert rho_of_exponential(Fraction(1, 2)) == Fraction(1, 32)


@given(st.lists(st.fractions(0, 1), max_size=12), st.fractions(0, 2))
def test_no_more_is_spent_than_was_promised(costs, total):
    """Whatever is asked, the sum of what was paid stays within the total, exactly."""
    budget = Budget(total)
    for cost in costs:
        if cost > budget.rest:
            with pytest.raises(OverspentError):
                budget.spend("too much", cost)
        else:
            budget.spend("one", cost)
    assert budget.spent == sum(cost for _, cost in budget.entries) <= total


def test_all_of_a_budget_can_be_spent():
    """Three thirds are a whole: nothing is lost to rounding."""
    budget = Budget(Fraction(1, 7))
    for _ in range(3):
        budget.spend("a third", Fraction(1, 21))
    assert budget.rest == 0


@pytest.mark.parametrize(
    "convert",
    [
        lambda: rho_for(Fraction(0), Fraction(1, 10)),
        lambda: rho_for(Fraction(1), Fraction(1)),
        lambda: epsilon_for(Fraction(0), Fraction(1, 10)),
        lambda: Budget(Fraction(1)).spend("a refund", Fraction(-1)),
    ],
)
def test_promises_without_meaning_are_refused(convert):
    """An ε or a cost of 0, a δ of 1, and costs below 0 are errors."""
    with pytest.raises(ValueError, match=r"above 0|at least 0"):
        convert()
