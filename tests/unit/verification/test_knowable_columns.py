"""Columns that nobody gave a role, and that people may know, must not stand beside green."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

import kanonym as ka

N = 400
RANDOM = np.random.default_rng(5)
TABLE = pl.DataFrame(
    {
        "age": RANDOM.integers(20, 60, N),
        "postal_code": RANDOM.choice(["8001", "8002", "8003", "8004"], N),
        "occupation": RANDOM.choice(["nurse", "clerk", "cook"], N),
        "answer": RANDOM.choice(["yes", "no", "rather"], N),
        "disease": RANDOM.choice(["flu", "cold", "burn", "gout"], N),
    }
)
ROLES = {"age": ka.QuasiIdentifier(), "disease": ka.Sensitive()}
MODELS = [ka.KAnonymity(20), ka.LDiversity("disease", l=2)]


def policy(roles=ROLES, others="insensitive"):
    """Return a policy that requires k = 20 and l = 2."""
    return ka.Policy(attributes=roles, others=others, models=MODELS, rows="persons")


def knowable(found):
    """Return the warnings of knowable columns."""
    return [one for one in found.findings if one.kind == "knowable-column"]


def test_columns_without_a_role_of_their_own_are_counted_with_the_classes():
    """The count is that of the records whose class is too small once these columns are known."""
    release = ka.anonymize(TABLE, policy())
    sizes = Counter(release.frame.select("age", "postal_code", "occupation").iter_rows())
    (told,) = knowable(release.verification)
    assert told.columns == ("postal_code", "occupation")
    assert dict(told.counts) == {"records": sum(n for n in sizes.values() if n < 20), "k": 20}
    assert release.verification.verdict == "satisfied with findings"


def test_who_declares_them_by_name_has_decided():
    """A role of its own, whichever, is nobody's oversight."""
    roles = {**ROLES, "postal_code": ka.Insensitive(), "occupation": ka.Insensitive()}
    assert ka.anonymize(TABLE, policy(roles)).verification.verdict == "satisfied"


def test_columns_that_leave_the_classes_large_are_green():
    """What is known, and tells nobody apart, does no harm."""
    table = TABLE.with_columns(postal_code=pl.lit("8001")).drop("occupation")
    assert ka.anonymize(table, policy()).verification.verdict == "satisfied"


def test_columns_of_other_names_are_green():
    """Of an answer nobody can say from its name that it is known."""
    table = TABLE.drop("postal_code", "occupation")
    assert ka.anonymize(table, policy()).verification.verdict == "satisfied"


@pytest.mark.parametrize("column", ["diagnosis", "HIV_status"])
def test_columns_named_like_sensitive_attributes_are_unprotected(column):
    """A diagnosis that only `others` makes insensitive is protected by nothing."""
    table = TABLE.select("age", "disease", pl.col("answer").alias(column))
    found = ka.anonymize(table, policy()).verification
    assert [(one.kind, one.columns) for one in found.findings] == [
        ("unprotected-sensitive", (column,))
    ]
    roles = {**ROLES, column: ka.Insensitive()}
    assert ka.anonymize(table, policy(roles)).verification.verdict == "satisfied"


@pytest.mark.parametrize("original", [TABLE, None])
def test_verify_finds_the_same_in_a_table(original):
    """The released table and its policy suffice."""
    release = ka.anonymize(TABLE, policy())
    found = ka.verify(release.frame, policy(), original=original)
    assert knowable(found) == knowable(release.verification)


def test_a_batch_of_a_series_is_warned_of():
    """A batch counts its own records."""
    asked = ka.Policy(
        attributes=ROLES,
        others="insensitive",
        models=MODELS,
        algorithm={"type": "mondrian"},
        keep_order=True,
    )
    fitted = ka.fit(TABLE, asked)
    (told,) = knowable(fitted.apply(TABLE).verification)
    assert told.columns == ("postal_code", "occupation")


def test_duckdb_finds_the_same():
    """Classes are counted where the table is."""
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.register("given", TABLE.to_arrow())
        source = ka.engines.scan_duckdb(connection.sql("SELECT * FROM given"))
        found = ka.anonymize(source, policy()).verification
    (told,) = knowable(found)
    assert told.columns == ("postal_code", "occupation")
