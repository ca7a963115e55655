"""Probabilities of boxes against their slow twin."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from effort import examples
from kanonym.kernels.risk.boxes import mean_products, normal_quantile
from naive_boxes import naive_mean_products


@given(st.data(), st.integers(1, 4), st.integers(1, 5), st.booleans())
@settings(max_examples=examples(60), deadline=None)
def test_boxes_agree_with_twin(data, d, n_points, moves):
    """Boxes agree with the twin: equal, unsorted, empty and unbounded ones among them."""
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    factor = np.tril(rng.normal(size=(d, d)))
    np.fill_diagonal(factor, rng.uniform(0.05, 1.0, d))
    ends = np.sort(rng.normal(size=(2, 3 * d, n_points if moves else 1)), axis=0)
    ends[0, ::4], ends[1, 1::4], ends[1, 2] = -np.inf, np.inf, ends[0, 2]
    points = rng.uniform(1e-6, 1 - 1e-6, (n_points, d - 1))
    codes = data.draw(
        arrays(np.int64, (data.draw(st.integers(0, 6)), d), elements=st.integers(0, 2))
    )
    codes += 3 * np.arange(d)
    found = mean_products(codes, *ends, factor, points)
    expected = naive_mean_products(codes, *ends.tolist(), factor.tolist(), points.tolist())
    assert found == pytest.approx(expected, abs=1e-6)


@given(st.floats(2.0**-53, 1 - 2.0**-53))
@settings(max_examples=examples(200), deadline=None)
def test_quantiles_agree_with_the_standard_library(p):
    """The normal quantile is that of the standard library, to seven digits."""
    assert normal_quantile(p) == pytest.approx(NormalDist().inv_cdf(p), rel=2e-7, abs=1e-12)
