"""Laws of the graphical model, against tables of all attributes at once."""

from __future__ import annotations

from itertools import combinations, permutations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.synthesis.marginals import graphical_model
from kanonym.synthesis.marginals.fitting import (
    Measurement,
    Potentials,
    calibrate,
    estimate_total,
    fit_model,
)
from kanonym.synthesis.marginals.graphical_model import (
    GraphicalModel,
    SharedSums,
    build_tree,
    cells_of,
    spread,
    triangulate,
)
from kanonym.synthesis.marginals.measuring import draw_records

SIZES = (2, 3, 2, 4, 3)

sets = st.lists(
    st.sets(st.integers(0, 4), min_size=1, max_size=3).map(lambda one: tuple(sorted(one))),
    min_size=1,
    max_size=6,
)


def parts_of(attributes, widths=(1, 2, 3)):
    """Return all subsets of some widths."""
    return [one for width in widths for one in combinations(attributes, width)]


def summed(joint, attributes):
    """Return a marginal of the table of all attributes."""
    return joint.sum(axis=tuple(axis for axis in range(joint.ndim) if axis not in attributes))


@given(sets)
def test_a_tree_holds_each_set_and_each_attribute(asked):
    """Every set lies in a clique, cliques are maximal, and attributes run through the tree."""
    tree = build_tree(asked, SIZES)
    assert all(tree.holds(one) for one in asked)
    assert all(tree.holds((one,)) for one in range(5))
    assert not any(set(a) < set(b) for a in tree.cliques for b in tree.cliques)
    for attribute in range(5):
        places = [place for place, one in enumerate(tree.cliques) if attribute in one]
        tops = [place for place in places if attribute not in tree.separators[place]]
        assert len(tops) == 1


def measurement(values):
    """Return counts with noise of σ = 1."""
    return Measurement(values, np.ones(values.shape))


@given(sets, st.integers(0, 2**10))
def test_a_set_that_fits_needs_no_more_cells_than_estimated(asked, place):
    """The best order of elimination has room for it; what a clique holds needs none."""
    tree = build_tree(asked, SIZES)
    most = sum(cells_of(one, SIZES) for one in tree.cliques) + 40
    every = parts_of(range(5))
    with patch.object(graphical_model, "FEW_CANDIDATES", 0):
        found = tree.fitting(every, asked, SIZES, most)
        assert tree.fitting(every, asked, SIZES, 0) == [one for one in every if tree.holds(one)]
    one = found[place % len(found)]
    assert min(eliminated([*asked, one], order) for order in permutations(range(5))) <= most


def eliminated(asked, order):
    """Return the cells of the maximal cliques when attributes are eliminated in an order."""
    left, cliques = [set(one) for one in asked], []
    for attribute in order:
        clique = {attribute}.union(*(one for one in left if attribute in one))
        left = [*(one for one in left if attribute not in one), clique - {attribute}]
        cliques += [clique] if not any(clique <= one for one in cliques) else []
    return sum(cells_of(one, SIZES) for one in cliques)


def test_the_cheapest_attribute_is_eliminated_first():
    """A cycle of four gets the chord that costs fewer cells."""
    cycle = [(0, 1), (1, 2), (2, 3), (0, 3)]
    assert sorted(triangulate(cycle, (9, 2, 9, 2))) == [(0, 1, 3), (1, 2, 3)]


@given(sets, st.integers(0, 10**6))
def test_calibrated_tables_are_those_of_the_whole_product(asked, seed):
    """Clique tables, and marginals of any attributes, are sums of the product of all potentials."""
    random = np.random.default_rng(seed)
    tree = build_tree(asked, SIZES)
    potentials = [random.random([SIZES[one] for one in clique]) for clique in tree.cliques]
    joint = np.ones(SIZES)
    for clique, table in zip(tree.cliques, potentials, strict=True):
        joint = joint * table.reshape(spread(tuple(range(5)), clique, SIZES))
    joint /= joint.sum()
    model = GraphicalModel(tree, calibrate(tree, SIZES, potentials))
    for one in parts_of(range(5)):
        np.testing.assert_allclose(model.marginal(one), summed(joint, one), atol=1e-12)


