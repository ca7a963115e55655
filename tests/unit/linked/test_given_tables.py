"""Linked tables of pandas, polars and pyarrow, originals and releases."""

from __future__ import annotations

import json

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from kanonym.data import frames
from kanonym.data.errors import DataError, PolicyError
from kanonym.linked import LinkedPolicy, anonymize, attack, measure, verify

from .conftest import hospital_form
from .test_linked_release import KNOWN, form, linked


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "lazy"])
def test_tables_of_other_libraries_come_back_as_they_came(tables, kind, tmp_path):
    """Released tables have the type of what came in, and every call takes them, and a path."""
    convert = {
        "pandas": pl.DataFrame.to_pandas,
        "pyarrow": pl.DataFrame.to_arrow,
        "lazy": pl.DataFrame.lazy,
    }[kind]
    given = {name: convert(one) for name, one in tables.items()}
    form = hospital_form(
        admissions={**hospital_form()["tables"]["admissions"], "merge": True}, seed=3
    )
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(form))
    release = anonymize(given, path)
    same = anonymize(tables, path)
    for name, one in release.frames.items():
        assert type(one) is type(given[name])
        assert_frame_equal(frames.to_polars(one), same.frames[name])
    found = verify(release.frames, path, original=given["patients"])
    assert found.satisfied
    assert measure(release.frames, path).by_multiset == found.k == 2
    assert (
        attack(given, release.frames, path).to_dict()
        == attack(tables, same.frames, LinkedPolicy.from_file(path)).to_dict()
    )


def test_tables_elsewhere_are_refused(tables, policy):
    """A table of an engine is refused by name, with what to do."""
    elsewhere = duckdb.sql("SELECT 1 AS patient")
    with pytest.raises(DataError, match="pyarrow or Spark table, but a duckdb"):
        anonymize({**tables, "patients": elsewhere}, policy)
    with pytest.raises(
        PolicyError,
        match="must be a LinkedPolicy, its form as a mapping or the path of a policy file",
    ):
        verify(tables, 5)


def test_measure_takes_releases_without_what_was_dropped():
    """References that were dropped as identifiers, and banded tables, need not be there."""
    tables = linked("ff", [(0, "a"), (1, "b")], [])
    tables["people"] = tables["people"].with_columns(boss=pl.lit("s"))
    tables["staff"] = pl.DataFrame({"staff": ["s"]})
    changed = form(2)
    changed["tables"] = {
        **changed["tables"],
        "people": {**changed["tables"]["people"], "references": {"boss": "staff"}},
        "visits": {**changed["tables"]["visits"], "band": 1},
        "staff": {"key": "staff"},
    }
    changed["tables"]["people"]["attributes"] = {"sex": KNOWN, "boss": {"role": "identifier"}}
    policy = LinkedPolicy.from_dict(changed)
    release = anonymize(tables, policy)
    assert measure(release.frames, policy).by_multiset == 2
    assert measure(tables, policy).by_multiset == 1
