"""One table by all ways in gives one verdict and the same findings."""

from __future__ import annotations

import functools
import json

import polars as pl
import pytest

import kanonym as ka
from finding_tables import CASES, NOTHING
from kanonym import linked
from kanonym.verification.findings import FINDINGS
from kanonym.workbench.work.facts import Source
from kanonym.workbench.work.table_work import TableWork

ELSEWHERE = {
    "repeated-identifier": "tests/unit/verification/test_person_checks.py",
    "person-column": "tests/unit/verification/test_repeated_persons.py",
    "repeated-persons": "tests/unit/verification/test_repeated_persons.py",
    "batches-together": "tests/unit/series/test_repeated_persons.py",
    "copied-column": "tests/unit/linked/test_copied_columns.py",
    "date-intervals": "tests/unit/linked/test_dates.py",
    "unshifted-dates": "tests/unit/linked/test_dates.py",
    "long-list": "tests/unit/verification/test_long_lists.py",
    "shifted-distribution": "tests/laws/test_suppressed_values.py",
    "unread-parts": "tests/functional/test_verified_files.py",
    "items-apart": "tests/unit/test_sets.py",
    "drawn-values": "tests/functional/test_draw.py",
    "not-private": "tests/functional/test_differential_privacy.py",
    "foreign-labels": "tests/functional/test_differential_privacy.py",
    "unrecorded": "tests/functional/test_differential_privacy.py",
    "large-delta": "tests/functional/test_differential_privacy.py",
}
"""Kinds that only some ways in can have, and the tests that have a table with each."""


def verdict_of(found):
    """Return what all ways in must agree on."""
    return {
        "verdict": found.verdict,
        "parts": {part.name: part.verdict for part in found.parts},
        "findings": [(one.kind, one.part, one.columns, dict(one.counts)) for one in found.findings],
        "models": [(one.type, one.achieved) for one in found.checks],
    }


def policy_of(case):
    """Return the policy of a case."""
    return ka.Policy.from_text(json.dumps(case.policy))


def as_linked(case):
    """Return the case as the one table of a linked policy."""
    form = case.policy
    attributes = {name: one for name, one in form["attributes"].items() if name != "id"}
    table = {"key": "id", "attributes": attributes}
    parts = {"person": "people", "tables": {"people": table}, "models": form["models"]}
    return parts | ({"others": form["others"]} if "others" in form else {})


def released(case):
    """Return the release of this process."""
    return _released(next((kind for kind, other in CASES.items() if other is case), None))


@functools.cache
def _released(kind):
    case = NOTHING if kind is None else CASES[kind]
    return ka.anonymize(case.table, policy_of(case))


def by_verify(case, _folder):
    """Return what `verify` finds beside the original."""
    return ka.verify(released(case).frame, policy_of(case), original=case.table)


def by_series(case, _folder):
    """Return what the first batch of a series finds."""
    return ka.fit(case.table, policy_of(case)).apply(case.table).verification


def by_union(case, _folder):
    """Return what all batches of a series find, of which there is one."""
    return ka.fit(case.table, policy_of(case)).apply(case.table).union


def by_linked(case, _folder):
    """Return what linked tables find, of which there is one."""
    policy = linked.LinkedPolicy.from_dict(as_linked(case))
    return linked.anonymize({"people": case.table}, policy).verification


def by_workbench(case, folder):
    """Return what the process of the workbench finds."""
    case.table.write_parquet(folder / "people.parquet")
    work = TableWork()
    work.open(lambda _: None, Source(str(folder / "people.parquet")))
    work.release(lambda _: None, json.dumps(case.policy), str(folder), None)
    return work._release.verification  # noqa: SLF001 - the page shows its JSON form


WAYS = [by_verify, by_series, by_union, by_linked, by_workbench]


@pytest.mark.parametrize("kind", CASES)
def test_the_table_of_each_kind_has_it(kind):
    """Every kind is found in its table."""
    assert kind in [one.kind for one in released(CASES[kind]).verification.findings]


def test_nothing_is_found_in_a_table_without_findings():
    """Where persons are stated, attributes protected and nothing is found, the verdict is green."""
    found = released(NOTHING).verification
    assert (found.verdict, found.findings) == ("satisfied", ())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [*CASES, None])
def test_every_way_in_finds_the_same(way, kind, tmp_path):
    """Verdict, parts, findings with their counts, and what models achieve, by every way in."""
    case = NOTHING if kind is None else CASES[kind]
    if kind == "no-records" and way in (by_series, by_union):
        with pytest.raises(ka.DataError, match="no record to fit"):
            way(case, tmp_path)
        return
    assert verdict_of(way(case, tmp_path)) == verdict_of(released(case).verification)


def test_every_kind_has_a_table():
    """A kind that no test has seen would be none."""
    kinds = {one.type for one in FINDINGS}
    assert kinds == CASES.keys() | ELSEWHERE.keys()


def test_without_the_original_it_is_said_what_was_not_looked_for():
    """`verify` of a release alone names the kinds that show only beside the original."""
    case = CASES["dependent-column"]
    alone = ka.verify(released(case).frame, policy_of(case))
    assert alone.not_looked_for == ("person-column", "repeated-persons", "dependent-column")
    assert alone.to_dict()["not_looked_for"] == list(alone.not_looked_for)
    assert not ka.verify(released(case).frame, policy_of(case), original=case.table).not_looked_for


def test_tables_of_pandas_find_the_same():
    """The frame library changes nothing."""
    for case in CASES.values():
        frame = case.table.to_pandas()
        found = ka.anonymize(frame, policy_of(case)).verification
        assert verdict_of(found) == verdict_of(released(case).verification)


def test_polars_rows_in_another_order_find_the_same():
    """Findings are of records, not of their order."""
    for case in CASES.values():
        frame = case.table.select(pl.all().reverse())
        found = ka.anonymize(frame, policy_of(case)).verification
        assert verdict_of(found) == verdict_of(released(case).verification)
