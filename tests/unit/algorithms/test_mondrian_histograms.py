"""Laws of the tree that is grown from counts: it is the kernel's, and so are its classes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins.mondrian as naive
from effort import examples
from kanonym.algorithms.base import Problem, compile_criteria
from kanonym.algorithms.mondrian import LARGE, Mondrian, TriedCuts, refine_nodes
from kanonym.algorithms.span_partition import (
    Histogram,
    Tree,
    candidate_cuts,
    conditioned_attributes,
    satisfies_criteria,
)
from kanonym.data.errors import InfeasibleError
from tables import tables

SMALL = tables()
BIG = tables(60, 120)


def counted(encoded, tuples):
    """Count the values of some tuples: a histogram of each quasi-identifier."""
    found = []
    for column in encoded.codes[tuples].T:
        codes, place = np.unique(column, return_inverse=True)
        records = np.bincount(place, encoded.weights[tuples]).astype(np.int64)
        found.append(Histogram(codes, records, np.bincount(place)))
    return found


def chosen(encoded, tuples, costs, criteria):
    """Return the first cut of some tuples whose sides satisfy the criteria, or None."""
    weights = encoded.weights[tuples]
    for a, code in candidate_cuts(counted(encoded, tuples), int(weights.sum()), costs, criteria):
        right = encoded.codes[tuples, a] > code
        sides = {}
        for j in conditioned_attributes(criteria):
            values = encoded.sensitive_codes[tuples, j]
            sides[j] = np.zeros((2, encoded.sensitive[j].size), np.int64)
            held = values >= 0
            np.add.at(sides[j], (right[held].astype(int), values[held]), weights[held])
        if satisfies_criteria(sides, criteria):
            return a, code
    return None


def grown(encoded, costs, criteria, fragment):
    """Grow a tree to the end; return it, and the tuples of each node."""
    tree = Tree(encoded.n_rows, len(encoded.weights), costs, criteria, fragment)
    tuples = {0: np.arange(len(encoded.weights))}
    while tree.open_nodes:
        for number in tree.open_nodes:
            own = tuples[number]
            tree.grow(number, counted(encoded, own), chosen(encoded, own, costs, criteria))
            node = tree.nodes[number]
            if node.state == "cut":
                left = encoded.codes[own, node.attribute] <= node.code
                tuples[node.left], tuples[node.right] = own[left], own[~left]
    return tree, tuples


def as_sets(labels):
    """Return classes as sets of tuple numbers."""
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


@pytest.mark.parametrize("strategy", [SMALL, BIG], ids=["small", "large"])
@settings(max_examples=examples(300))
@given(data=st.data())
def test_a_cut_is_the_twin_of_the_kernels(strategy, data):
    """Counts alone give the cut that rows give: widest, beside a quantile, models held."""
    table = data.draw(strategy)
    encoded = table.encoded()
    criteria = compile_criteria(table.models, encoded)
    cut = chosen(encoded, np.arange(len(encoded.weights)), table.costs, criteria)
    if cut is not None:  # a code that no row has cuts like the next lower one
        a, code = cut
        cut = a, max(row.codes[a] for row in table.rows if row.codes[a] <= code)
    expected = naive.beside_quantile_cut(
        table.rows, table.attributes, table.satisfies, only_sizes=table.only_sizes
    )
    assert cut == expected


@pytest.mark.parametrize("split", ["span", "loss"])
@settings(max_examples=examples(150))
@given(
    table=tables(5, 16, 60, 120),
    fragment=st.sampled_from([0, 3, 10, 40]),
    key=st.sampled_from([None, 7]),
)
def test_classes_are_those_of_the_whole(split, table, fragment, key):
    """A tree from counts, its fragments finished by the kernel, has the classes of the table."""
    encoded, algorithm = table.encoded(), Mondrian(split=split)
    try:
        whole = algorithm.partition(Problem(encoded, table.costs, table.models, key=key))
    except InfeasibleError:
        return
    criteria = algorithm.with_chance(compile_criteria(table.models, encoded), key)
    tried = algorithm.tried_cuts(len(encoded.weights))
    # Cuts of 32 tuples at the least are compared: fragments are no smaller.
    tree, tuples = grown(encoded, table.costs, criteria, max(fragment, *tried))
    leaves = tree.numbers_in_state("class")
    found = {frozenset(tuples[number].tolist()) for number in leaves}
    for number in tree.numbers_in_state("fragment"):
        own = tuples[number]
        part = table.__class__(
            [table.rows[i] for i in own], table.attributes, table.domains, table.recodings,
            table.sensitive, table.models,
        ).encoded()  # fmt: skip
        labels, _ = refine_nodes(part, [0, len(own)], table.costs, criteria, tried)
        found |= {frozenset(own[list(one)].tolist()) for one in as_sets(labels)}
    assert found == as_sets(whole.labels)


@given(table=BIG, fragment=st.sampled_from([0, 3, 10, 40]))
def test_a_tree_counts_what_is_in_its_nodes(table, fragment):
    """Every node knows its records and tuples; fragments are small, and nothing stays open."""
    encoded = table.encoded()
    criteria = compile_criteria(table.models, encoded)
    tree, tuples = grown(encoded, table.costs, criteria, fragment)
    for number, node in enumerate(tree.nodes):
        own = tuples[number]
        assert node.tuples == len(own)
        assert node.records == encoded.weights[own].sum()
        assert (node.tuples <= fragment) == (node.state == "fragment")
    leaves = [tuples[n] for state in ("fragment", "class") for n in tree.numbers_in_state(state)]
    assert sorted(np.concatenate(leaves).tolist()) == list(range(len(encoded.weights)))


@settings(max_examples=examples(60))
@given(table=BIG, cuts=st.lists(st.integers(1, 100), max_size=4))
def test_nodes_are_refined_each_for_itself(table, cuts):
    """Several nodes side by side end in the classes that each of them has alone."""
    encoded = table.encoded()
    n = len(encoded.weights)
    criteria = compile_criteria(table.models, encoded)
    bounds = sorted({0, n, *(cut for cut in cuts if cut < n)})
    tried = TriedCuts(every=8, medians=16)
    labels, n_classes = refine_nodes(encoded, bounds, table.costs, criteria, tried)
    assert sorted(set(labels.tolist())) == list(range(n_classes))
    for start, stop in pairwise(bounds):
        part = table.__class__(
            table.rows[start:stop], table.attributes, table.domains, table.recodings,
            table.sensitive, table.models,
        ).encoded()  # fmt: skip
        alone, _ = refine_nodes(part, [0, stop - start], table.costs, criteria, tried)
        assert as_sets(labels[start:stop]) == as_sets(alone)


def test_the_rule_of_cuts_follows_from_the_size_of_the_whole_table():
    """Up to 524,288 tuples `auto` tries every cut of small nodes, `span` those beside medians."""
    automatic = Mondrian()
    assert automatic.tried_cuts(LARGE) == Mondrian(split="loss").tried_cuts(LARGE) == (64, 0)
    assert automatic.tried_cuts(LARGE + 1) == (0, 0)
    spans = Mondrian(split="span")
    assert [spans.tried_cuts(n) for n in (100, LARGE, LARGE + 1)] == [(0, 1024), (0, 64), (0, 0)]
