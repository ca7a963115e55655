"""Find released sentences, in which anybody may be named; scrubbed columns apart."""

from __future__ import annotations

import polars as pl

from kanonym.actions.free_text import TYPES as SCRUBBING
from kanonym.actions.registry import unwrap
from kanonym.data.errors import DataError
from kanonym.data.schema import Insensitive, Sensitive
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.released_classes import ColumnValues
from kanonym.verification.verdict import column_names_text


@finding_kind(
    "free-text",
    "identity",
    "{columns}: free text is released. Names and whole stories may be written in it, also "
    "where identifiers that were found have been replaced: no requirement protects them.",
)
def free_text(view: ReleaseView) -> Evidence:
    texts: dict[bool, list[str]] = {False: [], True: []}
    for name, (values, scrubbed) in unprotected_values(view).items():
        # What a policy scrubs is free text, however short it is.
        if scrubbed or is_free_text(values.sample):
            texts[scrubbed].append(name)
    for scrubbed, columns in texts.items():
        what = (
            "identifiers that were found in it were replaced, and what was not found remains. Read "
            "a sample before you share it"
            if scrubbed
            else "names and whole stories may be written in it, and no model protects them. Drop "
            "it, or replace what identifies by the action scrub-text"
        )
        if columns:
            message = f"{column_names_text(columns)}: free text is released; {what}"
            yield columns, message, {"scrubbed": int(scrubbed)}


def unprotected_values(view: ReleaseView) -> dict[str, tuple[ColumnValues, bool]]:
    """Return the values of columns that are released without noise, and which are scrubbed."""
    columns = {}
    for name, attribute in view.attributes.items():
        actions = unwrap(attribute.action)
        noisy = any(action.perturbs for action in actions)
        if not isinstance(attribute, Sensitive | Insensitive) or noisy:
            continue
        try:
            values = view.released.values(name)
        except DataError:
            continue
        columns[name] = values, any(action.type in SCRUBBING for action in actions)
    return columns


def is_free_text(column: pl.Series) -> bool:
    """Whether the values are sentences that differ from record to record."""
    if column.dtype != pl.String:
        return False
    from kanonym.profiling.identifiers.free_text import find_free_text  # noqa: PLC0415 - slow
    from kanonym.profiling.identifiers.sample import Sample  # noqa: PLC0415

    return bool(find_free_text(Sample.of(column), frozenset()))
