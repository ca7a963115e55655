"""Laws of the lower bound of squared errors, against every division there is."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.kernels.microaggregation.error_bound import error_bound


def divisions(records, k):
    """Yield every division of some records into classes of k or more."""
    if not records:
        yield []
        return
    first, *others = records
    for mask in range(1 << len(others)):
        own = [first, *(one for bit, one in enumerate(others) if mask >> bit & 1)]
        if len(own) >= k:
            rest = [one for one in others if one not in own]
            for further in divisions(rest, k):
                yield [own, *further]


def squared_error(rows):
    """Return the squared distances of rows to their mean."""
    return float(((rows - rows.mean(axis=0)) ** 2).sum())


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 8),
    k=st.integers(1, 4),
    rounds=st.sampled_from([1, 5, 60]),
)
@settings(max_examples=examples(60))
def test_no_division_has_a_smaller_squared_error(seed, n, k, rounds):
    """The bound is at most the least error of all divisions, whatever records it looks at."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 4, (n, 2)).astype(float)
    rows[0] *= rng.choice([1, 10, -1000])
    k = min(k, n)
    weights = rng.choice([0.5, 2.0], 2)
    width = int(rng.integers(1, n))
    scaled = rows * np.sqrt(weights)
    least = min(
        sum(squared_error(scaled[one]) for one in division)
        for division in divisions(list(range(n)), k)
    )
    assert 0 <= error_bound(rows, weights, k, width, rounds) <= least + 1e-9


def test_more_rounds_raise_the_bound():
    """Shares that follow the need of records say more than halves, and one is reached by pairs."""
    rows = np.random.default_rng(0).exponential(size=(300, 3)) ** 2
    weights = np.ones(3)
    bounds = [error_bound(rows, weights, 3, 18, rounds) for rounds in (1, 20, 200)]
    assert bounds[0] < bounds[1] < bounds[2]
    far = np.array([[0.0], [1.0], [100.0], [101.0]])
    assert abs(error_bound(far, np.ones(1), 2, 3, 1) - 1.0) < 1e-6


def test_a_release_tells_how_far_it_is_from_the_bound():
    """The account has the error of the released means, and a bound below it."""
    values = np.random.default_rng(1).standard_normal((200, 2))
    frame = pl.DataFrame(values, schema=["a", "b"])
    release = ka.anonymize(frame, quasi_identifiers=["a", "b"], k=3, algorithm="ona")
    told = release.algorithm
    expected = np.mean([release.utility.rmse[one] ** 2 / frame[one].var(ddof=0) for one in "ab"])
    assert abs(told["squared_error"] - expected) < 1e-9
    assert 0 < told["lower_bound"] < told["squared_error"]
    assert told["gap"] == told["squared_error"] - told["lower_bound"]
