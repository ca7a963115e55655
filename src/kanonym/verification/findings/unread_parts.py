"""Find what the file has beside its table: further sheets, comments, metadata."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kanonym.verification.verdict import Evidence, column_names_text, finding_kind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


@finding_kind("unread-parts", "identity")
def unread_parts(view: ReleaseView) -> Iterator[Evidence]:
    """Find what the file has beside its table: further sheets, comments, metadata."""
    if view.unread:
        message = (
            f"the file has more than its table, and it is not verified: "
            f"{column_names_text(view.unread)}. Take it away: write the table to a new file"
        )
        yield (), message, {"parts": len(view.unread)}
