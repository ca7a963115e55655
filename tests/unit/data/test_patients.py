"""Laws of the invented patients: repeatable, well-formed, and structured like real ones."""

from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest

from kanonym.data.example_tables import check_digit, patients


@pytest.fixture(scope="module")
def table():
    """Return ten thousand patients."""
    return patients(10_000).with_columns(age=2025 - pl.col("birth_date").dt.year())


def test_one_seed_gives_one_table():
    """The same seed gives the same patients, another seed others."""
    assert patients(200, seed=3).equals(patients(200, seed=3))
    assert not patients(200, seed=3).equals(patients(200, seed=4))


@pytest.mark.parametrize("rows", [0, 1, 7])
def test_any_number_of_rows_has_the_same_columns(rows):
    """Small and empty tables have the schema of large ones."""
    assert patients(rows).schema == patients(100).schema
    assert patients(rows).height == rows


def test_nothing_is_missing(table):
    """Every patient has a value in every column."""
    assert table.null_count().sum_horizontal().item() == 0


def test_national_numbers_are_different_and_valid(table):
    """National numbers are unique, and the last of their ten digits checks the others."""
    numbers = table["national_number"]
    assert numbers.is_unique().all()
    assert numbers.str.contains(r"^\d{10}$").all()
    body = numbers.str.head(9).cast(pl.Int64).to_numpy()
    assert (check_digit(body) == numbers.str.tail(1).cast(pl.Int64).to_numpy()).all()


def test_check_digit_finds_a_wrong_digit_and_a_swap():
    """Changing one digit of a number, or swapping 1 and 2, changes its check digit."""
    right, wrong, swapped = check_digit(np.array([123456789, 123456780, 213456789]))
    assert right not in (wrong, swapped)


def test_some_postal_codes_start_with_zero(table):
    """Postal codes have five digits, and some of them a leading zero."""
    codes = table["postal_code"]
    assert codes.str.contains(r"^\d{5}$").all()
    assert 0 < codes.str.starts_with("0").mean() < 1


def test_postal_codes_are_clustered(table):
    """The tenth of the postal codes that are commonest hold more than a third of the people."""
    counts = table["postal_code"].value_counts(sort=True)["count"]
    assert counts.head(len(counts) // 10).sum() > len(table) / 3


def test_nobody_is_born_after_the_reference_day(table):
    """Births lie in the hundred years before 2025."""
    births = table["birth_date"]
    assert births.max() < datetime.date(2025, 1, 1)
    assert births.min() > datetime.date(1924, 1, 1)


def test_ages_do_not_pile_up_at_the_ends(table):
    """No year of age holds more than a twentieth of the people."""
    assert table["age"].value_counts()["count"].max() < len(table) / 20


@pytest.mark.parametrize(
    ("diagnosis", "sex"),
    [("pregnancy care", "female"), ("breast cancer", "female"), ("prostate cancer", "male")],
)
def test_diagnosis_of_one_sex_is_given_to_that_sex(table, diagnosis, sex):
    """A diagnosis that one sex has is never given to the other."""
    assert set(table.filter(diagnosis=diagnosis)["sex"]) == {sex}


def test_diagnosis_depends_on_age(table):
    """Patients with dementia are old, those with otitis media are children."""
    median = dict(table.group_by("diagnosis").agg(pl.col("age").median()).iter_rows())
    assert median["otitis media"] < 12
    assert median["dementia"] > 60


def test_diagnosis_depends_on_occupation(table):
    """Heavy work doubles back pain among people of working age."""
    working = table.filter(pl.col("age").is_between(30, 60))
    heavy = pl.col("occupation").is_in(["bricklayer", "factory worker", "lorry driver"])
    pain = (pl.col("diagnosis") == "back pain").mean()
    rates = dict(working.group_by(heavy).agg(pain).iter_rows())
    assert rates[True] > 1.4 * rates[False]


def test_occupation_depends_on_age(table):
    """Children go to school, and hardly anyone above 75 works."""
    children = table.filter(pl.col("age").is_between(8, 16))
    old = table.filter(pl.col("age") > 75)
    assert set(children["occupation"]) == {"pupil"}
    assert (old["occupation"] == "retired").mean() > 0.95
