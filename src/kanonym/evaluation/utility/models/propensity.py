"""Can a model tell released records from original ones? The propensity score's error, pMSE."""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from threadpoolctl import threadpool_limits

from kanonym.data.errors import gettext as _
from kanonym.evaluation.pair.tables import TablePair
from kanonym.evaluation.utility import Measure
from kanonym.evaluation.utility.cells import nothing_to_compare
from kanonym.evaluation.utility.models.learning import draw_records, features_of
from kanonym.kernels.arrays import Bools, Floats, Ints
from kanonym.kernels.parallel import parallel
from kanonym.metrics.measured_value import Meaning, MeasuredValue

RECORDS = 50_000
"""Most records of each table; of more, so many are drawn."""

MULTIPLIED = 20
"""Most columns of numbers whose products are features; of more, those that moved most."""

PENALTY = 1e-4
"""Weight of the squared coefficients: enough to settle those that no record decides."""

STEPS = 50
"""Most steps of Newton's: where a model can part the tables altogether, coefficients grow on."""

BLOCK = 8192
"""Records that are multiplied at once: they lie in a cache."""

PRECISE = 1e-9
"""Coefficients are found where the mean gradient is at most this."""


def propensity_error(pair: TablePair, random: np.random.Generator) -> MeasuredValue:
    """Measure how far the probability of being released is from the same for all records.

    Notes
    -----
    A released value that leaves several open stands for one of them, drawn evenly: a label is no
    value of the original, and would give its record away whatever it says. Features are those of
    `features`, and the products of each two columns of numbers, squares included (of more than 20
    columns, those of the 20 whose mean or deviation moved most): means, variances and correlations
    of numbers and the shares of categories can tell the tables apart, but not how categories hang
    together. A release is no sample of the original but the same persons, so the expected value is
    a yardstick, not a test.
    """
    reason = nothing_to_compare(pair)
    if reason is not None:
        return MeasuredValue(PROPENSITY, None, reason=reason)
    features = features_of(pair.columns)
    n_numbers = len(features.numbers)
    originals = draw_records(pair.n_original, RECORDS, random)
    released_records = features.value_order(pair.n_released)[
        draw_records(pair.n_released, RECORDS, random)
    ]
    records = np.concatenate(
        [features.original(originals), features.sample(released_records, random)]
    )
    n_released = min(pair.n_released, RECORDS)
    n = len(records)
    multiplied = _columns_moved_most(records[:, :n_numbers], n - n_released)
    first, second = (multiplied[i] for i in np.triu_indices(len(multiplied)))
    records = np.hstack([records, records[:, first] * records[:, second]])
    records -= records.mean(axis=0)
    deviations = records.std(axis=0)
    varies = deviations > 1e-9  # features are of the size of 1
    records = records[:, varies] / deviations[varies]
    released = np.arange(n) >= n - n_released
    share = n_released / n
    error = 0.0
    if records.shape[1]:
        error = float(np.mean((_probabilities(records, released) - share) ** 2))
    rank = int(np.linalg.matrix_rank(records.T @ records / n, tol=1e-9, hermitian=True))
    parts = {"parameters": float(rank + 1), "expected": rank * (1 - share) ** 2 * share / n}
    if rank:
        parts["ratio"] = error / parts["expected"]
    return MeasuredValue(PROPENSITY, error, parts)


def _columns_moved_most(numbers: Floats, n_original: int) -> Ints:
    """Return at most 20 columns of standardized numbers, ascending, that moved most."""
    if numbers.shape[1] <= MULTIPLIED:
        return np.arange(numbers.shape[1])
    original, released = numbers[:n_original], numbers[n_original:]
    moved = np.abs(original.mean(axis=0) - released.mean(axis=0))
    moved += np.abs(original.std(axis=0) - released.std(axis=0))
    return np.sort(np.argsort(-moved.round(9), kind="stable")[:MULTIPLIED])


def _probabilities(records: Floats, released: Bools) -> Floats:
    """Return (n,) float64: the probability of each of (n, d) records to be released."""
    # One thread: the order in which several add up would show in the last digits.
    with threadpool_limits(1):
        return _fitted(np.hstack([records, np.ones((len(records), 1))]), released)


def _fitted(records: Floats, released: Bools) -> Floats:
    """Return what `_probabilities` does, by Newton's method; the last feature is the intercept."""
    n, d = records.shape
    penalty = np.full(d, PENALTY)
    penalty[-1] = 0.0

    def loss(scores: Floats, weights: Floats) -> float:
        missed = np.logaddexp(0.0, scores).sum() - scores[released].sum()
        return float(missed + penalty @ weights**2 / 2)

    weights, scores = np.zeros(d), np.zeros(n)
    probabilities = np.full(n, 0.5)
    before = loss(scores, weights)
    for _step in range(STEPS):
        gradient = records.T @ (probabilities - released) + penalty * weights
        if np.abs(gradient).max() <= PRECISE * n:
            break
        step = np.linalg.solve(_curvature(records, probabilities) + np.diag(penalty), gradient)
        scores = records @ (weights - step)
        while loss(scores, weights - step) > before and np.abs(step).max() > PRECISE:
            step /= 2  # too far: the curvature changes on the way
            scores = records @ (weights - step)
        weights -= step
        before = loss(scores, weights)
        probabilities = expit(scores)
    return probabilities


def _curvature(records: Floats, probabilities: Floats) -> Floats:
    """Return (d, d) float64: the sum over records of p (1 - p) times their squared features."""
    spread = np.sqrt(probabilities * (1 - probabilities))[:, np.newaxis]

    def square(start: int) -> Floats:
        block = slice(start, start + BLOCK)
        scaled = records[block] * spread[block]
        found: Floats = scaled.T @ scaled
        return found

    return sum(parallel(square, range(0, len(records), BLOCK)), np.zeros((records.shape[1],) * 2))


PROPENSITY = Meaning(
    name="pmse",
    high=0.25,
    unit="squared error of the probability to be a released record",
    source="Woo, Reiter, Oganian and Karr (2009), J. Privacy and Confidentiality 1(1), 3.1; "
    "expected value by Snoke, Raab, Nowok, Dibben and Slavkovic (2018), JRSS A 181(3); logistic "
    "regression on main effects and products of numbers, a value drawn from what is left open",
    title=_("Distinguishability of release and original (pMSE)"),
    counted=_("squared probability, at most 0.25"),
    short="pMSE",
)

MEASURES: tuple[Measure, ...] = (Measure(PROPENSITY, propensity_error),)
