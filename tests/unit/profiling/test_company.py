"""What the other columns say of one whose name says nothing."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kanonym.data.schema import Role
from kanonym.profiling import profile

RECORDS = 300


def table(**more):
    """Return a table of persons with four columns on their health, and more columns."""
    random = np.random.default_rng(3)
    names = ("asthma", "fever", "cough", "cholesterol")
    return pl.DataFrame(
        {
            "age": random.integers(20, 80, RECORDS),
            "sex": random.integers(0, 2, RECORDS),
            **{name: random.integers(0, 3, RECORDS) for name in names},
            **{name: values(random) for name, values in more.items()},
        }
    )


def role(frame, name):
    """Return the role of a column and the kinds of its reasons."""
    (found,) = (one for one in profile(frame).columns if one.name == name)
    return found.role, [one.kind for one in found.reasons]


def test_beside_what_is_measured_an_unknown_column_is_too():
    """In a table on health a column without a telling name is sensitive."""
    frame = table(zorb=lambda random: random.integers(0, 3, RECORDS))
    assert role(frame, "zorb")[0] is Role.SENSITIVE
    assert role(frame, "zorb")[1][0] == "company"


@pytest.mark.parametrize("left_out", ["age", "asthma"])
def test_a_table_of_weather_or_of_little_on_health_says_nothing(left_out):
    """Neither persons nor enough of what is confidential: in doubt it is known."""
    frame = table(zorb=lambda random: random.integers(0, 3, RECORDS))
    rest = {"age": ["age", "sex"], "asthma": ["asthma", "fever"]}[left_out]
    assert role(frame.drop(rest), "zorb")[0] is Role.QUASI_IDENTIFIER


@pytest.mark.parametrize("name", ["aa", "educdec"])
def test_short_names_and_those_like_known_ones_stay_in_doubt(name):
    """`aa` may be an ethnic group."""
    frame = table(**{name: lambda random: random.integers(0, 3, RECORDS)})
    assert role(frame, name)[0] is Role.QUASI_IDENTIFIER


def test_many_texts_stay_in_doubt():
    """They may be places or occupations."""
    frame = table(zorb=lambda random: [f"Ort {at}" for at in random.integers(0, 30, RECORDS)])
    assert role(frame, "zorb")[0] is Role.QUASI_IDENTIFIER


def test_what_is_empty_where_a_known_column_is_stays_in_doubt():
    """The day of a death is missing where its year is."""
    frame = table(zorb=lambda random: random.integers(1, 29, RECORDS)).with_columns(
        pl.when(pl.col("age") > 60).then(1_990 + pl.col("sex")).alias("death_year"),
        pl.when(pl.col("age") > 60).then("zorb").alias("zorb"),
    )
    assert role(frame, "zorb")[0] is Role.QUASI_IDENTIFIER


def test_a_name_that_tells_a_period_is_of_what_was_done():
    """What is asked of the last 30 days is said in confidence."""
    frame = pl.DataFrame({"rode_30d": [0, 1, 2] * 50, "rode_30days_x": [0, 1] * 75})
    assert {one.role for one in profile(frame).columns} == {Role.SENSITIVE}


def test_numbered_columns_of_few_values_are_a_questionnaire():
    """Five numbered columns of five answers are; four are not."""
    random = np.random.default_rng(1)
    answers = {f"q{at}": random.integers(1, 6, RECORDS) for at in range(5)}
    assert role(pl.DataFrame(answers), "q3") == (Role.SENSITIVE, ["items", "most-frequent"])
    answers.pop("q0")
    assert role(pl.DataFrame(answers), "q3")[0] is Role.QUASI_IDENTIFIER


def test_a_column_that_differs_where_an_income_does_is_one():
    """A logarithm tells as much as its number."""
    income = np.random.default_rng(2).integers(10, 40, RECORDS)
    frame = pl.DataFrame({"income": income, "zorb": np.log(income), "other": income // 2})
    assert role(frame, "zorb")[0] is Role.SENSITIVE
    assert role(frame, "zorb")[1][0] == "twin"
    assert role(frame, "other")[0] is Role.QUASI_IDENTIFIER
