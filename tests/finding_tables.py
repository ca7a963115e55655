"""For every kind of finding a small table that has it, and the policy of its release."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

TOWNS = [f"town {i}" for i in range(4)]
N = 200


class Case(NamedTuple):
    """A table and the form of its policy; `rows: persons` unless the case is about persons."""

    table: pl.DataFrame
    policy: dict


def people(**columns):
    """Return 50 persons in each of four towns, with further columns: functions of the row."""
    return pl.DataFrame(
        {
            "id": list(range(N)),
            "town": [TOWNS[i % 4] for i in range(N)],
            "ill": [f"{'abcdefg'[(i // 4) % 7]} ill" for i in range(N)],
            **{name: [value(i) for i in range(N)] for name, value in columns.items()},
        }
    )


def form(models=(), others=None, rows="persons", **attributes):
    """Return the form of a policy: towns are released as they are, in classes of 50."""
    parts = {
        "attributes": {
            "id": {"role": "identifier"},
            "town": {"role": "quasi-identifier", "hierarchy": {"groups": {"fan_outs": [2, 2]}}},
            "ill": {"role": "sensitive"},
            **{
                name: role if isinstance(role, dict) else {"role": role}
                for name, role in attributes.items()
            },
        },
        "models": [
            {"type": "k-anonymity", "k": 5},
            {"type": "l-diversity", "attribute": "ill", "l": 3},
            *models,
        ],
        "algorithm": {"type": "full-domain"},
        "rows": rows,
        "others": others,
    }
    return {name: one for name, one in parts.items() if one is not None}


def diverse(attribute, least=2):
    """Return l-diversity of an attribute."""
    return {"type": "l-diversity", "attribute": attribute, "l": least}


SENTENCE = "the patient came to us on a rainy day in the month of may and told about the {}th dog"
NOTHING = Case(people(), form())
"""A table in which nothing is found."""
CASES = {
    "unprotected-sensitive": Case(
        people(job=lambda i: f"job {(i // 4) % 9}"), form(job="sensitive")
    ),
    "dominant-value": Case(
        people(job=lambda i: "x" if i % 4 == 0 and i else f"job {(i // 4) % 9}"),
        form([diverse("job")], job="sensitive"),
    ),
    "near-values": Case(
        people(pay=lambda i: 2000 + i % 3 if i % 4 == 0 else 1000 * (1 + (i // 4) % 9)),
        form([diverse("pay")], pay="sensitive"),
    ),
    "similar-values": Case(
        people(code=lambda i: f"B20.{i % 3}" if i % 4 == 0 else f"{'CDEFG'[(i // 4) % 5]}1"),
        form([diverse("code")], code="sensitive"),
    ),
    "spellings": Case(
        people(flu=lambda i: ("flu", "Flu")[(i // 4) % 2] if i % 4 == 0 else "abc"[(i // 4) % 3]),
        form([diverse("flu")], flu="sensitive"),
    ),
    "identifying-amount": Case(people(pay=lambda i: 1000 + 37 * i), form(pay="insensitive")),
    "free-text": Case(people(note=SENTENCE.format), form(note="insensitive")),
    "dependent-column": Case(
        people(street=lambda i: f"street {i % 80}"), form(street="insensitive")
    ),
    "knowable-column": Case(people(zip=lambda i: f"{i % 90:05}"), form(others="insensitive")),
    "trivial-model": Case(
        people(job=lambda i: f"job {(i // 4) % 9}"), form([diverse("job", 1)], job="sensitive")
    ),
    "no-records": Case(people().clear(), form()),
}
"""By kind, what every way in finds."""
