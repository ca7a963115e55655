"""The meanings of k on five releases of the worked hospital, and what is refused of its tables."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kanonym.data.errors import DataError, PolicyError
from kanonym.linked import LinkedPolicy, measure
from kanonym.linked.person_rows import combine
from kanonym.verification.linked_rows import collections_of

from .conftest import hospital, hospital_form


def released(name):
    """Return one of the five releases."""
    tables = hospital()
    patients, admissions, diagnoses = tables.values()
    if name == "a10 dropped":
        admissions = admissions.filter(pl.col("admission") != "a10")
    if name == "p6 dropped":
        patients = patients.filter(pl.col("patient") != "p6")
        admissions = admissions.filter(pl.col("patient") != "p6")
    if name in {"years", "merged"}:
        admissions = admissions.with_columns(pl.lit("2021-2023").alias("year"))
    if name == "merged":
        admissions = admissions.unique(["patient", "year", "ward"], keep="first")
    diagnoses = diagnoses.join(admissions, on="admission", how="semi")
    return {"patients": patients, "admissions": admissions, "diagnoses": diagnoses}


RELEASES = {
    # rows; persons alone: own rows, joined rows, joined persons, 1 known, 2 known; set, multiset,
    # count; alone
    "original": ((8, 12, 13), (2, 1, 1, 1, 1, 1), (1, 1, 1), ["p3", "p6"]),
    "a10 dropped": ((8, 11, 12), (2, 2, 2, 2, 2, 2), (1, 1, 1), ["p3", "p6"]),
    "p6 dropped": ((7, 9, 10), (2, 2, 2, 2, 2, 2), (1, 1, 1), ["p3"]),
    "years": ((8, 12, 13), (2, 2, 2, 2, 2, 2), (2, 1, 1), ["p3", "p6"]),
    "merged": ((8, 8, 9), (2, 2, 2, 2, 2, 2), (2, 2, 2), []),
}


@pytest.mark.parametrize("name", RELEASES)
def test_five_releases_of_the_worked_hospital(name, policy):
    """Every k of every release is the one that was worked out by hand."""
    rows, joined, persons, alone = RELEASES[name]
    tables = released(name)
    found = measure(tables, policy)
    stays = found.by_table["admissions"]
    assert tuple(one.height for one in tables.values()) == rows
    known = (stays.rows_k, stays.join_rows_k, stays.join_persons_k, *stays.known_rows_k.values())
    assert (found.persons_k, *known) == joined
    assert (found.by_set, found.by_multiset, found.by_count) == persons
    assert found.unique_persons == len(alone)


def test_equal_collections_have_equal_numbers():
    """Two parents get one number exactly if their items are the same, by count or by set."""
    rng = np.random.default_rng(5)
    parent, item = rng.integers(0, 60, 150), rng.integers(0, 3, 150)
    for repeated in (True, False):
        kind = sorted if repeated else lambda one: sorted(set(one))
        items = [tuple(kind(item[parent == one].tolist())) for one in range(60)]
        found = collections_of(parent, item, 60, repeated=repeated).tolist()
        assert all(
            (items[i] == items[j]) == (found[i] == found[j]) for i in range(60) for j in range(60)
        )


def test_combined_codes_are_equal_for_equal_rows():
    """Rows are numbered alike exactly if all of their columns are equal."""
    columns = list(np.random.default_rng(2).integers(0, 3, (3, 40)))
    rows = list(zip(*(one.tolist() for one in columns), strict=True))
    found = combine(columns, 40).tolist()
    assert len(set(zip(rows, found, strict=True))) == len(set(rows)) == len(set(found))


def test_row_numbers_of_every_table_are_known_unless_the_policy_says_otherwise():
    """A table without quasi-identifiers still tells persons apart by its number of rows."""
    tables = released("merged")
    tables["diagnoses"] = tables["diagnoses"].filter(pl.col("icd10") != "E11")
    counted = LinkedPolicy.from_dict(hospital_form(diagnoses={"rows": "known"}))
    assert measure(tables, counted).by_multiset == 2
    assert measure(released("merged"), counted).by_multiset == 1


def _changed(name, change):
    tables = hospital()
    tables[name] = change(tables[name])
    return tables


_REFUSED = {
    "admissions.patient has 1 value that patients.patient lacks": _changed(
        "admissions",
        lambda one: one.vstack(
            one[:1].with_columns(admission=pl.lit("a99"), patient=pl.lit("p99"))
        ),
    ),
    "patients.patient is a key, and 2 rows share theirs": _changed(
        "patients", lambda one: one.vstack(one[:1])
    ),
    "patients.patient is a key, and null in 1 row": _changed(
        "patients", lambda one: one.vstack(one[:1].with_columns(patient=pl.lit(None)))
    ),
    "admissions.patient is null in 1 row: nobody knows whose": _changed(
        "admissions",
        lambda one: one.vstack(one[:1].with_columns(admission=pl.lit("a99"), patient=pl.lit(None))),
    ),
}


@pytest.mark.parametrize("message", _REFUSED)
def test_tables_out_of_order_are_refused(message, policy):
    """A faulty key or reference is refused by table and count, and no value is printed."""
    with pytest.raises(DataError) as caught:
        measure(_REFUSED[message], policy)
    assert str(caught.value).startswith(message)
    assert "p99" not in str(caught.value)


def test_a_cycle_that_is_never_null_is_refused(tables):
    """References that go round are refused where no row could be written first."""
    own = {"references": {"first": "admissions"}, "key": "patient"}
    own["attributes"] = {
        **hospital_form()["tables"]["patients"]["attributes"],
        "first": {"role": "insensitive"},
    }
    policy = LinkedPolicy.from_dict(hospital_form(patients=own))
    first = tables["admissions"].unique("patient", keep="first", maintain_order=True)["admission"]
    tables["patients"] = tables["patients"].with_columns(first.alias("first"))
    with pytest.raises(DataError, match="go round, and none of them is ever null"):
        measure(tables, policy)
    tables["patients"][0, "first"] = None
    assert measure(tables, policy).persons == 8


_POLICY_FAULTS = {
    "tables.admissions.references.patient: 'patient' is an unknown table": {
        "admissions": {"references": {"patient": "patient"}}
    },
    "several ways (patient → patients and companion → patients): name the reference": {
        "admissions": {"references": {"patient": "patients", "companion": "patients"}}
    },
    "refers to another table: say its role": {
        "admissions": {
            "references": {"patient": "patients", "companion": "patients"},
            "owner": "patient",
        }
    },
    "tables.admissions.rows: is 'unknown', but there are quasi-identifiers": {
        "admissions": {"rows": "unknown"}
    },
    "tables.diagnoses.attributes.icd10: is a set of items, which linked tables do not protect": {
        "diagnoses": {"attributes": {"icd10": {"role": "set", "separator": ";"}}}
    },
    "others: 'set' is an unknown value": {"others": "set"},
    "tables.diagnoses.merge: must be a valid boolean, not 'yes'": {"diagnoses": {"merge": "yes"}},
    "tables.admissions.cap: is 0": {"admissions": {"cap": 0}},
    "person: 'patient' is an unknown table; did you mean 'patients'?": {"person": "patient"},
    "models[0].attribute: 'icd10' is an unknown sensitive attribute": {
        "models": [{"type": "l-diversity", "attribute": "icd10", "l": 2}]
    },
    "models[0]: k-map is not about classes of persons": {
        "models": [{"type": "k-map", "k": 2, "population": "all.csv"}]
    },
    "tables.diagnoses: its references go round": {
        "patients": {"key": ["patient"], "references": {}},
        "admissions": {
            "key": "admission",
            "references": {"admission": "diagnoses", "patient": "patients"},
            "owner": "admission",
        },
        "diagnoses": {"key": "admission", "references": {"admission": "admissions"}},
    },
}


@pytest.mark.parametrize("message", _POLICY_FAULTS)
def test_faults_of_a_policy_are_told(message):
    """What is wrong in a policy over several tables is told with its place."""
    with pytest.raises(PolicyError) as caught:
        LinkedPolicy.from_dict(hospital_form(**_POLICY_FAULTS[message]))
    assert message in str(caught.value)
