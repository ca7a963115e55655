"""ROC area, its interval and thresholds, against all pairs and against scikit-learn."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

from effort import examples
from kanonym.evaluation.attacks.models import roc
from kanonym.evaluation.attacks.result import SuccessCount
from margins import slack

SCORES = st.lists(st.integers(0, 6), min_size=2, max_size=30).map(np.array)


def joined(members, others):
    """Return who is a member, and all scores."""
    return np.repeat([1, 0], [len(members), len(others)]), np.concatenate([members, others])


@settings(max_examples=examples(100))
@given(SCORES, SCORES)
def test_the_area_is_that_of_scikit_learn(members, others):
    """Ties count half, as in the trapezoids under the curve."""
    expected = roc_auc_score(*joined(members, others))
    assert roc.area(members, others) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=examples(100))
@given(SCORES, SCORES)
def test_the_interval_has_delongs_variance(members, others):
    """Around logarithmic odds; its variance is of rows and columns of the table of all pairs."""
    table = (members[:, None] > others) + 0.5 * (members[:, None] == others)
    low, high = roc.area_interval(members, others)
    if table.mean() in (0, 1):
        pairs = min(table.shape)
        assert (low, high) == SuccessCount(pairs * table.mean(), pairs).interval()
        return
    variance = table.mean(axis=1).var(ddof=1) / len(members)
    variance += table.mean(axis=0).var(ddof=1) / len(others)
    area = table.mean()
    reach = 1.959963984540054 * np.sqrt(variance) / (area * (1 - area))
    odds = np.log(area / (1 - area)) + reach * np.array([-1, 1])
    assert [low, high] == pytest.approx(list(1 / (1 + np.exp(-odds))), abs=1e-9)


@settings(max_examples=examples(100))
@given(SCORES, SCORES)
def test_no_threshold_gains_more(members, others):
    """The best threshold has the largest true less false positive rate of all."""
    found = roc.advantage(members, others, roc.best_threshold(members, others))
    assert found == pytest.approx(max(roc.advantage(members, others, t) for t in range(8)))


@settings(max_examples=examples(100))
@given(SCORES, SCORES, st.sampled_from([0.01, 0.1, 0.25, 0.5]))
def test_the_true_positive_rate_lies_on_the_curve(members, others, false):
    """Between two thresholds the curve is a straight line; at a step its upper end counts."""
    x, y, _ = roc_curve(*joined(members, others), drop_intermediate=False)
    found = roc.true_positive_rate(members, others, false)
    assert found == pytest.approx(float(np.interp(false + 1e-12, x, y)), abs=1e-9)


def test_equal_scores_find_as_many_members_as_others():
    """Who scores everybody alike has the false positive rate for a true one."""
    assert roc.true_positive_rate(np.ones(50), np.ones(70), 0.01) == pytest.approx(0.01)


@pytest.mark.parametrize(("apart", "sizes"), [(1.0, (60, 80)), (2.5, (30, 30))])
def test_intervals_hold_the_true_area(apart, sizes):
    """95 % intervals hold it in 95 % of repeated samples, near 1 as well."""
    random = np.random.default_rng(1)
    truth = NormalDist().cdf(apart / 2**0.5)  # of normals so many deviations apart
    held = 0
    for _ in range(1000):
        members, others = random.normal(apart, 1, sizes[0]), random.normal(0, 1, sizes[1])
        low, high = roc.area_interval(members, others)
        held += low <= truth <= high
    assert held / 1000 == pytest.approx(0.95, abs=slack(1000, 0.95))
