"""Whether a model holds only because one value is written in several ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from kanonym.data.columns.spellings import one_spelling
from kanonym.verification.finding import Finding, FindingKind
from kanonym.verification.released_classes import SensitiveColumn

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView

TEXTS = (pl.String, pl.Categorical, pl.Enum)


class Spellings(FindingKind):
    """Attributes whose models hold only for their values as they are spelled.

    A class with `flu`, `Flu` and `N/A` has three values, and discloses one. The models are asked
    again where values read alike. Attributes with a hierarchy are left out: it declares their
    values.
    """

    type = "spellings"
    part = "attributes"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of each such attribute."""
        models, checked = view.models, view.checked
        asked = {model.attribute for model in models} - {model.entity for model in models}
        merged = {}
        for one in checked.sensitive:
            name = one.values.name
            if name in asked and one.hierarchy is None and one.values.dtype in TEXTS:
                values = one.values.cast(pl.String).unique()
                different = one_spelling(values).n_unique()
                if different < len(values):
                    merged[name] = len(values), different
        if not merged:
            return []
        again = checked.ask(
            [_respelled(one) if one.values.name in merged else one for one in checked.sensitive]
        )
        failing = dict.fromkeys(
            after.attribute
            for before, after in zip(checked.checks, again, strict=True)
            if before.satisfied and not after.satisfied and after.attribute in merged
        )
        return [
            self.finding(
                [name],
                f"{name} has {values:,} values, which read as {different:,}: others differ only "
                "in case, spaces, accents, signs that look alike or are not seen, punctuation at "
                "the end, or the form of a number or a date, or are words for a missing value. "
                "Counted as one, they do not satisfy the models: correct the spelling, and leave "
                "missing cells empty",
                {"values": values, "different": different},
            )
            for name in failing
            if name is not None
            for values, different in [merged[name]]
        ]


def _respelled(column: SensitiveColumn) -> SensitiveColumn:
    reference = column.reference
    return column._replace(
        values=one_spelling(column.values.cast(pl.String)),
        reference=None if reference is None else one_spelling(reference.cast(pl.String)),
    )
