"""Tests: sweeps over nodes of the lattice, with branch and bound."""

from __future__ import annotations

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from kanonym.kernels.classes.conditions import Criteria, Tuples
from kanonym.kernels.classes.disclosure import DISTINCT, GE, reference_shares
from kanonym.kernels.classes.histograms import class_histograms
from kanonym.kernels.lattice.sweep import next_settled_node, secret_histograms
from tables import pick
from twins.lattice import first_settled

TUPLES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7), st.integers(0, 9)), max_size=60)


@given(tuples=TUPLES, values=st.permutations(range(-1, 7)), shift=st.sampled_from([0, 5, 61]))
def test_tuples_that_stand_by_class_have_the_histograms_of_their_classes(tuples, values, shift):
    """Whatever bits stand beside the field; negative values and tuples of no record are skipped."""
    labels, field, records = np.array(sorted(tuples), np.int64).reshape(-1, 3).T
    keys = (field.astype(np.uint64) << np.uint64(shift)) | np.uint64((1 << shift) - 1)
    value_of = np.array(values, np.int32)
    label_of = labels.astype(np.int32)
    found = secret_histograms(label_of, keys, shift, 3, value_of, records.astype(np.int32), 6, 7)
    expected = class_histograms(label_of, value_of[field], records.copy(), 6, 7)
    assert [one.tolist() for one in found] == [one.tolist() for one in expected]
    assert [one.dtype for one in found] == [one.dtype for one in expected]


EVERY_BIT = 1 << 64


class Nodes:
    """Tuples, the labels of their codes, and nodes in some order."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        d, n = pick(rng, [1, 2, 3]), pick(rng, [1, 2, 5, 20, 60])
        n_codes, n_levels = pick(rng, [1, 2, 8]), pick(rng, [1, 2, 3])
        self.codes = rng.integers(0, n_codes, (d, n)).astype(np.int32)
        self.weights = rng.integers(1, pick(rng, [2, 4]), n)
        self.labels = rng.integers(0, n_codes, (d, n_levels, n_codes))
        self.nodes = rng.integers(0, n_levels, (pick(rng, [1, 2, 6, 12]), d))
        self.size = pick(rng, [1, 2, 3, 5, 10, 100])
        self.values = rng.integers(0, 3, n).astype(np.int32)
        self.distinct = pick(rng, [0, 0, 1, 2, 3])
        self.first = int(rng.integers(len(self.nodes) + 1))

    def slots(self):
        """Return as little memory as is allowed."""
        return np.zeros((4, 1 << max(1, (2 * len(self.weights) - 1).bit_length())), np.uint64)

    def parts(self, numbers=EVERY_BIT):
        """Return a random number of so many for each label."""
        own = self.rng.integers(0, numbers, self.labels.shape, np.uint64)
        return np.take_along_axis(own, self.labels, axis=2)

    def criteria(self, size):
        """Return what a class must satisfy: its size, and its distinct values if they are asked."""
        conditions = np.array([[DISTINCT, 0, GE, 0, 0]], np.int64)[: self.distinct]
        thresholds = np.array([float(self.distinct)])[: self.distinct]
        tree = np.zeros((0, 0), np.int32)
        shares = reference_shares(np.bincount(self.values, self.weights, 3).astype(np.int64), tree)
        return Criteria(size, conditions, thresholds, shares[None], tree[None])

    def found(self, first, slots, parts, size=None):
        """Ask the kernel."""
        criteria = self.criteria(self.size if size is None else size)
        tuples = Tuples(self.codes.T.copy(), self.values[:, None].copy(), self.weights)
        return next_settled_node(self.codes, tuples, parts, self.nodes, first, criteria, slots)

    def expected(self, first):
        """Ask the twin."""
        labels = [
            [
                tuple(
                    self.labels[a, level, own[i]]
                    for a, level, own in zip(
                        range(len(self.codes)), levels, self.codes, strict=True
                    )
                )
                for i in range(len(self.weights))
            ]
            for levels in self.nodes
        ]
        rows = list(zip(self.weights.tolist(), self.values.tolist(), strict=True))
        return first_settled(labels, rows, first, self.size, self.distinct)


nodes = st.builds(Nodes, st.integers(0, 2**32 - 1))


@given(nodes)
def test_the_first_node_with_a_class_that_satisfies_is_found(case):
    """It is the twin's, and so are the tuples of its classes that satisfy."""
    node, marked = case.found(case.first, case.slots(), case.parts())
    expected, members = case.expected(case.first)
    event(f"found: {expected < len(case.nodes)}")
    assert node == expected
    assert marked.tolist() == members


@given(nodes)
def test_a_sweep_reuses_its_memory(case):
    """What one call leaves in the slots does not show in the next, which goes on one node later."""
    slots, parts = case.slots(), case.parts()
    node = -1
    while node < len(case.nodes):
        first = node + 1
        node, marked = case.found(first, slots, parts)
        assert (node, marked.tolist()) == case.expected(first)


@given(nodes)
def test_no_class_is_missed_where_keys_collide(case):
    """With numbers that are all equal a node comes too early at most, with tuples too many.

    This is of classes of a size alone: whether tuples of two classes are diverse together
    says nothing of either.
    """
    case.distinct = 0
    slots, parts = case.slots(), case.parts(numbers=1)
    node, marked = case.found(case.first, slots, parts)
    expected, members = case.expected(case.first)
    event(f"too early: {node < expected}")
    assert node <= expected
    if node == expected:
        assert (marked >= members).all()


@given(nodes)
def test_nobody_is_marked_where_no_class_is_large(case):
    """The number of nodes stands for none."""
    more = int(case.weights.sum()) + 1
    node, marked = case.found(case.first, case.slots(), case.parts(), more)
    assert node == len(case.nodes)
    assert not marked.any()
