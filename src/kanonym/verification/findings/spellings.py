"""Find attributes whose models hold only for their values as they are spelled.

A class with `flu`, `Flu` and `N/A` has three values, and discloses one. The models are asked
again where values read alike. Attributes with a hierarchy are left out: it declares their
values.
"""

from __future__ import annotations

import polars as pl

from kanonym.data.columns.texts import one_spelling
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.released_classes import SensitiveColumn

TEXTS = (pl.String, pl.Categorical, pl.Enum)


@finding_kind(
    "spellings",
    "attributes",
    "{columns}: {values} values, which read as {different}: others differ only in case, "
    "spaces, accents, signs that look alike or are not seen, brackets, punctuation at the end, "
    "a unit, or the form of a number or a date, or are words for a missing value. Counted as "
    "one, they do not satisfy the requirements.",
)
def spellings(view: ReleaseView) -> Evidence:
    models, sensitive = view.models, view.checked.sensitive
    named = {model.attribute for model in models} - {model.entity for model in models}
    merged = {}
    for column in sensitive:
        name = column.values.name
        plain = column.hierarchy is None and column.rows is None
        if name in named and plain and column.values.dtype in TEXTS:
            distinct = column.values.cast(pl.String).unique()
            different = one_spelling(distinct).n_unique()
            if different < len(distinct):
                merged[name] = len(distinct), different
    respelled = [_respelled(one) if one.values.name in merged else one for one in sensitive]
    for name in failing_attributes(view, respelled) if merged else ():
        if name not in merged:
            continue
        values, different = merged[name]
        message = (
            f"{name} has {values:,} values, which read as {different:,}: others differ only "
            "in case, spaces, accents, signs that look alike or are not seen, brackets, "
            "punctuation at the end, a unit, or the form of a number or a date, or are words for a "
            "missing value. "
            "Counted as one, they do not satisfy the models: correct the spelling, and leave "
            "missing cells empty"
        )
        yield [name], message, {"values": values, "different": different}


def _respelled(column: SensitiveColumn) -> SensitiveColumn:
    reference = column.reference
    return column._replace(
        values=one_spelling(column.values.cast(pl.String)),
        reference=None if reference is None else one_spelling(reference.cast(pl.String)),
    )


def failing_attributes(view: ReleaseView, columns: list[SensitiveColumn]) -> list[str]:
    """Return the attributes of models that hold, and would not of these columns."""
    checked = view.checked
    pairs = zip(checked.checks, checked.ask(columns), strict=True)
    failing = [now.attribute for then, now in pairs if then.satisfied and not now.satisfied]
    return [name for name in dict.fromkeys(failing) if name is not None]
