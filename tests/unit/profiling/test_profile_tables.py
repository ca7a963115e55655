"""Laws of a profile's tables: of a wide table, a row for each role."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kanonym.data.schema import Role
from kanonym.profiling.profile import roles_table


def column(name, distinct, separation, role="quasi-identifier", kinds=(), remarks=()):
    """Return what a row needs of one profiled column."""
    counted = SimpleNamespace(distinct=distinct, separation=separation)
    reasons = [SimpleNamespace(kind="name" if kinds else "unknown")]
    return SimpleNamespace(
        name=name,
        role=Role(role),
        reasons=reasons,
        remarks=remarks,
        content=SimpleNamespace(counted=counted),
    )


@pytest.fixture
def wide():
    """Return 200 columns: those that tell most, a few of their own, and many alike."""
    labs = [column(f"lab_{i}", 500 + i, 0.997) for i in range(40)]
    flags = [column(f"flag_{i}", 2, 0.5) for i in range(140)]
    scores = [column(f"score_{i}", 11, 0.9, "sensitive", ["score"]) for i in range(18)]
    own = [column("zip", 4000, 0.999), column("age", 72, 0.986, kinds=["age"])]
    return [*flags, *labs, *scores, *own]


def test_what_a_name_says_stands_apart_from_what_is_guessed(wide):
    """Quasi-identifiers by their name have a row of their own; others tell most first."""
    rows = [row for row in roles_table(wide).rows if row[0].startswith("quasi-identifier")]
    assert rows[0] == ("quasi-identifier", "1", "age")
    assert rows[1][:2] == ("quasi-identifier, no evidence", "181")
    assert rows[1][2].startswith("zip, lab_0, ")
    assert rows[1][2].endswith(" and 169 more")


def test_each_role_has_one_row_of_so_many_columns(wide):
    """The numbers of columns add up to those of the table."""
    member = column("member", 5000, 1.0, "identifier", ["record number"])
    numbers = [int(row[1]) for row in roles_table([*wide, member]).rows]
    assert sum(numbers) == len(wide) + 1 == 201


def test_no_remark_is_lost_in_a_wide_table(wide):
    """How many columns are to be looked at is told where they have no row."""
    noted = column("note", 3, 0.1, remarks=["3 of 5,000 records have no value"])
    (note,) = roles_table([*wide, noted]).notes
    assert note.endswith("remarks on 1 of them")
