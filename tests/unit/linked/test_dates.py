"""Dates of persons in linked tables: one shift, their order, and the times between them."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from kanonym.data.errors import PolicyError
from kanonym.linked import LinkedPolicy, anonymize, verify

STAYS = [
    (1, date(2021, 1, 1), date(2021, 1, 4)),
    (1, date(2021, 3, 1), date(2021, 3, 4)),
    (2, date(2021, 5, 1), date(2021, 5, 4)),
    (2, date(2021, 6, 29), date(2021, 7, 2)),
    (3, date(2021, 1, 1), date(2021, 1, 4)),
    (3, date(2021, 1, 31), date(2021, 2, 3)),
]
"""Of persons 1 and 2 59 days lie between two stays, of person 3 30 days."""


def dated(tmp_path, *, admitted=None, discharged=None):
    """Return persons with stays, and their policy; changes of the roles of two dates."""
    (tmp_path / "key").write_bytes(b"0123456789abcdef")
    shift = {"type": "shift-date", "days": 30, "key": {"file": "key"}}
    role = {"role": "insensitive", "action": shift}
    attributes = {
        "admitted": {**role, **(admitted or {})},
        "discharged": {**role, **(discharged or {})},
    }
    form = {
        "person": "persons",
        "tables": {
            "persons": {"key": "id"},
            "stays": {"references": {"id": "persons"}, "attributes": attributes},
        },
        "models": [{"type": "k-anonymity", "k": 2}],
        "seed": 1,
    }
    schema = ["id", "admitted", "discharged"]
    tables = {
        "persons": pl.DataFrame({"id": [1, 2, 3]}),
        "stays": pl.DataFrame(STAYS, schema=schema, orient="row"),
    }
    return tables, LinkedPolicy.from_dict(form, tmp_path)


def kinds(found):
    """Return the kinds of warnings, with their columns."""
    return [(one.kind, one.columns) for one in found.findings]


def test_times_between_dates_are_a_warning_where_they_set_persons_apart(tmp_path):
    """Intervals stay: person 3 is alone for who knows them, and no green verdict says otherwise."""
    tables, policy = dated(tmp_path)
    release = anonymize(tables, policy)
    names = ("stays.admitted", "stays.discharged")
    assert kinds(release.verification) == [("date-intervals", names)]
    (warning,) = release.verification.findings
    assert warning.counts == {"persons": 1, "k": 2}
    assert release.verification.verdict == "satisfied with findings"
    assert kinds(verify(release.frames, policy)) == [("date-intervals", names)]
    alike = {**tables, "stays": tables["stays"].filter(pl.col("id") < 3)}
    alike["persons"] = tables["persons"].head(2)
    assert not kinds(anonymize(alike, policy).verification)


def test_dates_that_count_need_no_warning(tmp_path):
    """Shifted dates that are generalized quasi-identifiers are counted, and nothing warns."""
    known = {"role": "quasi-identifier", "hierarchy": {"dates": {"levels": ["decade"]}}}
    release = anonymize(*dated(tmp_path, admitted=known, discharged=known))
    assert release.verification.k == 3
    assert not kinds(release.verification)


def test_dates_that_stay_beside_shifted_ones_are_a_warning(tmp_path):
    """A discharge that does not shift tells by how much the admission did."""
    tables, policy = dated(tmp_path, discharged={"action": None})
    found = anonymize(tables, policy).verification
    assert ("unshifted-dates", ("stays.discharged",)) in kinds(found)
    assert any("stays.admitted was never after stays.discharged" in one for one in found.notes)


@pytest.mark.parametrize("change", [{"days": 31}, {"multiple_of": 7}, {"key": {"file": "other"}}])
def test_dates_of_a_person_shift_by_one_amount(tmp_path, change):
    """Other days, multiples or keys in a second column would change the times between dates."""
    (tmp_path / "other").write_bytes(b"fedcba9876543210")
    shift = {"type": "shift-date", "days": 30, "key": {"file": "key"}, **change}
    with pytest.raises(PolicyError, match=r"stays\.admitted, stays\.discharged: dates of a person"):
        anonymize(*dated(tmp_path, discharged={"action": shift}))


@pytest.mark.parametrize("column", ["admitted", "discharged"])
def test_empty_dates_shift_with_the_others(tmp_path, column):
    """A column of dates without a value, or a table without rows, is no defect."""
    tables, policy = dated(tmp_path)
    empty = tables["stays"].with_columns(pl.lit(None, pl.Date).alias(column))
    assert anonymize({**tables, "stays": empty}, policy).frames["stays"][column].null_count() == 6
    release = anonymize({**tables, "stays": tables["stays"].clear()}, policy)
    assert (release.frames["stays"].height, release.verification.k) == (0, 3)
