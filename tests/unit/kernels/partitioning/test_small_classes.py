"""The compiled merging and moving of small classes against their slow twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.kernels.partitioning.joining import merge_targets, nearest_centres
from tables import pick
from twins import partitioning as naive_small_classes


class Case:
    """Centres of classes, often equal, their sizes, and a k that they have together."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        d = pick(rng, [1, 2, 4])
        n = pick(rng, [1, 2, 3, 10, 80, 200])
        spread = pick(rng, [0, 1, 3, 1000])
        self.centres = rng.integers(-spread, spread + 1, (n, d)).astype(float)
        self.sizes = rng.integers(1, pick(rng, [2, 4, 40]), n)
        self.weights = np.array([pick(rng, [1.0, 0.1, 1 / 3, 0.0]) for _ in range(d)])
        total = int(self.sizes.sum())
        self.k = min(pick(rng, [1, 2, 3, 7, 30, total]), total)


cases = st.builds(Case, st.integers(0, 2**32 - 1))


@given(cases)
@settings(max_examples=examples(200))
def test_classes_join_as_the_twins_do(case):
    """The smallest class joins the one of the nearest centre, ties and duplicates included."""
    found = merge_targets(case.centres, case.weights, case.sizes, case.k)
    lists = case.centres.tolist(), case.weights.tolist(), case.sizes.tolist()
    assert found.tolist() == naive_small_classes.merged(*lists, case.k)


@given(cases)
def test_no_class_stays_too_small(case):
    """Who is left has k records, and has stayed where it was."""
    into = merge_targets(case.centres, case.weights, case.sizes, case.k)
    assert (into[into] == into).all()
    assert min(np.bincount(into, case.sizes)[np.unique(into)]) >= case.k


@given(cases, st.integers(0, 2**32 - 1))
def test_points_find_the_nearest_centre(case, seed):
    """The nearest centre is that of comparing all of them, the first of equally near ones."""
    points = np.random.default_rng(seed).integers(-5, 6, (20, case.centres.shape[1])).astype(float)
    found = nearest_centres(points, case.centres, case.weights)
    centres, weights = case.centres.tolist(), case.weights.tolist()
    every = range(len(centres))
    assert found.tolist() == [
        naive_small_classes.nearest(point, every, centres, weights) for point in points.tolist()
    ]
