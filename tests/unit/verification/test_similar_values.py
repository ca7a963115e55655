"""Different texts that begin alike tell nearly the same."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
from kanonym.data.columns.texts import MOST_VALUES, beginnings
from kanonym.verification.findings.similar_values import alike_classes
from kanonym.verification.released_classes import SensitiveColumn, classes_of_values

ROLES = {"class": ka.QuasiIdentifier(), "ill": ka.Sensitive()}
HIV = ["B20.1", "B20.2", "B20.9"]
OTHERS = ["I10", "J45.0", "E11.9", "F32.1", "K35.8"]


def warned(classes, *models, roles=ROLES):
    """Return counts of warnings of similar values in classes with these values."""
    rows = [(str(place), value) for place, values in enumerate(classes) for value in values]
    table = pl.DataFrame(rows, schema=["class", "ill"], orient="row")
    found = ka.verify(
        table, ka.Policy(attributes=roles, models=[ka.KAnonymity(2), *models], rows="persons")
    )
    assert found.satisfied is not False
    return [dict(one.counts) for one in found.findings if one.kind == "similar-values"]


@pytest.mark.parametrize(
    "alike",
    [
        HIV,
        ["B201", "B202", "B209"],
        ["b20.1", "B20-2", "B20"],
        ["HIV, stage 1", "HIV, stage 2", "hiv (late)"],
        ["Stomach ulcer", "stomach cancer", " stomach/gastritis"],
    ],
)
def test_codes_of_one_category_take_the_green_off(alike):
    """A class of three codes of one illness is 3-diverse, and everybody in it has the illness."""
    found = warned([alike, OTHERS, OTHERS], ka.LDiversity("ill", l=3))
    assert found == [{"classes": 1, "records": 3}]


@pytest.mark.parametrize(
    "apart",
    [
        OTHERS,
        ["flu", "fluid retention", "influenza"],
        ["-5", "<5", ">5", "5"],
        ["", " ", "?", "!"],
        ["B20.1", "B21.1", "B22.1"],
        ["B20.1", "B20.2", None],
    ],
)
def test_texts_that_begin_with_other_words_are_green(apart):
    """Words that only share letters, signs and a missing value are not alike."""
    assert warned([apart, OTHERS, OTHERS]) == []


def test_what_half_of_the_table_has_tells_little():
    """In a table of one illness everybody has it."""
    assert warned([HIV, HIV, HIV, OTHERS]) == []


def test_equal_values_are_told_of_as_equal():
    """A class of one value is not counted a second time."""
    assert warned([["B20.1"] * 3, [*OTHERS, "B20.2"], OTHERS]) == []


def test_one_in_twenty_may_be_another():
    """An intruder who is wrong so rarely has learned the illness."""
    mostly = [*HIV * 6, "B20.1", "I10"]
    assert warned([mostly, *[OTHERS] * 12]) == [{"classes": 1, "records": 20}]
    assert warned([mostly[1:], *[OTHERS] * 12]) == []


def test_a_hierarchy_changes_nothing():
    """Codes stand in its order, and begin as before."""
    known = [*HIV, *OTHERS]
    tree = ka.hierarchy.from_mapping({value: value[-1] for value in known})
    roles = {**ROLES, "ill": ka.Sensitive(hierarchy=tree)}
    assert warned([HIV, OTHERS, OTHERS], roles=roles) == [{"classes": 1, "records": 3}]


def test_columns_of_very_many_values_are_not_looked_at():
    """Those are names or sentences, which have warnings of their own."""
    assert beginnings(pl.Series([f"a {i}" for i in range(MOST_VALUES + 1)])) is None


TEXTS = st.sampled_from([None, *HIV, "B20", "B21", "a b", "a c", "b", "?", "? a", ""])
LONG = st.lists(st.sampled_from([*HIV, "a b"]), min_size=19, max_size=42)


@given(st.lists(st.lists(TEXTS, min_size=1, max_size=6) | LONG, min_size=1, max_size=8))
def test_the_twin_tells_the_same_classes(classes):
    """Counting the beginnings in each class finds the same."""
    rows = [(str(place), value) for place, values in enumerate(classes) for value in values]
    table = pl.DataFrame(rows, schema={"class": pl.String, "ill": pl.String}, orient="row")
    found = classes_of_values([table["class"]], [SensitiveColumn(table["ill"])], len(table))
    everything = np.ones(len(classes), np.bool_)
    counted = alike_classes(found.distributions["ill"], everything)
    of_table = [begins(value) for _, value in rows]
    told = [values for values in classes if is_told(values, of_table)]
    assert counted == (len(told), sum(len(values) for values in told))


def begins(value):
    """Return how one of `TEXTS` begins."""
    return value if value is None or value[:1] in ("", "?") else value.split(" ")[0].split(".")[0]


def is_told(values, of_table):
    """Return whether a class is told, by its definition."""
    if any(values.count(value) >= 0.95 * len(values) for value in values):
        return False
    own = [begins(value) for value in values]
    return any(
        own.count(one) >= 0.95 * len(own) and of_table.count(one) <= len(of_table) / 2
        for one in set(own) - {None}
    )
