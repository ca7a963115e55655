"""Whether a table tells of one person in several records, or names persons by an amount."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.files import typed_texts
from kanonym.verification.verdict import VerificationWarning, column_names_text

MANY_VALUES = 20
"""A column of more values is an amount or the like, not a category."""
OWN_SHARE = 0.1
"""Of texts, so many records must have a value of their own: a rare category names nobody who
is not known to have it, a comment or a code of one record does."""
NAMED = 10_000
"""Distinct texts that are read as numbers, to tell whether a column of texts holds amounts."""


class Repeats(NamedTuple):
    """How often the values of a column are repeated; null is no value.

    Attributes
    ----------
    records, values
        Numbers of records that have a value, and of distinct values.
    alone
        Values that one record, or one person, has.

    """

    records: int
    values: int
    alone: int


def repeats_of(
    column: pl.Series, counts: NDArray[np.int64] | None = None, persons: pl.Series | None = None
) -> Repeats:
    """Count the records, distinct values, and values that occur once in a column.

    counts: (n,) records of each row; None for one each. persons: (n,) who each row is about;
    a value that only one of them has is then alone, however many records they have.
    """
    frame = pl.DataFrame({"value": column})
    records = holders = pl.len()
    if counts is not None:
        frame = frame.with_columns(pl.Series("n", counts))
        records = holders = pl.col("n").sum()
    if persons is not None:
        frame = frame.with_columns(persons.alias("person"))
        holders = pl.col("person").n_unique()
    found = (
        frame.lazy()
        .drop_nulls("value")
        .group_by("value")
        .agg(holders.alias("holders"), records.alias("records"))
        .select(
            pl.col("records").sum(),
            pl.len().alias("values"),
            (pl.col("holders") == 1).sum().alias("alone"),
        )
        .collect()
    )
    return Repeats(*found.row(0))


class ColumnValues(NamedTuple):
    """The values of a column, wherever it is.

    Attributes
    ----------
    sample
        All of its values, or some of the distinct ones; it has the column's name and type.
    repeats
        Counted over all records.

    """

    sample: pl.Series
    repeats: Repeats


def repeated_identifier_warning(
    name: str, found: Repeats, *, declared: bool = True
) -> VerificationWarning | None:
    """Return a warning where an identifier has fewer values than records; None where not.

    declared: whether the policy has it as an identifier, or it only looks like one.
    """
    if not 1 < found.values < found.records:
        return None
    entity = f"set entity: {name} in k-anonymity"
    return VerificationWarning(
        "repeated-identifier",
        (name,),
        f"{name} has {found.values:,} values in {found.records:,} records. If these are several "
        "records of one person, k counts records, not people: "
        f"{entity if declared else f'make it an identifier and {entity}'}. If each record is a "
        "person, set rows: persons in the policy",
        {"values": found.values, "records": found.records},
    )


def unchecked_persons_warning(names: Sequence[str]) -> VerificationWarning:
    """Return the warning that identifiers are gone, so that nobody sees who has several records."""
    return VerificationWarning(
        "persons-not-checked",
        tuple(names),
        f"the table no longer has {column_names_text(names)}, so it cannot be checked whether one "
        "person has several records. Set entity or rows: persons in the policy, or give the "
        "original table or the manifest of the release",
    )


def names_owners(values: ColumnValues) -> bool:
    """Return whether released values single out who is known to have them."""
    sample, found = values
    dtype = sample.dtype
    if found.values <= MANY_VALUES or not found.alone:
        return False
    if dtype.is_numeric() or dtype.is_temporal():
        return True
    if dtype == pl.String and typed_texts(sample.unique().head(NAMED)).dtype.is_numeric():
        return True
    return found.alone >= OWN_SHARE * found.records


def free_text_warning(columns: Sequence[str], *, scrubbed: bool) -> VerificationWarning:
    """Return the warning that sentences are released, in which anybody may be named."""
    what = (
        "identifiers that were found in it were replaced, and what was not found remains. Read a "
        "sample before you share it"
        if scrubbed
        else "names and whole stories may be written in it, and no model protects them. Drop it, "
        "or replace what identifies by the action scrub-text"
    )
    return VerificationWarning(
        "free-text",
        tuple(columns),
        f"{column_names_text(columns)}: free text is released; {what}",
        {"scrubbed": int(scrubbed)},
    )


def amount_owner_warnings(found: Mapping[str, Repeats]) -> list[VerificationWarning]:
    """Return a warning of columns whose values name their owners, if there are any."""
    if not found:
        return []
    worst = max(found, key=lambda name: found[name].alone)
    alone = found[worst].alone
    return [
        VerificationWarning(
            "identifying-amount",
            tuple(found),
            f"{column_names_text(list(found))}: released unchanged, although {alone:,} of the "
            f"{found[worst].values:,} values of {worst} have a single owner, whom anybody who "
            "knows the value can identify. Make it an identifier, which is dropped, or a "
            "quasi-identifier, or round or top-code it by an action",
            {"records": alone},
        )
    ]
