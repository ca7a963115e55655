"""Laws of merging classes for the sake of their items."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
from kanonym.algorithms.itemsets import classes
from kanonym.algorithms.itemsets.apriori import Apriori
from kanonym.algorithms.itemsets.base import ItemProblem
from kanonym.algorithms.itemsets.classes import ClassMerging, ClassSpans
from kanonym.data.errors import InfeasibleError
from kanonym.kernels.classes.histograms import RANGE, SET, Costs
from kanonym.models import KKmAnonymity
from twins.itemsets import CODES, arrays_of, divisions, hierarchy_of, rows_of, tree_of

TREE = tree_of(CODES)
COSTS = Costs(
    np.array([[RANGE, 0, 6, 0], [SET, 6, 4, 0]], np.int64),
    np.append(np.arange(6) / 5, np.arange(4) / 3),
    np.zeros((0, 10), np.int32),
    np.zeros((0, 10)),
    np.ones(2),
)
"""Of a number with six values and of names with four."""


def loss_of(group, merging, codes, class_of_row):
    """Return what classes lose as one, from their records alone."""
    rows = np.flatnonzero(np.isin(class_of_row, list(group)))
    spread = np.ptp(codes[rows, 0]) / 5, (len(set(codes[rows, 1].tolist())) - 1) / 3
    sets = rows_of(merging.problem.offsets, merging.problem.items)
    offsets, items = arrays_of([sets[row] for row in rows])
    part = ItemProblem(TREE, offsets, items, merging.problem.k, merging.problem.m)
    try:
        lost = merging.algorithm.recode(part).account["loss"]
    except InfeasibleError:
        return np.inf
    known = len(rows) / len(codes) * sum(spread) / 2
    return known + lost * len(items) / len(merging.problem.items)


@given(
    rows=st.lists(
        st.tuples(
            st.frozensets(st.integers(0, 4), min_size=1, max_size=3),
            st.integers(0, 5),
            st.integers(0, 3),
            st.integers(0, 4),
        ),
        min_size=2,
        max_size=14,
    ),
    k=st.integers(1, 3),
    drop=st.booleans(),
    large=st.sampled_from([0, 1, 32]),
)
def test_the_best_division_of_the_tree_is_found(rows, k, drop, large):
    """No division of the tree of halves loses less, whichever parts are looked at first."""
    codes = np.array([one[1:3] for one in rows], np.int32)
    labels = np.unique([one[3] for one in rows], return_inverse=True)[1].astype(np.int32)
    own = [np.flatnonzero(labels == one) for one in range(labels.max() + 1)]
    spans = ClassSpans(
        np.array([codes[part].min(axis=0) for part in own]),
        np.array([codes[part].max(axis=0) for part in own]),
        np.bincount(labels),
        COSTS,
        {1: [np.unique(codes[part, 1]) for part in own]},
    )
    problem = ItemProblem(TREE, *arrays_of([one[0] for one in rows]), k, 2)
    merging = ClassMerging(Apriori(drop), problem, own, spans)
    tree = merging.tree(np.arange(len(own)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(classes, "LARGE", large)
        found = merging.best(tree)
    every = divisions(tree)
    losses = {
        group: loss_of(group, merging, codes, labels) for group in {g for one in every for g in one}
    }
    assert found.loss == pytest.approx(min(sum(map(losses.get, one)) for one in every))
    if np.isfinite(found.loss):
        groups = [frozenset(one.tolist()) for one in found.groups]
        assert sum(map(losses.get, groups)) == pytest.approx(found.loss)
    assert np.array_equal(np.sort(np.concatenate(found.groups)), np.arange(len(own)))


def released(ages, items, **options):
    """Return a release of ages with items, k = 2, m = 1, in the order of the table."""
    policy = ka.Policy(
        attributes={"age": ka.QuasiIdentifier(), "items": ka.ItemSet(hierarchy_of(CODES))},
        models=[KKmAnonymity(2, m=1)],
        keep_order=True,
        **options,
    )
    return ka.anonymize(pl.DataFrame({"age": ages, "items": items}), policy)


AGES = [30, 30, 31, 31, 99, 99]


def test_neighbours_are_merged_where_their_items_need_it():
    """Two classes in which every item is rare are one, in which none is; another one stays."""
    release = released(AGES, [["a1"], ["b1"], ["a1"], ["b1"], ["b2"], ["b2"]])
    assert release.frame["age"].to_list() == ["[30, 31]"] * 4 + ["99"] * 2
    assert release.frame["items"].to_list() == [["a1"], ["b1"], ["a1"], ["b1"], ["b2"], ["b2"]]
    assert release.algorithm["items"]["classes_merged"] == 1


def test_a_class_that_cannot_be_safe_alone_is_merged():
    """Where items must not be dropped, a class with a single item finds others."""
    release = released(
        AGES,
        [["a1"], [], ["a1"], [], ["b1"], ["b1"]],
        item_algorithm={"type": "apriori", "drop": False},
    )
    assert release.frame["age"].to_list() == ["[30, 31]"] * 4 + ["99"] * 2


def test_levels_of_the_whole_table_stay():
    """Full-domain generalization keeps its levels, whatever the items lose."""
    release = released(
        AGES, [["a1"], ["b1"], ["a1"], ["b1"], ["b2"], ["b2"]], algorithm="full-domain"
    )
    assert release.algorithm["items"]["classes_merged"] == 0
