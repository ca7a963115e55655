"""Find columns that repeat a hidden column of a linked table that they refer to."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind


@finding_kind(
    "copied-column",
    "identity",
    "{columns}: the values repeat those of a column that is generalized or replaced, and are "
    "released as they are.",
    needs_original=True,
    linked=True,
)
def copied_column(view: ReleaseView) -> Evidence:
    for shown, hidden in view.copied_columns():
        message = (
            f"{shown} repeats {hidden}, which is generalized, replaced or dropped, and is "
            "released as it is: drop it (identifier), or give both one role, hierarchy and action"
        )
        yield [shown], message, {}
