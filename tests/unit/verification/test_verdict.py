"""The verdict: what is told of a released table, and what takes the green off."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import pytest

from kanonym.verification import LargestShare, ModelCheck, Verification, VerificationWarning

HOLDS = ModelCheck("k-anonymity", None, 2, 3, satisfied=True)
FAILS = ModelCheck("k-anonymity", None, 5, 3, satisfied=False)
TRIVIAL = ModelCheck("k-anonymity", None, 1, 3, satisfied=True, trivial=True)
WARNING = VerificationWarning(
    "dominant-value", ("disease",), "nearly all share one value", {"share": 0.99, "classes": 2}
)


def found(*checks, warnings=()):
    """Return a verification with these checks and warnings."""
    return Verification(6, 2, checks, (), 0, {3: 2}, warnings=tuple(warnings))


@pytest.mark.parametrize(
    ("checks", "warnings", "verdict"),
    [
        ([HOLDS], [], "satisfied"),
        ([HOLDS, TRIVIAL], [], "satisfied"),
        ([HOLDS], [WARNING], "satisfied with warnings"),
        ([HOLDS, FAILS], [], "violated"),
        ([FAILS], [WARNING], "violated"),
        ([], [], "nothing required"),
        ([TRIVIAL], [], "nothing required"),
        ([TRIVIAL], [WARNING], "nothing required"),
    ],
)
def test_only_models_that_require_something_and_no_warning_are_satisfied(checks, warnings, verdict):
    """A violation outweighs all, and nothing required outweighs warnings."""
    assert found(*checks, warnings=warnings).verdict == verdict


def test_warnings_leave_what_models_say():
    """`satisfied` is about models alone, whatever warns."""
    assert found(HOLDS).with_warnings(WARNING).satisfied is True


def test_warnings_are_added_to_those_that_stand():
    """`with_warnings` keeps the order, and leaves its own object as it was."""
    first = found(HOLDS, warnings=[WARNING])
    second = VerificationWarning("no-records", (), "no record was released")
    assert first.with_warnings(second).warnings == (WARNING, second)
    assert first.warnings == (WARNING,)


def test_the_json_form_has_verdict_warnings_and_shares():
    """Verdict, warnings with their counts, and largest shares are part of the contract."""
    share = LargestShare("disease", 0.99, 100, 0.2)
    whole = Verification(6, 2, (TRIVIAL,), (), 0, {3: 2}, (share,), (WARNING,)).to_dict()
    assert json.loads(json.dumps(whole)) == whole
    assert whole["verdict"] == "nothing required"
    assert whole["models"][0]["trivial"] is True
    assert whole["warnings"] == [
        {
            "kind": "dominant-value",
            "columns": ["disease"],
            "message": "nearly all share one value",
            "counts": {"share": 0.99, "classes": 2},
        }
    ]
    assert whole["largest_shares"] == [
        {"attribute": "disease", "share": 0.99, "records": 100, "table_share": 0.2}
    ]


def test_a_warning_cannot_be_changed():
    """Nobody takes a warning back after verification."""
    with pytest.raises(FrozenInstanceError):
        WARNING.kind = "no-records"
