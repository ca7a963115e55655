"""Roles and the reasons for them."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl
import pytest

from kanonym.data.schema import Role
from kanonym.profiling.columns import content_of
from kanonym.profiling.identifiers import Finding
from kanonym.profiling.identifiers.sample import share_reason
from kanonym.profiling.roles import role_of
from kanonym.profiling.words import name_hints

FOUND = Finding(
    "e-mail address", (share_reason("form", 1.0, "e-mail addresses"),), 1.0, "values", None
)


def role(name, values, findings=(), *, named=False, **kind):
    """Return role and reasons, in one text, of a column."""
    content, _ = content_of(pl.Series(name, values, **kind))
    found, reasons = role_of(content, findings, name_hints(name), named=named)
    return found, "; ".join(one.to_text() for one in reasons)


def test_what_was_found_to_identify_is_an_identifier():
    """A finding decides, and its evidence is given."""
    found, why = role("contact", ["a@b.org", "c@d.org"], [FOUND])
    assert found is Role.IDENTIFIER
    assert why == FOUND.evidence


def test_numbers_of_groups_are_identifiers_and_may_be_the_entity():
    """A running number that several records share numbers households or persons."""
    found, why = role("n", [at // 4 for at in range(400)])
    assert found is Role.IDENTIFIER
    assert "numbers groups of records" in why
    assert "entity" in why


def test_a_text_of_its_own_in_each_record_is_an_identifier():
    """Generalized, such texts would say nothing: they are dropped."""
    assert role("remark", [f"words {at} of it" for at in range(60)])[0] is Role.IDENTIFIER
    assert role("zip", [f"{at:05}" for at in range(60)])[0] is Role.QUASI_IDENTIFIER  # has levels


@pytest.mark.parametrize(
    "values",
    [
        [f"words {at} of it" for at in range(20)],
        [f"words {at % 30} of it" for at in range(60)],
        [str(date(2000, 1, 1) + timedelta(days=at)) for at in range(60)],
        [f"{at},5" for at in range(60)],
    ],
)
def test_few_or_repeated_texts_and_dates_are_quasi_identifiers(values):
    """Short tables, repeated texts, dates and amounts are recoded, not dropped."""
    assert role("what", values)[0] is Role.QUASI_IDENTIFIER


@pytest.mark.parametrize("values", [["x"] * 3, [None] * 3, [7.5] * 2])
def test_only_what_is_the_same_in_every_record_is_insensitive(values):
    """A constant tells nobody apart."""
    assert role("sampling_weight", values, dtype=None)[0] is Role.INSENSITIVE


def test_one_record_has_no_constant():
    """Of a single record no column is called insensitive."""
    assert role("city", ["Ulm"])[0] is Role.QUASI_IDENTIFIER


def test_a_constant_that_is_sensitive_stays_so():
    """That all have the disease is told of who is known to be in the table."""
    found, why = role("diagnosis", ["HIV"] * 5)
    assert found is Role.SENSITIVE
    assert "HIV" not in why


@pytest.mark.parametrize("name", ["anything", "x17", "Spalte"])
def test_in_doubt_a_column_is_a_quasi_identifier(name):
    """What nothing is known of may be known to an intruder."""
    assert role(name, ["a", "b", "a", "b"])[0] is Role.QUASI_IDENTIFIER


def test_a_sensitive_name_with_few_values_is_sensitive():
    """Diseases of several persons each are sensitive; none of them is named in the reason."""
    found, why = role("diagnosis", ["flu", "cold"] * 5)
    assert found is Role.SENSITIVE
    assert "flu" not in why
    assert "cold" not in why


def test_amounts_are_sensitive_and_rounded():
    """An exact income names who is known to have it: it is sensitive, and to be rounded."""
    found, why = role("income", [1000 + 17 * at for at in range(50)])
    assert found is Role.SENSITIVE
    assert "50 numbers occur once" in why
    assert "rounded" in why


@pytest.mark.parametrize("name", ["diagnosis", "surgery"])
def test_many_numbers_of_an_event_tell_when_it_was(name):
    """Days of a diagnosis are dates, which others know; codes of it are sensitive."""
    assert role(name, [9_000 + 31 * at for at in range(50)])[0] is Role.QUASI_IDENTIFIER
    assert role(name, [0, 1, 2] * 20)[0] is Role.SENSITIVE


def test_days_are_known_whatever_happened():
    """A column of dates is a quasi-identifier whatever its name."""
    days = [date(2020, 1, 1) + timedelta(days=at % 9) for at in range(60)]
    assert role("chemotherapy", days)[0] is Role.QUASI_IDENTIFIER


def test_the_day_of_a_measurement_does_not_make_it_known():
    """A blood pressure at discharge is a test result; the day of a blood test is known."""
    values = [120 + at % 40 for at in range(200)]
    days = [date(2024, 1, 1) + timedelta(days=at) for at in range(200)]
    assert role("blood pressure at discharge", values)[0] is Role.SENSITIVE
    assert role("blood pressure at discharge", days)[0] is Role.QUASI_IDENTIFIER


def test_a_number_of_tests_is_no_result():
    """What numbers something is left to be looked at."""
    assert role("test_id", [1, 2, 3] * 20)[0] is Role.QUASI_IDENTIFIER


def test_classes_of_incomes_are_sensitive():
    """A few classes of income name nobody."""
    assert role("income", [1, 2, 3] * 9)[0] is Role.SENSITIVE


def test_sensitive_values_that_differ_in_most_records_are_quasi_identifiers():
    """A value of its own for most records identifies, whatever it says."""
    assert role("diagnosis", ["a", "b", "c", "d", "d"])[0] is Role.QUASI_IDENTIFIER


def test_what_people_see_is_a_quasi_identifier_even_if_sensitive():
    """Race is sensitive, and known to who meets a person."""
    assert role("race", ["a", "b"] * 5)[0] is Role.QUASI_IDENTIFIER


def test_weights_that_differ_are_no_insensitive_attribute():
    """Sampling weights tell strata; that is said."""
    found, why = role("sampling_weight", [1.5, 2.5] * 5)
    assert found is Role.QUASI_IDENTIFIER
    assert "strata" in why


def test_the_caller_knows_best():
    """A column that the caller names is a quasi-identifier whatever it looks like."""
    found, why = role("contact", ["a@b.org", "c@d.org"], [FOUND], named=True)
    assert found is Role.QUASI_IDENTIFIER
    assert why.startswith("declared as")


def test_what_cannot_be_recoded_is_dropped():
    """Infinite numbers are refused in a release: the column is an identifier until then."""
    found, why = role("size", [1.0, float("inf"), 2.0])
    assert found is Role.IDENTIFIER
    assert "infinite" in why


@pytest.mark.parametrize("name", ["age", "Alter", "exam_score", "date"])
def test_a_name_that_says_what_it_is_outweighs_a_counter(name):
    """Ages 0 to 59 in ascending order are ages, not numbers of records."""
    assert role(name, list(range(60)))[0] is not Role.IDENTIFIER


@pytest.mark.parametrize("name", ["household", "school id", "x"])
def test_a_counter_of_households_and_the_like_stays_an_identifier(name):
    """What may number groups of persons, by its name or for all that is known, does."""
    assert role(name, [at // 4 for at in range(400)])[0] is Role.IDENTIFIER
