"""Laws of Mondrian and segmentation with a target, on encoded tables."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings

import twins.mondrian as naive
import twins.workload as twins
from effort import examples
from kanonym.algorithms import workload
from kanonym.algorithms.base import Problem
from kanonym.algorithms.mondrian import Mondrian
from kanonym.algorithms.segmentation import Segmentation
from kanonym.algorithms.workload import CATEGORIES, FEW, guiding_target
from kanonym.data.errors import DataError, InfeasibleError, PolicyError
from kanonym.data.table import encode
from kanonym.kernels import parallel
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import KAnonymity
from target_tables import guided

ALGORITHMS = [
    Mondrian(target="t"),
    Mondrian(split="span", target="t"),
    Segmentation(target="t"),
    Segmentation("guided", target="t"),
    Segmentation("serpentine", target="t"),
]


def divided(case, algorithm, limit=0.0):
    """Return the classes of a table as lists of rows, each of one record, and the account."""
    table = case.encoded
    try:
        found = algorithm.partition(Problem(table, case.table.costs, case.table.models, limit))
    except InfeasibleError:
        assume(condition=False)
    labels = found.labels if found.by_row else found.labels[table.tuple_of_row]
    classes = [[] for _ in range(found.n_classes)]
    for tuple_, label in zip(table.tuple_of_row, labels.tolist(), strict=True):
        assert label >= 0
        classes[label].append(case.rows[tuple_]._replace(weight=1))
    return classes, found.account


def encoded(columns, target, recoding="interval"):
    """Encode quasi-identifiers with a target; return the table and its costs."""
    known = [(pl.Series(name, values), None) for name, values in columns.items()]
    table = encode(known, [], len(target), target=pl.Series("t", target))
    return table, certainty_costs(table.domains, [recoding] * len(known))


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@settings(max_examples=examples(150))
@given(case=guided(2, 6, 12, 30))
def test_every_class_satisfies_every_model(algorithm, case):
    """Whatever the target, each record is in one class, and classes satisfy the models."""
    classes, _ = divided(case, algorithm, limit=0.3)
    assert sum(map(len, classes)) == case.encoded.n_rows
    assert all(classes)
    assert all(case.table.satisfies(rows) for rows in classes)


@pytest.mark.parametrize("split", ["loss", "span"])
@settings(max_examples=examples(150))
@given(case=guided(3, 8, 16))
def test_mondrian_cuts_by_gain_and_then_as_without_a_target(split, case):
    """Its classes are those of the plain recursion in each node that no cut gains in."""
    table = case.table
    try:
        found = Mondrian(split=split, target="t").partition(
            Problem(case.encoded, table.costs, table.models)
        )
    except InfeasibleError:
        assume(condition=False)
    classes = [[] for _ in range(found.n_classes)]
    for row, label in zip(case.rows, found.labels.tolist(), strict=True):
        classes[label].append(row)
    expected = [
        part
        for node in twins.by_gain(case.rows, case.d, table.satisfies, case.twin)
        for part in naive.strict(
            node,
            table.attributes,
            table.satisfies,
            exact=len(case.rows) if split == "loss" else 0,
            only_sizes=table.only_sizes,
            medians=len(case.rows),
        )
    ]
    assert sorted(map(sorted, classes)) == sorted(map(sorted, expected))


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@settings(max_examples=examples(100))
@given(case=guided(3, 8, 16))
def test_the_account_says_the_task_and_the_impurity_that_is_left(algorithm, case):
    """It is a share of that of the whole table, and classes never add to it."""
    classes, account = divided(case, algorithm)
    assert account["task"] == case.aim.task
    whole = twins.impurity([row for rows in classes for row in rows], case.numbers)
    if whole == 0:
        assert account["impurity"] is None
        return
    left = sum(twins.impurity(rows, case.numbers) for rows in classes)
    assert account["impurity"] == pytest.approx(left / whole, abs=1e-6)
    assert account["impurity"] <= 1 + 1e-9


def dependent(task):
    """Return a table whose target is a function of one attribute of four values.

    Two attributes that say nothing about it lie farther apart, so plain cuts go there.
    """
    random = np.random.default_rng(0)
    n = 400
    value = random.permutation(np.repeat(np.arange(4), n // 4))
    columns = {
        "code": value.tolist(),
        "age": random.integers(0, 100, n).tolist(),
        "zip": random.integers(0, 1000, n).tolist(),
    }
    target = ["no", "yes", "no", "yes"] if task == "classification" else [-3, 50, 8, 700]
    wanted = [target[one] for one in value]
    if task == "regression":
        # Further numbers, so that it is a regression; all of the same code.
        wanted = [one + 0.001 * (i % (FEW + 1)) for i, one in enumerate(wanted)]
    return columns, wanted


@pytest.mark.parametrize("algorithm", ALGORITHMS[:1] + ALGORITHMS[3:4], ids=str)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_an_attribute_that_decides_the_target_is_never_mixed(task, algorithm):
    """Where the target is a function of one attribute, classes hold one of its values each."""
    columns, wanted = dependent(task)
    table, costs = encoded(columns, wanted)
    found = algorithm.partition(Problem(table, costs, [KAnonymity(20)]))
    labels = found.labels if found.by_row else found.labels[table.tuple_of_row]
    code = np.array(columns["code"])
    assert found.account["task"] == task
    assert found.account["impurity"] == pytest.approx(0, abs=1e-6)
    pure = [len(np.unique(code[labels == label])) for label in range(found.n_classes)]
    assert set(pure) == {1}
    plain = Mondrian().partition(Problem(table, costs, [KAnonymity(20)]))
    mixed = plain.labels[table.tuple_of_row]
    assert any(len(np.unique(code[mixed == label])) > 1 for label in range(plain.n_classes))


def test_where_no_cut_gains_the_classes_are_those_without_a_target():
    """A target of one value, or of none, guides nothing."""
    columns, _ = dependent("classification")
    n = len(columns["code"])
    for target in (["same"] * n, [None] * n):
        table, costs = encoded(columns, pl.Series("t", target, pl.String))
        plain = Mondrian().partition(Problem(table, costs, [KAnonymity(5)]))
        found = Mondrian(target="t").partition(Problem(table, costs, [KAnonymity(5)]))
        pairs = set(zip(plain.labels.tolist(), found.labels.tolist(), strict=True))
        assert len(pairs) == plain.n_classes == found.n_classes
        assert found.account["impurity"] is None


def test_records_without_a_target_count_for_size_alone():
    """Two of four records that know their target are one class with two that do not."""
    columns = {"q": [1, 1, 2, 2, 3, 3, 4, 4]}
    table, costs = encoded(columns, ["a", "a", None, None, None, None, "b", "b"])
    found = Mondrian(target="t").partition(Problem(table, costs, [KAnonymity(4)]))
    assert found.labels[table.tuple_of_row].tolist() == [0] * 4 + [1] * 4
    assert found.account["impurity"] == 0


@pytest.mark.parametrize(
    ("values", "task"),
    [
        ([*range(FEW)] * 2, "classification"),
        ([*range(FEW + 1)] * 2, "regression"),
        ([one / 7 for one in range(FEW + 1)], "regression"),
        ([dt.date(2020, 1, 1) + dt.timedelta(i) for i in range(FEW + 1)], "regression"),
        ([True, False], "classification"),
        ([str(i) for i in range(CATEGORIES)], "classification"),
    ],
    ids=["20 numbers", "21 numbers", "21 shares", "21 dates", "truth", "texts"],
)
def test_many_numbers_and_dates_are_a_regression(values, task):
    """Numbers and dates of more than 20 distinct values are; everything else has categories."""
    table, _ = encoded({"q": [*range(len(values))]}, values)
    assert guiding_target(table, "t").task == task


def test_shift_and_scale_of_a_numeric_target_do_not_matter():
    """Incomes in cents, or above a million, guide as incomes do."""
    columns, wanted = dependent("regression")
    numbers = np.array(wanted)
    labels = []
    for target in (numbers, 1e6 + numbers, 100 * numbers, -numbers):
        table, costs = encoded(columns, target.tolist())
        found = Mondrian(target="t").partition(Problem(table, costs, [KAnonymity(9)]))
        labels.append(found.labels[table.tuple_of_row].tolist())
    for other in labels[1:]:
        same = set(zip(labels[0], other, strict=True))
        assert len(same) == len(set(labels[0])) == len(set(other))


@pytest.mark.parametrize(
    "kind",
    [pl.Int8, pl.Int64, pl.UInt64, pl.Int128, pl.Decimal(38, 0), pl.Datetime("ns"), pl.Float64],
    ids=str,
)
def test_large_numbers_near_each_other_are_told_apart(kind):
    """Of any type, numbers guide by their differences, and not by how far they are from 0."""
    far = {
        pl.Int8: 0,
        pl.Int64: 2**62,
        pl.UInt64: 2**64 - 200,
        pl.Int128: 2**100,
        pl.Decimal(38, 0): 10**30,
        pl.Datetime("ns"): 1_700_000_000_000_000_000,
        pl.Float64: 2**55,  # above it floats are 8 apart
    }
    numbers = [far[kind] + step for step in range(-96, 112, 8)]
    written = pl.Int64 if kind == pl.Datetime("ns") else kind
    values = pl.Series("t", numbers, written, strict=False).cast(kind)
    table = encode([(pl.Series("x", range(len(values))), None)], [], len(values), target=values)
    gaps = np.diff(guiding_target(table, "t").target.values)
    assert gaps.min() > 0
    assert gaps.max() - gaps.min() <= 1


def test_threads_and_their_grain_do_not_matter(monkeypatch):
    """Nodes that are cut one by one, or by another number of threads, give the same classes."""
    columns, wanted = dependent("classification")
    random = np.random.default_rng(1)
    noisy = [one if random.random() < 0.7 else "maybe" for one in wanted]
    table, costs = encoded(columns, noisy)
    expected = Mondrian(target="t").partition(Problem(table, costs, [KAnonymity(4)])).labels
    for grain, cores in ((10, 1), (10, 3), (1000, 1)):
        monkeypatch.setattr(workload, "GRAIN", grain)
        monkeypatch.setattr("kanonym.algorithms.mondrian.GRAIN", grain)
        monkeypatch.setattr(parallel, "cores", lambda cores=cores: cores)
        found = Mondrian(target="t").partition(Problem(table, costs, [KAnonymity(4)]))
        assert found.labels.tolist() == expected.tolist()


def test_a_table_without_records_or_quasi_identifiers_has_its_classes():
    """No record, no class; nothing to cut by, one class."""
    none, costs = encoded({"q": pl.Series("q", [], pl.Int64)}, pl.Series("t", [], pl.String))
    for algorithm in ALGORITHMS:
        assert algorithm.partition(Problem(none, costs, [KAnonymity(2)])).n_classes == 0
    bare = encode([], [], 3, target=pl.Series("t", ["a", "b", "a"]))
    for algorithm in ALGORITHMS:
        costs = certainty_costs((), ())
        assert algorithm.partition(Problem(bare, costs, [KAnonymity(2)])).n_classes == 1


def test_what_cannot_guide_is_refused():
    """The message says which target, and what to name instead."""
    with pytest.raises(PolicyError, match="target needs strict cuts"):
        Mondrian(strict=False, target="t")
    with pytest.raises(PolicyError, match="order is guided, but there is no target"):
        Segmentation("guided")
    numbers = [*range(CATEGORIES + 1)]
    many, costs = encoded({"q": numbers}, [f"name {i}" for i in numbers])
    endless, _ = encoded({"q": numbers}, [float(i) for i in numbers[:-1]] + [float("inf")])
    plain = encode([(pl.Series("q", numbers), None)], [], len(numbers))
    for algorithm in (Mondrian(target="t"), Segmentation(target="t")):
        with pytest.raises(DataError, match="target 't' has 257 categories; at most 256"):
            algorithm.partition(Problem(many, costs, [KAnonymity(2)]))
        with pytest.raises(DataError, match="target 't' has a number that is infinite"):
            algorithm.partition(Problem(endless, costs, [KAnonymity(2)]))
        with pytest.raises(PolicyError, match="encoded without the column 't'"):
            algorithm.partition(Problem(plain, costs, [KAnonymity(2)]))
