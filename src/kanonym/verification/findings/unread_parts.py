"""Find what the file has beside its table: further sheets, comments, metadata."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import column_names_text


@finding_kind(
    "unread-parts",
    "identity",
    "The file has more than its table, which is not verified: {parts} parts such as further "
    "sheets, comments or metadata.",
)
def unread_parts(view: ReleaseView) -> Evidence:
    if view.unread:
        message = (
            f"the file has more than its table, and it is not verified: "
            f"{column_names_text(view.unread)}. Take it away: write the table to a new file"
        )
        yield (), message, {"parts": len(view.unread)}
