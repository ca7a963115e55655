"""Released sentences, in which anybody may be named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from kanonym.actions.free_text import TYPES as SCRUBBING
from kanonym.actions.registry import unwrap
from kanonym.data.errors import DataError
from kanonym.data.schema import Insensitive, Sensitive
from kanonym.verification.finding import Finding, FindingKind, column_names_text
from kanonym.verification.frequency_set import ColumnValues

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class FreeText(FindingKind):
    """Released columns of sentences."""

    type = "free-text"
    part = "identity"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of columns that are scrubbed, and one of those that are not."""
        texts: dict[bool, list[str]] = {False: [], True: []}
        for name, (values, scrubbed) in unprotected_values(view).items():
            # What a policy scrubs is free text, however short it is.
            if scrubbed or is_free_text(values.sample):
                texts[scrubbed].append(name)
        return [self._of(names, scrubbed) for scrubbed, names in texts.items() if names]

    def _of(self, columns: list[str], scrubbed: bool) -> Finding:  # noqa: FBT001 - private
        what = (
            "identifiers that were found in it were replaced, and what was not found remains. Read "
            "a sample before you share it"
            if scrubbed
            else "names and whole stories may be written in it, and no model protects them. Drop "
            "it, or replace what identifies by the action scrub-text"
        )
        return self.finding(
            columns,
            f"{column_names_text(columns)}: free text is released; {what}",
            {"scrubbed": int(scrubbed)},
        )


def unprotected_values(view: ReleaseView) -> dict[str, tuple[ColumnValues, bool]]:
    """Return the values of columns that are released without noise, and which are scrubbed."""
    found = {}
    for name, attribute in view.attributes.items():
        actions = unwrap(attribute.action)
        noisy = any(one.perturbs for one in actions)
        if not isinstance(attribute, Sensitive | Insensitive) or noisy:
            continue
        try:
            values = view.released.values(name)
        except DataError:
            continue
        found[name] = values, any(one.type in SCRUBBING for one in actions)
    return found


def is_free_text(column: pl.Series) -> bool:
    """Whether the values are sentences that differ from record to record."""
    if column.dtype != pl.String:
        return False
    from kanonym.profiling.identifiers.free_text import find_free_text  # noqa: PLC0415 - slow
    from kanonym.profiling.identifiers.sample import Sample  # noqa: PLC0415

    return bool(find_free_text(Sample.of(column), frozenset()))
