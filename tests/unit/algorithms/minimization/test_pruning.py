"""Laws of pruning: the knapsack and the weakest links against all prunings of small trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins.minimization as naive
from effort import examples
from kanonym.algorithms.minimization.losses import best_pruning, cells_after_merges, weakest_links
from kanonym.algorithms.minimization.nodes import Nodes

ANY = settings(max_examples=examples(150), deadline=None)


def of_shape(shape):
    """Return the nodes of a nested pair of pairs; anything else is a leaf."""
    stop, right, parent, depth = [], [], [], []

    def add(part, above, level):
        here = len(stop)
        stop.append(0)
        right.append(0)
        parent.append(above)
        depth.append(level)
        if part is not None:
            add(part[0], here, level + 1)
            right[here] = len(stop)
            add(part[1], here, level + 1)
        stop[here] = len(stop)

    add(shape, -1, 0)
    n = len(stop)
    column = np.where(np.array(right) > 0, 0, -1)
    arrays = (np.array(part, np.int64) for part in (stop, right, parent, depth, column))
    return Nodes(*arrays, np.zeros(n), np.arange(n))


SHAPES = st.recursive(st.none(), lambda part: st.tuples(part, part), max_leaves=7)


@st.composite
def trees(draw):
    """Draw a tree, whole losses, gains that no cell below exceeds, and the finest cells."""
    nodes = of_shape(draw(SHAPES))
    loss = np.array(draw(st.lists(st.integers(0, 6), min_size=nodes.n, max_size=nodes.n)))
    gain = np.zeros(nodes.n)
    for v in range(nodes.n - 1, -1, -1):
        own = draw(st.integers(0, 4)) / 4
        gain[v] = own + (gain[v + 1] + gain[nodes.right[v]] if nodes.right[v] else 0)
    forced = np.array(draw(st.lists(st.booleans(), min_size=nodes.n, max_size=nodes.n)))
    base = nodes.cells_of((nodes.right == 0) | (forced & (nodes.depth > 1)))
    return nodes, loss.astype(np.int64), gain, base


@given(trees(), st.integers(0, 20))
@ANY
def test_knapsack_finds_the_largest_gain_of_all_prunings_within_the_budget(tree, budget):
    """No pruning within the budget gains more; of equal gain, none loses less."""
    nodes, loss, gain, base = tree
    every = [list(cells) for cells in naive.prunings(nodes, set(base.tolist()))]
    within = [(-gain[cells].sum(), loss[cells].sum()) for cells in every]
    within = [pair for pair in within if pair[1] <= budget]
    found = best_pruning(nodes, loss, gain, base, budget)
    if not within:
        assert found is None
    else:
        assert (-gain[found].sum(), loss[found].sum()) == min(within)


@given(trees(), st.integers(0, 20))
@ANY
def test_knapsack_returns_a_pruning(tree, budget):
    """The cells found are one of the prunings above the finest cells."""
    nodes, loss, gain, base = tree
    found = best_pruning(nodes, loss, gain, base, budget)
    every = set(naive.prunings(nodes, set(base.tolist())))
    assert found is None or tuple(found.tolist()) in every


@given(trees(), st.sampled_from([0, 0.25, 1, 2, 5, 30]))
@ANY
def test_path_of_weakest_links_is_best_for_every_price(tree, price):
    """For any price of gain, no pruning loses less than the best one on the path."""
    nodes, loss, gain, base = tree
    links = weakest_links(nodes, loss.astype(float), gain, base)
    every = [list(cells) for cells in naive.prunings(nodes, set(base.tolist()))]
    best = min(loss[cells].sum() - price * gain[cells].sum() for cells in every)
    assert (links.loss - price * links.gain).min() == pytest.approx(best)


@given(trees())
@ANY
def test_path_leads_from_the_finest_cells_to_one(tree):
    """The path starts at the finest cells, ends at the root, and never gains less."""
    nodes, loss, gain, base = tree
    links = weakest_links(nodes, loss.astype(float), gain, base)
    assert links.cells[0] == len(base)
    assert links.cells[-1] == 1
    assert (np.diff(links.gain) >= -1e-12).all()
    assert (np.diff(links.cells) < 0).all()


@given(trees())
@ANY
def test_path_counts_what_its_cells_lose_and_gain(tree):
    """Each step's number of cells, loss and gain are those of the cells after its merges."""
    nodes, loss, gain, base = tree
    links = weakest_links(nodes, loss.astype(float), gain, base)
    for step in range(len(links.cells)):
        cells = cells_after_merges(nodes, base, links.merged[:step])
        assert len(cells) == links.cells[step]
        assert loss[cells].sum() == pytest.approx(links.loss[step])
        assert gain[cells].sum() == pytest.approx(links.gain[step])


@given(trees(), st.integers(0, 20))
@ANY
def test_filling_stays_within_the_budget(tree, budget):
    """Filled greedily, the cells lose at most the budget where the finest cells do."""
    nodes, loss, gain, base = tree
    links = weakest_links(nodes, loss.astype(float), gain, base, float(budget))
    assert links.loss[-1] <= max(budget, loss[base].sum())
    if any(loss[list(cells)].sum() <= budget for cells in naive.prunings(nodes, set(base))):
        assert links.loss[-1] <= budget
