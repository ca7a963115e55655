"""Laws of the search for the best node of a lattice, against an exhaustive twin."""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.algorithms.base import Algorithm, Problem
from kanonym.algorithms.full_domain import (
    FullDomain,
    evaluate_lattice,
    evaluate_nodes,
    find_best_node,
)
from kanonym.data.errors import InfeasibleError
from kanonym.metrics.information_loss import METRICS
from lattice_searches import COSTS, MODELS, best_of, near, nodes_of, require_optimum, searches

# --- the optimum -----------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=examples(100))
@given(data=st.data(), model=st.sampled_from(list(MODELS)))
def test_the_search_finds_what_the_twin_finds(metric, data, model):
    """The least score, proven; or that there is none: for every metric and every model.

    With other models beside it, any suppression limit, factor, weights and levels.
    """
    require_optimum(data.draw(searches(metric, [model])))


@pytest.mark.parametrize("model", ["average-risk", "sample-uniqueness", "population-uniqueness"])
@settings(max_examples=examples(15))
@given(data=st.data(), metric=st.sampled_from(["non-uniform-entropy", "kl-divergence", "loss"]))
def test_models_of_the_whole_table_suppress_what_the_twin_does(model, metric, data):
    """The smallest classes, then those of less loss, then of smaller labels."""
    require_optimum(data.draw(searches(metric, [model], 12)))


@settings(max_examples=examples(60))
@given(search=searches())
def test_classes_are_those_of_equal_labels(search):
    """Two tuples are in one class if and only if they agree at the levels; suppressed or not."""
    try:
        partition = search.partition()
    except InfeasibleError:
        assume(False)  # noqa: FBT003
    problem, levels = search.problem(), tuple(partition.account["levels"].values())
    place = {}
    for row, label in zip(search.rows, partition.labels.tolist(), strict=True):
        assert place.setdefault(problem.labels(levels, row.codes), label) == label
    kept = sorted(label for label in place.values() if label >= 0)
    assert kept == list(range(partition.n_classes))


@settings(max_examples=examples(60))
@given(search=searches())
def test_levels_stay_between_their_bounds(search):
    """A number fixes a level, a pair bounds it."""
    try:
        found = search.partition().account["levels"]
    except InfeasibleError:
        assume(False)  # noqa: FBT003
    problem = search.problem()
    for low, level, high in zip(problem.lowest, found.values(), problem.highest, strict=True):
        assert low <= level <= high


def test_an_average_of_no_class_is_a_score_as_well():
    """With factor 0 every node without suppression has an infinite score, and is a node."""
    metric = {"type": "average-class-size", "factor": 0}
    found = by_hand({"city": (["Paris", "Lyon", "Rome", "Rome"], CITIES)}, 2, metric=metric)
    assert found.account["score"] == math.inf
    assert found.account["optimal"] is True
    assert found.account["levels"] == {"city": 1}


def test_full_domain_is_an_algorithm():
    """It has what every algorithm has, and recodes by levels."""
    assert isinstance(FullDomain(), Algorithm)
    assert (FullDomain.type, FullDomain.recodes) == ("full-domain", "levels")


# --- edges -----------------------------------------------------------------------------


def table_of(columns):
    """Encode columns of (values, hierarchy)."""
    from kanonym.data.table import encode

    known = [(pl.Series(name, values), tree) for name, (values, tree) in columns.items()]
    return encode(known, [], len(known[0][0]))


CITIES = ka.hierarchy.from_mapping({"any": {"France": ["Paris", "Lyon"], "Italy": ["Rome"]}})
EUROPE = ka.hierarchy.from_mapping(
    {"any": {"France": ["Paris", "Lyon"], "Germany": ["Bonn"], "Italy": ["Rome"]}}
)
FLAG = ka.hierarchy.flat()


def by_hand(columns, k, limit=0.0, **options):
    """Search for k-anonymity."""
    return FullDomain(**options).partition(
        Problem(table_of(columns), COSTS, [ka.KAnonymity(k)], limit)
    )


