"""Persons who are in several batches: what these give away together, and how it is bounded."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.series import Fitted, PersonColumn


@pytest.fixture
def person(monkeypatch):
    """Return how persons are recognized in every batch."""
    monkeypatch.setenv("SERIES_KEY", "a key of tests, of no data")
    return lambda **more: PersonColumn("id", {"env": "SERIES_KEY"}, **more)


def batch(ids, ages, diseases):
    """Return a batch of persons."""
    return pl.DataFrame({"id": ids, "age": ages, "disease": diseases})


# In January Ann may have flu or gout, in March flu or cold: together they say flu.
JANUARY = batch(["ann", "bob", "cy", "di"], [20, 21, 40, 41], ["flu", "gout", "flu", "cold"])
MARCH = batch(["ann", "eve", "fay", "gil"], [23, 24, 43, 44], ["flu", "cold", "flu", "gout"])
TREE = {"mapping": {str(i): ["20s" if i < 30 else "40s"] for i in range(20, 50)}}


def fitted(limit=0.0):
    """Return a recoding of ages to decades."""
    policy = ka.Policy(
        attributes={
            "id": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": TREE},
            "disease": {"role": "sensitive"},
        },
        models=[
            {"type": "k-anonymity", "k": 2},
            {"type": "l-diversity", "attribute": "disease", "l": 2},
        ],
        algorithm={"type": "full-domain"},
        suppression_limit=limit,
    )
    return ka.fit(JANUARY, policy)


def test_what_two_batches_say_together_is_told(person, tmp_path):
    """Each batch leaves two values open of Ann, and both together leave one."""
    series = fitted()
    first = series.apply(JANUARY, person=person()).repeated
    assert first.to_dict() == {
        "persons": 0,
        "in_several": 0,
        "in_series": 4,
        "fewer": {"disease": 0},
        "known": {"disease": 0},
        "least": {"disease": None},
        "suppressed": 0,
    }
    series.save(tmp_path / "series.json")
    text = (tmp_path / "series.json").read_text()
    assert "ann" not in text
    found = Fitted.load(tmp_path / "series.json").apply(MARCH, person=person())
    assert found.repeated.persons == 1
    assert found.repeated.known == found.repeated.fewer == {"disease": 1}
    for verdict in (found.verification, found.union):
        assert [one.kind for one in verdict.findings] == ["batches-together"]
        assert verdict.verdict == "satisfied with findings"
    assert found.repeated.least == {"disease": 1}
    assert found.to_dict()["repeated"]["persons"] == 1


def test_persons_are_suppressed_where_too_few_values_would_be_left(person):
    """With least_values the records of such a person go, and the batch still satisfies."""
    series = fitted(0.5)
    series.apply(JANUARY, person=person(least_values=2))
    release = series.apply(MARCH, person=person(least_values=2))
    assert release.repeated.suppressed == 1
    assert release.repeated.persons == 0
    assert release.suppressed == 2  # Eve is alone then
    assert release.verification.satisfied
    assert sorted(release.rows.tolist()) == [2, 3]
    strict = fitted(0.0)
    strict.apply(JANUARY, person=person(least_values=2))
    with pytest.raises(InfeasibleError, match="suppress"):
        strict.apply(MARCH, person=person(least_values=2))
    assert strict.batches == 1


def test_persons_are_looked_for_in_every_batch_or_in_none(person):
    """A batch without its persons, or the first one with them, is refused."""
    series = fitted()
    series.apply(JANUARY, person=person())
    with pytest.raises(PolicyError, match="compared by persons"):
        series.apply(MARCH)
    other = fitted()
    other.apply(JANUARY)
    with pytest.raises(PolicyError, match="were not recorded"):
        other.apply(MARCH, person=person())
