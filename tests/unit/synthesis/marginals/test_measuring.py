"""Laws of what is paid for: budgets, sensitivities, and what a large budget recovers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.differential_privacy.ledger import Budget, OverspentError, rho_for
from kanonym.differential_privacy.noise import SeededBits
from kanonym.synthesis.marginals import measuring
from kanonym.synthesis.marginals.generation import FITS
from kanonym.synthesis.marginals.measuring import (
    PrivateRecords,
    candidate_weights,
    epsilon_for,
    fit_aim,
    pool_neighbours,
    pool_rare,
    shares_within,
)


def records_of(codes, sizes, rho, seed=0, per_person=1, pooling=None):
    """Return records behind a budget."""
    return PrivateRecords(
        np.array(codes, np.int32),
        sizes,
        per_person,
        Budget(Fraction(rho)),
        SeededBits(seed),
        pooling or {},
    )


@pytest.fixture
def short_fits(monkeypatch):
    """Let fits take one step: what is spent does not depend on them."""
    for module in (measuring, measuring):
        monkeypatch.setattr(module, "STEPS", 1)
        monkeypatch.setattr(module, "LAST_STEPS", 1)
    monkeypatch.setattr(measuring, "ROUNDS_PER_ATTRIBUTE", 3)


@pytest.mark.usefixtures("short_fits")
@pytest.mark.parametrize("method", FITS)
def test_no_more_is_spent_than_was_promised(method):
    """Whatever the table, its domains and the budget, the exact sum stays within it."""

    @given(
        st.lists(st.integers(1, 5), min_size=1, max_size=4),
        st.integers(0, 40),
        st.fractions("0.001", 5),
        st.integers(1, 3),
        st.integers(0, 10**6),
    )
    def law(sizes, n, rho, per_person, seed):
        random = np.random.default_rng(seed)
        codes = np.array([random.integers(0, size, n) for size in sizes], np.int32)
        pooling = {0: pool_rare, 1: pool_neighbours} if len(sizes) > 1 else {}
        records = records_of(codes, sizes, rho, seed, per_person, pooling)
        FITS[method](records, {})
        assert records.budget.spent <= rho
        assert records.budget.spent > rho * Fraction(9, 10)

    law()


def test_a_measurement_beyond_the_budget_is_not_made():
    """What cannot be paid for is refused before it is counted."""
    records = records_of([[0, 1]], (2,), Fraction(1, 8))
    with pytest.raises(OverspentError):
        records.measure((0,), Fraction(1), "too precise")
    assert records.measured == {}


def test_the_golden_scales_of_aim_are_ours():
    """σ and ε of the first rounds of nine attributes are those of the notes' table."""
    for epsilon, sigma, choice in [
        ("1", 73.0953491296532, 0.009120507318244883),
        ("3", 25.75745677326996, 0.02588247250242913),
    ]:
        rho = rho_for(Fraction(epsilon), Fraction(1, 10**9))
        records = records_of(np.zeros((9, 1)), (2,) * 9, rho)
        variance, found = measuring.scales_for(records, rho / (measuring.ROUNDS_PER_ATTRIBUTE * 9))
        assert float(variance) ** 0.5 == pytest.approx(sigma, rel=1e-6)
        assert float(found) == pytest.approx(choice, rel=1e-6)


@pytest.mark.parametrize("per_person", [1, 3])
def test_a_persons_records_change_a_score_by_at_most_its_sensitivity(monkeypatch, per_person):
    """Over many tables, one person's records change no score by more than the draw is told."""
    seen = []

    def draw(scores, _epsilon, sensitivity, _bits):
        seen.append((scores.copy(), sensitivity))
        return 0

    monkeypatch.setattr(measuring, "draw_candidate", draw)
    random = np.random.default_rng(0)
    sizes = (3, 2, 4)
    weights = candidate_weights(sizes)
    for _ in range(100):
        codes = np.array([random.integers(0, size, 12) for size in sizes], np.int32)
        expected = {
            one: random.random([sizes[each] for each in one]) * random.integers(1, 9)
            for one in weights
        }
        for less in (0, random.integers(1, per_person + 1)):
            records = records_of(codes[:, less:], sizes, 10, per_person=per_person)
            records.choose(expected, weights, 0.3, Fraction(1))
        (before, sensitivity), (after, _) = seen[-2:]
        assert np.abs(before - after).max() <= sensitivity
        assert before.dtype == np.int64


