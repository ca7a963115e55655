"""Laws of every metric of generalized tables, against slow twins and by hand."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import fields, replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from effort import examples
from kanonym.data import hierarchy
from kanonym.data.errors import HierarchyError, PolicyError
from kanonym.data.table import encode
from kanonym.metrics.information_loss import (
    METRICS,
    FinestClasses,
    Generalized,
    Loss,
    LossArithmetic,
    Precision,
    Weighted,
    metric_from,
)
from lattice_nodes import lattices
from tables import pick
from twins import metrics as naive_metrics

FACTORS = [0, 0.25, 0.5, 0.75, 1]


def with_factors():
    """Return every metric but the weighted one, with every factor that it may have."""
    found = []
    for kind in METRICS.values():
        names = [field.name for field in fields(kind)]
        if "factor" in names:
            found += [kind(factor) for factor in FACTORS]
        elif not names:
            found.append(kind())
    return found


SINGLE = with_factors()
SUMS = [
    Weighted([("loss", 1), (Precision(0.25), 2)]),
    Weighted([({"type": "loss-arithmetic", "factor": 1}, 0.5), ("kl-divergence", 0.1)]),
    Weighted([("average-class-size", 0.125), ("discernibility", 0), ("height", 3)]),
]


def name_of(metric):
    """Return the name of a case."""
    return f"{metric.type}-{getattr(metric, 'factor', '')}".rstrip("-")


def naive(metric, lattice, levels, lost):
    """Return the score that the twins give."""
    if isinstance(metric, Weighted):
        parts = [(one, weight) for one, weight in metric.parts if weight]
        return sum(weight * naive(one, lattice, levels, lost) for one, weight in parts)
    node = lattice.node(levels, lost, getattr(metric, "factor", 0.5))
    return naive_metrics.SCORES[metric.type](node)


def test_every_metric_has_a_twin():
    """No metric is left out of the laws below."""
    assert {metric.type for metric in SINGLE} == set(naive_metrics.SCORES)
    assert set(METRICS) == {*naive_metrics.SCORES, "weighted"}


@pytest.mark.parametrize("metric", [*SINGLE, *SUMS], ids=name_of)
@settings(max_examples=examples(25))
@given(lattice=lattices())
def test_a_score_is_what_the_twin_says(metric, lattice):
    """For any table, weights, node and suppressed classes."""
    lost = lattice.subset(lattice.high)
    found = metric.bind(lattice.table, lattice.weights).score(lattice.classes(lattice.high, lost))
    expected = naive(metric, lattice, lattice.high, lost)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("metric", [*SINGLE, *SUMS], ids=name_of)
@settings(max_examples=examples(25))
@given(lattice=lattices())
def test_a_floor_is_below_every_score_above(metric, lattice):
    """Whatever classes are suppressed at a node at or above."""
    bound = metric.bind(lattice.table, lattice.weights)
    above = lattice.classes(lattice.high, lattice.subset(lattice.high))
    assert bound.floor(np.array(lattice.low, np.int64)) <= bound.score(above)


def branch_floor(bound, lattice, lowest, highest, least):
    """Return the bound of a branch of a lattice, from its finest and its coarsest classes."""
    fine, coarse = lattice.node(lowest).labels, lattice.node(highest).labels
    joined = {fine(record): coarse(record) for record in lattice.records}
    sizes = Counter(map(coarse, lattice.records))
    here = lattice.classes(lowest)
    finest = FinestClasses(here.levels, here.sizes, lambda j: here.labels[:, j], least)
    floors = bound.class_floors(finest)
    assert floors.shape == (len(here.sizes), bound.n_floors)
    sums = {key: np.zeros(bound.n_floors) for key, size in sizes.items() if size >= least}
    for labels, one in zip(here.labels.tolist(), floors, strict=True):
        if joined[tuple(labels)] in sums:
            sums[joined[tuple(labels)]] += one
    lost = sum(size for size in sizes.values() if size < least)
    every = np.array(list(sums.values())).reshape(len(sums), bound.n_floors)
    return bound.branch_floor(here.levels, every, lost)


@pytest.mark.parametrize("metric", [*SINGLE, *SUMS], ids=name_of)
@settings(max_examples=examples(25))
@given(lattice=lattices())
def test_the_floor_of_a_branch_is_below_every_score_in_it(metric, lattice):
    """Whatever is suppressed, all classes that are too small among it."""
    bound = metric.bind(lattice.table, lattice.weights)
    trees = [domain.hierarchy for domain in lattice.table.domains]
    highest = [
        int(lattice.rng.integers(level, tree.n_levels))
        for level, tree in zip(lattice.high, trees, strict=True)
    ]
    least = pick(lattice.rng, [1, 2, 3, 5])
    node = lattice.node(lattice.high)
    sizes = Counter(map(node.labels, lattice.records))
    small = {labels for labels, size in sizes.items() if size < least}
    above = lattice.classes(lattice.high, lattice.subset(lattice.high) | small)
    floor = branch_floor(bound, lattice, lattice.low, highest, least)
    assert floor <= bound.score(above)


@pytest.mark.parametrize("name", naive_metrics.SCORES)
@settings(max_examples=examples(10))
@given(lattice=lattices())
def test_a_floor_is_the_score_of_its_own_node_where_nothing_is_suppressed(name, lattice):
    """No bound from the classes could be higher; that from the marginals alone is no closer."""
    bound = metric_from(name).bind(lattice.table, lattice.weights)
    classes = lattice.classes(lattice.high)
    closest = branch_floor(bound, lattice, lattice.high, lattice.high, 1)
    assert closest == pytest.approx(bound.score(classes), rel=1e-9, abs=1e-9)
    assert bound.floor(classes.levels) <= closest + 1e-9 * abs(closest)


@pytest.mark.parametrize("metric", [*SINGLE, *SUMS], ids=name_of)
@settings(max_examples=examples(10))
@given(lattice=lattices(8, 16))
def test_a_score_does_not_depend_on_the_order_of_classes(metric, lattice):
    """To the last bit; so search and recomputation agree."""
    bound = metric.bind(lattice.table, lattice.weights)
    lost = lattice.subset(lattice.high)
    scores = {bound.score(lattice.classes(lattice.high, lost)) for _ in range(4)}
    assert len(scores) == 1


@pytest.mark.parametrize("metric", [*SINGLE, *SUMS], ids=name_of)
@settings(max_examples=examples(10))
@given(lattice=lattices())
def test_a_score_is_in_the_range_that_its_metric_declares(metric, lattice):
    """Every metric says its unit, its source and its range, and that less is better."""
    lost = lattice.subset(lattice.high)
    score = metric.bind(lattice.table, lattice.weights).score(lattice.classes(lattice.high, lost))
    assert metric.low <= score <= metric.high
    assert metric.unit
    assert metric.source
    assert metric.better == "lower"


@pytest.mark.parametrize("metric", [*SINGLE, *SUMS], ids=name_of)
@settings(max_examples=examples(10))
@given(lattice=lattices())
def test_classes_without_records_do_not_count(metric, lattice):
    """A tuple that only a population table holds makes a class of no record."""
    bound = metric.bind(lattice.table, lattice.weights)
    classes = lattice.classes(lattice.high, lattice.subset(lattice.high))
    more = Generalized(
        levels=classes.levels,
        labels=np.concatenate([classes.labels, np.zeros_like(classes.labels[:1])]),
        sizes=np.append(classes.sizes, 0),
        kept=np.append(classes.kept, lattice.rng.random() < 0.5),
    )
    assert bound.score(more) == bound.score(classes)
    finest = FinestClasses(more.levels, more.sizes, lambda j: more.labels[:, j], 2)
    assert not bound.class_floors(finest)[-1].any()


@pytest.mark.parametrize("metric", [*SINGLE, *SUMS], ids=name_of)
@settings(max_examples=examples(25))
@given(lattice=lattices(8, 16))
def test_suppressed_classes_may_be_left_out_where_their_records_lose_alike(metric, lattice):
    """The score stays what it is, to the last bit, whichever of them a metric sees."""
    bound = metric.bind(lattice.table, lattice.weights)
    classes = lattice.classes(lattice.high, lattice.subset(lattice.high))
    seen = classes.kept | (lattice.rng.random(len(classes.kept)) < 0.5)
    if bound.lost_alike:
        fewer = Generalized(
            classes.levels, classes.labels[seen], classes.sizes[seen], classes.kept[seen]
        )
        assert bound.score(fewer) == bound.score(classes)


ADDITIVE = [metric for metric in SINGLE if metric.type in naive_metrics.ADDITIVE]


@pytest.mark.parametrize("metric", ADDITIVE, ids=name_of)
@settings(max_examples=examples(25))
@given(lattice=lattices())
def test_terms_add_up_to_the_score(metric, lattice):
    """Record by record; to the last bit where the factor makes whole numbers of the terms."""
    bound = metric.bind(lattice.table, lattice.weights)
    lost = lattice.subset(lattice.high)
    node = lattice.node(lattice.high, lost)
    assert naive_metrics.summed(bound.terms(), node) == bound.score(
        lattice.classes(lattice.high, lost)
    )


CHARGED = [metric for metric in SINGLE if metric.type in naive_metrics.CHARGED]


@pytest.mark.parametrize("metric", CHARGED, ids=name_of)
@settings(max_examples=examples(25))
@given(lattice=lattices())
def test_terms_and_the_entropy_of_what_is_suppressed_add_up_to_the_score(metric, lattice):
    """The entropy of the suppressed labels is charged on top of the records' terms."""
    bound = metric.bind(lattice.table, lattice.weights)
    lost = lattice.subset(lattice.high)
    node = lattice.node(lattice.high, lost)
    score = bound.score(lattice.classes(lattice.high, lost))
    assert naive_metrics.summed(bound.terms(), node) == pytest.approx(score, rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("metric", [*SINGLE, *SUMS], ids=name_of)
@settings(max_examples=examples(5))
@given(lattice=lattices(4))
def test_only_metrics_that_are_sums_over_records_have_terms(metric, lattice):
    """The others say None."""
    bound = metric.bind(lattice.table, lattice.weights)
    assert (bound.terms() is None) == (metric not in ADDITIVE + CHARGED)


@pytest.mark.parametrize("metric", SINGLE, ids=name_of)
@settings(max_examples=examples(10))
@given(lattice=lattices())
def test_a_class_loses_what_arx_ranks_it_by(metric, lattice):
    """Records times share put together, records times combinations, or the records alone."""
    bound = metric.bind(lattice.table, lattice.weights)
    classes = lattice.classes(lattice.high, lattice.subset(lattice.high))
    found = bound.class_losses(classes)
    node = lattice.node(lattice.high)
    by_labels = {node.labels(record): record for record in node.records}
    for labels, size, lost in zip(
        classes.labels.tolist(), classes.sizes.tolist(), found.tolist(), strict=True
    ):
        record, d = by_labels[tuple(labels)], len(labels)
        shares = [node.below(j, record) / node.size(j) for j in range(d)]
        weighted = [size * x * float(w) for x, w in zip(shares, node.weights, strict=True)]
        expected = {
            "loss": math.prod(x + 1 for x in weighted) ** (1 / d) - 1,
            "loss-arithmetic": sum(weighted) / d,
            "ambiguity": size * math.prod(node.below(j, record) for j in range(d)),
        }.get(metric.type, size)
        assert lost == pytest.approx(expected)


@pytest.mark.parametrize("metric", [*SINGLE, *SUMS], ids=name_of)
@settings(max_examples=examples(10))
@given(lattice=lattices(4, 8))
def test_the_whole_table_suppressed_or_at_its_root_is_finite_or_says_so(metric, lattice):
    """Only an average over no class that counts is infinite."""
    bound = metric.bind(lattice.table, lattice.weights)
    top = tuple(len(tree) - 1 for tree in lattice.trees)
    every = frozenset(lattice.node(top).labels(record) for record in lattice.records)
    for lost in (frozenset(), every):
        score = bound.score(lattice.classes(top, lost))
        free = metric.type == "average-class-size" and metric.factor in (0, 1)
        assert math.isfinite(score) or free


# --- by hand --------------------------------------------------------------------------


WORLD = hierarchy.from_mapping(
    {"world": {"France": ["Paris", "Lyon"], "Italy": ["Rome"], "Spain": ["Madrid"]}}
)


@pytest.fixture
def cities():
    """Return six records of a city and a flag, with four and two leaves."""
    flag = hierarchy.flat()
    columns = {
        "city": ["Paris", "Paris", "Lyon", "Rome", "Rome", "Madrid"],
        "flag": ["no", "yes", "no", "yes", "yes", "no"],
    }
    trees = [WORLD, flag]
    series = [pl.Series(name, values) for name, values in columns.items()]
    return encode(list(zip(series, trees, strict=True)), [], 6)


def countries(kept=(True, True, True)):
    """Return the table of cities by country, the flag at its root; France, Italy, Spain."""
    return Generalized(
        levels=np.array([1, 1], np.int64),
        labels=np.array([[0, 0], [1, 0], [2, 0]], np.int32),
        sizes=np.array([3, 2, 1], np.int64),
        kept=np.array(kept, np.bool_),
    )


BY_HAND = {
    # Shares 2/4 of three records and 1/4 of three: (2.25 - 1.5) / (6 - 1.5) = 1/6; flag: 1.
    "loss": (7 / 6 * 2) ** 0.5 - 1,
    "loss-arithmetic": (1 / 6 + 1) / 2,
    "average-class-size": 2,
    "discernibility": 9 + 4 + 1,
    # Paris 2 and Lyon 1 of three French; three of each flag.
    "non-uniform-entropy": 2 * math.log2(3 / 2) + math.log2(3) + 6,
    "precision": (1 / 2 + 1) / 2,
    "height": 2,
    "ambiguity": 3 * 4 + 2 * 2 + 1 * 2,
}


@pytest.mark.parametrize("name", BY_HAND)
def test_scores_by_hand(cities, name):
    """Cities by country, without flags, nothing suppressed."""
    bound = metric_from(name).bind(cities, {})
    assert bound.score(countries()) == pytest.approx(BY_HAND[name])


LOST_BY_HAND = {
    # France 2/4 of three, the others suppressed: (1.5 + 3 - 1.5) / 4.5 = 2/3; flag: 1.
    "loss": (5 / 3 * 2) ** 0.5 - 1,
    "loss-arithmetic": (2 / 3 + 1) / 2,
    "average-class-size": 3,
    "discernibility": 9 + 6 * 3,
    # On top: Rome 2 and Madrid 1 of three suppressed; their flags are one label.
    "non-uniform-entropy": 2 * (2 * math.log2(3 / 2) + math.log2(3)) + 6,
    "precision": ((3 / 2 + 3) / 6 + 1) / 2,
    "height": 2,
    "ambiguity": 3 * 4 + 3 * 8,
}


@pytest.mark.parametrize("name", LOST_BY_HAND)
def test_scores_with_suppression_by_hand(cities, name):
    """The same with Italy and Spain suppressed."""
    bound = metric_from(name).bind(cities, {})
    assert bound.score(countries((True, False, False))) == pytest.approx(LOST_BY_HAND[name])


def test_divergence_counts_a_tuple_once(cities):
    """Rome with yes is two records of one tuple, and one term of the sum."""
    terms = [1 / 6 * math.log2((1 / 6) / (3 / 6 / 4))] * 3  # Paris no, Paris yes, Lyon no
    terms += [2 / 6 * math.log2((2 / 6) / (2 / 6 / 2)), 1 / 6 * math.log2((1 / 6) / (1 / 6 / 2))]
    found = metric_from("kl-divergence").bind(cities, {}).score(countries())
    assert found == pytest.approx(sum(terms))


def test_weights_are_relative_to_the_largest(cities):
    """Twice the weights are the same weights; a weight of 0 leaves its attribute out."""
    one = LossArithmetic().bind(cities, {"flag": 0.5}).score(countries())
    two = LossArithmetic().bind(cities, {"city": 2, "flag": 1}).score(countries())
    assert one == two == pytest.approx((1 / 6 + 0.5 * 1) / 2)
    assert Loss().bind(cities, {"flag": 0}).score(countries()) == pytest.approx((7 / 6) ** 0.5 - 1)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"cities": 1}, "'cities' is not a quasi-identifier; did you mean 'city'"),
        ({"city": -1}, "city is -1; it must be a number of at least 0"),
        ({"city": math.nan}, "city is nan"),
        ({"city": 0, "flag": 0}, "all are 0"),
    ],
)
def test_weights_that_are_none_are_refused(cities, weights, message):
    """The message names the attribute and what is right."""
    with pytest.raises(PolicyError, match=message):
        Loss().bind(cities, weights)


