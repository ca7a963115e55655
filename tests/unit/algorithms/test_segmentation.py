"""Laws of segmentation and of the choice between algorithms, on encoded tables."""

from __future__ import annotations

import dataclasses
import typing
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import kanonym as ka
import twins.mondrian as naive
from effort import examples
from kanonym.algorithms.auto import Auto
from kanonym.algorithms.base import Problem, classes_of, compile_criteria
from kanonym.algorithms.clustering import KMember
from kanonym.algorithms.mondrian import Mondrian
from kanonym.algorithms.segmentation import Order, Segmentation, cuts
from kanonym.algorithms.segmentation.cuts import closed_places, cut_order
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.table import encode
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import KAnonymity, KMap, LDiversity, TCloseness
from tables import random_table, tables

ORDERS = [order for order in typing.get_args(Order) if order != "guided"]


def rows_of(table, partition):
    """Return the rows of each class, each of one record, and the suppressed ones."""
    encoded = table.encoded()
    labels = partition.labels
    if not partition.by_row:
        labels = labels[encoded.tuple_of_row]
    single = [table.rows[i]._replace(weight=1) for i in encoded.tuple_of_row]
    classes = [[] for _ in range(partition.n_classes)]
    lost = []
    for row, label in zip(single, labels.tolist(), strict=True):
        (lost if label < 0 else classes[label]).append(row)
    return classes, lost


def divided(table, algorithm, limit=0.0):
    """Return classes, suppressed rows, and what both lose."""
    partition = algorithm.partition(Problem(table.encoded(), table.costs, table.models, limit))
    classes, lost = rows_of(table, partition)
    loss = sum(naive.loss(rows, table.attributes) for rows in classes)
    return classes, lost, float(loss + len(lost) * len(table.attributes))


@pytest.mark.parametrize("order", ORDERS)
@settings(max_examples=examples(60), deadline=None)
@given(table=tables(2, 30))
def test_every_class_satisfies_every_model(order, table):
    """Whatever the order, classes hold every record once and satisfy the models."""
    if not table.satisfies(table.rows):
        with pytest.raises(InfeasibleError):
            divided(table, Segmentation(order))
        return
    classes, lost, _ = divided(table, Segmentation(order))
    assert not lost
    assert sum(map(len, classes)) == naive.records(table.rows)
    assert all(table.satisfies(rows) for rows in classes)


@pytest.mark.parametrize("order", ORDERS)
@settings(max_examples=examples(30), deadline=None)
@given(table=tables(2, 30), k=st.integers(1, 6))
def test_classes_have_k_to_2k_minus_1_records(order, table, k):
    """Where only k is asked for, no class has room for two."""
    assume(naive.records(table.rows) >= k)
    asked = dataclasses.replace(table, models=[KAnonymity(k)])
    classes, _, _ = divided(asked, Segmentation(order))
    assert all(k <= len(rows) < 2 * k for rows in classes)


@pytest.mark.parametrize("order", ORDERS)
@settings(max_examples=examples(30), deadline=None)
@given(table=tables(2, 30))
@example(table=random_table(30, 42110))  # joined, the classes of another order lose less
def test_auto_keeps_the_order_that_loses_least(order, table):
    """Where nothing is exchanged, no order that can be asked for loses less than `auto`."""
    if table.satisfies(table.rows) and not table.only_sizes:
        assert divided(table, Segmentation())[2] <= divided(table, Segmentation(order))[2] + 1e-9


@settings(max_examples=examples(100), deadline=None)
@given(table=tables(2, 40))
@example(table=random_table(40, 24189965))  # Mondrian's classes are in none of the orders
def test_mondrian_never_loses_less(table):
    """What compares classes with the table loses no more than strict Mondrian in `kd` order."""
    if table.satisfies(table.rows):
        best = divided(table, Mondrian())[2]
        if any(isinstance(model, TCloseness) for model in table.models):
            assert divided(table, Segmentation("kd"))[2] <= best + 1e-9
        assert divided(table, Auto())[2] <= best + 1e-9