@given(st.fractions("1e-12", 10))
def test_an_epsilon_for_a_cost_is_paid_by_it(rho):
    """ε is rounded down: its draw costs at most ρ."""
    assert epsilon_for(rho) ** 2 / 8 <= rho


def test_more_records_of_a_person_mean_more_noise():
    """σ grows as the number of records that one person may have."""
    one, three = (records_of([[0]], (2,), 1, per_person=each) for each in (1, 3))
    assert three.variance_for(Fraction(1)) == 9 * one.variance_for(Fraction(1))


def test_candidates_are_all_parts_of_the_workload():
    """Of four attributes all sets of up to three are candidates, larger ones with more weight."""
    weights = candidate_weights((2, 2, 2, 2))
    assert len(weights) == 4 + 6 + 4
    assert weights[(0,)] * 2 == weights[(0, 1)]
    assert weights[(0,)] * 3 == weights[(0, 1, 2)]


def test_sets_of_too_many_cells_are_no_candidates():
    """A marginal beyond the limit of cells is not measured; its parts may be."""
    weights = candidate_weights((100, 100, 100))
    assert set(map(len, weights)) == {1}


def test_a_large_budget_recovers_the_workload():
    """With ρ beyond any use, the model has the table's marginals of three attributes."""
    random = np.random.default_rng(3)
    sizes = (2, 3, 3)
    codes = np.array([random.integers(0, size, 500) for size in sizes], np.int32)
    codes[2] = (codes[0] + codes[1]) % 3
    model = fit_aim(records_of(codes, sizes, 10**5), {})
    counts = np.zeros(sizes)
    np.add.at(counts, tuple(codes), 1)
    np.testing.assert_allclose(model.marginal((0, 1, 2)) * 500, counts, atol=3)


def test_rare_cells_are_counted_together_and_shared_out_again():
    """Cells below the limit become one; records come back to them as the noisy counts were."""
    codes = np.repeat(np.arange(4), [3, 500, 0, 400])[None]
    records = records_of(codes, (4,), 100, pooling={0: pool_rare})
    records.measure((0,), Fraction(1, 100), "one attribute")
    records.pool(20)
    assert records.sizes == (3,)
    assert records.measured[0,].values.tolist() == [500, 400, 3]
    assert records.measured[0,].precision == pytest.approx([100, 100, 50])
    records.measure((0,), Fraction(1, 100), "one attribute")
    assert records.measured[0,].values == pytest.approx([500, 400, 3])
    back = records.unpool(np.array([[0, 1, 2, 2]], np.int32), np.random.default_rng(0))
    assert back.tolist() == [[1, 3, 0, 0]]


def test_neighbours_are_pooled_until_they_have_enough():
    """Bins of numbers join their neighbours, and the last ones those before."""
    noisy = np.array([1.0, 4, 9, 3, 3, 1])
    assert pool_neighbours(noisy, 5).tolist() == [0, 0, 1, 2, 2, 2]
    assert pool_neighbours(noisy, 100).tolist() == [0] * 6


def test_shares_are_the_nearest_that_are_not_negative():
    """Noise below 0 takes from the other cells alike; without a positive sum all are equal."""
    noisy = np.array([6.0, -2.0, 4.0])
    assert shares_within(noisy, np.zeros(3, np.int32)) == pytest.approx(np.array([[5, 0, 3]]) / 8)
    assert shares_within(-noisy, np.zeros(3, np.int32)) == pytest.approx(np.full((1, 3), 1 / 3))
