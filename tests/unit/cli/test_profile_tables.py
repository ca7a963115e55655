"""Laws of the profile on the terminal: of a wide table, only alike columns share a row."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from kanonym.cli.printing.profile import profile_tables


def column(distinct, separation, role="quasi-identifier", kinds=(), **more):
    """Return the JSON form of one profiled column."""
    form = {"role": role, "type": "integer", "distinct": distinct, "separation": separation}
    evidence = [f"{distinct} values distinguish {100 * separation:g} % of the pairs"]
    return {**form, "kinds": list(kinds), "nulls": 0, "evidence": evidence, "remarks": [], **more}


def shown(columns):
    """Return the words of a profile on a wide terminal."""
    known = {"uniques": 0, "separation": 1.0}
    sets = {"sets": []}
    persons = {"reason": "", "proposed": [], "repeated": None}
    found = {"rows": 5000, "k": 1, "columns": columns, "quasi_identifiers": known}
    found["persons"] = persons
    console = Console(file=io.StringIO(), width=250)
    console.print(*profile_tables({**found, "unique_sets": sets, "near_unique_sets": sets}, []))
    return console.file.getvalue()


@pytest.fixture
def wide():
    """Return 200 columns: those that tell most, a few of their own, and many alike."""
    labs = {f"lab_{i}": column(500 + i, 0.997) for i in range(40)}
    flags = {f"flag_{i}": column(2, 0.5) for i in range(140)}
    scores = {f"score_{i}": column(11, 0.9, "sensitive", ["score"]) for i in range(18)}
    own = {"zip": column(4000, 0.999), "age": column(72, 0.986, kinds=["age"])}
    return {**flags, **labs, **scores, **own}


def test_what_tells_persons_apart_stands_alone(wide):
    """Age and postal code have a row of their own beside 180 other quasi-identifiers."""
    told = shown(wide)
    rows = [line.split()[0] for line in told.splitlines() if " distinguish " in line]
    assert {"zip", "age"} <= set(rows)
    assert "4000 values distinguish" in told
    assert len(rows) == 12  # seven more of the best, and three groups


def test_only_alike_columns_share_a_row(wide):
    """Role, type, meaning and number of values agree in each row of several columns."""
    told = shown(wide)
    assert "140 columns alike: flag_0, flag_1, flag_10" in told
    assert "18 columns alike" in told
    assert "33 columns alike" in told
    assert "2 values distinguish 50.00 % of the pairs" in told


def test_no_remark_is_lost_among_alike_columns(wide):
    """What is to be looked at is counted where columns are summarized."""
    wide["flag_7"]["remarks"] = ["3 of 5,000 records have no value"]
    assert "Remarks on 1 of them" in shown(wide)
