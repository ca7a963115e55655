"""Whether a model holds only because one value is written in several ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from kanonym.data.columns.spellings import one_spelling
from kanonym.models import PrivacyModel
from kanonym.verification.released_classes import SensitiveColumn
from kanonym.verification.verdict import Verification, VerificationWarning


def spelling_warnings(
    found: Verification,
    sensitive: Sequence[SensitiveColumn],
    models: Sequence[PrivacyModel],
    verify: Callable[[Sequence[SensitiveColumn]], Verification],
) -> list[VerificationWarning]:
    """Return a warning of each attribute whose models hold only for its values as they are spelled.

    Parameters
    ----------
    found
        The answers about the values as they are.
    sensitive, models
        What they were asked about.
    verify
        Asks them about other columns in the same classes; called only where values read alike.

    Notes
    -----
    A class with `flu`, `Flu` and `N/A` has three values, and discloses one. Attributes with a
    hierarchy are left out: it declares their values.

    """
    asked = {model.attribute for model in models} - {model.entity for model in models}
    merged = {}
    for one in sensitive:
        if one.values.name in asked and one.hierarchy is None and one.values.dtype == pl.String:
            values = one.values.unique()
            different = one_spelling(values).n_unique()
            if different < len(values):
                merged[one.values.name] = len(values), different
    if not merged:
        return []
    again = verify([_respelled(one) if one.values.name in merged else one for one in sensitive])
    failing = [
        after.attribute
        for before, after in zip(found.checks, again.checks, strict=True)
        if before.satisfied and not after.satisfied and after.attribute in merged
    ]
    return [
        VerificationWarning(
            "spellings",
            (name,),
            f"{name} has {merged[name][0]:,} values, which read as {merged[name][1]:,}: others "
            "differ only in case or spaces, or are words for a missing value. Counted as one, they "
            "do not satisfy the models: correct the spelling, and leave missing cells empty",
            dict(zip(("values", "different"), merged[name], strict=True)),
        )
        for name in dict.fromkeys(failing)
    ]


def _respelled(column: SensitiveColumn) -> SensitiveColumn:
    reference = None if column.reference is None else one_spelling(column.reference)
    return column._replace(values=one_spelling(column.values), reference=reference)
