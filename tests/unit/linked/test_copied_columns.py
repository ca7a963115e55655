"""Columns that repeat a column of the table that they refer to."""

from __future__ import annotations

import polars as pl
import pytest

from kanonym.linked import LinkedPolicy, anonymize

BORN = ["1951", "1952", "1953", "1954"]
DECADE = {"mapping": {one: ["195*", "*"] for one in BORN}}


def roled(role):
    """Return an attribute, with a hierarchy where it is a quasi-identifier."""
    return {"role": role, **({"hierarchy": DECADE} if role == "quasi-identifier" else {})}


def copied(role, *, name="born", owned="quasi-identifier", values=tuple(BORN)):
    """Return persons, tests of their stays that repeat the year of birth, and their policy."""
    form = {
        "person": "persons",
        "tables": {
            "persons": {"key": "id", "attributes": {"born": roled(owned)}},
            "stays": {"key": "stay", "references": {"id": "persons"}},
            "tests": {"references": {"stay": "stays"}, "attributes": {name: roled(role)}},
        },
        "models": [{"type": "k-anonymity", "k": 4}],
    }
    ids = [1, 2, 3, 4]
    tables = {
        "persons": pl.DataFrame({"id": ids, "born": BORN}),
        "stays": pl.DataFrame({"stay": ["a", "b", "c", "d"], "id": ids}),
        "tests": pl.DataFrame({"stay": ["a", "b", "c", "d"], name: list(values)}),
    }
    return tables, LinkedPolicy.from_dict(form)


def warned(release):
    """Return the columns that are warned of as copies."""
    warnings = release.verification.findings
    return [one.columns for one in warnings if one.kind == "copied-column"]


@pytest.mark.parametrize("owned", ["quasi-identifier", "identifier"])
def test_a_copy_that_is_released_as_it_is_is_a_warning(owned):
    """A year of birth two tables below, insensitive, undoes its decade, or that it was dropped."""
    told = []
    release = anonymize(*copied("insensitive", owned=owned), progress=told.append)
    assert warned(release) == [("tests.born",)]
    assert any("tests.born repeats persons.born" in one for one in told)


@pytest.mark.parametrize("role", ["quasi-identifier", "identifier"])
def test_copies_that_count_or_are_dropped_are_told(role):
    """A copy that is generalized or dropped like its original is no warning."""
    told = []
    assert not warned(anonymize(*copied(role), progress=told.append))
    assert any("tests.born repeats persons.born" in one for one in told)


def test_columns_that_differ_are_no_copies():
    """One other value, or few values under another name, make no copy."""
    assert not warned(anonymize(*copied("insensitive", values=["1951"] * 4)))
    assert not warned(anonymize(*copied("insensitive", name="code")))
