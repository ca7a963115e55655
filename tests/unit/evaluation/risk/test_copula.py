"""Likelihood that a match is correct: known populations, the authors' example, invariances."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from copula_tables import latent
from effort import examples
from kanonym.data.errors import DataError
from kanonym.evaluation.risk.copula import copula_risk

SHARES = [np.arange(40, 0, -1) / 820, np.full(15, 1 / 15), np.array([0.5, 0.3, 0.2]), [0.6, 0.4]]
CORRELATION = 0.5 * np.eye(4) + 0.5


def population_of(rng, n):
    """Draw (n, 4) codes from a Gaussian copula whose attributes all depend on each other."""
    normal = ndtr(latent(n, rng, CORRELATION))
    cells = [np.searchsorted(np.cumsum(s)[:-1], u) for s, u in zip(SHARES, normal.T, strict=True)]
    return np.stack(cells, axis=1).astype(np.int32)


def sizes_of(codes):
    """Return the sizes of the domains."""
    return [int(column.max()) + 1 for column in codes.T]


def truth(codes):
    """Return the true share of uniques and chance of a correct match."""
    counts = np.unique(codes, axis=0, return_counts=True)[1]
    return (counts == 1).sum() / len(codes), len(counts) / len(codes)


@pytest.mark.parametrize("n", [200, 2_000, 20_000])
def test_population_of_a_copula_is_estimated(n):
    """A sample of a copula's population tells its uniques and its correct matches."""
    rng = np.random.default_rng(0)
    population = population_of(rng, 20_000)
    found = copula_risk(population[:n], sizes_of(population), 20_000)
    unique, correct = truth(population)
    assert 0.01 < unique < 0.05 < correct < 0.15
    assert found.population_uniqueness.value == pytest.approx(unique, abs=0.01)
    assert found.population_correctness.value == pytest.approx(correct, abs=0.02)


def test_records_of_independent_attributes_are_exact():
    """Where all combinations are equally frequent, each record has the exact likelihoods."""
    codes = np.array([[a, b, c] for a in range(10) for b in range(5) for c in range(4)], np.int32)
    found = copula_risk(codes, [10, 5, 4], 1000)
    p = 1 / 200
    assert found.uniqueness == pytest.approx(np.full(200, (1 - p) ** 999), rel=1e-9)
    correct = (1 - (1 - p) ** 1000) / (1000 * p)
    assert found.correctness == pytest.approx(np.full(200, correct), rel=1e-9)
    assert found.population_uniqueness.value == pytest.approx((1 - p) ** 999, rel=1e-9)
    assert found.population_correctness.value == pytest.approx(correct, rel=1e-9)


def test_one_attribute_is_exact():
    """With one attribute, the probability of a record is the frequency of its value."""
    codes = np.array([[0]] * 6 + [[1]] * 3 + [[2]], np.int32)
    found = copula_risk(codes, [3], 20)
    p = np.repeat([0.6, 0.3, 0.1], [6, 3, 1])
    assert found.uniqueness == pytest.approx((1 - p) ** 19, rel=1e-12)
    assert found.correctness == pytest.approx((1 - (1 - p) ** 20) / (20 * p), rel=1e-12)
    records = found.population_uniqueness.parts["records"]
    assert records == pytest.approx(found.uniqueness.mean(), rel=1e-12)


def test_authors_example_of_numbers():
    """The first record of pycorrectmatch's demonstration: 0.379 and 0.644 among 1,000.

    Their fit is random (five of ten correlations between 0.03 and 0.12, where the
    attributes are independent), so two digits are all that can agree.
    """
    rng = np.random.default_rng(42)
    codes = rng.integers(1, 5, size=(1000, 5)).astype(np.int32) - 1
    assert truth(codes)[0] == 0.368
    found = copula_risk(codes, [4] * 5, 1000)
    assert found.uniqueness[0] == pytest.approx(0.379, abs=0.02)
    assert found.correctness[0] == pytest.approx(0.644, abs=0.01)


def test_authors_example_of_categories():
    """The red, large square of pycorrectmatch's demonstration: 0.232 and 0.530 among 50.

    Their model of 100 records is asked about 50 persons; ours of every second record.
    """
    rng = np.random.default_rng(42)
    rng.integers(1, 5, size=(1000, 5))
    columns = [
        rng.choice(["red", "green", "blue"], size=100),
        rng.choice(["S", "M", "L", "XL"], size=100),
        rng.choice(["circle", "square", "triangle"], size=100),
    ]
    coded = [np.unique(column, return_inverse=True)[1] for column in columns]
    codes = np.stack(coded, axis=1).astype(np.int32)
    assert truth(codes) == (0.06, 0.35)
    unique = copula_risk(codes, [3, 4, 3], 100).uniqueness[0]
    p = 1 - unique ** (1 / 99)
    assert (1 - p) ** 49 == pytest.approx(0.232, abs=0.005)
    assert (1 - (1 - p) ** 50) / (50 * p) == pytest.approx(0.530, abs=0.005)


tables = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=30
)


@given(tables, st.randoms(use_true_random=False))
@settings(max_examples=examples(15), deadline=None)
def test_order_of_rows_does_not_count(rows, random):
    """Shuffled rows get the same likelihoods, and the population the same figures."""
    codes = np.array(rows, np.int32)
    order = list(range(len(rows)))
    random.shuffle(order)
    there, shuffled = (copula_risk(each, [4, 3, 5], 100) for each in (codes, codes[order]))
    assert shuffled.uniqueness == pytest.approx(there.uniqueness[order], rel=1e-9)
    assert shuffled.correctness == pytest.approx(there.correctness[order], rel=1e-9)
    for one in ("population_uniqueness", "population_correctness"):
        assert getattr(shuffled, one).value == pytest.approx(getattr(there, one).value, rel=1e-9)