def test_one_attribute_by_hand():
    """Two from France, two from Italy: 2-anonymous at the level of countries."""
    found = by_hand({"city": (["Paris", "Lyon", "Rome", "Rome"], CITIES)}, 2)
    assert found.account["levels"] == {"city": 1}
    # France is two of three leaves, Italy one: (2 + 2 + 1 + 1 - 4) / (12 - 4).
    assert found.account["score"] == pytest.approx(2 / 8)
    assert found.account["lattice_size"] == 3
    assert found.n_classes == 2


def test_suppression_by_hand():
    """Where one record may go, the cities stay."""
    found = by_hand({"city": (["Paris", "Paris", "Rome", "Rome", "Lyon"], CITIES)}, 2, 0.2)
    assert found.account["levels"] == {"city": 0}
    assert found.account["score"] == pytest.approx((4 * 1 + 3 - 5) / (15 - 5))
    assert (found.labels == -1).sum() == 1


def test_of_equal_classes_that_of_the_smallest_labels_goes():
    """In the order of the attributes, not in that in which the search fixes them.

    Of (x, Italy) and (y, France), each of one record, one has to go.
    """
    columns = {
        "flag": (["x", "y", *"xxxxyyyy"], FLAG),
        "city": (["Rome", "Paris", *["Bonn"] * 8], EUROPE),
    }
    table, models = table_of(columns), [ka.models.SampleUniqueness(0.12)]
    algorithm = FullDomain("kl-divergence", levels={"flag": 0, "city": 1})
    found = algorithm.partition(Problem(table, COSTS, models, 0.1))
    flags, cities = table.domains
    gone = table.codes[found.labels < 0].tolist()
    assert gone == [
        [flags.hierarchy.labels[0].index("x"), cities.hierarchy.labels[0].index("Rome")]
    ]
    # A record of eight combinations, suppressed; one of two, released.
    assert found.account["score"] == pytest.approx(0.1 * 3 + 0.1 * 1)
    searched = find_best_node(algorithm, algorithm.space(table, models, 0.1))
    assert searched.best.score == pytest.approx(found.account["score"])


def test_one_level_allowed_is_a_node_by_hand():
    """Every attribute fixed: the node is applied, if it satisfies the models."""
    columns = {"city": (["Paris", "Lyon"], CITIES), "flag": (["no", "no"], FLAG)}
    found = by_hand(columns, 2, levels={"city": 1, "flag": (0, 0)})
    assert found.account["lattice_size"] == 1
    assert found.account["levels"] == {"city": 1, "flag": 0}
    with pytest.raises(InfeasibleError, match="no node of the lattice"):
        by_hand(columns, 2, levels={"city": 0, "flag": 0})


def test_a_table_of_one_record():
    """It is released as it is where k is 1, suppressed where that is allowed, else refused."""
    columns = {"city": (["Rome"], CITIES)}
    assert by_hand(columns, 1).account["levels"] == {"city": 0}
    gone = by_hand(columns, 2, 1.0)
    assert gone.labels.tolist() == [-1]
    with pytest.raises(InfeasibleError, match="required 2, the best possible is 1"):
        by_hand(columns, 2)


@pytest.mark.parametrize("search", ["optimal", "best-first", "genetic"])
def test_a_table_without_records(search):
    """It has no class and loses nothing; hierarchies over no value are no obstacle."""
    for tree in (CITIES, FLAG):
        table = table_of({"city": (pl.Series([], dtype=pl.String), tree)})
        found = FullDomain(search=search).partition(Problem(table, COSTS, [ka.KAnonymity(5)], 0.0))
        assert found.n_classes == 0
        assert found.labels.shape == (0,)
        assert found.levels.shape == (0, 1)
        assert isinstance(evaluate_lattice(FullDomain(), table, [ka.KAnonymity(5)], 0.0), list)


@pytest.mark.parametrize("search", ["optimal", "best-first", "genetic"])
def test_all_records_may_go(search):
    """With a limit of 1 nothing is infeasible: at worst no class is left."""
    columns = {"city": (["Paris", "Lyon", "Rome"], CITIES)}
    found = by_hand(columns, 9, 1.0, search=search)
    assert found.n_classes == 0
    assert found.levels.shape == (0, 1)
    assert found.account["score"] == pytest.approx(1)


