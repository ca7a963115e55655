"""What a report may be told besides its release, in the JSON forms: invented, but complete."""

from __future__ import annotations


def attack(type_, rate, baseline, **more):
    """Return the JSON form of one attack's outcome."""
    control = more.get("control")
    chance = baseline if control is None else control
    beyond = max(0.0, (rate - chance) / (1 - chance))
    return {
        "type": type_,
        "question": f"Can someone do {type_}?",
        "rate": rate,
        "rate_interval": [max(0.0, rate - 0.02), min(1.0, rate + 0.02)],
        "baseline": baseline,
        "control": control,
        "risk": beyond,
        "interval": [max(0.0, beyond - 0.03), min(1.0, beyond + 0.03)],
        "confidence": 0.95,
        "attempts": 2000,
        "seed": 0,
        **more,
    }


ATTACKS = (
    attack("linkage", 0.151, 0.0001, parts={"alone": 0.0}),
    attack("singling-out", 0.021, 0.018, control=0.02),
    attack("inference", 0.31, 0.24, control=0.30),
    attack("membership", 0.54, 0.5),
    attack("homogeneity", 0.0, 0.0),
    attack("intersection", 0.0, 0.0, attempts=0, reason="there is no second release"),
    attack("attack-of-tomorrow", 0.2, 0.1),
)

UNIT = {"low": 0.0, "high": 1.0, "better": "lower", "unit": "share", "source": "a paper"}
COUNT = {"low": 0.0, "high": None, "better": "lower", "unit": "records", "source": "a book"}

ASSESSMENT = {
    "risk": {
        "prosecutor_highest": {**UNIT, "value": 0.1},
        "prosecutor_at_risk": {**UNIT, "value": 0.9, "parts": {"threshold": 0.05}},
        "uniques": {**COUNT, "value": 0},
        "suda_mean": {**COUNT, "value": 0.2, "parts": {"age": 1.5, "town": 0.5}},
        "copula_uniqueness": {**UNIT, "value": None, "reason": "no number of persons is known"},
        "measure_of_tomorrow": {**COUNT, "value": 3.25},
        "presets": {
            "strict": {
                "title": "A strict threshold",
                "met": False,
                "reason": "11 records are the least allowed",
                "source": "an authority",
            },
            "open": {
                "title": "An open one",
                "met": None,
                "reason": "it was not measured",
                "source": "an authority",
            },
        },
    },
    "utility": {
        "gcp": {**UNIT, "value": 0.12, "parts": {"age": 0.2, "town": 0.04}},
        "cramers_v_difference": {
            **UNIT,
            "value": 0.03,
            "parts": {"town × sex": 0.02, "town × disease": 0.04},
        },
        "correlation_ratio_difference": {**UNIT, "value": 0.01, "parts": {"age × town": 0.01}},
        "rmse": {**COUNT, "value": None, "reason": "the records were shuffled"},
    },
}


def _combination(algorithm, k, gcp, **more):
    return {
        "label": f"{algorithm}, k {k}",
        "parameters": {"algorithm": algorithm, "k": k},
        "released": True,
        "reason": None,
        "k": k,
        "suppressed": 3,
        "utility": {"gcp": gcp},
        "average_risk": 1 / k,
        "frontier": False,
        "knee": False,
        **more,
    }


COMPARISON = {
    "rows": 60,
    "privacy": "k",
    "measure": "gcp",
    "combinations": [
        _combination("mondrian", 2, 0.05, frontier=True),
        _combination("mondrian", 10, 0.1, frontier=True, knee=True),
        _combination("mdav", 2, 0.07),
        _combination("mdav", 99, None, released=False, suppressed=None, reason="too few records"),
    ],
    "knee": {"algorithm": "mondrian", "k": 10},
    "reason": "Take mondrian, k 10: more privacy costs much more.",
}

PROFILE = {
    "rows": 60,
    "columns": {
        "age": {"role": "quasi-identifier", "reasons": [{"kind": "name", "terms": ["age"]}]},
        "town": {
            "role": "sensitive",
            "reasons": [
                {"kind": "name-sensitive", "terms": ["place"]},
                {"kind": "alone", "counts": {"records": 3}},
            ],
        },
    },
}

KNOWN = {
    "attacks": ATTACKS,
    "assessment": ASSESSMENT,
    "comparison": COMPARISON,
    "profile": PROFILE,
}