@given(tables, st.permutations(range(5)))
@settings(max_examples=examples(15), deadline=None)
def test_numbers_of_values_do_not_count(rows, renumbered):
    """Values may be numbered in any order: names have none."""
    codes = np.array(rows, np.int32)
    other = codes.copy()
    other[:, 2] = np.array(renumbered)[codes[:, 2]]
    there, here = (copula_risk(each, [4, 3, 5], 100) for each in (codes, other))
    assert here.correctness == pytest.approx(there.correctness, rel=1e-9)
    value = there.population_uniqueness.value
    assert here.population_uniqueness.value == pytest.approx(value, rel=1e-9)


@given(tables, st.integers(30, 10**9))
@settings(max_examples=examples(20), deadline=None)
def test_likelihoods_lie_in_their_ranges(rows, population):
    """Uniqueness is at most correctness, and correctness at least a random guess."""
    found = copula_risk(np.array(rows, np.int32), [4, 3, 5], population)
    assert (found.uniqueness >= 0.0).all()
    assert (found.uniqueness <= found.correctness * (1 + 1e-9)).all()
    assert (found.correctness * population >= 1 - 1e-6).all()
    assert (found.correctness <= 1.0).all()
    for one in (found.population_uniqueness, found.population_correctness):
        assert one.meaning.low <= one.value <= one.meaning.high


def test_rare_values_are_riskier():
    """A record whose values are rarer is more likely unique."""
    rng = np.random.default_rng(0)
    codes = population_of(rng, 2000)
    codes[0], codes[1] = (0, 0, 0, 0), (39, 14, 2, 1)
    found = copula_risk(codes, sizes_of(codes), 10_000)
    assert found.correctness[1] > 2 * found.correctness[0]


def test_larger_population_hides_better():
    """Among more persons, fewer are unique."""
    codes = population_of(np.random.default_rng(0), 1000)
    sizes = sizes_of(codes)
    small, large = (copula_risk(codes, sizes, n) for n in (1000, 10_000_000))
    assert (large.uniqueness < small.uniqueness).all()
    assert large.population_correctness.value < 0.05 < small.population_correctness.value


def test_seeds_differ_by_the_error_only():
    """Another shift of the points moves results by no more than the stated errors."""
    codes = population_of(np.random.default_rng(0), 2000)
    runs = [copula_risk(codes, sizes_of(codes), 20_000, seed=seed) for seed in range(3)]
    assert np.std([run.correctness for run in runs], axis=0).mean() < 0.01
    assert np.std([run.population_correctness.value for run in runs]) < 0.005


def test_nothing_to_judge():
    """A table without records, or without quasi-identifiers, has no value and says why."""
    empty = copula_risk(np.empty((0, 2), np.int32), [3, 3], 10)
    assert empty.population_uniqueness.value is None
    assert empty.population_uniqueness.reason == "the table has no record"
    bare = copula_risk(np.empty((4, 0), np.int32), [], 10)
    assert bare.population_correctness.reason == "no quasi-identifier is given"


def test_population_smaller_than_the_table_is_refused():
    """A table is no sample of fewer persons than it has records."""
    with pytest.raises(DataError, match="population has 2 persons and the table 3 records"):
        copula_risk(np.zeros((3, 1), np.int32), [1], 2)


def test_census_sample(shared_data):
    """From 1 % of the census, the copula tells what all of it is like, within 0.05."""
    names = ["sex", "age", "race", "marital-status", "education", "native-country"]
    table = pl.read_csv(shared_data / "adult" / "adult.csv", separator=";")
    columns = [table[name].cast(pl.String).rank("dense").to_numpy() - 1 for name in names]
    codes = np.stack(columns, axis=1).astype(np.int32)
    sample = codes[np.random.default_rng(0).permutation(len(codes))[:301]]
    found = copula_risk(sample, sizes_of(codes), len(codes))
    unique, correct = truth(codes)
    assert found.population_uniqueness.value == pytest.approx(unique, abs=0.05)
    assert found.population_correctness.value == pytest.approx(correct, abs=0.05)


def test_an_attribute_that_another_determines_changes_nothing():
    """A town beside its postal codes, or the codes numbered anew, tell of nobody more."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 40, (400, 2)).astype(np.int32)
    town, renumbered = codes[:, :1] // 10, 39 - codes[:, :1]
    alone = copula_risk(codes, [40, 40], 10_000)
    beside = copula_risk(np.hstack([codes, town, renumbered]), [40, 40, 4, 40], 10_000)
    before = copula_risk(np.hstack([town, codes]), [4, 40, 40], 10_000)
    for found in (beside, before):
        np.testing.assert_array_equal(found.correctness, alone.correctness)
        assert found.population_correctness == alone.population_correctness


def test_what_chance_determines_is_kept():
    """Where nearly every value is one record's, that it goes with one other value is no tie."""
    random = np.random.default_rng(0)
    codes = np.column_stack([np.arange(60), random.integers(0, 2, 60)]).astype(np.int32)
    one = copula_risk(codes[:, :1], [60], 1_000)
    assert (copula_risk(codes, [60, 2], 1_000).correctness > one.correctness).all()