def test_weights_say_what_is_kept():
    """Of two attributes, one of which has to go, the less important one does."""
    codes = [0, 0, 1, 1]
    columns = {"a": (codes, FLAG), "b": (codes[1:] + codes[:1], FLAG)}
    for kept, lost in itertools.permutations("ab"):
        found = by_hand(columns, 2, weights={kept: 2, lost: 1})
        assert found.account["levels"] == {kept: 0, lost: 1}


# --- every node ------------------------------------------------------------------------


def require_same(found, nodes):
    """Compare nodes with those of the twin, one by one."""
    for node in found:
        twin = nodes[node.levels]
        assert near(node.score, twin.score)
        assert (node.suppressed, node.classes) == (twin.suppressed, twin.classes)
        assert node.satisfied == twin.satisfied
        assert node.achieved == pytest.approx(twin.achieved, rel=1e-9, abs=1e-9)


@settings(max_examples=examples(60))
@given(search=searches())
def test_every_node_is_what_the_twin_says(search):
    """Its score, suppressed records and classes, and what each model achieves; by levels."""
    nodes = nodes_of(search.problem())
    found = evaluate_lattice(search.algorithm(), search.table(), search.models, search.limit)
    assert [node.levels for node in found] == sorted(nodes)
    require_same(found, nodes)


@settings(max_examples=examples(30))
@given(search=searches(), data=st.data())
def test_some_nodes_are_what_the_twin_says(search, data):
    """In the order in which they are asked."""
    nodes = nodes_of(search.problem())
    asked = data.draw(st.lists(st.sampled_from([*nodes]), max_size=5))
    found = evaluate_nodes(search.algorithm(), search.table(), search.models, search.limit, asked)
    assert [node.levels for node in found] == asked
    require_same(found, nodes)


@pytest.mark.parametrize("large", [1, 1 << 22])
@settings(max_examples=examples(20))
@given(search=searches(), strategy=st.sampled_from(["optimal", "best-first", "genetic"]))
def test_of_large_lattices_only_satisfied_nodes_are_listed(large, strategy, search):
    """Those that the search came across, the best one among them."""
    nodes = nodes_of(search.problem())
    best = best_of(nodes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kanonym.algorithms.full_domain.LISTED", 0)
        patch.setattr("kanonym.algorithms.full_domain.strategies.LARGE", large)
        algorithm = search.algorithm(search=strategy)
        found = evaluate_lattice(algorithm, search.table(), search.models, search.limit)
    require_same(found, nodes)
    assert all(node.satisfied for node in found)
    assert [node.levels for node in found] == sorted({node.levels for node in found})
    if best is not None and strategy == "optimal":
        assert near(min(node.score for node in found), best.score)


@settings(max_examples=examples(20))
@given(search=searches())
def test_a_list_is_cut_at_its_worse_end(search):
    """The best node stays."""
    best = best_of(nodes_of(search.problem()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kanonym.algorithms.full_domain.LISTED", 0)
        patch.setattr("kanonym.algorithms.full_domain.KEPT", 2)
        found = evaluate_lattice(search.algorithm(), search.table(), search.models, search.limit)
    assert len(found) <= 2
    if best is not None:
        assert near(min(node.score for node in found), best.score)


# --- order of the records --------------------------------------------------------------


@pytest.mark.parametrize("search", ["optimal", "best-first", "genetic"])
def test_the_order_of_records_does_not_matter(search):
    """The same records in another order give the same node after the same number of nodes."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({name: rng.integers(0, 9, 200) for name in "abcd"})
    accounts = []
    for seed in range(3):
        release = ka.anonymize(
            frame.sample(fraction=1, shuffle=True, seed=seed),
            quasi_identifiers=list("abcd"),
            k=4,
            suppression_limit=0.1,
            algorithm=FullDomain(search=search),
        )
        accounts.append(release.to_dict()["algorithm"])
    assert accounts[0] == accounts[1] == accounts[2]
