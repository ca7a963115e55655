"""SUDA and DIS-SUDA scores against their plain twin, and their laws."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.data.errors import DataError, PolicyError
from kanonym.evaluation.risk.suda import ENTRIES, MOST_ATTRIBUTES, MOST_SETS, largest_feasible, suda
from twins import risk as naive_suda


@st.composite
def tables(draw):
    """Draw up to five attributes with few values and up to 20 records."""
    n = draw(st.integers(0, 20))
    tops = draw(st.lists(st.integers(0, 4), min_size=1, max_size=5))
    rows = [[draw(st.integers(0, top)) for top in tops] for _ in range(n)]
    return np.array(rows, np.int32).reshape(n, len(tops))


def names_of(codes):
    """Return a name for each attribute."""
    return [f"q{a}" for a in range(codes.shape[1])]


@given(tables(), st.integers(1, 6), st.integers(1, 100))
@settings(max_examples=examples(200))
def test_equals_the_twin(codes, largest, percent):
    """Scores, counts and contributions are those of the definitions, for any largest set."""
    found = suda(codes, names_of(codes), largest=largest, fraction=percent / 100)
    d = codes.shape[1]
    by_hand = naive_suda.scored(codes.tolist(), d, min(largest, d), Fraction(percent, 100))
    assert found.scores.tolist() == by_hand.scores
    assert found.dis.tolist() == pytest.approx(by_hand.dis, rel=1e-9)
    assert found.file_dis == pytest.approx(float(by_hand.file_dis), rel=1e-12)
    assert found.counts.tolist() == by_hand.counts
    assert list(found.contributions.values()) == pytest.approx(
        [float(part) for part in by_hand.contributions]
    )


@given(tables())
def test_the_sets_of_a_record_explain_its_score(codes):
    """`explain` lists the sets of the twin; (d - k)! for each, of k attributes, is the score."""
    d = codes.shape[1]
    found = suda(codes, names_of(codes))
    by_hand = naive_suda.minimal_uniques(codes.tolist(), d)
    for row, sets in enumerate(by_hand):
        explained = found.explain(row)
        assert explained == tuple(tuple(f"q{a}" for a in chosen) for chosen in sets)
        assert sum(math.factorial(d - len(chosen)) for chosen in explained) == found.scores[row]


@given(tables())
def test_what_records_contribute_is_what_the_table_does(codes):
    """Shares of records, weighted by their scores, are those of the table."""
    found = suda(codes, names_of(codes))
    for name, share in found.contributions.items():
        by_record = [found.shares(row)[name] for row in range(len(codes))]
        assert np.dot(by_record, found.scores) == pytest.approx(share * found.scores.sum())


@given(tables(), st.floats(0.001, 1), st.floats(0.001, 1))
def test_a_larger_share_of_the_population_is_riskier(codes, one, other):
    """DIS scores rise with the sampling fraction and stay probabilities."""
    low, high = (
        suda(codes, names_of(codes), fraction=fraction).dis for fraction in sorted((one, other))
    )
    assert (low <= high + 1e-12).all()
    assert (low >= 0).all()
    assert (high <= 1).all()


def test_the_example_of_the_practice_guide():
    """Ten records of four attributes score as in the guide for sdcMicro.

    Benschop, Machingauta and Welch, "Statistical disclosure control: a practice guide",
    section on SUDA. Its DIS scores are not those of its scores: they come from sdcMicro's
    former ones, of (2^(d-k) - 1) k! (d-k)! / d! for a set of k of d attributes.
    """
    codes = np.array(
        [
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 1, 1],
            [0, 1, 2, 0],
            [1, 0, 2, 2],
            [0, 1, 2, 0],
            [0, 0, 3, 1],
            [0, 1, 4, 2],
            [0, 0, 0, 1],
            [0, 0, 0, 1],
        ],
        np.int32,
    )
    found = suda(codes, ["residence", "gender", "education", "labour"], largest=3)
    assert found.scores.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    assert found.explain(4) == (
        ("residence",),
        ("gender", "education"),
        ("gender", "labour"),
        ("education", "labour"),
    )


def test_a_set_counts_for_each_of_its_attributes():
    """Two attributes that part the same record from others both contribute all of its score."""
    codes = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [1, 1, 0]], np.int32)
    found = suda(codes, ["a", "b", "c"])
    assert found.contributions == {"a": 1.0, "b": 1.0, "c": 0.0}
    assert found.shares(0) == {"a": 1.0, "b": 1.0, "c": 0.0}
    assert found.shares(3) == {"a": 0.0, "b": 0.0, "c": 0.0}


def test_what_one_attribute_scores_with_a_largest_size():
    """With 5 attributes and sets of up to 2, one attribute scores 4 · 3, two score 3."""
    codes = np.array([[1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 1, 1, 0, 0]], np.int32)
    found = suda(codes, list("abcde"), largest=2)
    assert found.scores.tolist() == [12, 3, 3, 12]


def test_null_is_a_value():
    """The one record with a null, coded as the last value, is unique by it."""
    found = suda(np.array([[0], [0], [1], [1], [2]], np.int32), ["age"])
    assert found.explain(4) == (("age",),)


def test_without_a_pair_every_unique_match_is_correct():
    """Where no two records are equal, the chance is 1 at any sampling fraction."""
    found = suda(np.array([[0, 0], [0, 1], [1, 1]], np.int32), ["a", "b"], fraction=0.2)
    assert found.dis.tolist() == [1, 1, 1]
    assert found.file_dis == 1


def test_entries_say_what_they_mean():
    """Highest, mean and highest DIS have values, and parts that explain them."""
    found = suda(np.array([[0, 0], [0, 1], [1, 1], [1, 1]], np.int32), ["a", "b"])
    entries = found.entries()
    assert list(entries) == list(ENTRIES)
    assert entries["suda_highest"].value == 1
    assert entries["suda_mean"].value == 0.5
    assert entries["suda_mean"].parts == {"a": 0.5, "b": 1.0}
    assert entries["dis_highest"].parts == {"file": pytest.approx(0.02 / (0.02 + 1.98))}
    assert json.dumps([entry.to_dict() for entry in entries.values()])


def test_what_was_looked_for_is_said():
    """Where sets of all attributes were not, part `largest` says up to how many were."""
    codes = np.array([[0, 0], [0, 1], [1, 1], [1, 1]], np.int32)
    entries = suda(codes, ["a", "b"], largest=1).entries()
    assert entries["suda_highest"].parts == {"largest": 1}
    assert entries["dis_highest"].parts["largest"] == 1
    assert list(entries["suda_mean"].parts) == ["a", "b"]


def test_unique_records_whose_sets_are_larger_are_not_safe():
    """Alone on two attributes and on no single one, records have no score for sets of one."""
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32)
    found = suda(codes, ["a", "b"], largest=1)
    assert not found.is_conclusive
    for entry in found.entries().values():
        assert entry.value is None
        assert "none on 1 attributes or fewer" in entry.reason
    assert suda(np.repeat(codes, 2, axis=0), ["a", "b"], largest=1).is_conclusive  # nobody is alone
    assert suda(codes, ["a", "b"]).is_conclusive


@given(st.integers(0, 10**9), st.lists(st.integers(1, 10**6), min_size=1, max_size=12))
@settings(max_examples=examples(100))
def test_what_fits_shrinks_with_the_table(n, sizes):
    """More records or attributes never allow larger sets, and a small table allows all."""
    fits = largest_feasible(n, sizes, len(sizes))
    assert 0 <= largest_feasible(2 * n, sizes, len(sizes)) <= fits <= len(sizes)
    assert largest_feasible(n, [*sizes, 2], len(sizes)) <= fits
    assert largest_feasible(n, sizes, 2) == min(fits, 2)
    assert largest_feasible(MOST_SETS // 1000, sizes, len(sizes)) == len(sizes)


def test_no_record_no_value():
    """A table without a record has entries without a value, and says why."""
    found = suda(np.empty((0, 2), np.int32), ["a", "b"])
    assert len(found.scores) == len(found.dis) == 0
    for entry in found.entries().values():
        assert (entry.value, entry.reason) == (None, "the table has no record")


@pytest.mark.parametrize("d", [0, MOST_ATTRIBUTES + 1])
def test_refuses_numbers_of_attributes_that_have_no_score(d):
    """No attribute, or more than the exponent of DIS allows, is refused with the number."""
    with pytest.raises(DataError, match=f"1 to 27 quasi-identifiers, not {d}"):
        suda(np.zeros((2, d), np.int32), [f"q{a}" for a in range(d)])


def test_takes_as_many_attributes_as_it_says():
    """Of 27 attributes, the largest score is that of each attribute alone: 26!."""
    codes = np.stack([np.zeros(27, np.int32), np.ones(27, np.int32)])
    found = suda(codes, [f"q{a}" for a in range(27)])
    assert found.scores[0] == pytest.approx(27 * 403291461126605635584000000.0)
    assert found.dis.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"largest": 0}, "largest: 0 attributes"),
        ({"fraction": 0.0}, r"fraction: 0\.0 is not a share"),
        ({"fraction": 1.5}, r"fraction: 1\.5 is not a share"),
        ({"fraction": float("nan")}, "fraction: nan is not a share"),
    ],
)
def test_refuses_parameters_out_of_range(asked, message):
    """A set has an attribute; a sampling fraction is above 0 and at most 1."""
    with pytest.raises(PolicyError, match=message):
        suda(np.zeros((2, 1), np.int32), ["a"], **asked)


@pytest.mark.parametrize("row", [-1, 2])
def test_refuses_rows_that_are_not_there(row):
    """Rows are counted from 0 to the last one."""
    found = suda(np.zeros((2, 1), np.int32), ["a"])
    with pytest.raises(DataError, match=rf"no row {row}: rows are 0 to 1"):
        found.explain(row)


def test_each_attribute_has_one_name():
    """A list of names of another length is refused."""
    with pytest.raises(ValueError, match="1 names for 2 attributes"):
        suda(np.zeros((2, 2), np.int32), ["a"])
