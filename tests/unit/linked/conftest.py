"""The worked hospital: eight patients with admissions and diagnoses, five releases of it."""

from __future__ import annotations

import polars as pl
import pytest

from kanonym.linked import LinkedPolicy


def pairs(text):
    """Return the words of a text in pairs."""
    words = text.split()
    return zip(words[::2], words[1::2], strict=True)


def hospital():
    """Return the eight patients: born, sex and zip; year and ward of twelve admissions."""
    born = [("1950-59", "f", "280")] * 3 + [("1970-79", "m", "281")] * 3
    born += [("1990-99", "f", "280")] * 2
    patients = pl.DataFrame(
        [(f"p{i}", *one) for i, one in enumerate(born, 1)],
        schema=["patient", "born", "sex", "zip"],
        orient="row",
    )
    text = "p1 21 p1 22 p2 21 p2 22 p3 21 p4 22 p5 22 p6 22 p6 22 p6 23 p7 21 p8 21"
    wards = {"p1": "cardiology", "p2": "cardiology", "p3": "cardiology", "p7": "maternity"}
    wards |= {"p8": "maternity"}
    admissions = pl.DataFrame(
        [
            (f"a{i:02}", patient, f"20{year}", wards.get(patient, "surgery"))
            for i, (patient, year) in enumerate(pairs(text), 1)
        ],
        schema=["admission", "patient", "year", "ward"],
        orient="row",
    )
    text = "01 I21 01 E11 02 I21 03 I21 04 I21 05 I21 06 K35 07 K35 08 K35 09 K40 10 K35 11 O80"
    diagnoses = pl.DataFrame(
        [(f"a{admission}", code) for admission, code in pairs(f"{text} 12 O80")],
        schema=["admission", "icd10"],
        orient="row",
    )
    return {"patients": patients, "admissions": admissions, "diagnoses": diagnoses}


def hospital_form(**changes):
    """Return the policy of the worked hospital, with changes of single tables."""
    known = {"role": "quasi-identifier"}
    tables = {
        "patients": {"key": "patient", "attributes": {"born": known, "sex": known, "zip": known}},
        "admissions": {
            "key": "admission",
            "references": {"patient": "patients"},
            "attributes": {"year": known, "ward": known},
        },
        "diagnoses": {
            "references": {"admission": "admissions"},
            "attributes": {"icd10": {"role": "sensitive"}},
            "rows": "unknown",
        },
    }
    top = {name: one for name, one in changes.items() if name not in tables}
    tables = {name: {**one, **changes.get(name, {})} for name, one in tables.items()}
    return {
        "person": "patients",
        "tables": tables,
        "models": [{"type": "k-anonymity", "k": 2}],
        **top,
    }


@pytest.fixture
def tables():
    """Return the tables of the worked hospital."""
    return hospital()


@pytest.fixture
def policy():
    """Return the policy of the worked hospital."""
    return LinkedPolicy.from_dict(hospital_form())
