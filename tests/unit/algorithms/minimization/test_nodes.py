"""Laws of the tree's nodes: their order, their boxes, and the records that stand for them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import twins.minimization as naive
from effort import examples
from kanonym.algorithms.minimization.nodes import (
    Feature,
    Nodes,
    boxes_of,
    categories_of,
    cell_of,
    representatives_of,
)


def grown(seed, leaves, n=60):
    """Return rows, labels and a tree; one of few leaves grows best-first, in another order."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 9, (n, 3)).astype(float)
    labels = rng.integers(0, 3, n)
    return (
        rows,
        labels,
        DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(rows, labels),
    )


TREES = pytest.mark.parametrize(("seed", "leaves"), [(0, None), (1, 9), (2, 2), (3, 20), (4, None)])


@TREES
def test_nodes_stand_before_those_below_them(seed, leaves):
    """Below a node lie the nodes after it up to its stop, the left ones first."""
    _, _, fitted = grown(seed, leaves)
    nodes, tree = Nodes.of(fitted), fitted.tree_
    assert sorted(nodes.place.tolist()) == list(range(nodes.n))
    for old, new in enumerate(nodes.place.tolist()):
        if tree.children_left[old] < 0:
            assert nodes.stop[new] == new + 1
            assert nodes.right[new] == 0
            continue
        assert nodes.place[tree.children_left[old]] == new + 1
        right = nodes.place[tree.children_right[old]]
        assert (nodes.right[new], nodes.parent[right]) == (right, new)
        assert nodes.stop[new + 1] == right
        assert nodes.stop[right] == nodes.stop[new]


@TREES
def test_cells_hold_the_leaves_below_them(seed, leaves):
    """Each row's cell lies on its way to the leaf; cells are read back from what is above."""
    rows, _, fitted = grown(seed, leaves)
    nodes = Nodes.of(fitted)
    cells = nodes.cells_of((nodes.right == 0) | (nodes.depth == 2))
    found = cells[cell_of(cells, nodes.place[fitted.apply(rows)])]
    for row, cell in zip(rows, found, strict=True):
        assert cell in nodes.place[naive.path_to(fitted.tree_, row)]
    above = nodes.above(cells)
    assert set(np.flatnonzero(above)) == {
        v for v in range(nodes.n) if any(v < cell < nodes.stop[v] for cell in cells)
    }


@TREES
def test_widths_are_those_of_the_ranges_along_the_path(seed, leaves):
    """A node's width is that of its range, cut to the domain; no node below is wider."""
    rows, _, fitted = grown(seed, leaves)
    nodes = Nodes.of(fitted)
    low, high = rows.min(axis=0), rows.max(axis=0)
    features = [Feature(c, low=low[c], high=high[c]) for c in range(3)]
    boxes = boxes_of(nodes, features)
    for old, new in enumerate(nodes.place.tolist()):
        box = naive.box_of(fitted.tree_, old, low.tolist(), high.tolist())
        spans = [(b - a) / (t - o) for (a, b), o, t in zip(box, low, high, strict=True)]
        assert boxes.width[new].tolist() == pytest.approx(spans)
        if new:
            assert (boxes.width[new] <= boxes.width[nodes.parent[new]] + 1e-12).all()


def test_categories_of_a_node_are_those_its_records_may_have():
    """A split keeps one category on the right, all others on the left; width counts them."""
    codes = np.arange(40) % 5
    matrix = (codes[:, None] == np.arange(5)).astype(float)
    labels = np.isin(codes, (1, 3)).astype(int) + 2 * (codes == 4)
    fitted = DecisionTreeClassifier(random_state=0).fit(matrix, labels)
    nodes = Nodes.of(fitted)
    feature = Feature(0, 5, nominal=True)
    boxes = boxes_of(nodes, [feature])
    leaves = nodes.place[fitted.apply(matrix)]
    for v in range(nodes.n):
        inside = {
            int(c) for c, leaf in zip(codes, leaves, strict=True) if v <= leaf < nodes.stop[v]
        }
        assert set(np.flatnonzero(categories_of(nodes, feature, v))) == inside
        assert boxes.width[v, 0] == pytest.approx((len(inside) - 1) / 4)


def test_null_lies_below_numbers_and_costs_all_beside_them():
    """A box of null alone has no width, one of null and numbers the full one."""
    rows = np.repeat([-100.0, 1.0, 2.0, 3.0], 5)[:, None]
    fitted = DecisionTreeClassifier(random_state=0).fit(rows, np.repeat([0, 1, 2, 0], 5))
    nodes = Nodes.of(fitted)
    boxes = boxes_of(nodes, [Feature(0, low=1.0, high=3.0, null=-100.0)])
    for v in range(nodes.n):
        inside = {
            value
            for value, leaf in zip(rows[:, 0], nodes.place[fitted.apply(rows)], strict=True)
            if v <= leaf < nodes.stop[v]
        }
        width = boxes.width[v, 0]
        if inside == {-100.0}:
            assert width == 0
        elif -100.0 in inside:
            assert width == 1
        else:
            assert 0 < width < 1


@given(st.integers(0, 10**6), st.sampled_from([None, 4]), st.booleans())
@settings(max_examples=examples(40), deadline=None)
def test_representatives_are_those_of_the_twin(seed, leaves, with_classes):
    """A node's representative is the twin's: nearest to the median among its main class."""
    rows, labels, fitted = grown(seed, leaves, n=25)
    nodes = Nodes.of(fitted)
    places = nodes.place[fitted.apply(rows)]
    chosen, majority = representatives_of(nodes, places, rows, labels if with_classes else None)
    for v in range(nodes.n):
        inside = np.flatnonzero((places >= v) & (places < nodes.stop[v]))
        own = labels[inside].tolist() if with_classes else [0] * len(inside)
        assert chosen[v] == inside[naive.representative(rows[inside].tolist(), own)]
        assert majority[v] == own[naive.representative(rows[inside].tolist(), own)]
