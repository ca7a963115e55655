"""Laws of the search of a lattice whose frequency set is counted at higher levels alone."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.algorithms.base import Problem
from kanonym.algorithms.full_domain import FullDomain, evaluate_nodes
from kanonym.algorithms.full_domain.premerged import merge_at_levels, search_premerged
from kanonym.data.errors import DataError, InfeasibleError
from kanonym.data.table import MergedTable, encode, records_of, repeated_records
from kanonym.metrics.information_loss import METRICS
from kanonym.models import KAnonymity, LDiversity
from lattice_searches import COSTS, MODELS, searches


class Whole:
    """Counts a table of this process, and remembers what it was asked for."""

    def __init__(self, table, most=10**9):
        self.table, self.most = table, most
        self.heights = tuple(domain.hierarchy.n_levels - 1 for domain in table.domains)
        self.asked = []

    def count(self, levels):
        """Return the table at some levels, None for too many tuples."""
        self.asked.append(levels)
        table = merge_at_levels(self.table, levels)
        return table if len(table.weights) <= self.most else None


def require_same(search):
    """Compare a search with that of the whole frequency set."""
    return require_same_here(search.algorithm(), search.table(), search.models, search.limit, 10**9)


def require_same_here(algorithm, table, models, limit, most):
    """Compare a search with that of the whole frequency set: score, proof and classes.

    Returns what is told of merging, or None where no node satisfies the models.
    """
    try:
        whole, reason = algorithm.partition(Problem(table, COSTS, models, limit)), None
    except InfeasibleError as error:
        whole, reason = None, str(error)
    counter = Whole(table, most)
    if whole is None:
        with pytest.raises(InfeasibleError) as found:
            search_premerged(algorithm, models, limit, counter)
        assert reason == str(found.value)
        return None
    found, partition = search_premerged(algorithm, models, limit, counter)
    own, account = partition.account, whole.account
    assert own["score"] == account["score"] or math.isclose(
        own["score"], account["score"], rel_tol=1e-12, abs_tol=1e-12
    )
    assert own["optimal"] is True
    assert own["lattice_size"] == account["lattice_size"]
    # Nobody is asked twice.
    assert len(counter.asked) == len(set(counter.asked))
    if own["levels"] == account["levels"]:
        labels = whole.labels[table.tuple_of_row], partition.labels[found.tuple_of_row]
        pairs = set(zip(*(one.tolist() for one in labels), strict=True))
        assert all((one < 0) == (other < 0) for one, other in pairs)
        assert sum(one >= 0 for one, _ in pairs) == whole.n_classes == partition.n_classes
    else:
        # Another node of the same score: it is no worse a release.
        levels = tuple(own["levels"].values())
        (node,) = evaluate_nodes(algorithm, table, models, limit, [levels])
        assert node.satisfied
        assert math.isclose(node.score, account["score"], rel_tol=1e-12, abs_tol=1e-12)
    return own["premerged"]


# --- merged tables ---------------------------------------------------------------------


@settings(max_examples=examples(60))
@given(search=searches(), data=st.data())
def test_every_level_from_the_merged_ones_on_reads_as_before(search, data):
    """Nodes at or above the levels are worth the same: score, classes, what is suppressed."""
    table = search.table()
    heights = Whole(table).heights
    low = data.draw(st.tuples(*(st.integers(0, height) for height in heights)))
    nodes = list(product(*(range(a, b + 1) for a, b in zip(low, heights, strict=True))))[:20]
    asked = FullDomain(search.metric, weights=search.weights)
    want = evaluate_nodes(asked, table, search.models, search.limit, nodes)
    found = evaluate_nodes(asked, merge_at_levels(table, low), search.models, search.limit, nodes)
    for one, other in zip(found, want, strict=True):
        assert one.score == pytest.approx(other.score, rel=1e-12, abs=1e-12)
        assert (one.suppressed, one.classes, one.satisfied) == (
            other.suppressed,
            other.classes,
            other.satisfied,
        )


@settings(max_examples=examples(40))
@given(search=searches(), data=st.data())
def test_merging_twice_is_merging_once(search, data):
    """Of what the original was, both know the same."""
    table = search.table()
    low = data.draw(st.tuples(*(st.integers(0, height) for height in Whole(table).heights)))
    high = tuple(
        data.draw(st.integers(level, height))
        for level, height in zip(low, Whole(table).heights, strict=True)
    )
    once, twice = merge_at_levels(table, high), merge_at_levels(merge_at_levels(table, low), high)
    for one, other in [
        (once.codes, twice.codes),
        (once.sensitive_codes, twice.sensitive_codes),
        (once.weights, twice.weights),
        (once.tuple_of_row, twice.tuple_of_row),
        (repeated_records(once), repeated_records(twice)),
        *((records_of(once, a), records_of(twice, a)) for a in range(len(low))),
    ]:
        assert np.array_equal(one, other)
    assert once.n_rows == table.n_rows


# --- the search ------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=examples(12))
@given(data=st.data())
def test_lowest_levels_leave_the_optimum_where_it_is(model, data):
    """For every model, with others beside it, any metric, limit, weights and levels."""
    require_same(data.draw(searches(None, [model])))


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=examples(12))
@given(data=st.data())
def test_scores_are_those_of_the_original_values(metric, data):
    """Also by metrics that compare labels with values that nobody counted together."""
    require_same(data.draw(searches(metric, ["k-anonymity"])))


def table_of(n_rows, sizes, rng=None, *, secret=False):
    """Return a table of independent numbers with hierarchies of intervals."""
    rng = np.random.default_rng(0) if rng is None else rng
    known = [
        (pl.Series(f"q{a}", rng.integers(0, size, n_rows)), ka.hierarchy.intervals(width=4))
        for a, size in enumerate(sizes)
    ]
    hidden = [(pl.Series("s", rng.integers(0, 3, n_rows)), None, False)]
    return encode(known, hidden if secret else [], n_rows)


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 2**32 - 1))
def test_a_divided_lattice_has_the_same_optimum(seed):
    """Where the frequency set is still too large, its parts are searched one by one."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 16, rng.integers(3, 6)).tolist()
    secret = bool(rng.random() < 0.3)
    models = [LDiversity("s", 3)] if secret else [KAnonymity(int(rng.choice([3, 10])))]
    table = table_of(int(rng.integers(300, 1500)), sizes, rng, secret=secret)
    most = int(len(table.weights) * rng.choice([0.2, 0.4, 0.7]))
    algorithm = FullDomain(
        str(rng.choice(["loss", "precision", "non-uniform-entropy", "kl-divergence"])),
        levels={"q1": (0, 1)} if rng.random() < 0.2 else {},
    )
    limit = float(rng.choice([0, 0.02, 0.2]))
    try:
        found = require_same_here(algorithm, table, models, limit, most)
    except DataError:
        event("too many tuples")
        return
    if found is not None:
        event(f"parts: {found.get('parts', 1) > 1}")
        assert found["tuples"] <= most


