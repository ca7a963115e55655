"""The ledger of a table: every release adds to it, and nothing is lost on the way."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from kanonym.data.errors import DataError
from kanonym.differential_privacy.ledger import Ledger, Spending, read_ledger, spend
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