@given(sets, st.integers(0, 10**6))
def test_shared_sums_are_plain_sums_and_their_transpose(asked, seed):
    """Marginals by shared steps are those of a plain sum; `spread` is the same map backwards."""
    random = np.random.default_rng(seed)
    clique = tuple(range(5))
    table = random.random(SIZES)
    sums = SharedSums(clique, asked, SIZES)
    found = sums.marginals(table)
    parts = {one: random.random([SIZES[each] for each in one]) for one in asked}
    for one in asked:
        np.testing.assert_allclose(found[one], summed(table, one))
    inner = sum((found[one] * part).sum() for one, part in parts.items())
    assert (sums.spread(parts) * table).sum() == pytest.approx(inner)


def test_a_fit_without_noise_gives_what_was_measured():
    """Of exact marginals the model has the same ones."""
    random = np.random.default_rng(0)
    joint = random.random(SIZES)
    joint *= 10_000 / joint.sum()
    measured = {
        one: measurement(summed(joint, one)) for one in [(0, 1), (1, 2), (2, 3), (0, 4), (0, 3)]
    }
    model = fit_model(SIZES, measured, Potentials({}), 1_000, {})
    for one, found in measured.items():
        np.testing.assert_allclose(model.marginal(one) * 10_000, found.values, atol=2)


def test_a_second_fit_starts_where_the_first_one_ended():
    """Potentials are kept: many short fits are as good as a long one."""
    random = np.random.default_rng(1)
    values = random.integers(0, 500, (2, 3)).astype(float)
    measured = {(0, 1): measurement(values)}
    start = Potentials({})
    for _ in range(6):
        model = fit_model((2, 3), measured, start, 25, {})
    np.testing.assert_allclose(model.marginal((0, 1)) * values.sum(), values, atol=1)


def test_structural_zeros_stay_zero():
    """A cell that no record can have has no probability, whatever was measured there."""
    never = np.array([[False, True], [False, False]])
    measured = {(0, 1): measurement(np.array([[10.0, 30.0], [20.0, 40.0]]))}
    model = fit_model((2, 2, 2), measured, Potentials({}), 50, {(0, 1): never})
    assert model.marginal((0, 1))[0, 1] == 0
    assert model.marginal((0, 1)).sum() == pytest.approx(1)


def test_measurements_of_one_set_are_combined_by_precision():
    """The more precise of two measurements counts more."""
    one = measurement(np.array([0.0, 10.0]))
    one.add(np.array([4, 10]), np.array([3.0, 3.0]))
    assert one.values.tolist() == [3.0, 10.0]
    assert one.precision.tolist() == [4.0, 4.0]


def test_the_total_is_at_least_one_record():
    """Noise below 0 leaves a table to be drawn."""
    assert estimate_total({(0,): measurement(np.array([-5.0, 2.0]))}) == 1.0


@given(sets, st.integers(0, 10**6), st.integers(0, 300))
def test_drawn_records_have_the_models_counts(asked, seed, n):
    """The first clique's counts are the expected ones, rounded up or down; codes are cells."""
    random = np.random.default_rng(seed)
    tree = build_tree(asked, SIZES)
    tables = calibrate(
        tree, SIZES, [random.random([SIZES[one] for one in clique]) for clique in tree.cliques]
    )
    codes = draw_records(GraphicalModel(tree, tables), SIZES, n, random)
    assert codes.shape == (5, n)
    assert ((codes >= 0) & (codes < np.array(SIZES)[:, None])).all()
    root = tree.cliques[0]
    shape = [SIZES[one] for one in root]
    place = np.ravel_multi_index([codes[one] for one in root], shape)
    counts = np.bincount(place, minlength=cells_of(root, SIZES)).reshape(shape)
    assert (np.abs(counts - n * tables[0]) < 1 + 1e-6).all()