@settings(max_examples=examples(60), deadline=None)
@given(table=tables(2, 40), limit=st.sampled_from([0.0, 0.1, 0.5]))
def test_the_choice_is_the_one_that_loses_least(table, limit):
    """With suppressed records counted in full, `auto` loses no more than either algorithm."""
    if table.satisfies(table.rows):
        chosen = divided(table, Auto(), limit)[2]
        sizes_only = all(model.attribute is None for model in table.models)
        for one in (Mondrian(), Segmentation(), *[KMember()] * sizes_only):
            assert chosen <= divided(table, one, limit)[2] + 1e-9


def encoded(columns, *sensitive):
    """Encode columns of a dict, the sensitive ones apart, with their costs."""
    frame = pl.DataFrame(columns)
    known = [(frame[name], None) for name in frame.columns if name not in sensitive]
    table = encode(known, [(frame[name], None, False) for name in sensitive], len(frame))
    recodings = ["interval" if d.kind == "number" else "set" for d in table.domains]
    return table, certainty_costs(table.domains, recodings)


def test_equal_records_are_mixed_by_their_sensitive_values():
    """Records that differ in sensitive values alone do not make classes larger than need be."""
    table, costs = encoded({"age": [40] * 12, "s": ["a", "b", "c"] * 4}, "s")
    models = [KAnonymity(3), LDiversity("s", 3)]
    assert Segmentation().partition(Problem(table, costs, models)).n_classes == 4


def test_a_cut_says_how_it_was_found():
    """The account names the order that was kept, and whether the cut is the best of it."""
    table, costs = encoded({"age": list(range(20)), "s": list("ab" * 10)}, "s")
    for models, cut in (
        ([KAnonymity(2)], "optimal"),
        ([LDiversity("s", 2)], "optimal"),
        ([LDiversity("s", 2, "entropy")], "by record"),
        ([TCloseness("s", 0.2)], "by class"),
    ):
        account = Segmentation("hilbert").partition(Problem(table, costs, models)).account
        assert (account["order"], account["cut"]) == ("hilbert", cut)
        assert ("exchanges" in account) == (models == [KAnonymity(2)])
    account = Auto().partition(Problem(table, costs, [KAnonymity(2)])).account
    assert account == {
        "chosen": "segmentation",
        "order": "hilbert",
        "cut": "optimal",
        "exchanges": 0,
    }


@pytest.mark.parametrize("order", ORDERS)
def test_large_classes_are_cut_by_piece(order):
    """From k = 64 on, classes still have k to 2 k - 1 records, and `kd` beats Mondrian."""
    rng = np.random.default_rng(2)
    columns = {"a": rng.integers(0, 9, 2000), "b": rng.exponential(10, 2000).round()}
    table, costs = encoded(columns)
    models = [KAnonymity(100)]
    partition = Segmentation(order).partition(Problem(table, costs, models))
    assert partition.account["cut"] == "by piece"
    sizes = np.bincount(partition.labels)
    assert 100 <= sizes.min() <= sizes.max() < 200
    lost = ka.anonymize(pl.DataFrame(columns), quasi_identifiers=["a", "b"], k=100).utility.gcp
    found = ka.anonymize(
        pl.DataFrame(columns), quasi_identifiers=["a", "b"], k=100, algorithm=Segmentation(order)
    )
    if order in ("kd", "auto"):
        assert found.utility.gcp <= lost + 1e-12


def test_small_tables_are_clustered_where_that_loses_less():
    """Groups that no order keeps side by side are found by k-member, and the account says so."""
    rng = np.random.default_rng(3)
    table, costs = encoded({name: rng.integers(0, 4, 300) for name in "abcdef"})
    account = Auto().partition(Problem(table, costs, [KAnonymity(3)])).account
    assert account["chosen"] == "k-member"


