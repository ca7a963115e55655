"""Tests: refinement of classes from node to node."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from effort import examples
from kanonym.kernels.lattice.refined_classes import DENSE, Room, Tuples, count_suppressed
from kanonym.kernels.lattice.refinement import (
    find_finest_classes,
    labels_of_classes,
    search_refinements,
    sum_by_class,
    sum_by_run,
)
from kanonym.kernels.lattice.walk import HIGHEST, LOWEST, SIZE, find_runs
from lattice_walks import random_walk, walks


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


def searchable(walk):
    """Say whether class sizes alone decide, and keys have one word."""
    one_word = not walk.axes.fields[-1, 0]
    return walk.required[3] and not walk.remembers and not walk.counted and one_word


WALKS = [walk for walk in map(random_walk, range(300)) if searchable(walk)]


def search(walk, task=None, known=np.inf, steps=10**9, split=0):
    """Return score and levels of the best node, what is left open, and the tasks with bounds."""
    keys, counts = walk.packed(walk.tuples)
    if task is None:
        task = walk.axes.fields[:-1, [HIGHEST, LOWEST]].T.copy()
    levels, scores = np.full(walk.d, -1, np.int64), np.array([known, np.inf])
    tasks, bounds = search_refinements(
        Tuples(keys[0], counts[0], np.array([0, keys.shape[1]])),
        walk.axes,
        task,
        walk.required,
        np.array([split, steps, 0], np.int64),
        scores,
        levels,
        np.zeros(1, np.int64),
    )
    return scores[0], tuple(levels.tolist()), scores[1], list(zip(tasks, bounds, strict=True))


def test_the_search_from_the_top_finds_the_least_score():
    """Of all nodes; it leaves nothing open, and returns none where a better one is known."""
    assert len(WALKS) > 10
    for walk in WALKS:
        nodes = walk.nodes()
        least = min(nodes.values(), default=np.inf)
        score, levels, left, tasks = search(walk)
        assert left == np.inf
        assert not tasks
        assert score == pytest.approx(least, abs=1e-12)
        if nodes:
            assert nodes[levels] == pytest.approx(least, abs=1e-12)
            assert search(walk, known=least * 0.5 - 1)[1] == (-1,) * walk.d


@pytest.mark.parametrize("split", [1, 2])
def test_parts_hold_what_the_whole_does(split):
    """The best of what was met on the way and of all parts; none below the bound of its part."""
    for walk in WALKS:
        least = min(walk.nodes().values(), default=np.inf)
        best, _, _, tasks = search(walk, split=split)
        for task, bound in tasks:
            score = search(walk, task)[0]
            assert bound <= score + 1e-9
            best = min(best, score)
        assert best == pytest.approx(least, abs=1e-12)


@pytest.mark.parametrize("steps", [0, 1, 3, 10])
def test_a_search_that_is_stopped_leaves_a_bound(steps):
    """After any number of nodes, what is open and what was found bound the least score."""
    for walk in WALKS:
        least = min(walk.nodes().values(), default=np.inf)
        score, _, left, _ = search(walk, steps=steps)
        assert min(score, left) <= least + 1e-9
        assert score >= least - 1e-9


@pytest.mark.parametrize("width", [3, 5000])
def test_records_in_small_cells_are_counted(width):
    """By one table of all cells where most hold records, and by a table of those that do.

    Tables are used again and again: what one count leaves in them does not disturb the next.
    """
    rng = np.random.default_rng(width)
    labels = rng.integers(0, width, (1, 1, 4096)).astype(np.int32)
    axes = random_walk(0).axes._replace(fields=np.array([[0, 3, 12, 0, 0]]), labels=labels)
    most = 3000
    room = Room(
        np.zeros(2 * DENSE * most + 8, np.int32),
        np.zeros(4 * most + 8, np.int64),
        np.zeros(4 * most + 8, np.int64),
        np.zeros(most, np.int64),
        np.zeros(1, np.int64),
    )
    for n in (1, 7, 40, most, 40):
        starts = np.unique([0, *rng.integers(0, n + 1, 5), n])
        split = int(rng.integers(1, 5))
        own = rng.integers(0, 4096, n, np.uint64)
        counts = rng.integers(1, 4, n).astype(np.int32)
        classes = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        cells = (classes * split + rng.integers(0, split, n)).astype(np.int32)
        least, gone = int(rng.integers(1, 6)), int(rng.integers(0, 4))
        sizes = Counter()
        for cell, code, count in zip(cells.tolist(), own.tolist(), counts.tolist(), strict=True):
            sizes[cell, int(labels[0, 0, code])] += count
        few = sum(size for size in sizes.values() if size < least)
        found = count_suppressed(
            Tuples(own << np.uint64(3), counts, starts),
            cells,
            split,
            axes,
            (0, 0, width),
            gone,
            np.array([least, 0, 10**9, 1]),
            room,
        )
        assert found == gone + few
        assert not room.sums.any()
