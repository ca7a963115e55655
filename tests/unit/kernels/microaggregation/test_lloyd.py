"""Lloyd's algorithm and its first centres against their slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import naive_kmeans
from effort import examples
from kanonym.kernels.microaggregation.blocks import blocks
from kanonym.kernels.microaggregation.kmeans_starts import kmeans_starts
from kanonym.kernels.microaggregation.lloyd import lloyd
from tables import pick


class Case:
    """Points, records of each, and a number of clusters; often with ties; sums are exact."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        n, d = pick(rng, [1, 5, 40, 150]), pick(rng, [1, 2, 3, 7])
        spread = pick(rng, [1, 3, 20, 1000])
        self.points = rng.integers(-spread, spread, (n, d), endpoint=True).astype(float)
        if rng.random() < 0.4:
            self.points += np.round(64 * rng.standard_normal((n, d))) / 64
        if rng.random() < 0.2:
            self.points[rng.integers(n)] += 1e4
        self.counts = rng.integers(1, pick(rng, [1, 4]), n, endpoint=True).astype(float)
        self.clusters = min(n, pick(rng, [1, 2, 5, 30, 100]))


cases = st.builds(Case, st.integers(0, 2**32 - 1))


def labelled(points, centres):
    """Return the nearest centre of each point."""
    return np.array([naive_kmeans.nearest(one, centres.tolist()) for one in points], np.int32)


@given(cases)
@settings(max_examples=examples(400))
def test_the_clusters_are_the_twins(case):
    """What bounds skip changes no label: ties, equal centres and empty clusters included."""
    points, counts, rng = case.points, case.counts, case.rng
    centres = points[rng.integers(0, len(points), case.clusters)]  # some of them twice
    if rng.random() < 0.5:
        centres = centres + rng.standard_normal(centres.shape)
    steps, tolerance = pick(rng, [1, 2, 300]), pick(rng, [0.0, 0.1])
    first = labelled(points, centres)
    if rng.random() < 0.3:
        first[:] = rng.integers(0, case.clusters, len(points))
    labels, error = lloyd(points, counts, centres, first, steps, tolerance)
    expected, squares = naive_kmeans.lloyd(
        points.tolist(), counts.tolist(), centres.tolist(), steps, tolerance
    )
    event(f"clusters: {len(set(expected))}")
    assert labels.tolist() == expected
    assert error == pytest.approx(squares, rel=1e-12)


@given(cases)
@settings(max_examples=examples(300))
def test_first_centres_are_the_twins(case):
    """Blocks that are skipped change no centre, and each point knows the nearest of them."""
    points, counts, rng = case.points, case.counts, case.rng
    n, d = points.shape
    order, bounds = blocks(points, np.ones(d), 4)
    places = np.empty(n, np.int64)
    places[order] = np.arange(n)
    draws = rng.uniform(size=(case.clusters - 1, 3))
    first = int(rng.integers(n))
    centres, labels = kmeans_starts(points[order], counts[order], places, bounds, first, draws)
    expected = naive_kmeans.starts(points.tolist(), counts.tolist(), first, draws.tolist())
    assert centres.tolist() == expected
    assert labels.tolist() == labelled(points[order], centres).tolist()


@pytest.mark.parametrize(("d", "clusters"), [(1, 300), (2, 40), (4, 300), (12, 100)])
@pytest.mark.parametrize("kind", ["normal", "skewed", "rounded"])
def test_the_clusters_of_a_large_table_are_the_twins(kind, d, clusters):
    """So do lists that are too short for a point, and points far from their centres."""
    rng = np.random.default_rng(d)
    points = rng.standard_normal((600, d))
    if kind == "skewed":
        points = np.exp(3 * points)
    elif kind == "rounded":
        points = np.round(2 * points)
    counts = rng.integers(1, 4, len(points)).astype(float)
    centres = points[rng.permutation(len(points))[:clusters]]
    labels, _ = lloyd(points, counts, centres, labelled(points, centres), 4, 0.0)
    expected, _ = naive_kmeans.lloyd(points.tolist(), counts.tolist(), centres.tolist(), 4, 0.0)
    assert labels.tolist() == expected
