"""What a released file has beside its table, which nobody verifies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.verification.finding import Finding, FindingKind, column_names_text

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class UnreadParts(FindingKind):
    """Files with more than the table: further sheets, comments, metadata."""

    type = "unread-parts"
    part = "identity"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding, if the file has such parts."""
        if not view.unread:
            return []
        return [
            self.finding(
                (),
                f"the file has more than its table, and it is not verified: "
                f"{column_names_text(view.unread)}. Take it away: write the table to a new file",
                {"parts": len(view.unread)},
            )
        ]
