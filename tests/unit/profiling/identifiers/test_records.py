"""Counters and serial codes, and numbers that only look like them."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

from kanonym.profiling.identifiers import find_identifiers

RNG = np.random.default_rng(1)


def kinds(name, values):
    """Return the kinds of identifier that a column is found to be."""
    return {finding.kind for finding in find_identifiers(pl.Series(name, values))}


@pytest.mark.parametrize(
    "values",
    [
        RNG.permutation(500),
        RNG.permutation(500) + 20_001,
        np.sort(RNG.choice(4_000, 2_500, replace=False)),
        RNG.choice(9 * 10**9, 500, replace=False) + 10**9,
        [f"P-{n:05d}" for n in RNG.permutation(500)],
        [f"{n:08d}" for n in RNG.choice(10**8, 500, replace=False)],
        [
            f"{a}{n}"
            for a, n in zip("AB" * 50, RNG.permutation(900_000)[:100] + 100_000, strict=True)
        ],
    ],
    ids=["counter", "counter from", "counter with gaps", "long", "code", "zeros", "letter"],
)
def test_counters_and_codes_are_record_numbers(values):
    """All different, in one run or of one pattern: a value stands for a record."""
    (finding,) = find_identifiers(pl.Series("v", values))
    assert (finding.kind, finding.by) == ("record number", "values")


@pytest.mark.parametrize(
    "values",
    [
        RNG.integers(0, 100, 500),
        RNG.integers(10_000, 99_999, 500),
        RNG.choice(60, 19, replace=False) + 20,
        RNG.choice(10**6, 500, replace=False),
        RNG.normal(50_000, 9_000, 500),
        np.arange(500.0),
        [f"{n / 100:.2f}" for n in range(1000, 1500)],
        [f"{19_500_101 + n}" for n in range(28)],
        [dt.date(2000, 1, 1) + dt.timedelta(days=n) for n in range(500)],
        [str(dt.date(2000, 1, 1) + dt.timedelta(days=n)) for n in range(500)],
        [1_500_000_000 + 977 * n for n in range(500)],
        [True, False] * 250,
    ],
    ids=[
        "ages", "postal codes", "few ages", "incomes", "measured", "whole floats", "amounts",
        "days in digits", "days", "days as text", "seconds", "flags",
    ],
)  # fmt: skip
def test_quantities_are_no_record_numbers(values):
    """Numbers that measure, count or date are not claimed, even where all differ."""
    assert kinds("v", values) == set()


@pytest.mark.parametrize("name", ["age", "zip", "birth_year", "income", "savings"])
def test_what_the_name_says_otherwise_is_no_record_number(name):
    """Thirty different ages in a row are ages."""
    assert kinds(name, list(range(30, 60))) == set()


def test_a_vague_word_needs_different_values():
    """A `country_id` that records share is none, an `SK_ID_CURR` that all differ in is one."""
    shared, own = RNG.integers(0, 200, 500), RNG.choice(10**6, 500, replace=False)
    assert kinds("country_id", shared) == set()
    assert kinds("SK_ID_CURR", own) == {"record number"}


def test_a_clear_word_stands_for_shared_values_too():
    """Patients and households have several records each; their numbers are identifiers."""
    values = np.repeat(np.arange(100) * 3, 4)
    assert kinds("patient_id", values) == {"medical record number"}
    assert kinds("ori_hid", values) == {"record number"}


def test_numbers_that_a_null_turned_into_floats_are_found_by_name():
    """A null among integers makes floating-point numbers of them elsewhere."""
    assert kinds("patient_id", [float(7 * n) for n in range(50)] + [None]) == {
        "medical record number"
    }


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("phone", ["yes", "no"] * 20),
        ("credit_card", [0, 1] * 20),
        ("email", [True, False] * 20),
        ("passport", ["expired", "valid", "none"] * 20),
        ("fax", [1.5, 2.5, 3.5] * 20),
    ],
)
def test_flags_are_no_identifiers_whatever_they_are_called(name, values):
    """Whether somebody has a telephone is not its number."""
    assert kinds(name, values) == set()


def test_pseudonyms_are_still_one_for_each_person():
    """What is called an address and differs in each row is claimed by its name."""
    values = [f"{n * 7919:x}zz" for n in range(1, 60)]
    (finding,) = find_identifiers(pl.Series("email", values))
    assert (finding.kind, finding.by, finding.share) == ("e-mail address", "name", 0.0)


@pytest.mark.parametrize("dtype", [pl.String, pl.Int64, pl.Null])
def test_columns_without_values_are_believed_their_name(dtype):
    """What comes later into an empty column of that name identifies persons."""
    column = pl.Series("surname", [None] * 5, dtype=dtype)
    assert [finding.by for finding in find_identifiers(column)] == ["name"]
    assert find_identifiers(column.alias("v")) == ()


def test_pictures_are_found_by_name():
    """File names of photographs identify by what they show."""
    (finding,) = find_identifiers(pl.Series("photo", [f"img/{n}.jpg" for n in range(9)]))
    assert finding.safe_harbor == "(Q) full-face photographs"
