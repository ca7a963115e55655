"""Dates cut down to a unit, and dates shifted by subject."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

from action_context import applied, context
from kanonym import DataError, PolicyError, SchemaError
from kanonym.actions import ShiftDate, TruncateDate

DAY = dt.date(2020, 5, 17)  # a Sunday
TIME = dt.datetime(2020, 5, 17, 13, 45, 12)


# --- truncate-date --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unit", "first"),
    [
        ("year", dt.date(2020, 1, 1)),
        ("quarter", dt.date(2020, 4, 1)),
        ("month", dt.date(2020, 5, 1)),
        ("week", dt.date(2020, 5, 11)),
        ("day", DAY),
    ],
)
def test_a_date_becomes_the_first_day_of_its_unit(unit, first):
    """As date, as time and as text, each stays what it is; a week starts on Monday."""
    action = TruncateDate(unit)
    midnight = dt.datetime.combine(first, dt.time())
    assert applied(action, [DAY, None]) == [first, None]
    assert applied(action, [TIME]) == [midnight]
    assert applied(action, ["2020-05-17"]) == [first.isoformat()]
    assert applied(action, ["2020-05-17T13:45:12"]) == [midnight.isoformat()]


def test_hours_are_cut_from_times_alone():
    """A date has no hours to cut."""
    assert applied(TruncateDate("hour"), [TIME]) == [dt.datetime(2020, 5, 17, 13)]
    with pytest.raises(SchemaError, match="column 'x' holds dates without a time of day"):
        applied(TruncateDate("hour"), [DAY])


def test_dates_before_1970_are_cut_downwards_too():
    """Early births have the first day of their month as well."""
    assert applied(TruncateDate("month"), [dt.date(1931, 12, 31)]) == [dt.date(1931, 12, 1)]


def test_a_time_with_a_zone_is_cut_where_it_is_local():
    """Midnight in Berlin is not midnight in UTC."""
    local = pl.Series("x", [TIME]).dt.replace_time_zone("Europe/Berlin")
    cut = TruncateDate("day").apply(local, context())
    assert cut.dtype == local.dtype
    assert cut.dt.hour().to_list() == [0]


@pytest.mark.parametrize("action", [TruncateDate("year"), ShiftDate()])
def test_a_text_that_is_no_date_is_refused_with_its_row(action):
    """The message names row and value, and how to write dates."""
    message = f"column 'x', row 2: '31.12.2020' is not an ISO date, and {action.type} needs them"
    with pytest.raises(DataError, match=message):
        applied(action, ["2020-12-31", "31.12.2020"])


def test_an_unknown_unit_is_refused():
    """The message names the units there are."""
    with pytest.raises(PolicyError, match="truncate-date: to is 'decade'; it must be year or "):
        TruncateDate("decade")


# --- shift-date -----------------------------------------------------------------------


def shifts(action, n, **parts):
    """Return by how many days an action shifts each of n equal dates."""
    return [(day - DAY).days for day in applied(action, [DAY] * n, **parts)]


def test_all_dates_of_a_subject_are_shifted_alike():
    """Two patients, three visits each: one shift a patient."""
    patients = [1, 2, 1, 2, 1, 2]
    moved = shifts(ShiftDate(subject="patient"), 6, patient=patients)
    assert len(set(moved[::2])) == len(set(moved[1::2])) == 1
    assert moved[0] != moved[1]


def test_the_order_of_records_does_not_change_a_subjects_shift():
    """Subjects draw in the order of their names."""
    action = ShiftDate(subject="patient")
    forwards = shifts(action, 3, patient=["a", "b", "c"])
    assert shifts(action, 3, patient=["c", "b", "a"]) == forwards[::-1]


def test_every_shift_within_the_days_is_equally_likely():
    """Of 7,000 subjects, each of 7 shifts takes its share within five standard deviations."""
    moved = shifts(ShiftDate(days=3, subject="patient"), 7000, patient=list(range(7000)))
    counts = np.bincount(np.array(moved) + 3, minlength=7)
    assert len(counts) == 7
    assert (abs(counts - 1000) < 5 * np.sqrt(1000 * 6 / 7)).all()


def test_records_without_a_subject_are_shifted_on_their_own():
    """So are all records where no column names subjects."""
    assert len(set(shifts(ShiftDate(subject="patient"), 50, patient=[None] * 50))) > 10
    assert len(set(shifts(ShiftDate(), 50))) > 10


def test_times_keep_their_time_of_day_and_texts_their_form():
    """A shift is a whole number of days, and changes no type."""
    (moved,) = applied(ShiftDate(), [TIME])
    assert moved.time() == TIME.time()
    assert pl.Series([applied(ShiftDate(), ["2020-05-17"])[0]]).str.to_date().null_count() == 0
    assert applied(ShiftDate(), ["2020-05-17 13:45"])[0].endswith("T13:45:00")
    coarse = pl.Series("x", [TIME]).dt.cast_time_unit("ms")
    assert ShiftDate().apply(coarse, context()).dtype == coarse.dtype


def test_one_seed_gives_one_release():
    """And another seed another one."""
    once = shifts(ShiftDate(), 20, seed=1)
    assert shifts(ShiftDate(), 20, seed=1) == once
    assert shifts(ShiftDate(), 20, seed=2) != once


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"days": 0}, "shift-date: days is 0; it must be an integer of at least 1"),
        ({"subject": ""}, "shift-date: subject is ''; it must be the name of a column"),
    ],
)
def test_shift_date_refuses_parameters_that_make_no_sense(parameters, message):
    """The message names the parameter."""
    with pytest.raises(PolicyError, match=message):
        ShiftDate(**parameters)
