"""Values of groups, found and expected, are those that are counted one by one."""

from __future__ import annotations

import numpy as np
import pytest

from kanonym.kernels.classes.dependence import values_of_groups


def counted(labels, weights, n_groups, codes):
    """Count the values of each group with sets, and expect those of random groups by the sum."""
    sizes = np.bincount(labels, weights, n_groups)
    found = len(set(zip(labels.tolist(), codes.tolist(), strict=True)))
    shares = np.bincount(codes, weights) / weights.sum()
    expected = sum(1 - (1 - share) ** size for share in shares if share for size in sizes)
    return found, expected


@pytest.mark.parametrize("seed", range(20))
def test_every_column_is_counted_as_its_twin(seed):
    """The kernel and the sets agree for drawn groups, weights and columns."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    labels = np.unique_inverse(rng.integers(0, 9, n)).inverse_indices.astype(np.int32)
    weights = rng.integers(1, 4, n)
    widths = rng.integers(1, 12, 4)
    codes = np.stack([rng.integers(0, width, n) for width in widths]).astype(np.int32)
    n_groups = int(labels.max()) + 1
    values = values_of_groups(labels, weights, n_groups, codes, widths)
    for row, column in zip(values, codes, strict=True):
        assert row == pytest.approx(counted(labels, weights, n_groups, column), rel=1e-9)
