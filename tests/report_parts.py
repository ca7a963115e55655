"""What a report may be told besides its release: invented results, but complete."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from kanonym.comparison import Comparison, Trial
from kanonym.data.errors import Message
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount
from kanonym.evaluation.risk.presets import ENTRIES, Verdict
from kanonym.evaluation.risk.suda import ENTRIES as SUDA
from kanonym.evaluation.utility.table_utility import EVERY
from kanonym.metrics.measured_value import Meaning, MeasuredValue
from kanonym.profiling.reasons import Reason
from kanonym.reporting import frontier_of

NO_SECOND = Message("there is no second release of the same persons")

ATTEMPTS = 2000


def attack(type_, rate, baseline, *, control=None, attempts=ATTEMPTS, **more):
    """Return the outcome of one attack with such rates."""
    return AttackResult(
        type_,
        f"Can someone do {type_}?",
        SuccessCount(rate * attempts, attempts),
        SuccessCount(baseline * ATTEMPTS, ATTEMPTS, exact=True),
        None if control is None else SuccessCount(control * ATTEMPTS, ATTEMPTS),
        **more,
    )


ATTACKS = (
    attack("linkage", 0.151, 0.0001, parts={"alone": 0.0}),
    attack("singling-out", 0.021, 0.018, control=0.02),
    attack("inference", 0.31, 0.24, control=0.30),
    attack("membership", 0.54, 0.5),
    attack("homogeneity", 0.0, 0.0),
    attack(
        "intersection",
        0.0,
        0.0,
        attempts=0,
        reason=Message("there is no second release of the same persons"),
    ),
    attack("attack-of-tomorrow", 0.2, 0.1),
)


KNOWN_MEANINGS = {
    meaning.name.replace("-", "_"): meaning
    for meaning in (*ENTRIES.values(), *SUDA.values(), *(one.meaning for one in EVERY.values()))
}


def meaning_of(name, high, unit, source):
    """Return how to read a number: with the title of the measure of that name, if there is one."""
    known = KNOWN_MEANINGS.get(name, Meaning(name))
    return Meaning(name, 0.0, high, "lower", unit, source, known.title, known.counted)


def share(name, value, parts=None, reason=None):
    """Return a measure from 0 to 1."""
    meaning = meaning_of(name, 1.0, "share", "a paper")
    return MeasuredValue(meaning, value, parts or {}, reason)


def count(name, value, parts=None, reason=None):
    """Return a measure of any size."""
    meaning = meaning_of(name, math.inf, "records", "a book")
    return MeasuredValue(meaning, value, parts or {}, reason)


def measures(*found, verdicts=None):
    """Return risk or utility of these measures."""
    entries = {one.meaning.name: one for one in found}
    return SimpleNamespace(
        entries=lambda: entries, assessment=SimpleNamespace(verdicts=verdicts or {})
    )


RISKS = (
    share("prosecutor_highest", 0.1),
    share("prosecutor_at_risk", 0.9, {"threshold": 0.05}),
    count("uniques", 0),
    count("suda_mean", 0.2, {"age": 1.5, "town": 0.5}),
    share("population_uniques_snb", None, reason="no number of persons is known"),
    count("measure_of_tomorrow", 3.25),
)
RISK = measures(
    *RISKS,
    verdicts={
        "hipaa-cell-size": Verdict(met=False, reason="11 records are the least allowed"),
        "ema-0070": Verdict(met=None, reason="it was not measured"),
    },
)
UTILITY = measures(
    share("gcp", 0.12, {"age": 0.2, "town": 0.04}),
    share("cramers_v_difference", 0.03, {"town × sex": 0.02, "town × disease": 0.04}),
    share("correlation_ratio_difference", 0.01, {"age × town": 0.01}),
    count("rmse", None, reason="the records were shuffled"),
)


def _trial(algorithm, k, gcp, **more):
    return Trial(
        parameters={"algorithm": algorithm, "k": k},
        policy=None,
        **{
            "k": k,
            "classes": 4,
            "suppressed": 3,
            "utility": {"gcp": gcp},
            "average_risk": 1 / k,
            **more,
        },
    )


COMPARISON = Comparison(
    trials=(
        _trial("mondrian", 2, 0.05),
        _trial("mondrian", 10, 0.06),
        _trial("mondrian", 50, 0.4),
        _trial("mdav", 2, 0.07),
        _trial("mdav", 99, None, suppressed=None, reason="too few records"),
    ),
    rows=60,
    measure="gcp",
)


NODES = frontier_of(
    names=["age"],
    model={"type": "k-anonymity", "k": 5},
    required=5,
    metric="loss",
    levels=np.arange(3, dtype=np.int64).reshape(3, 1),
    achieved=np.array([2.0, 5.0, 9.0]),
    score=np.array([0.1, 0.2, 0.5]),
    suppressed=np.zeros(3, np.int64),
    classes=np.ones(3, np.int64),
    satisfied=np.array([False, True, True]),
)


def column(name, role, *reasons):
    """Return a column of a profile."""
    return SimpleNamespace(name=name, role=role, reasons=reasons)


PROFILE = SimpleNamespace(
    columns=(
        column("age", "quasi-identifier", Reason("name", terms=["age"])),
        column(
            "town",
            "sensitive",
            Reason("name-sensitive", terms=["place"]),
            Reason("alone", {"records": 3}),
        ),
    )
)

KNOWN = {
    "attacks": ATTACKS,
    "risk": RISK,
    "utility": UTILITY,
    "comparison": COMPARISON,
    "profile": PROFILE,
}
