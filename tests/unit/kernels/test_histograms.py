"""Laws of class histograms, against their slow twin."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive
from kanonym.kernels.histograms import class_histograms

ROWS = st.lists(st.tuples(st.integers(-1, 5), st.integers(-1, 7), st.integers(0, 9)), max_size=60)


def count(rows, n_classes=6, n_values=8):
    """Run the kernel on (label, code, weight) rows."""
    labels, codes, weights = np.array(rows, np.int64).reshape(-1, 3).T
    return class_histograms(
        labels.astype(np.int32), codes.astype(np.int32), weights.copy(), n_classes, n_values
    )


@given(rows=ROWS)
def test_histograms_are_their_twin(rows):
    """Each class has exactly the values that its records have, ascending, with their weights."""
    offsets, values, counts = count(rows)
    expected = naive.class_histograms(*([row[i] for row in rows] for i in range(3)), n_classes=6)
    found = [
        dict(zip(values[a:b].tolist(), counts[a:b].tolist(), strict=True))
        for a, b in itertools.pairwise(offsets)
    ]
    assert found == expected
    assert [list(one) for one in found] == [list(one) for one in expected]
    assert offsets[-1] == len(values) == len(counts)


@given(rows=ROWS, seed=st.integers(0, 100))
def test_order_of_rows_does_not_matter(rows, seed):
    """Shuffled rows give the same histograms."""
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    for one, other in zip(count(rows), count(shuffled), strict=True):
        assert one.tolist() == other.tolist()


def test_no_rows_have_empty_histograms():
    """A table without records has classes without entries."""
    offsets, values, counts = count([], n_classes=0, n_values=0)
    assert offsets.tolist() == [0]
    assert len(values) == len(counts) == 0
