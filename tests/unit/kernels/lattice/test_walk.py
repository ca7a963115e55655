"""Laws of the walk down a lattice, against dicts of tuples."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings

from effort import examples
from kanonym.kernels.lattice.sweep import search_below
from kanonym.kernels.lattice.walk import (
    ABOVE,
    LABEL,
    PERSONS,
    RECORDS,
    START,
    find_runs,
    generalize,
    read_classes,
    try_levels,
)
from lattice_walks import walks


def steps(walk):
    """Yield every attribute with the levels of those before it."""
    for a in range(walk.d):
        yield np.int64(a), walk.to[:a]


def room(keys, counts):
    """Return memory for two frequency sets, with something in it."""
    pair = np.full_like(keys, 7), np.full_like(counts, 7)
    return (*pair, pair[0].copy(), pair[1].copy())


@given(walk=walks())
def test_keys_hold_the_tuples_in_their_order(walk):
    """The packing of these tests: sorted tuples have sorted keys."""
    keys, counts = walk.packed(walk.tuples)
    assert walk.unpacked(keys, counts) == walk.tuples
    rows = list(zip(*keys.tolist(), strict=True))
    assert rows == sorted(rows)


@settings(max_examples=examples(200))
@given(walk=walks())
def test_runs_are_the_tuples_that_agree_so_far(walk):
    """On an attribute and all before it, with their class above, records and persons."""
    for a, levels in steps(walk):
        _, tuples = walk.at(levels)
        runs = find_runs(*walk.packed(tuples), walk.axes, a)
        expected, start, above = [], 0, {}
        for key, agreeing in groupby(sorted(tuples), key=lambda one: one[: a + 1]):
            group = list(agreeing)
            number = above.setdefault(key[:a], len(above))
            records, persons = (sum(tuples[one][c] for one in group) for c in (0, 1))
            expected.append([start, number, key[a], records, persons])
            start += len(group)
        assert runs[:-1].tolist() == expected
        assert runs[-1, [START, ABOVE]].tolist() == [len(tuples), len(above)]
        assert not runs[-1, [LABEL, RECORDS, PERSONS]].any()


@settings(max_examples=examples(200))
@given(walk=walks())
def test_generalized_tuples_are_joined_and_small_classes_leave(walk):
    """Sorted again, equal ones added up; labels of what leaves are counted where asked."""
    for a, levels in steps(walk):
        before, tuples = walk.at(levels)
        after, expected = walk.at((*levels, walk.to[a]))
        keys, counts = walk.packed(tuples)
        runs = find_runs(keys, counts, walk.axes, a)
        labels_left = before.labels_left.copy()
        found = generalize(
            (keys, counts),
            runs,
            walk.axes,
            a,
            np.int64(walk.to[a]),
            walk.required,
            room(keys, counts),
            labels_left,
        )
        assert list(walk.unpacked(*found).items()) == sorted(expected.items())
        assert (labels_left == after.labels_left).all()
        again = walk.packed(tuples)
        assert (keys == again[0]).all()
        assert (counts == again[1]).all()


@settings(max_examples=examples(200))
@given(walk=walks())
def test_every_level_is_tried(walk):
    """Records that go, losses and bound are those of the whole table, counted from scratch.

    Levels that are not allowed, or at which too many go, have -1.
    """
    for a, levels in steps(walk):
        state, tuples = walk.at(levels)
        keys, counts = walk.packed(tuples)
        runs = find_runs(keys, counts, walk.axes, a)
        before = walk.bound(levels) if levels else (0, 0.0)
        if before is None:
            return
        suppressed, losses = try_levels(keys, runs, walk.axes, a, state, walk.required)
        allowed = range(walk.lowest[a], len(walk.labels[a]))
        for level in range(len(suppressed)):
            expected = walk.bound((*levels, level)) if level in allowed else None
            if expected is None:
                assert suppressed[level] == -1
                continue
            sums, gone, _ = walk.lost((*levels, level))
            assert suppressed[level] == gone == expected[0]
            assert losses[level, : a + 1] == pytest.approx(sums)
            assert losses[level, -1] == pytest.approx(expected[1], abs=1e-12)


@settings(max_examples=examples(200))
@given(walk=walks())
def test_bounds_grow_on_the_way_down(walk):
    """No node below a branch scores less than the branch's bound."""
    nodes = walk.nodes()
    for n_fixed in range(1, walk.d):
        for levels in {one[:n_fixed] for one in nodes}:
            bound = walk.bound(levels)[1]
            assert all(
                bound <= score + 1e-9 for below, score in nodes.items() if below[:n_fixed] == levels
            )


@settings(max_examples=examples(200))
@given(walk=walks())
def test_classes_are_those_that_the_first_attributes_make(walk):
    """Their labels, records and persons, and the class of each tuple."""
    for a, levels in steps(walk):
        _, tuples = walk.at(levels)
        keys, counts = walk.packed(tuples)
        level = walk.to[a]
        labels, totals, class_of = read_classes(keys, counts, walk.axes, int(a) + 1, level)
        expected = walk.classes(walk.generalized(tuples, int(a), level), int(a) + 1)
        assert list(map(tuple, labels.tolist())) == sorted(expected)
        assert totals.tolist() == [list(expected[key]) for key in sorted(expected)]
        for one, place in zip(sorted(tuples), class_of.tolist(), strict=True):
            label = walk.labels[a][level][one[a]]
            assert labels[place].tolist() == [*one[:a], label]


@settings(max_examples=examples(200))
@given(walk=walks())
def test_the_search_below_a_branch_finds_the_least_score(walk):
    """Of all nodes below; it leaves nothing open, and no better one than what is known."""
    if not walk.required[3]:
        return
    state, tuples = walk.at(())
    nodes = walk.nodes()
    least = min(nodes.values(), default=np.inf)
    for known in (np.inf, least * 0.5 - 1):
        levels, numbers = np.full(walk.d, -1, np.int64), np.array([0, 10**9, 0], np.int64)
        scores = np.array([known, np.inf])
        search_below(
            walk.packed(tuples),
            walk.axes,
            state,
            levels,
            walk.required,
            numbers,
            scores,
            np.zeros(1, np.int64),
        )
        assert scores[1] == np.inf
        if known < least or not nodes:
            assert scores[0] == known
            assert (levels == -1).all()
        else:
            assert scores[0] == pytest.approx(least, abs=1e-12)
            assert nodes[tuple(levels.tolist())] == pytest.approx(least, abs=1e-12)


@settings(max_examples=examples(100))
@given(walk=walks())
def test_a_search_that_is_stopped_leaves_a_bound(walk):
    """After any number of nodes, what is open and what was found bound the least score."""
    if not walk.required[3]:
        return
    state, tuples = walk.at(())
    least = min(walk.nodes().values(), default=np.inf)
    for limit in (0, 1, 3, 10):
        numbers, scores = np.array([0, limit, 0], np.int64), np.array([np.inf, np.inf])
        search_below(
            walk.packed(tuples),
            walk.axes,
            state,
            np.zeros(walk.d, np.int64),
            walk.required,
            numbers,
            scores,
            np.zeros(1, np.int64),
        )
        assert min(scores) <= least + 1e-9
        assert scores[0] >= least - 1e-9
        assert numbers[2] <= limit + 4
