"""Different values that are close tell nearly the same."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
from kanonym.verification.findings.near_values import close_classes
from kanonym.verification.released_classes import SensitiveColumn, classes_of_values

ROLES = {"class": ka.QuasiIdentifier(), "pay": ka.Sensitive()}
FAR = [1000, 2000, 3000, 4000, 5000]


def warned(classes, *models, roles=ROLES):
    """Return counts of warnings of near values in classes with these values."""
    rows = [(str(place), value) for place, values in enumerate(classes) for value in values]
    table = pl.DataFrame(rows, schema=["class", "pay"], orient="row")
    found = ka.verify(
        table, ka.Policy(attributes=roles, models=[ka.KAnonymity(2), *models], rows="persons")
    )
    assert found.satisfied is not False
    return [dict(one.counts) for one in found.findings if one.kind == "near-values"]


def test_near_amounts_take_the_green_off():
    """A class of 2001 to 2003 has three values, and everybody in it earns about 2000."""
    classes = [[2001, 2002, 2003], FAR, FAR, FAR]
    found = warned(classes, ka.LDiversity("pay", l=3))
    assert found == [{"classes": 1, "records": 3}]


def test_amounts_apart_are_green():
    """Classes whose values lie all over the range tell little."""
    assert warned([FAR, FAR[1:4], FAR[::2]]) == []


def test_what_half_of_the_table_has_tells_little():
    """The same three values are near, and most people have one of them."""
    near = [2001, 2002, 2003]
    assert warned([near, near, near, FAR]) == []


def test_one_income_of_millions_makes_no_others_close():
    """The range is that of most values, not of the largest."""
    assert warned([[*FAR, 10**9], FAR, FAR, FAR]) == []


def test_equal_values_are_told_of_as_equal():
    """A class of one value is not counted a second time as one of near values."""
    assert warned([[2000] * 3, FAR, FAR]) == []


def test_a_missing_value_is_near_to_nothing():
    """Who has none is unknown, and so is who has which."""
    assert warned([[2001, 2002, 2003, None], FAR, FAR, FAR]) == []


def test_one_in_twenty_may_be_far():
    """An intruder who is wrong so rarely has learned the amount."""
    mostly = [*range(2001, 2020), 5000]
    assert warned([mostly, *[FAR] * 12]) == [{"classes": 1, "records": 20}]
    assert warned([mostly[1:], *[FAR] * 12]) == []


def test_dates_may_be_near():
    """Days of one week are different dates."""
    day = dt.date(2020, 1, 1)
    far = [day + dt.timedelta(days=100 * i) for i in range(5)]
    week = [day + dt.timedelta(days=200 + i) for i in range(3)]
    assert warned([week, far, far, far]) == [{"classes": 1, "records": 3}]


def test_texts_are_not_near():
    """Diagnoses have no distance."""
    assert warned([["flu", "cold", "gout"], ["burn", "cut"], ["a", "b"]]) == []


def test_a_hierarchy_in_another_order_changes_nothing():
    """Numbers stand in its order, and are near by their amount."""
    known = [*FAR, 2001, 2002, 2003]
    tree = ka.hierarchy.from_mapping({value: value % 2 for value in known})
    roles = {**ROLES, "pay": ka.Sensitive(hierarchy=tree)}
    found = warned([[2001, 2002, 2003], FAR, FAR, FAR], roles=roles)
    assert found == [{"classes": 1, "records": 3}]


@pytest.mark.parametrize("far", [float("inf"), 1.7e308])
def test_numbers_without_a_distance_are_no_error(far):
    """Infinities, and numbers whose difference is infinite, are near to nothing else."""
    classes = [[2001.0, 2002.0, 2003.0], *[[float(pay) for pay in FAR]] * 12]
    assert warned([*classes, [far, -far]]) == [{"classes": 1, "records": 3}]
    assert warned([[far, -far, 1.0], [far, -far, 2.0]]) == []


NUMBERS = st.one_of(st.none(), st.integers(0, 40), st.sampled_from([100, 1000]))


@given(st.lists(st.lists(NUMBERS, min_size=1, max_size=8), min_size=1, max_size=8))
def test_the_twin_tells_the_same_classes(classes):
    """Looking at every interval between two values of a class finds the same."""
    rows = [(str(place), value) for place, values in enumerate(classes) for value in values]
    table = pl.DataFrame(rows, schema={"class": pl.String, "pay": pl.Int64}, orient="row")
    found = classes_of_values([table["class"]], [SensitiveColumn(table["pay"])], len(table))
    everything = np.ones(len(classes), np.bool_)
    counted = close_classes(found.distributions["pay"], everything)
    told = [values for values in classes if is_near(values, table["pay"].drop_nulls().sort())]
    assert counted == (len(told), sum(len(values) for values in told))


def is_near(values, table):
    """Return whether a class is told, by its definition; table: all numbers, ascending."""
    if not len(table):
        return False
    ends = [
        table[next(i for i in range(len(table)) if i + 1 >= len(table) * p)] for p in (0.05, 0.95)
    ]
    width = 0.05 * (ends[1] - ends[0])
    held = [value for value in values if value is not None]
    if not width or any(held.count(value) >= 0.95 * len(values) for value in held):
        return False
    return any(
        low <= high <= low + width
        and sum(low <= value <= high for value in held) >= 0.95 * len(values)
        and table.is_between(low, high).sum() <= len(table) / 2
        for low in held
        for high in held
    )
