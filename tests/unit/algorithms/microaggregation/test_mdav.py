"""Laws of MDAV on tables: its classes are the twin's, what it releases, what it refuses."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.algorithms.base import Problem
from kanonym.algorithms.microaggregation.mdav import MDAV
from kanonym.data.errors import DataError, InfeasibleError, PolicyError
from kanonym.data.hierarchy import groups
from kanonym.data.table import encode
from kanonym.kernels.microaggregation.mdav import NOMINAL, NUMBER, ORDERED
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import (
    AlphaKAnonymity,
    AverageRisk,
    KAnonymity,
    KMap,
    LDiversity,
    PopulationUniqueness,
    SampleUniqueness,
    TCloseness,
)
from twins import microaggregation as naive_mdav

NO_COSTS = certainty_costs([], [])
GRADES = ["low", "middle", "high", "top"]
FIRST_DAY = dt.date(2020, 1, 1)
SMALL = pl.DataFrame({"age": [30, 31, 32, 88, 90], "pay": [1.0, 1.5, 2.0, 7.0, 8.0]})


@st.composite
def tables(draw):
    """Draw whole numbers in columns, often equal or constant, and a k that the table has."""
    n = draw(st.integers(1, 30))
    top = draw(st.sampled_from([0, 1, 3, 1000]))
    cells = st.lists(st.integers(-top, top), min_size=n, max_size=n)
    columns = draw(st.lists(cells, min_size=1, max_size=3))
    k = draw(st.one_of(st.integers(1, n), st.sampled_from([n, max(1, n - 1)])))
    return pl.DataFrame({f"c{a}": column for a, column in enumerate(columns)}), k


@st.composite
def mixed_tables(draw):
    """Draw numbers, days, grades and towns, some of them missing, and a k that the table has."""
    n = draw(st.integers(1, 30))

    def column(cells):
        return draw(st.lists(cells, min_size=n, max_size=n))

    frame = pl.DataFrame(
        {
            "age": column(st.integers(0, draw(st.sampled_from([0, 3, 90])))),
            "day": [FIRST_DAY + dt.timedelta(days) for days in column(st.integers(0, 400))],
            "grade": pl.Series(column(st.sampled_from(GRADES)), dtype=pl.Enum(GRADES)),
            "town": pl.Series(column(st.sampled_from(["a", "b", "c", None])), dtype=pl.String),
            "ill": column(st.booleans()),
        }
    )
    names = draw(st.lists(st.sampled_from(frame.columns), min_size=1, unique=True))
    return frame.select(names), draw(st.one_of(st.integers(1, n), st.just(n)))


def partition(frame, models, algorithm=None):
    """Return the class of each record."""
    table = encode([(column, None) for column in frame], [], len(frame))
    found = (algorithm or MDAV()).partition(Problem(table, NO_COSTS, models))
    labels = found.labels if found.by_row else found.labels[table.tuple_of_row]
    assert set(labels.tolist()) == set(range(found.n_classes))
    return labels.tolist()


def groups_of(labels):
    """Return the records of each class."""
    return {frozenset(np.flatnonzero(np.array(labels) == label).tolist()) for label in set(labels)}


def expected(frame, k, factors, *, standardize):
    """Return the twin's classes; rows are numbered in the order of their values."""
    rows = frame.rows()
    order = sorted(range(len(rows)), key=lambda i: rows[i])
    # Differences are those of the table; the variance is rounded as that of small numbers.
    columns = frame[order].to_numpy().T.astype(float)
    columns = np.array([column - np.unique(column)[len(set(column)) // 2] for column in columns])
    weights = np.array([factors.get(name, 1.0) for name in frame.columns]) ** 2
    for a, column in enumerate(columns):
        if standardize and column.any():
            weights[a] /= column.var()
    found = naive_mdav.mdav(columns.T.tolist(), weights.tolist(), k)
    return {frozenset(order[i] for i in group) for group in found}


@given(drawn=tables(), standardize=st.booleans(), second=st.sampled_from([1, 0.5, 0.25, 0]))
@settings(max_examples=examples(200))
def test_classes_are_the_twins(drawn, standardize, second):
    """Classes are those of comparing every distance, in standard deviations or as they are.

    A weight multiplies the differences of its column.
    """
    frame, k = drawn
    weights = {"c1": second} if "c1" in frame.columns else {}
    labels = partition(frame, [KAnonymity(k)], MDAV(standardize, weights))
    assert groups_of(labels) == expected(frame, k, weights, standardize=standardize)


def coded(column):
    """Return what the twin computes with: numbers, days, ranks or codes, and their kind."""
    values = column.to_list()
    if column.dtype.is_integer():
        return values, NUMBER
    if column.dtype == pl.Date:
        return [(value - FIRST_DAY).days for value in values], NUMBER
    if column.dtype == pl.Enum:
        held = [grade for grade in GRADES if grade in values]
        return [held.index(value) for value in values], ORDERED
    # The most frequent value first, null last.
    counts = Counter(str(value) for value in values if value is not None)
    order = sorted(counts, key=lambda value: (-counts[value], value.lower()))
    return [len(order) if one is None else order.index(str(one)) for one in values], NOMINAL


def weight_of(values, kind, *, standardize):
    """Return one over the variance: half of the mean squared difference of two records."""
    if not standardize or len(set(values)) == 1:
        return 1.0
    if kind != NOMINAL:
        return 1 / np.array(values, float).var()
    shares = [Fraction(count, len(values)) for count in Counter(values).values()]
    return float(2 / (1 - sum(share * share for share in shares)))


@given(drawn=mixed_tables(), standardize=st.booleans())
@settings(max_examples=examples(200))
def test_classes_of_mixed_tables_are_the_twins(drawn, standardize):
    """Days count as numbers, grades as ranks, towns as 0 or 1, their missing values, too."""
    frame, k = drawn
    columns = [coded(column) for column in frame]
    rows = list(zip(*(values for values, _ in columns), strict=True))
    order = sorted(range(len(rows)), key=lambda i: rows[i])
    centred = []
    for values, kind in columns:
        middle = sorted(set(values))[len(set(values)) // 2] if kind == NUMBER else 0
        centred.append([values[i] - middle for i in order])
    kinds = [kind for _, kind in columns]
    weights = [
        weight_of(values, kind, standardize=standardize)
        for values, kind in zip(centred, kinds, strict=True)
    ]
    found = naive_mdav.mdav(list(zip(*centred, strict=True)), weights, k, kinds)
    labels = partition(frame, [KAnonymity(k)], MDAV(standardize=standardize))
    assert groups_of(labels) == {frozenset(order[i] for i in group) for group in found}


@given(drawn=tables())
def test_classes_have_k_records_but_one(drawn):
    """All classes but one have k records, and that one k to 2 k - 1."""
    frame, k = drawn
    *others, largest = sorted(Counter(partition(frame, [KAnonymity(k)])).values())
    assert others == [k] * len(others)
    assert k <= largest <= 2 * k - 1


@given(drawn=st.one_of(tables(), mixed_tables()), randoms=st.randoms(use_true_random=False))
def test_released_values_do_not_depend_on_the_order_of_records(drawn, randoms):
    """The same records in another order give the same rows, ties and duplicates included."""
    frame, k = drawn
    order = list(range(len(frame)))
    randoms.shuffle(order)
    one, other = (
        ka.anonymize(table, quasi_identifiers=frame.columns, k=k, algorithm=MDAV()).frame
        for table in (frame, frame[order])
    )
    assert one.rows() == other.rows()


@given(drawn=tables())
@settings(max_examples=examples(50))
def test_a_release_is_k_anonymous_and_keeps_the_totals(drawn):
    """Every row of means is there k times, nobody is left out, and no column's mean moves."""
    frame, k = drawn
    release = ka.anonymize(frame, quasi_identifiers=frame.columns, k=k, algorithm="mdav")
    assert release.verification.satisfied
    assert min(Counter(release.frame.rows()).values()) >= k
    assert len(release.frame) == len(frame)
    for name in frame.columns:
        assert release.frame[name].mean() == pytest.approx(frame[name].mean(), abs=1e-9)


def test_classes_release_their_mean():
    """Where nobody asks for a recoding, each class releases its mean, hierarchies or not."""
    roles = {"age": ka.QuasiIdentifier(groups(fan_outs=2)), "pay": ka.QuasiIdentifier()}
    policy = ka.Policy(
        attributes=roles, models=[KAnonymity(2)], algorithm={"type": "mdav"}, keep_order=True
    )
    assert ka.anonymize(SMALL, policy).frame.rows() == [
        (31.0, 1.5),
        (31.0, 1.5),
        (31.0, 1.5),
        (89.0, 7.5),
        (89.0, 7.5),
    ]


def test_classes_of_mixed_tables_release_their_centroid():
    """Numbers their mean, dates and grades their lower median, others the most frequent one."""
    grades = ["low", "low", "middle", "high", "top", "top", "high", "top"]
    frame = pl.DataFrame(
        {
            "age": [1, 2, 4, 5, 90, 91, 93, 94],
            "day": [FIRST_DAY + dt.timedelta(days) for days in (0, 1, 3, 4, 900, 901, 908, 909)],
            "grade": pl.Series(grades, dtype=pl.Enum(GRADES)),
            "town": ["b", "b", "a", None, "z", None, None, "y"],
            "ill": [True, True, True, False, False, False, False, True],
        }
    )
    release = ka.anonymize(frame, quasi_identifiers=frame.columns, k=4, algorithm="mdav")
    assert release.frame.unique().sort("age").rows() == [
        (3.0, FIRST_DAY + dt.timedelta(1), "low", "b", True),
        (92.0, FIRST_DAY + dt.timedelta(901), "top", None, False),
    ]
    occurring = pl.Enum(["low", "top"])
    assert release.frame.schema == {**frame.schema, "age": pl.Float64, "grade": occurring}


@pytest.mark.parametrize(
    ("recoding", "first"), [("median", 31.0), ("interval", "[30, 32]"), ("mode", 30)]
)
def test_another_recoding_may_be_asked_for(recoding, first):
    """The policy's recoding, or an attribute's own, comes before the mean."""
    release = ka.anonymize(
        SMALL,
        quasi_identifiers=["age", "pay"],
        k=2,
        algorithm=MDAV(),
        recoding=recoding,
        keep_order=True,
    )
    assert release.frame["age"][0] == first


def test_standardizing_lets_small_columns_count():
    """A column of thousands decides alone, unless differences count in standard deviations."""
    frame = pl.DataFrame({"a": [0, 0, 1, 1], "b": [1000, 3000, 1999, 4001]})
    asked = [KAnonymity(2)]
    assert groups_of(partition(frame, asked, MDAV(standardize=False))) == {
        frozenset({0, 2}),
        frozenset({1, 3}),
    }
    assert groups_of(partition(frame, asked, MDAV())) == {frozenset({0, 1}), frozenset({2, 3})}


@pytest.mark.parametrize("dtype", [pl.UInt8, pl.UInt64, pl.Int128, pl.Float32, pl.Decimal(9, 2)])
def test_numbers_of_any_type_are_grouped(dtype):
    """Classes do not depend on the type that holds the numbers."""
    ages = SMALL.select(pl.col("age").cast(dtype))
    assert partition(ages, [KAnonymity(2)]) == partition(SMALL[["age"]], [KAnonymity(2)])


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e150])
@pytest.mark.parametrize("standardize", [True, False])
def test_the_unit_of_measurement_does_not_matter(scale, standardize):
    """Values of any size that a table may hold are grouped like those around one."""
    values = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    algorithm = MDAV(standardize=standardize)
    asked = [KAnonymity(4)]
    around_one = partition(pl.DataFrame(values), asked, algorithm)
    assert partition(pl.DataFrame(values * scale), asked, algorithm) == around_one


@pytest.mark.parametrize(
    ("models", "k"),
    [
        ([KAnonymity(2), KAnonymity(3)], 3),
        ([AverageRisk(0.3)], 4),
        ([SampleUniqueness(0.1)], 2),
        ([PopulationUniqueness(0.1, 1000)], 2),
        ([KAnonymity(3), AverageRisk(0.5)], 3),
    ],
)
def test_models_of_class_sizes_are_met(models, k):
    """The class size is the largest that a model asks for, or that is sufficient for one."""
    frame = pl.DataFrame({"a": np.random.default_rng(0).standard_normal(40)})
    assert min(Counter(partition(frame, models)).values()) == k


@pytest.mark.parametrize(
    "model",
    [LDiversity("s", 2), TCloseness("s", 0.2), AlphaKAnonymity(0.5, 2, "s")],
    ids=lambda model: model.type,
)
def test_models_of_sensitive_values_are_refused(model):
    """A model that looks at sensitive values is an error that names what can be asked."""
    table = encode([(pl.Series("a", [1, 2]), None)], [(pl.Series("s", [1, 2]), None, False)], 2)
    with pytest.raises(PolicyError, match=rf"{model.type} of 's' .*mondrian.*choose k-anonymity"):
        MDAV().partition(Problem(table, NO_COSTS, [model]))


def test_models_of_a_population_are_refused():
    """k-map counts persons in every class, which MDAV does not see."""
    with pytest.raises(PolicyError, match="k-map needs an algorithm"):
        partition(SMALL, [KMap(2, "people.csv")])


@pytest.mark.parametrize(
    "values",
    [
        [4.0, None, 3.0],
        [1.0, float("nan"), None],
        [4, None, None],
        [FIRST_DAY, None, FIRST_DAY],
        pl.Series(["low", None, "low"], dtype=pl.Enum(GRADES)),
    ],
)
def test_missing_numbers_dates_and_grades_are_refused(values):
    """A row without a value is an error that names column and row, and what to do."""
    frame = pl.DataFrame({"age": [1, 2, 3], "pay": values})
    with pytest.raises(DataError, match=r"column 'pay', row 2: no value.*remove the record"):
        ka.anonymize(frame, quasi_identifiers=["age", "pay"], k=2, algorithm="mdav")


def test_a_column_of_no_values_is_released_as_it_is():
    """It has no type, and null is a value of its own there: the same for all."""
    frame = pl.DataFrame({"age": [1, 2, 8, 9], "pay": [None] * 4})
    release = ka.anonymize(frame, quasi_identifiers=["age", "pay"], k=2, algorithm="mdav")
    assert release.frame.unique().sort("age").rows() == [(1.5, None), (8.5, None)]


def test_fewer_than_k_records_are_refused():
    """A table of fewer than k records cannot be released; one of k or k + 1 is one class."""
    with pytest.raises(InfeasibleError, match="required 6, the best possible is 5"):
        partition(SMALL, [KAnonymity(6)])
    assert partition(SMALL, [KAnonymity(5)]) == partition(SMALL, [KAnonymity(4)]) == [0] * 5


def test_tables_without_records_or_quasi_identifiers():
    """No records are no classes, and records without quasi-identifiers one."""
    assert partition(SMALL.clear(), [KAnonymity(3)]) == []
    whole = MDAV().partition(Problem(encode([], [], 4), NO_COSTS, [KAnonymity(3)]))
    assert (whole.labels.tolist(), whole.n_classes) == ([0], 1)


@pytest.mark.parametrize("standardize", ["yes", 1, None])
def test_standardize_is_true_or_false(standardize):
    """Anything else is a fault of the policy."""
    with pytest.raises(PolicyError, match=r"standardize is .*; it must be true or false"):
        MDAV(standardize=standardize)
