"""A table whose values were drawn from released labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.verification.finding import Finding, FindingKind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class DrawnValues(FindingKind):
    """Values that were drawn from labels, as the manifest tells."""

    type = "drawn-values"
    part = "identity"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding where the table is such a table."""
        if view.recorded is None or not view.recorded.drawn_cells:
            return []
        columns = view.recorded.drawn_columns
        return [
            self.finding(
                columns,
                f"values of {', '.join(columns)} were drawn from labels: records with equal "
                "values are together by chance, and what a model says of them protects nobody. "
                "Verify the released table with its labels",
                {"cells": view.recorded.drawn_cells},
            )
        ]
