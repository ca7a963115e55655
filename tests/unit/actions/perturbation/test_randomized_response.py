"""Laws of randomized response and of its estimator."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from kanonym.actions import RandomizedResponse, estimated_shares
from kanonym.actions.perturbation.pram import epsilon_of
from kanonym.data.errors import DataError, PolicyError

N = 100_000


def test_answers_are_true_with_the_probability_and_else_any_other(context):
    """The true value comes with the stated probability, each other one equally often."""
    values = pl.Series("vote", ["a"] * N)
    released = RandomizedResponse(0.4, values=["a", "b", "c", "d"]).apply(values, context())
    shares = np.array([(released == value).mean() for value in "abcd"])
    assert np.abs(shares - [0.4, 0.2, 0.2, 0.2]).max() < 5 * math.sqrt(0.24 / N)


def test_with_two_values_the_answer_or_its_opposite_is_released(context):
    """Warner's design: true with the probability, else the opposite."""
    values = pl.Series("sick", [True] * N + [False] * N)
    released = RandomizedResponse(0.7).apply(values, context())
    assert released.dtype == pl.Boolean
    margin = 5 * math.sqrt(0.21 / N)
    assert abs(released[:N].mean() - 0.7) < margin
    assert abs(released[N:].mean() - 0.3) < margin


@pytest.mark.parametrize("probability", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("m", [2, 3, 10])
def test_epsilon_is_the_largest_ratio_of_probabilities(probability, m):
    """Whatever two true values, no released one is more than exp(epsilon) times as likely."""
    other = (1 - probability) / (m - 1)
    design = np.full((m, m), other)
    np.fill_diagonal(design, probability)
    ratios = design[:, None, :] / design[None, :, :]
    response = RandomizedResponse(probability, values=list(range(m)))
    assert response.epsilon == pytest.approx(math.log(ratios.max()))
    assert epsilon_of(probability, m) == response.epsilon


def test_epsilon_of_a_fair_coin_is_nothing_and_of_three_quarters_ln_3():
    """The known values of Warner's design."""
    assert epsilon_of(0.5, 2) == 0
    assert epsilon_of(0.75, 2) == pytest.approx(math.log(3))
    assert RandomizedResponse(0.75).epsilon is None


def test_the_estimator_inverts_the_expected_shares():
    """From the shares that are expected to be released, the true ones come back exactly."""
    true, p = np.array([0.5, 0.3, 0.15, 0.05, 0.0]), 0.6
    released = p * true + (1 - p) / 4 * (1 - true)
    assert estimated_shares(released, p) == pytest.approx(true)
    assert estimated_shares(1000 * released, p) == pytest.approx(true)


def test_the_estimator_is_unbiased(context):
    """Over many releases, the mean of the estimates is the true share, of rare values too."""
    counts = {"a": 1400, "b": 500, "c": 100}
    values = pl.Series("x", [value for value, count in counts.items() for _ in range(count)])
    action, one, runs = RandomizedResponse(0.5, values=list("abcd")), context(), 300
    estimates = []
    for _ in range(runs):
        released = action.apply(values, one)
        seen = np.array([(released == value).sum() for value in "abcd"])
        estimates.append(estimated_shares(seen, 0.5))
    found = np.array(estimates)
    error = found.std(axis=0) / math.sqrt(runs)
    assert (np.abs(found.mean(axis=0) - [0.7, 0.25, 0.05, 0]) < 5 * error).all()
    assert found.min() < 0
    assert found.sum(axis=1) == pytest.approx(np.ones(runs))


def test_nulls_stay_null_and_types_stay(context):
    """A missing value stays missing, and the column keeps its type."""
    for values in (
        pl.Series("x", ["a", None, "b"] * 30, dtype=pl.Categorical),
        pl.Series("x", [1, None, 2] * 30, dtype=pl.Int16),
        pl.Series("x", [True, None, False] * 30),
    ):
        released = RandomizedResponse(0.5).apply(values, context())
        assert released.is_null().to_list() == values.is_null().to_list()
        assert (released.name, released.dtype) == ("x", values.dtype)
        assert set(released.unique().to_list()) == set(values.unique().to_list())
        assert released.to_list() != values.to_list()
    empty = pl.Series("x", [None], pl.String)
    assert RandomizedResponse(0.5).apply(empty, context()).to_list() == [None]


def test_values_that_nobody_has_are_answers_too(context):
    """Named values are released though no record holds them."""
    action = RandomizedResponse(0.2, values=["no", "yes"])
    released = action.apply(pl.Series("x", ["no"] * 50), context())
    assert set(released.to_list()) == {"no", "yes"}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"probability": 0}, "probability is 0; it must be a number above 0"),
        ({"probability": 1}, "probability is 1; it must be below 1"),
        ({"probability": 0.5, "values": ["a"]}, "a list of two or more different values"),
        ({"probability": 0.5, "values": ["a", "a"]}, "a list of two or more different values"),
        ({"probability": 0.5, "values": "ab"}, "a list of two or more different values"),
    ],
)
def test_parameters_are_refused(parameters, message):
    """An answer is neither always nor never true, and has two values or more."""
    with pytest.raises(PolicyError, match=message):
        RandomizedResponse(**parameters)


def test_columns_are_refused(context):
    """One value alone has no other; a value that is not named is not released as another."""
    with pytest.raises(DataError, match="'x' holds only one value, and randomized-response needs"):
        RandomizedResponse(0.5).apply(pl.Series("x", ["a", "a"]), context())
    with pytest.raises(DataError, match="column 'x', row 2: 'c' is none of the values"):
        RandomizedResponse(0.5, values=["a", "b"]).apply(pl.Series("x", ["a", "c"]), context())


def test_what_cannot_be_estimated_is_refused():
    """Where all answers are equally likely, or there is none, nothing is estimated."""
    with pytest.raises(PolicyError, match=r"probability 0.25 of 4 values all are equally likely"):
        estimated_shares(np.ones(4), 0.25)
    with pytest.raises(PolicyError, match="two or more values, and a record"):
        estimated_shares(np.zeros(4), 0.5)
    with pytest.raises(PolicyError, match="two or more values, and a record"):
        estimated_shares(np.ones(1), 0.5)
