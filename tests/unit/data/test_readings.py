"""Dates and numbers as people write them: what is detected, refused, read and written."""

from __future__ import annotations

from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym import PolicyError, QuasiIdentifier
from kanonym.data.errors import DataError
from kanonym.data.readings import (
    DateReading,
    NumberReading,
    Reading,
    canonical_table,
    detect,
    reading_of,
    styled_columns,
)

DETECTED = {
    "German dates": (["31.12.1954", "01.02.1960"], "%d.%m.%Y", date(1954, 12, 31)),
    "points, days at most 12": (["02.01.1954", "03.04.1960"], "%d.%m.%Y", date(1954, 1, 2)),
    "American dates": (["12/31/1954", "1/2/1960"], "%-m/%-d/%Y", date(1954, 12, 31)),
    "British dates": (["31/12/1954", "01/02/1960"], "%d/%m/%Y", date(1954, 12, 31)),
    "year first": (["2024/02/29"], "%Y/%m/%d", date(2024, 2, 29)),
    "times": (["31.12.1954 13:45"], "%d.%m.%Y %H:%M", datetime(1954, 12, 31, 13, 45)),
    "euros": (["58.200,50 €", "7,00 €"], "1.234,50 €", 58200.5),
    "dollars": (["$1,234.50", "$5.00"], "$1,234.50", 1234.5),
    "Swiss": (["58'200.50", "1'000.00"], "1'234.50", 58200.5),
    "French": (["1 234,50", "7,25"], "1 234,50", 1234.5),
    "percent": (["45 %", "7,5 %"], "1234,5 %", 45.0),
    "decimal comma": (["12,5", "3"], "1234,5", 12.5),
    "thousands alone": (["1.234.567", "1.234"], "1.234.567", 1234567),
}


@pytest.mark.parametrize(("texts", "form", "first"), DETECTED.values(), ids=DETECTED)
def test_a_consistent_column_is_read(texts, form, first):
    """A column of which every cell has one unambiguous style gets that style."""
    reading = detect(pl.Series("x", [*texts, None]))
    assert reading is not None
    assert reading.style.form == form
    assert reading.read(pl.Series(texts))[0] == first
    declared = reading_of(reading.style.kind, form, getattr(reading.style, "years_from", None))
    assert declared.style == reading.style


TEXT = {
    "postal codes": ["01234", "45678"],
    "postal codes with a blank": ["110 00", "120 00"],
    "phones with a plus": ["+49 176 1234", "+49 30 99"],
    "phones in threes": ["612 345 678", "912 345 678"],
    "phones with points": ["612.345.678", "612.345.679"],
    "addresses of computers": ["10.0.0.1", "192.168.100.200"],
    "one cell that is no date": ["31.12.1954", "soon"],
    "no calendar day": ["31.12.1954", "30.02.1960"],
    "days and months mixed": ["31/12/1954", "12/31/1954"],
    "two marks": ["31.12.1954", "31/12/1954"],
    "two currencies": ["5,00 €", "5,00 $"],
    "leading zero": ["007,5", "3,2"],
    "groups of two": ["12,34,56", "1,2"],
    "more digits than a float holds": ["1234567890123456,5", "1,5"],
    "words": ["ja", "nein"],
    "nothing": [None, None],
}


@pytest.mark.parametrize("texts", TEXT.values(), ids=TEXT)
def test_everything_else_stays_text(texts):
    """Codes, phone numbers and columns that do not agree are no dates and no numbers."""
    assert detect(pl.Series("x", texts, dtype=pl.String)) is None


AMBIGUOUS = {
    "day or month": (["01/02/1954", "03/04/1960"], "'%d/%m/%Y' or '%m/%d/%Y'"),
    "dashes": (["01-02-1954", "03-04-1960"], "'%d-%m-%Y' or '%m-%d-%Y'"),
    "two-digit years": ([f"31.12.{year:02}" for year in range(0, 100, 5)], "54 may be 1954"),
    "thousands or fraction": (["2,345", "5,678"], "'1234,500' or '1,234,567'"),
    "the same with a currency": (["58.200 €", "7.000 €"], "'1234.500 €' or '1.234.567 €'"),
}


