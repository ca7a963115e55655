"""Laws of the algorithms that recode items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.algorithms.itemsets.apriori import (
    LRA,
    VPA,
    Apriori,
    OptimalCut,
    best_cut,
    number_of_cuts,
    recode_classes,
    search_of,
)
from kanonym.algorithms.itemsets.base import ItemProblem
from kanonym.algorithms.itemsets.cut_search import least_loss
from kanonym.data.errors import InfeasibleError, PolicyError
from twins.itemsets import CODES, arrays_of, cuts, loss, rare, recoded, rows_of, tree_of

TREES = (tree_of(CODES), tree_of({"a1": ["A", "*"], "a2": ["A", "*"], "c": ["*"]}, CODES))
ALGORITHMS = (Apriori, OptimalCut, LRA, VPA)


@st.composite
def problems(draw, trees=TREES):
    """Draw sets of items of one attribute or two, k and m."""
    tree = draw(st.sampled_from(trees))
    items = st.frozensets(st.integers(0, tree.n_items - 1), max_size=4)
    rows = draw(st.lists(items, max_size=12))
    return ItemProblem(tree, *arrays_of(rows), draw(st.integers(1, 4)), draw(st.integers(1, 3)))


def recode(algorithm, problem):
    """Return the sets that an algorithm releases and its account; None where it refuses."""
    try:
        found = algorithm.recode(problem)
    except InfeasibleError:
        return None, {}
    return rows_of(found.offsets, found.labels), found.account


@pytest.mark.parametrize("kind", ALGORITHMS)
@given(problem=problems(), drop=st.booleans())
def test_known_items_have_k_candidates(kind, problem, drop):
    """Whatever is released, no known items have candidates, but fewer than k.

    Refused is only what raising to the roots does not make safe.
    """
    released, account = recode(kind(drop=drop), problem)
    rows = rows_of(problem.offsets, problem.items)
    if released is None:
        parents = problem.tree.parents
        root = np.arange(problem.tree.n_items, dtype=np.int32)
        while (up := parents[root]).max(initial=-1) >= 0:
            root = np.where(up >= 0, up, root)
        assert not drop
        assert rare(problem.tree, recoded(rows, root), problem.k, problem.m)
        return
    assert not rare(problem.tree, released, problem.k, problem.m)
    assert len(released) == len(rows)
    for before, after in zip(rows, released, strict=True):
        covered = {
            item
            for node in after
            for item in range(problem.tree.first[node], problem.tree.last[node] + 1)
        }
        assert all(
            any(problem.tree.first[n] <= i <= problem.tree.last[n] for i in before) for n in after
        )
        assert drop or before <= covered
    assert 0 <= account["loss"] <= 1


@given(problem=problems(TREES[:1]), wanted=st.frozensets(st.integers(0, 4)))
def test_records_with_an_item_are_found(problem, wanted):
    """Each record with a wanted item is found once, in order."""
    found = search_of(problem).rows_with(np.isin(np.arange(5), list(wanted)))
    rows = rows_of(problem.offsets, problem.items)
    assert found.tolist() == [i for i, row in enumerate(rows) if row & wanted]


@given(problem=problems(TREES[:1]), drop=st.booleans())
def test_the_optimum_is_the_best_of_all_cuts(problem, drop):
    """No cut without rare itemsets loses less than the optimum, nor less than the bound."""
    rows = rows_of(problem.offsets, problem.items)
    safe = [
        loss(problem.tree, rows, cut)
        for cut in cuts(problem.tree, may_drop=drop)
        if not rare(problem.tree, recoded(rows, cut), problem.k, problem.m)
    ]
    released, account = recode(OptimalCut(drop), problem)
    assert (released is None) == (not safe)
    if safe:
        assert account["loss"] == pytest.approx(min(safe))
        assert least_loss(search_of(problem), may_drop=drop) <= min(safe) + 1e-9
        assert recode(Apriori(drop), problem)[1]["loss"] >= min(safe) - 1e-9


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("drop", [False, True])
def test_cuts_are_counted(tree, drop):
    """The number of cuts is that of all of them."""
    assert number_of_cuts(tree, may_drop=drop) == len(cuts(tree, may_drop=drop))


@given(problem=problems(), classes=st.lists(st.integers(0, 2), min_size=12, max_size=12))
def test_each_class_is_recoded_apart(problem, classes):
    """Known items have k candidates in each class, and sets stay with their records."""
    own = np.unique(np.array(classes[: problem.n_rows], np.int32), return_inverse=True)[1]
    found = recode_classes(Apriori(), problem, own.astype(np.int32))
    released = rows_of(found.offsets, found.labels)
    for one in set(own.tolist()):
        part = [row for row, label in zip(released, own, strict=True) if label == one]
        assert not rare(problem.tree, part, problem.k, problem.m)


def test_an_account_names_loss_bound_labels_and_dropped_items():
    """Of ten records one has an item of its own: it is dropped, and nothing else is lost."""
    rows = [frozenset({0, 2})] * 9 + [frozenset({0, 4})]
    problem = ItemProblem(TREES[0], *arrays_of(rows), 2, 2)
    account = Apriori().recode(problem).account
    assert account["loss"] == pytest.approx(1 / 20)
    assert (account["labels"], account["items_dropped"]) == (2, 1)
    assert account["loss_at_least"] <= account["loss"]


def test_too_many_cuts_are_refused():
    """An optimum over more than a million cuts is refused with their number."""
    wide = tree_of({f"i{i}": [f"g{i // 2}", "*"] for i in range(60)})
    with pytest.raises(PolicyError, match=r"the hierarchy has about 10\^20 cuts"):
        OptimalCut().recode(ItemProblem(wide, *arrays_of([{0}]), 2, 1))


def test_too_many_known_items_are_refused():
    """An itemset that fits no key is refused with the largest m."""
    problem = ItemProblem(TREES[0], *arrays_of([{0}]), 2, 30)
    with pytest.raises(PolicyError, match="m is at most 20 here"):
        best_cut(search_of(problem), may_drop=True)
