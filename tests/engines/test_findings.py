"""Engines find in a release what this process finds."""

from __future__ import annotations

import json

import pytest

import kanonym as ka
from finding_tables import CASES, NOTHING


def verdict_of(found):
    """Return what engines and this process must agree on."""
    return {
        "verdict": found.verdict,
        "parts": {part.name: part.verdict for part in found.parts},
        "findings": [(one.kind, one.columns, dict(one.counts)) for one in found.findings],
    }


BY_NIGHT = [pytest.param(kind, marks=pytest.mark.nightly(on="spark")) for kind in list(CASES)[2:]]


@pytest.mark.parametrize("kind", [*list(CASES)[:2], *BY_NIGHT, None])
def test_every_engine_finds_the_same(source, kind):
    """Verdict, parts and findings with their counts are those of a table in this process."""
    case = NOTHING if kind is None else CASES[kind]
    policy = ka.Policy.from_text(json.dumps(case.policy))
    here = ka.anonymize(case.table, policy).verification
    table = source(case.table)
    place = None if table.store.name in ("duckdb", "spark") else "released"
    there = ka.anonymize(table, policy, output=place).verification
    assert verdict_of(there) == verdict_of(here)