def test_an_attribute_of_few_records_a_value_is_counted_at_higher_levels():
    """Of 500 values among 8,000 records some have fewer than five; the other attribute stays."""
    table = table_of(5000, (500, 3))
    found, partition = search_premerged(FullDomain(), [KAnonymity(5)], 0.0, Whole(table))
    assert isinstance(found, MergedTable)
    assert found.lowest.tolist() == [1, 0]
    premerged = partition.account["premerged"]
    assert premerged == {"levels": {"q0": 1, "q1": 0}, "tuples": len(found.weights)}
    assert premerged["tuples"] < len(table.weights) / 3
    # Of its hierarchy, single values are level 0, and four of them level 1.
    assert premerged["tuples"] == 125 * 3


def test_what_is_too_large_is_divided():
    """No attribute by itself has small classes, but two of them have, together."""
    table = table_of(1000, (12, 12, 12, 12))
    counter = Whole(table, len(table.weights) // 3)
    models = [KAnonymity(5)]
    found, partition = search_premerged(FullDomain(), models, 0.0, counter)
    whole = FullDomain().partition(Problem(table, COSTS, models))
    assert partition.account["premerged"]["parts"] > 1
    assert len(found.weights) <= counter.most
    assert partition.account["levels"] == whole.account["levels"]
    assert partition.account["score"] == whole.account["score"]
    assert partition.account["optimal"] is True


@pytest.mark.parametrize(("most", "limit"), [(15_000, 0.0), (6_500, 0.0), (6_500, 0.02)])
def test_the_optimum_of_adult_needs_a_third_of_its_tuples(shared_data, most, limit):
    """Its 19,502 tuples of nine attributes: k = 5, whole or in parts, with suppression or not."""
    adult = ka.read_table(shared_data / "adult" / "adult.csv")
    known = [
        (adult[name], ka.hierarchy.from_file(shared_data / "adult" / f"hierarchy_{name}.csv"))
        for name in adult.columns
    ]
    table = encode(known, [], len(adult))
    assert len(table.weights) == 19_502
    models = [KAnonymity(5)]
    whole = FullDomain().partition(Problem(table, COSTS, models, limit)).account
    found, partition = search_premerged(FullDomain(), models, limit, Whole(table, most))
    assert len(found.weights) <= most
    assert partition.account["levels"] == whole["levels"]
    assert partition.account["score"] == pytest.approx(whole["score"], rel=1e-12)
    assert partition.account["optimal"] is True


def test_what_is_too_large_has_no_chance_where_classes_are_few():
    """More tuples than records over k: one step up, until tables are small enough."""
    table = table_of(1000, (40, 40, 4))
    # No two attributes fit by themselves; but at most 1,000 / 10 classes have ten records.
    counter = Whole(table, 100)
    found, partition = search_premerged(FullDomain(), [KAnonymity(10)], 0.0, counter)
    whole = FullDomain().partition(Problem(table, COSTS, [KAnonymity(10)])).account
    assert len(found.weights) <= 100
    assert partition.account["levels"] == whole["levels"]
    assert partition.account["score"] == whole["score"]
    assert partition.account["optimal"] is True


def test_what_is_too_large_in_every_way_is_refused():
    """The message says at which levels, and what can be done."""
    table = table_of(3000, (40, 40, 4))
    with pytest.raises(DataError, match=r"q0=0, q1=0, q2=0.* raise most_tuples"):
        search_premerged(FullDomain(), [KAnonymity(1)], 0.0, Whole(table, 100))


def test_a_table_without_records_has_no_class():
    """As that of a table of this process."""
    table = table_of(0, (3, 3))
    found, partition = search_premerged(FullDomain(), [KAnonymity(5)], 0.0, Whole(table))
    assert (found.n_rows, partition.n_classes) == (0, 0)


def test_a_limit_of_steps_still_gives_a_node():
    """The best so far, not proven, with a bound below it."""
    table = table_of(3000, (40, 40, 4))
    algorithm = FullDomain(steps=2)
    found, partition = search_premerged(algorithm, [KAnonymity(5)], 0.0, Whole(table))
    account = partition.account
    assert account["optimal"] is False
    assert account["lower_bound"] <= account["score"]
    (node,) = evaluate_nodes(
        algorithm, found, [KAnonymity(5)], 0.0, [tuple(account["levels"].values())]
    )
    assert node.satisfied


@pytest.mark.parametrize("search", ["best-first", "genetic"])
@settings(max_examples=examples(10))
@given(data=st.data())
def test_searches_without_a_proof_find_a_node_that_satisfies_the_models(search, data):
    """And none where there is none."""
    asked = data.draw(searches(None, ["k-anonymity"]))
    algorithm = asked.algorithm(search=search, steps=40)
    counter = Whole(asked.table())
    try:
        _, partition = search_premerged(algorithm, asked.models, asked.limit, counter)
    except InfeasibleError:
        assume(False)  # noqa: FBT003
    levels = tuple(partition.account["levels"].values())
    (node,) = evaluate_nodes(algorithm, asked.table(), asked.models, asked.limit, [levels])
    assert node.satisfied
