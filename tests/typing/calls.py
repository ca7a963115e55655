"""Calls that a type checker accepts and refuses; `mypy` reads this file, nothing runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_type

import polars as pl

import kanonym as ka

if TYPE_CHECKING:
    from kanonym.engines.sql.store import Source


def the_released_table_has_the_type_of_the_one_that_came_in(frame: pl.DataFrame) -> None:
    """Check that a polars table comes out as one."""
    assert_type(ka.anonymize(frame, quasi_identifiers=["age"], k=5).frame, pl.DataFrame)


def a_policy_may_be_a_path(frame: pl.LazyFrame) -> None:
    """Check that functions take the path of a policy."""
    assert_type(ka.anonymize(frame, "policy.yaml").frame, pl.LazyFrame)
    ka.verify(frame, "policy.yaml")
    ka.risk(frame, "policy.yaml")


def keywords_have_types(frame: pl.DataFrame, table: Source) -> None:
    """Check that wrong values and unknown keywords are refused."""
    ka.anonymize(frame, k="two")  # type: ignore[call-overload]
    ka.anonymize(table, kk=2)  # type: ignore[call-overload]
    ka.fit(frame, t="near")  # type: ignore[arg-type]
    ka.compare(frame, recoding="span")  # type: ignore[arg-type]
