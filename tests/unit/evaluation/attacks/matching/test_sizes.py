"""Tests: sizes of groups of records, and how likely each is."""

from __future__ import annotations

import itertools
import math
from itertools import combinations

import numpy as np
import pytest

from kanonym.evaluation.attacks.matching.sizes import expected_singletons, one_step
from margins import least_held


@pytest.mark.parametrize(
    ("n", "m", "k"), [(n, m, k) for n in range(1, 7) for m in (1, 2, 3) for k in (2, 3, 4)]
)
def test_what_is_told_is_what_all_ways_have_in_common(n, m, k):
    """Labels that occur in every way, counts that are the same in all, and the bits between."""
    ways = [
        way
        for way in itertools.product(range(m), repeat=n)
        if all(way.count(label) < k for label in range(m))
    ]
    found = one_step(np.array([n]), np.array([m]), k)
    if m == 1 or not ways:
        assert not found.present.any()
        assert not found.known.any()
        assert found.told[0] == 0
        return
    counts = {tuple(way.count(label) for label in range(m)) for way in ways}
    assert found.present[0] == all(0 not in one for one in counts)
    assert found.known[0] == (len(counts) == 1)
    assert found.bits[0] == pytest.approx(n * math.log2(m))
    assert found.told[0] == pytest.approx(n * math.log2(m) - math.log2(len(ways)), abs=1e-9)


def test_a_control_of_the_same_size_is_counted():
    """With as many persons, a predicate succeeds where it matches one."""
    found = expected_singletons(np.array([0, 1, 1, 2, 10]), 10, 10)
    assert found.successes == pytest.approx(2)
    assert found.attempts == 5


@pytest.mark.parametrize("wanted", [1, 3, 6])
def test_of_a_larger_control_it_is_the_mean_over_all_choices(wanted):
    """It is the share of subsets of the wanted size in which exactly one person matches."""
    held, size = np.array([0, 1, 2, 5, 6]), 6
    expected = 0.0
    for m in held:
        alone = [len(set(range(m)) & set(one)) == 1 for one in combinations(range(size), wanted)]
        expected += np.mean(alone)
    assert expected_singletons(held, size, wanted).successes == pytest.approx(expected)


@pytest.mark.parametrize(("size", "share"), [(1000, 0.36), (2500, 0.24), (5000, 0.14)])
def test_a_smaller_control_tells_what_a_larger_one_would(size, share):
    """The nearer the size, the nearer is the estimated rate to the true one.

    Weights are uneven: log-normal, which is not the law that the estimate assumes, and is low by
    0.31, 0.19 and 0.09 (± 0.009 by other seeds).
    """
    random = np.random.default_rng(size)
    weights = random.lognormal(-9, 1.5, 40_000).clip(max=0.5)
    truth = (10_000 * weights * (1 - weights) ** 9999).mean()
    found = expected_singletons(random.binomial(size, weights), size, 10_000)
    assert found.rate == pytest.approx(truth, rel=share)
    assert found.attempts == 40_000 * size // 10_000


def test_weights_of_the_assumed_law_are_estimated_without_bias():
    """Of gamma distributed weights, a control of a fifth tells the rate within its interval."""
    covered = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        weights = random.gamma(0.3, 1e-3, 1000).clip(max=0.9)
        truth = (5000 * weights * (1 - weights) ** 4999).mean()
        low, high = expected_singletons(random.binomial(1000, weights), 1000, 5000).interval()
        covered += low <= truth <= high
    assert covered >= least_held(40)


def test_nothing_found_is_nothing_estimated():
    """Where no predicate matches one person of a smaller control, the estimate is 0."""
    assert expected_singletons(np.zeros(50, np.int64), 10, 20).rate == 0


def test_no_predicate_is_no_attempt():
    """Without predicates there is nothing to count."""
    assert expected_singletons(np.zeros(0, np.int64), 10, 20).attempts == 0
    assert expected_singletons(np.zeros(0, np.int64), 20, 10).attempts == 0
