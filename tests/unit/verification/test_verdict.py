"""The verdict: what is told of a released table, and what takes the green off."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import pytest

from kanonym.data.errors import Message
from kanonym.models import KAnonymity
from kanonym.verification.release_view import RecordedRelease
from kanonym.verification.verdict import Finding, LargestShare, ModelCheck, Part, Verification

HOLDS = ModelCheck("k-anonymity", None, 2, 3, satisfied=True)
CHECKED = tuple(
    Part(name, "checked", Message("seen")) for name in ("identity", "attributes", "persons")
)
OPEN = (*CHECKED[:2], Part("persons", "not assessed", Message("nobody said")))
FAILS = ModelCheck("k-anonymity", None, 5, 3, satisfied=False)
TRIVIAL = ModelCheck("k-anonymity", None, 1, 3, satisfied=True, trivial=True)
FINDING = Finding(
    "dominant-value",
    "attributes",
    ("disease",),
    "nearly all share one value",
    {"share": 0.99, "classes": 2},
)


def found(*checks, findings=(), parts=CHECKED):
    """Return a verification with these checks, findings and parts."""
    return Verification(6, 2, checks, (), 0, {3: 2}, findings=tuple(findings), parts=parts)


@pytest.mark.parametrize(
    ("checks", "findings", "verdict"),
    [
        ([HOLDS], [], "satisfied"),
        ([HOLDS, TRIVIAL], [], "satisfied"),
        ([HOLDS], [FINDING], "satisfied with findings"),
        ([HOLDS, FAILS], [], "violated"),
        ([FAILS], [FINDING], "violated"),
        ([], [], "nothing required"),
        ([TRIVIAL], [], "nothing required"),
        ([TRIVIAL], [FINDING], "nothing required"),
    ],
)
def test_only_models_that_require_something_and_no_finding_are_satisfied(checks, findings, verdict):
    """A violation outweighs all, and nothing required outweighs findings."""
    assert found(*checks, findings=findings).verdict == verdict


@pytest.mark.parametrize(
    ("checks", "findings", "verdict"),
    [
        ([HOLDS], [], "not assessed"),
        ([HOLDS], [FINDING], "satisfied with findings"),
        ([FAILS], [], "violated"),
        ([], [], "nothing required"),
    ],
)
def test_a_part_that_was_not_assessed_takes_the_green_off(checks, findings, verdict):
    """Findings, violations and the lack of requirements outweigh it."""
    assert found(*checks, findings=findings, parts=OPEN).verdict == verdict


def test_findings_leave_what_models_say():
    """`satisfied` is about models alone, whatever was found."""
    assert found(HOLDS).with_findings(FINDING).satisfied is True


def test_findings_are_added_to_those_that_stand_once():
    """`with_findings` keeps the order, adds none twice, and leaves its own object as it was."""
    first = found(HOLDS, findings=[FINDING])
    second = Finding("no-records", "identity", (), "no record was released")
    assert first.with_findings(FINDING, second).findings == (FINDING, second)
    assert first.findings == (FINDING,)


def test_the_json_form_has_verdict_parts_findings_and_shares():
    """Verdict, parts, findings with their counts, and largest shares are in the contract."""
    share = LargestShare("disease", 0.99, 100, 0.2)
    whole = Verification(6, 2, (TRIVIAL,), (), 0, {3: 2}, (share,), (FINDING,), OPEN).to_dict()
    assert json.loads(json.dumps(whole)) == whole
    assert whole["verdict"] == "nothing required"
    assert whole["models"][0]["trivial"] is True
    assert whole["findings"] == [
        {
            "kind": "dominant-value",
            "part": "attributes",
            "columns": ["disease"],
            "message": "nearly all share one value",
            "counts": {"share": 0.99, "classes": 2},
        }
    ]
    assert whole["parts"]["persons"] == {"verdict": "not assessed", "rests_on": "nobody said"}
    assert whole["largest_shares"] == [
        {"attribute": "disease", "share": 0.99, "records": 100, "table_share": 0.2}
    ]


@pytest.mark.parametrize(("persons", "records", "achieved"), [(3, 9, 3), (4, 9, 4), (9, 5, 5)])
def test_recorded_persons_are_compared_with_k(persons, records, achieved):
    """Of persons that a manifest recorded k counts no more than a class has records."""
    recorded = RecordedRelease({"id": persons}, ())
    (check,) = recorded.with_checks((), [KAnonymity(4, "id")], records)
    assert (check.achieved, check.satisfied) == (achieved, achieved >= 4)


def test_a_finding_cannot_be_changed():
    """Nobody takes a finding back after verification."""
    with pytest.raises(FrozenInstanceError):
        FINDING.kind = "no-records"