@pytest.mark.parametrize(("texts", "message"), AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_two_readings_are_an_error_that_names_both(texts, message):
    """A column that can be read in two ways is refused, with both ways and no value."""
    with pytest.raises(DataError, match="column 'x'") as error:
        detect(pl.Series("x", texts))
    assert message in str(error.value)
    assert not any(text in str(error.value) for text in texts)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.dates(date(1000, 1, 1), date(9999, 12, 31)), min_size=1),
    st.sampled_from(["%d.%m.%Y", "%-d/%-m/%Y", "%m-%d-%Y", "%Y/%m/%d", "%d %b %Y"]),
)
def test_dates_are_written_as_they_are_read(dates, form):
    """Reading what is written gives the date again."""
    reading = DateReading(form)
    assert reading.read(reading.write(pl.Series(dates))).to_list() == dates


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.floats(-1e9, 1e9).map(lambda x: round(x, 4)), min_size=1),
    st.sampled_from(["1.234,50 €", "$1,234.5", "1234,5 %", "1'234.50", "1 234,5"]),
)
def test_numbers_are_written_as_they_are_read(numbers, example):
    """Reading what is written gives the number again."""
    reading = NumberReading.from_example(example)
    assert reading.read(reading.write(pl.Series(numbers))).to_list() == numbers


LABELS = {
    "interval": ("[1950-01-01, 1959-12-31]", "[01.01.1950, 31.12.1959]"),
    "half-open": ("[1950-01-01, 1960-01-01)", "[01.01.1950, 01.01.1960)"),
    "set": ("{1950-01-01, 1960-01-01, null}", "{01.01.1950, 01.01.1960, null}"),
    "bound": (">=1950-01-01", ">=01.01.1950"),
    "value": ("1950-01-01", "01.01.1950"),
    "root": ("*", "*"),
    "level of a hierarchy": ("1950-01", "1950-01"),
}


@pytest.mark.parametrize(("plain", "styled"), LABELS.values(), ids=LABELS)
def test_labels_keep_the_style_of_their_values(plain, styled):
    """Labels are written with values in the style of the column, and read back."""
    readings = {"born": Reading(DateReading("%d.%m.%Y"))}
    (written,) = styled_columns([pl.Series("born", [plain, None, "*"])], readings)
    assert written.to_list() == [styled, None, "*"]
    back = canonical_table(pl.DataFrame([written]), readings)["born"]
    assert back.to_list() == [plain, None, "*"]


def test_labels_of_decimal_commas_are_parted_by_semicolons():
    """A comma that is part of a number does not part the numbers of a label."""
    readings = {"pay": Reading(NumberReading.from_example("1.234,50 €"))}
    (written,) = styled_columns([pl.Series("pay", ["[1200.5, 2300]", "<900"])], readings)
    assert written.to_list() == ["[1.200,50 €; 2.300,00 €]", "<900,00 €"]


WRONG = {
    "two-digit year": ({"type": "date", "format": "%d.%m.%y"}, "54 may be 1954 or 2054"),
    "no month": ({"type": "date", "format": "%d.%Y"}, "is not a date format"),
    "a time for a date": ({"type": "date", "format": "%H:%M"}, "its type is time"),
    "years_from without %y": (
        {"type": "date", "format": "%d.%m.%Y", "years_from": 1925},
        "the format has no %y",
    ),
    "missing as a text": ({"missing": "NA"}, "must be a list"),
    "unknown exceptions": ({"type": "number", "exceptions": "drop"}, "is unknown"),
    "no type": ({"format": "%d.%m.%Y"}, "format needs a type"),
    "unknown type": ({"type": "day"}, "type 'day' is unknown"),
    "ambiguous example": ({"type": "number", "format": "1,234"}, "is ambiguous"),
    "no number": ({"type": "number", "format": "lots"}, "is not a number"),
}


@pytest.mark.parametrize(("parts", "message"), WRONG.values(), ids=WRONG)
def test_formats_that_say_too_little_are_refused(parts, message):
    """A declared format must leave one reading."""
    with pytest.raises(PolicyError, match=message):
        QuasiIdentifier(**parts)
