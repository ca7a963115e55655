"""Columns that are released as they are, and tell a quasi-identifier, or are told by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.verification.dependence import Doubt, are_dependent
from kanonym.verification.finding import Finding, FindingKind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class DependentColumn(FindingKind):
    """Unprotected columns that depend on a quasi-identifier: a birth year beside the age.

    With them classes are smaller than is required. Pairs of columns only: what several
    quasi-identifiers tell together is not found.
    """

    type = "dependent-column"
    part = "identity"
    needs_original = True

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of each such column."""
        found = []
        for name, others in _dependent_columns(view).items():
            records = view.records_in_small_classes([name]) if view.is_released(name) else 0
            if records:
                found.append(
                    self.finding(
                        [name],
                        f"{name} is released as it is, although {' and '.join(others)} can be "
                        f"told from it, or it from {'them' if len(others) > 1 else 'that'}. "
                        f"Counted with the quasi-identifiers, up to {records:,} {view.unit} are "
                        f"in classes of fewer than {view.k}: make it a quasi-identifier, or drop "
                        "it",
                        {"records": records, "k": view.k},
                    )
                )
        return found


def _dependent_columns(view: ReleaseView) -> dict[str, list[str]]:
    """Return the unprotected columns that depend on quasi-identifiers, each with these."""
    found: dict[str, list[str]] = {}
    for sampled in view.sampled_columns():
        columns = {one.name: Doubt.of(one) for one in sampled.sample}
        known = [name for name in sampled.known if name in columns]
        for name in sampled.unprotected:
            if name in columns:
                others = [one for one in known if are_dependent(columns[name], columns[one])]
                if others:
                    found.setdefault(name, []).extend(others)
    return found
