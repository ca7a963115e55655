"""Find columns that repeat a hidden column of a linked table that they refer to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kanonym.verification.verdict import Evidence, finding_kind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


@finding_kind("copied-column", "identity", needs_original=True, linked=True)
def copied_column(view: ReleaseView) -> Iterator[Evidence]:
    """Find columns that repeat a hidden column of a linked table that they refer to."""
    for shown, hidden in view.copied_columns():
        message = (
            f"{shown} repeats {hidden}, which is generalized, replaced or dropped, and is "
            "released as it is: drop it (identifier), or give both one role, hierarchy and action"
        )
        yield [shown], message, {}
