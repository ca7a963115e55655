"""What several releases of the same persons give away together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.verification.finding import Finding, FindingKind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class BatchesTogether(FindingKind):
    """Sensitive attributes of persons who are in several batches of a series."""

    type = "batches-together"
    part = "persons"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of each attribute of which too few values stay open."""
        return [
            self.finding(
                [name],
                f"{name}: all batches together leave {least:,} of the values open of a person "
                f"who is in several, and one value, which is then known, of {known:,} persons. "
                "Suppress their records by least_values (--least-values), or release the batches "
                "as one table",
                {"known": known, "least": least},
            )
            for name, (known, least) in view.given_away.items()
        ]
