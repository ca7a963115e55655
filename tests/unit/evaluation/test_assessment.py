"""`ka.assess`: risk of a release and its utility in one call."""

from __future__ import annotations

import json

import polars as pl
import pytest

import kanonym as ka

BEFORE = {
    "age": [23, 25, 41, 42, 30, 31],
    "sex": ["f", "f", "m", "m", "f", "m"],
    "disease": ["flu", "cold", "flu", "flu", "cold", "cold"],
}
AFTER = {
    "age": ["[23, 25]", "[23, 25]", "[41, 42]", "[41, 42]", "[30, 31]", "[30, 31]"],
    "sex": ["f", "f", "m", "m", "*", "*"],
    "disease": BEFORE["disease"],
}
KNOWN = ["age", "sex"]


def both():
    """Return an original and a release of it."""
    return pl.DataFrame(BEFORE), pl.DataFrame(AFTER)


def test_risk_is_of_the_release_and_utility_of_the_pair(frame):
    """One call gives what `ka.risk` and `ka.utility` give."""
    before, after = frame(BEFORE), frame(AFTER)
    found = ka.assess(before, after, quasi_identifiers=KNOWN, sensitive=["disease"])
    risk = ka.risk(after, quasi_identifiers=KNOWN, sensitive=["disease"])
    utility = ka.utility(before, after, quasi_identifiers=KNOWN)
    assert found.to_dict() == {"risk": risk.to_dict(), "utility": utility.to_dict()}


def test_it_is_shown_as_a_short_table_by_subject():
    """Its `repr` and a notebook show a few figures; all of them are those of risk and utility."""
    found = ka.assess(*both(), quasi_identifiers=KNOWN, sensitive=["disease"])
    lines = repr(found).splitlines()
    assert len(lines) < 20
    assert lines[1].split() == ["identity", "k", "2", "higher"]
    subjects = [
        line.split()[0] for line in lines if not line.startswith((" ", "all", "subject", "records"))
    ]
    assert subjects == ["identity", "attributes", "loss", "likeness"]
    assert "prosecutor highest" in found._repr_html_()


def test_further_parameters_reach_the_risk_and_the_utility():
    """Population, threshold and entity are of the risk; measures and alignment of the utility."""
    found = ka.assess(
        *both(),
        quasi_identifiers=KNOWN,
        population=1_000,
        threshold=0.5,
        presets=["ema-0070"],
        largest=0,
        measures=["gcp"],
        aligned=False,
    )
    assert found.risk.assessment.threshold == 0.5
    assert found.risk.assessment.population.population == 1_000
    assert found.risk.suda is None
    assert list(found.utility.measured) == ["gcp"]
    assert not found.utility.aligned


def test_hierarchies_go_where_they_belong():
    """That of a sensitive attribute gives its distance; those of quasi-identifiers read labels."""
    before, _ = both()
    after = before.with_columns(sex=pl.lit("person"))
    trees = {
        "sex": ka.hierarchy.from_mapping({"f": ["person"], "m": ["person"]}),
        "disease": ka.hierarchy.flat(),
    }
    found = ka.assess(
        before, after, quasi_identifiers=["sex"], sensitive=["disease"], hierarchies=trees
    )
    assert "t_hierarchical" in found.risk.entries()
    assert found.utility.measured["gcp"].value == 1


def test_a_policy_says_it_all():
    """With the policy of a release nothing else is named, and naming it is refused."""
    before, _ = both()
    policy = ka.Policy.from_columns(quasi_identifiers=KNOWN, sensitive=["disease"], k=2)
    release = ka.anonymize(before, policy)
    found = ka.assess(before, release.frame, policy)
    assert found.risk.measurement.k == release.verification.k
    assert found.utility.measured["gcp"].value == pytest.approx(release.utility.gcp)
    for more in ({"sensitive": ["disease"]}, {"quasi_identifiers": KNOWN}):
        with pytest.raises(ka.PolicyError, match="not both"):
            ka.assess(before, release.frame, policy, **more)


def test_what_is_misspelt_is_refused():
    """A parameter that nobody knows is an error, not ignored."""
    with pytest.raises(TypeError, match="popultion"):
        ka.assess(*both(), quasi_identifiers=KNOWN, popultion=3)


def test_the_contract_is_json_without_nan():
    """`to_dict` is one JSON object of risk and utility."""
    found = ka.assess(*both(), quasi_identifiers=KNOWN, sensitive=["disease"], population=500)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)).keys() == {"risk", "utility"}


def test_print_is_readable():
    """The parts print counts first, then risk and utility, a number a line, and no array."""
    found = ka.assess(*both(), quasi_identifiers=KNOWN, sensitive=["disease"])
    text = f"{found.risk}\n\n{found.utility}"
    lines = text.splitlines()
    assert lines[0] == "records 6 · classes 3 · k 2 · records alone in their class 0"
    headings = [line.split()[:2] for line in lines if line.endswith("what it counts")]
    assert headings == [["risk", "value"], ["utility", "value"]]
    assert not any(word in text for word in ("array", "Series", "object at"))
