"""Laws of enlarging small classes, with groups and without."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.algorithms.small_classes import merge_small_classes
from kanonym.data.errors import InfeasibleError
from kanonym.recoding.recode import renumber_groups
from tables import pick
from twins import partitioning as naive_small_classes


class Case:
    """Points with classes, numbers of records, and a k that they have together."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.d = pick(rng, [1, 2, 3])
        n = pick(rng, [1, 2, 6, 30])
        self.points = rng.integers(0, pick(rng, [2, 10, 1000]), (n, self.d)).astype(float)
        self.counts = rng.integers(1, pick(rng, [2, 5]), n)
        self.weights = np.array([pick(rng, [1.0, 0.25]) for _ in range(self.d)])
        columns = rng.integers(0, pick(rng, [1, 2, 4]), (n, self.d))
        if rng.random() < 0.5:
            columns[:] = columns[:, :1]
            self.groups = None
        combinations, labels = np.unique(columns, axis=0, return_inverse=True)
        self.labels = labels.reshape(-1).astype(np.int32)
        if not hasattr(self, "groups"):
            self.groups = renumber_groups(combinations.astype(np.int32))
        total = int(self.counts.sum())
        self.k = min(pick(rng, [1, 2, 3, 8, total]), total)

    def enlarged(self, small):
        """Return the classes and groups that come out."""
        classes = self.labels, self.groups
        return merge_small_classes(self.points, self.weights, self.counts, classes, self.k, small)

    @property
    def centres(self):
        """The centre of each class, one attribute after the other."""
        n_classes = int(self.labels.max()) + 1
        groups = self.groups
        if groups is None:
            groups = np.tile(np.arange(n_classes)[:, None], self.d)
        centres = []
        for own in groups:
            centre = []
            for a in range(self.d):
                held = groups[self.labels, a] == own[a]
                total = sum(self.points[held, a] * self.counts[held])
                centre.append(total / sum(self.counts[held]))
            centres.append(centre)
        return centres

    @property
    def sizes(self):
        """The records of each class."""
        return [int(self.counts[self.labels == c].sum()) for c in range(max(self.labels) + 1)]


cases = st.builds(Case, st.integers(0, 2**32 - 1))


def same(labels, others):
    """Say whether two labellings make the same classes."""
    return len({*zip(labels, others, strict=True)}) == len({*labels}) == len({*others})


@given(cases)
@settings(max_examples=examples(200))
def test_merging_joins_whole_classes_as_the_twin_does(case):
    """Classes are those of joining the smallest with its nearest, again and again."""
    labels, _ = case.enlarged("merge")
    ends = naive_small_classes.merged(case.centres, case.weights, case.sizes, case.k)
    assert same(labels.tolist(), [ends[label] for label in case.labels])


@given(cases)
@settings(max_examples=examples(200))
def test_moving_leaves_large_classes_and_sends_the_others_to_the_nearest(case):
    """Points of small classes go to the nearest of the large ones; none large is an error."""
    large = [c for c, size in enumerate(case.sizes) if size >= case.k]
    if not large:
        with pytest.raises(InfeasibleError, match=rf"no class has {case.k} records.*small: merge"):
            case.enlarged("move")
        return
    labels, _ = case.enlarged("move")
    expected = [
        own
        if own in large
        else naive_small_classes.nearest(point, large, case.centres, case.weights)
        for own, point in zip(case.labels.tolist(), case.points, strict=True)
    ]
    assert same(labels.tolist(), expected)


@given(cases, st.sampled_from(["merge", "move"]))
@settings(max_examples=examples(200))
def test_classes_are_large_and_keep_the_groups_of_those_that_stayed(case, small):
    """Every class has k records, and the groups of the class that others joined, numbered anew."""
    large = [c for c, size in enumerate(case.sizes) if size >= case.k]
    if small == "move" and not large:
        return
    labels, groups = case.enlarged(small)
    counted = np.bincount(labels, case.counts)
    assert min(counted) >= case.k
    if case.groups is None:
        assert groups is None
        return
    stayed = large
    if small == "merge":
        ends = naive_small_classes.merged(case.centres, case.weights, case.sizes, case.k)
        stayed = sorted(set(ends))
    assert groups.tolist() == renumber_groups(case.groups[stayed]).tolist()


@given(cases)
def test_classes_that_are_large_enough_come_back_as_they_are(case):
    """Nothing is numbered anew where nothing is too small."""
    case.k = min(case.sizes)
    labels, groups = case.enlarged("merge")
    assert labels is case.labels
    assert groups is case.groups


def test_a_rare_combination_takes_the_groups_of_the_nearest():
    """One record of (low, high) among many of (low, low) and (high, high) gets one of these."""
    points = np.array([[0.0, 0], [0, 0], [9, 9], [9, 9], [0, 9]])
    groups = np.array([[0, 0], [0, 1], [1, 1]], np.int32)
    labels = np.array([0, 0, 2, 2, 1], np.int32)
    ones = np.ones(5, np.int64)
    found, left = merge_small_classes(points, np.array([1.0, 2.0]), ones, (labels, groups), 2)
    assert found.tolist() == [0, 0, 1, 1, 1]
    assert left.tolist() == [[0, 0], [1, 1]]
