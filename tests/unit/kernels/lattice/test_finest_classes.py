"""Laws of the sums over the finest classes of a branch, against dicts of tuples."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from effort import examples
from kanonym.kernels.lattice.finest_classes import (
    find_finest_classes,
    labels_of_classes,
    sum_by_class,
    sum_by_run,
)
from kanonym.kernels.lattice.walk import SIZE, find_runs
from walks import walks


def branches(walk):
    """Yield the attribute of each step of a walk, its tuples, and both as kernels read them."""
    for a in range(walk.d):
        _, tuples = walk.at(walk.to[:a])
        keys, counts = walk.packed(tuples)
        yield np.int64(a), tuples, keys, counts, find_runs(keys, counts, walk.axes, np.int64(a))


def numbers(walk, classes):
    """Return two whole numbers for each class, whose sums are exact in any order."""
    return np.random.default_rng(len(walk.tuples)).integers(0, 9, (len(classes), 2)).astype(float)


@settings(max_examples=examples(200))
@given(walk=walks())
def test_the_finest_classes_are_the_tuples_without_their_secrets(walk):
    """In their order, with their records, the first tuple of each, and its labels."""
    for _, tuples, keys, counts, _ in branches(walk):
        first, sizes = find_finest_classes(keys, counts, walk.axes)
        expected = walk.classes(tuples, walk.d)
        assert sizes.tolist() == [expected[one][0] for one in sorted(expected)]
        every = [one[: walk.d] for one in sorted(tuples)]
        assert first.tolist() == [every.index(one) for one in sorted(expected)]
        for b in range(walk.d):
            labels = labels_of_classes(keys, first, walk.axes, np.int64(b))
            assert labels.tolist() == [one[b] for one in sorted(expected)]


@settings(max_examples=examples(200))
@given(walk=walks())
def test_numbers_of_classes_are_added_up_by_run_and_by_class(walk):
    """By class at every level of the next attribute; records of classes too small are counted."""
    least = int(walk.required[SIZE])
    for a, tuples, keys, counts, runs in branches(walk):
        first, _ = find_finest_classes(keys, counts, walk.axes)
        classes = sorted(walk.classes(tuples, walk.d))
        floors = numbers(walk, classes)
        by_run = sum_by_run(floors, first, runs)
        starts = sorted({one[: a + 1] for one in classes})
        assert by_run.shape == (len(starts), 2)
        for start, found in zip(starts, by_run, strict=True):
            own = [one[: a + 1] == start for one in classes]
            assert (found == floors[own].sum(axis=0)).all()
        for level in range(walk.lowest[a], len(walk.labels[a])):
            labels = walk.axes.labels[a, level]
            sums, lost = sum_by_class(by_run, runs, labels, least)
            sizes, added = {}, {}
            for key, (n, _) in walk.classes(tuples, int(a) + 1).items():
                joined = (*key[:-1], walk.labels[a][level][key[-1]])
                sizes[joined] = sizes.get(joined, 0) + n
                added[joined] = added.get(joined, 0) + by_run[starts.index(key)]
            kept = [one for one in sorted(sizes) if sizes[one] >= least]
            assert lost == sum(n for n in sizes.values() if n < least)
            assert (sums == np.array([added[one] for one in kept]).reshape(-1, 2)).all()