def test_by_chance_auto_takes_what_does_not_lose_least():
    """With a key, either algorithm may be taken where a model looks at values; without, never."""
    rng = np.random.default_rng(4)
    columns = {"a": rng.integers(0, 9, 60), "b": rng.integers(0, 9, 60), "s": [0, 1, 2] * 20}
    table, costs = encoded(columns, "s")
    problem = Problem(table, costs, [KAnonymity(3), LDiversity("s", 2)])
    chosen = Counter(
        Auto().partition(replace(problem, key=key)).account["chosen"] for key in range(200)
    )
    assert Auto().partition(problem).account["chosen"] == "segmentation"
    assert chosen.total() == 200
    assert 0 < chosen["mondrian"] < 30


def test_where_no_short_class_is_diverse_classes_are_joined():
    """A rare value makes classes longer than are looked at one by one; they are still found."""
    n = 3000
    table, costs = encoded(
        {"age": list(range(n)), "s": ["rare"] + ["usual"] * (n - 2) + ["rare"]}, "s"
    )
    partition = Segmentation("hilbert").partition(Problem(table, costs, [LDiversity("s", 2)]))
    assert partition.account["cut"] == "by class"
    classes = classes_of_rows(table, partition)
    assert LDiversity("s", 2).satisfied(classes).all()
    assert partition.n_classes == 2


def test_classes_that_fail_are_joined_with_others_far_from_them():
    """Where some towns have one value alone, classes of several towns are made of them."""
    rng = np.random.default_rng(5)
    town = rng.integers(0, 6, 600)
    columns = {
        "town": [f"t{one}" for one in town],
        "age": rng.integers(0, 90, 600),
        "s": np.where(town < 3, town, rng.integers(0, 3, 600)),
    }
    table, costs = encoded(columns, "s")
    model = TCloseness("s", 0.4)
    problem = Problem(table, costs, [KAnonymity(3), model])
    partition = Segmentation().partition(problem)
    assert partition.account["cut"] == "joined"
    classes = classes_of_rows(table, partition)
    assert model.satisfied(classes).all()
    assert classes.sizes.min() >= 3
    by_chance = Segmentation().partition(dataclasses.replace(problem, key=7))
    assert model.satisfied(classes_of_rows(table, by_chance)).all()


def test_larger_classes_are_joined_where_nearly_all_of_the_small_ones_fail():
    """Ten values fail as fours: classes of a few times the size are made and joined."""
    rng, n = np.random.default_rng(3), 3000
    town = rng.integers(0, 10, n)
    columns = {
        "town": [f"t{one}" for one in town],
        "age": rng.integers(0, 90, n),
        "s": np.where(rng.random(n) < 0.5, town, rng.integers(0, 10, n)),
    }
    for a in range(3):
        columns[f"w{a}"] = [f"w{one}" for one in rng.integers(0, 6, n)]
    table, costs = encoded(columns, "s")
    model = TCloseness("s", 0.3)
    partition = Segmentation().partition(Problem(table, costs, [KAnonymity(3), model]))
    assert partition.account["cut"] == "joined"
    assert partition.account["size"] == 8
    assert model.satisfied(classes_of_rows(table, partition)).all()


def classes_of_rows(table, partition):
    """Return the classes of records as models see them."""
    rows = dataclasses.replace(
        table,
        codes=table.codes[table.tuple_of_row],
        sensitive_codes=table.sensitive_codes[table.tuple_of_row],
        weights=np.ones(table.n_rows, np.int64),
    )
    return classes_of(rows, partition.labels, partition.n_classes)


@pytest.mark.parametrize("order", ORDERS)
def test_small_and_plain_tables_are_cut_too(order):
    """No record, no attribute, one record, k = n, constant columns and columns of nulls."""
    none, costs = encoded({"age": pl.Series([], dtype=pl.Int64)})
    assert Segmentation(order).partition(Problem(none, costs, [KAnonymity(2)])).n_classes == 0
    bare, costs = encoded({"s": ["a", "b"]}, "s")
    assert Segmentation(order).partition(Problem(bare, costs, [KAnonymity(2)])).n_classes == 1
    for columns, k, n_classes in (
        ({"age": [1]}, 1, 1),
        ({"age": [1, 2, 3]}, 3, 1),
        ({"age": [7] * 7, "town": ["x"] * 7}, 3, 2),
        ({"age": pl.Series([None] * 6, dtype=pl.Int64), "town": ["x", "y"] * 3}, 3, 2),
    ):
        table, costs = encoded(columns)
        assert (
            Segmentation(order).partition(Problem(table, costs, [KAnonymity(k)])).n_classes
            == n_classes
        )


