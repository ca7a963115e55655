"""Several records of one person, without a column that says so, must not stand beside green."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import kanonym as ka

N = 2_000
KNOWN = ["born", "sex", "postal"]
MODELS = [ka.KAnonymity(5)]


def persons(n, seed=3):
    """Return persons, a row each."""
    random = np.random.default_rng(seed)
    days = pl.Series(random.integers(0, 25_000, n)).cast(pl.Int32).cast(pl.Date)
    return pl.DataFrame(
        {
            "born": days,
            "sex": random.choice(["F", "M"], n),
            "postal": random.choice([f"{8000 + one}" for one in range(60)], n),
        }
    )


def visits(each=4, seed=3, n=N):
    """Return rows of visits, so many of each person on average, in random order."""
    random = np.random.default_rng(seed)
    table = persons(n // each, seed)
    rows = random.integers(0, len(table), n)
    return table[rows].with_columns(ward=pl.Series(random.choice(["A", "B"], n)))


def policy(known=KNOWN, **more):
    """Return a policy about some quasi-identifiers."""
    roles = {name: ka.QuasiIdentifier() for name in known} | more.pop("roles", {})
    return ka.Policy(attributes=roles, others="insensitive", models=MODELS, **more)


def repeated(found):
    """Return the warnings of repeated persons."""
    return [one for one in found.findings if one.kind == "repeated-persons"]


@pytest.mark.parametrize("each", [3, 4])
@pytest.mark.parametrize("rows", [None, "persons"])
def test_visits_are_told_from_persons(each, rows):
    """Visits whose number of the person was dropped are found, whatever the policy states."""
    (told,) = repeated(ka.anonymize(visits(each), policy(rows=rows)).verification)
    assert set(told.columns) <= {*KNOWN, "ward"}
    assert told.counts["records"] == N


@pytest.mark.parametrize(
    "table",
    [
        persons(N),
        persons(N).with_columns(pl.col("born").dt.truncate("1y")),
        persons(N).with_columns(pl.col("born").dt.truncate("10y"), postal=pl.lit("8001")),
    ],
    ids=["days", "years", "few values"],
)
def test_persons_are_green(table):
    """Different persons who agree do so by chance, however coarse their values are."""
    assert not repeated(ka.anonymize(table, policy()).verification)


def test_a_number_of_persons_is_found_whatever_it_is_called():
    """A column that repeats and determines others is told by its structure alone."""
    table = visits().with_columns(x=pl.struct(KNOWN).rank("dense"))
    found = ka.anonymize(table, policy(roles={"x": ka.Insensitive()})).verification
    assert [one.columns for one in found.findings if one.kind == "person-column"] == [("x",)]


def test_other_findings_do_not_advise_the_opposite():
    """A column that is to be an identifier of persons is no quasi-identifier to another."""
    table = visits().with_columns(file=pl.concat_str(KNOWN).rank("dense") + 70_000)
    found = ka.anonymize(table, policy()).verification.findings
    assert {("person-column", "persons"), ("dependent-column", "identity")} <= {
        (one.kind, one.part) for one in found if one.columns == ("file",)
    }
    for one in found:
        if one.columns == ("file",):
            assert "file an identifier" in one.message or "it an identifier" in one.message
            assert "quasi-identifier, or" not in one.message


def test_who_names_an_entity_has_decided():
    """With an entity nothing is looked for."""
    numbered = visits().with_columns(patient=pl.struct(KNOWN).rank("dense"))
    counted = ka.Policy(
        attributes=dict(policy().attributes) | {"patient": ka.Identifier()},
        others="insensitive",
        models=[ka.KAnonymity(5, entity="patient")],
    )
    assert not repeated(ka.anonymize(numbered, counted).verification)


def test_verify_looks_at_the_original():
    """A released table alone shows nothing, and says that nobody looked."""
    table = visits()
    release = ka.anonymize(table, policy())
    assert repeated(ka.verify(release.frame, policy(), original=table))
    alone = ka.verify(release.frame, policy())
    assert not repeated(alone)
    assert {"person-column", "repeated-persons"} <= set(alone.not_looked_for)
