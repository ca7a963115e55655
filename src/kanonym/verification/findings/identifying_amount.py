"""Find released columns whose values single out their owners.

Columns with noise are left out: nobody knows their numbers. Lists, structs and bytes are no
categories, however few there are.
"""

from __future__ import annotations

import polars as pl

from kanonym.data.files import typed_texts
from kanonym.verification.findings.free_text import is_free_text, unprotected_values
from kanonym.verification.findings.person_column import advice_beside_persons
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.released_classes import ColumnValues
from kanonym.verification.verdict import column_names_text

MANY_VALUES = 20
"""A column of more values is an amount or the like, not a category."""
OWN_SHARE = 0.1
"""Of texts, so many records must have a value of their own: a rare category names nobody who
is not known to have it, a comment or a code of one record does."""
FEW = 5
"""So many records must have a list, a struct or bytes of their own, however small the table is."""
NAMED = 10_000
"""Distinct texts that are read as numbers, to tell whether a column of texts holds amounts."""


@finding_kind(
    "identifying-amount",
    "identity",
    "{columns}: released, although up to {records} records have a unique value. Whoever knows "
    "it finds the person.",
)
def identifying_amount(view: ReleaseView) -> Evidence:
    owned = {
        name: values.repeats
        for name, (values, scrubbed) in unprotected_values(view).items()
        if not scrubbed and not is_free_text(values.sample) and _names_owners(values)
    }
    if owned:
        worst = max(owned, key=lambda name: owned[name].alone)
        alone = owned[worst].alone
        advice = advice_beside_persons(
            view,
            [*owned],
            "make it an identifier, which is dropped, or a quasi-identifier, or round or top-code "
            "it by an action",
        )
        message = (
            f"{column_names_text(list(owned))}: released, although {alone:,} of the "
            f"{owned[worst].values:,} values of {worst} have a single owner, whom anybody who "
            f"knows the value can identify: {advice}"
        )
        yield tuple(owned), message, {"records": alone}


def _names_owners(values: ColumnValues) -> bool:
    """Return whether released values single out who is known to have them."""
    sample, repeats = values
    dtype = sample.dtype
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        return repeats.alone >= max(OWN_SHARE * repeats.records, FEW)
    if repeats.values <= MANY_VALUES or not repeats.alone:
        return False
    if dtype.is_numeric() or dtype.is_temporal():
        return True
    if dtype == pl.String and typed_texts(sample.unique().head(NAMED)).dtype.is_numeric():
        return True
    return repeats.alone >= OWN_SHARE * repeats.records
