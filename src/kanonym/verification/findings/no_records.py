"""A release without a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.verification.finding import Finding, FindingKind
from kanonym.verification.parts import NO_RECORDS

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class NoRecords(FindingKind):
    """No record was released."""

    type = "no-records"
    part = "identity"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding where the release is empty."""
        if view.checked.rows:
            return []
        return [self.finding((), NO_RECORDS)]
