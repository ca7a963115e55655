"""The worked hospital: eight patients with admissions and diagnoses, five releases of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from kanonym.linked import LinkedPolicy

KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
ONE_WARD = {"f": {"1950-59": "cardiology", "1990-99": "maternity"}, "m": {"1970-79": "surgery"}}


def hospital():
    """Return the eight patients: born, sex and zip; year and ward of twelve admissions."""
    born = [("1950-59", "f", "280")] * 3 + [("1970-79", "m", "281")] * 3
    born += [("1990-99", "f", "280")] * 2
    patients = pl.DataFrame(
        [(f"p{i}", *one) for i, one in enumerate(born, 1)],
        schema=["patient", "born", "sex", "zip"],
        orient="row",
    )
    stays = "p1 21 p1 22 p2 21 p2 22 p3 21 p4 22 p5 22 p6 22 p6 22 p6 23 p7 21 p8 21".split()
    wards = {"p1": "cardiology", "p2": "cardiology", "p3": "cardiology", "p7": "maternity"}
    wards |= {"p8": "maternity"}
    admissions = pl.DataFrame(
        [
            (f"a{i:02}", stays[2 * i - 2], f"20{stays[2 * i - 1]}", wards.get(stays[2 * i - 2], "surgery"))
            for i in range(1, 13)
        ],
        schema=["admission", "patient", "year", "ward"],
        orient="row",
    )
    codes = "01 I21 01 E11 02 I21 03 I21 04 I21 05 I21 06 K35 07 K35 08 K35 09 K40 10 K35 11 O80 12 O80"
    words = codes.split()
    diagnoses = pl.DataFrame(
        {"admission": [f"a{one}" for one in words[::2]], "icd10": words[1::2]}
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