@pytest.mark.parametrize("metric", [*SINGLE, SUMS[0]], ids=name_of)
def test_an_attribute_without_a_hierarchy_has_no_levels(metric):
    """Every metric names the column."""
    table = encode([(pl.Series("city", ["Paris", "Rome"]), None)], [], 2)
    with pytest.raises(HierarchyError, match="'city' has no hierarchy"):
        metric.bind(table, {})


@pytest.mark.parametrize("metric", [*SINGLE, SUMS[0]], ids=name_of)
def test_a_table_without_records_has_lost_nothing(cities, metric):
    """Every score but the height is 0, and no division fails."""
    empty = replace(
        cities,
        codes=cities.codes[:0],
        sensitive_codes=cities.sensitive_codes[:0],
        weights=cities.weights[:0],
        tuple_of_row=cities.tuple_of_row[:0],
    )
    levels = np.zeros(2, np.int64)
    none = Generalized(
        levels, np.zeros((0, 2), np.int32), np.zeros(0, np.int64), np.zeros(0, np.bool_)
    )
    bound = metric.bind(empty, {})
    assert bound.score(none) == 0
    assert bound.floor(levels) == 0


@pytest.mark.parametrize("metric", [*SINGLE, SUMS[0]], ids=name_of)
def test_a_column_without_values_has_lost_nothing(metric):
    """A hierarchy of no values has no leaf below its root, and no logarithm fails."""
    tree = hierarchy.masking().bind(pl.Series("city", [], pl.String))
    empty = encode([(pl.Series("city", [], pl.String), tree)], [], 0)
    assert metric.bind(empty, {}).floor(np.zeros(1, np.int64)) == 0
