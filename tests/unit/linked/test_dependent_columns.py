"""Linked tables: columns that are released as they are, and tell a quasi-identifier."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kanonym.linked import LinkedPolicy, anonymize, verify

N = 400
RANDOM = np.random.default_rng(4)
BORN = RANDOM.integers(1940, 1990, N)
FORM = {
    "person": "persons",
    "tables": {
        "persons": {
            "key": "id",
            "attributes": {
                "born": {
                    "role": "quasi-identifier",
                    "hierarchy": {"intervals": {"width": [5, 25], "origin": 1940}},
                },
                "year": {"role": "insensitive"},
                "ward": {"role": "insensitive"},
            },
        },
        "stays": {
            "references": {"id": "persons"},
            "attributes": {"age_there": {"role": "insensitive"}},
        },
    },
    "models": [{"type": "k-anonymity", "k": 5}],
}
TABLES = {
    "persons": pl.DataFrame(
        {"id": range(N), "born": BORN, "year": BORN, "ward": RANDOM.choice(["a", "b"], N)}
    ),
    "stays": pl.DataFrame({"id": range(N), "age_there": 2020 - BORN}),
}


def dependent(found):
    """Return the counts of the columns that tell others."""
    return {
        one.columns: dict(one.counts) for one in found.findings if one.kind == "dependent-column"
    }


def test_a_copy_or_function_in_the_same_table_and_below_is_found():
    """A year beside its interval, and an age in a table below, set persons apart."""
    policy = LinkedPolicy.from_dict(FORM)
    release = anonymize(TABLES, policy)
    found = dependent(release.verification)
    assert found.keys() == {("year",), ("stays.age_there",)}
    known = release.frames["persons"].group_by("born", "year").len()["len"]
    assert found["year",]["records"] == int(known.filter(known < 5).sum())
    assert release.verification.verdict == "satisfied with findings"
    assert dependent(verify(release.frames, policy, original=TABLES)) == found


@pytest.mark.parametrize("original", [None, TABLES["persons"]])
def test_without_all_originals_it_is_not_looked_for(original):
    """A released set of tables, or the table of persons alone, shows nothing."""
    policy = LinkedPolicy.from_dict(FORM)
    release = anonymize(TABLES, policy)
    alone = verify(release.frames, policy, original=original)
    assert not dependent(alone)
    assert {"dependent-column", "copied-column"} <= set(alone.not_looked_for)