def test_tables_of_very_many_columns_are_sorted():
    """More columns than a Hilbert curve or a packed key has bits."""
    rng = np.random.default_rng(0)
    table, costs = encoded({f"c{a}": rng.integers(0, 3, 40) for a in range(70)})
    for order in ORDERS:
        partition = Segmentation(order).partition(Problem(table, costs, [KAnonymity(4)]))
        assert np.bincount(partition.labels).min() >= 4


def test_the_tree_is_an_order_of_its_classes():
    """Where more than a size is asked for, `kd` knows classes that satisfy the models."""
    rng = np.random.default_rng(1)
    table, costs = encoded(
        {
            "a": rng.integers(0, 30, 300),
            "b": rng.integers(0, 30, 300),
            "s": rng.integers(0, 4, 300),
        },
        "s",
    )
    model = TCloseness("s", 0.3)
    order, known = cuts.kd_order(table, costs, compile_criteria([KAnonymity(3), model], table))
    assert sorted(order.tolist()) == list(range(len(table.weights)))
    labels = np.empty(len(order), np.int32)
    labels[order] = known
    classes = classes_of(table, labels, int(known.max()) + 1)
    assert model.satisfied(classes).all()
    assert (np.diff(known) >= 0).all()
    assert cuts.kd_order(table, costs, compile_criteria([KAnonymity(3)], table))[1] is None


def test_unknown_orders_and_models_of_a_population_are_refused():
    """The message names the orders, or an algorithm that counts persons."""
    with pytest.raises(PolicyError, match="it must be one of auto, guided, hilbert, kd"):
        Segmentation("zigzag")
    table, costs = encoded({"age": [1, 2, 3]})
    for algorithm in (Segmentation(), Auto()):
        with pytest.raises(PolicyError, match="choose full-domain"):
            algorithm.partition(Problem(table, costs, [KMap(2, pl.DataFrame({"age": [1]}))]))
        with pytest.raises(InfeasibleError, match="records: 3"):
            algorithm.partition(Problem(table, costs, [KAnonymity(4)]))


def test_auto_suppresses_where_that_loses_less():
    """An outlier that Mondrian may leave out is left out, and the account says who did."""
    frame = pl.DataFrame({"age": [*range(20), 10_000]})
    release = ka.anonymize(
        frame, quasi_identifiers=["age"], k=4, algorithm="auto", suppression_limit=0.05
    )
    assert release.suppressed == 1
    assert release.algorithm["chosen"] == "mondrian"


# --- left to chance ---------------------------------------------------------------------


def alternating(n, k):
    """Return a problem over n ages, with two values in turn, and its criteria."""
    table, costs = encoded({"age": np.arange(n), "s": ["a", "b"] * (n // 2)}, "s")
    models = [KAnonymity(k), LDiversity("s", 2)]
    return Problem(table, costs, models, key=1), compile_criteria(models, table)


def test_no_class_starts_at_a_closed_place():
    """What is drawn holds for the release, and closes nothing without a key."""
    problem, criteria = alternating(2000, 2)
    closed = closed_places(problem, criteria)
    assert closed.any()
    found = cut_order(problem, criteria, np.arange(2000))
    assert not closed[found.starts[1:-1]].any()
    assert closed_places(replace(problem, key=None), criteria) is None


def test_places_inside_of_a_class_are_closed_as_often_as_is_promised():
    """All of those of a class of s records with a probability near 0.01 (2 k / s)³, or more."""
    k = 5
    closed = closed_places(*alternating(1_000_000, k))
    upto = np.concatenate([[0], np.cumsum(closed)])
    for size in (2, 4):
        inside = (size - 2) * k + 1
        all_of_them = (upto[inside:] - upto[:-inside] == inside).mean()
        assert 0.9 < all_of_them / (0.01 * (2 / size) ** 3) < 2
