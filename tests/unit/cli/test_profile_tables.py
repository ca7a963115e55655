"""Laws of the profile on the terminal: of a wide table, a row for each role."""

from __future__ import annotations

import io

import pytest
from kanonym.cli.printing.profile import profile_tables
from rich.console import Console


def column(distinct, separation, role="quasi-identifier", kinds=(), **more):
    """Return the JSON form of one profiled column."""
    form = {"role": role, "type": "integer", "distinct": distinct, "separation": separation}
    evidence = [f"{distinct} values distinguish {100 * separation:g} % of the pairs"]
    reasons = [{"kind": "name" if kinds else "unknown"}]
    told = {"nulls": 0, "evidence": evidence, "reasons": reasons, "remarks": []}
    return {**form, "kinds": list(kinds), **told, **more}


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


def test_what_a_name_says_stands_apart_from_what_is_guessed(wide):
    """Quasi-identifiers by their name have a row of their own; others tell most first."""
    rows = [line.split() for line in shown(wide).splitlines() if "quasi-identifier" in line]
    assert rows[0][:3] == ["quasi-identifier", "1", "age"]
    assert rows[1][:5] == ["quasi-identifier,", "no", "evidence", "181", "zip,"]
    assert rows[1][-3:] == ["and", "169", "more"]


def test_each_role_has_one_row_of_so_many_columns(wide):
    """The numbers of columns add up to those of the table."""
    wide["member"] = column(5000, 1.0, "identifier", ["record number"])
    numbers = [word for word in shown(wide).split() if word in ("1", "18", "181", "201")]
    assert sum(map(int, numbers[-4:])) == len(wide) == 201


def test_no_remark_is_lost_in_a_wide_table(wide):
    """How many columns are to be looked at is told where they have no row."""
    wide["flag_7"]["remarks"] = ["3 of 5,000 records have no value"]
    assert "remarks on 1 of them" in shown(wide)
