"""What several tables of the same persons tell beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.verification.finding import Finding, FindingKind, column_names_text

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class CopiedColumn(FindingKind):
    """Columns that repeat a hidden column of a table that they refer to."""

    type = "copied-column"
    part = "identity"
    needs_original = True
    linked = True

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of each such column."""
        return [
            self.finding(
                [shown],
                f"{shown} repeats {hidden}, which is generalized, replaced or dropped, and is "
                "released as it is: drop it (identifier), or give both one role, hierarchy and "
                "action",
            )
            for shown, hidden in view.copied_columns()
        ]


class DateIntervals(FindingKind):
    """Times between shifted dates that set persons apart."""

    type = "date-intervals"
    part = "identity"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding where too few persons have the same intervals."""
        found = view.interval_persons()
        if found is None:
            return []
        columns, few, persons = found
        k = max(view.k, 2)
        return [
            self.finding(
                columns,
                f"{', '.join(columns)}: the times between the shifted dates of a person stay as "
                f"they are and do not count: {few:,} of {persons:,} persons are in classes of "
                f"fewer than {k} for somebody who knows them. Make the dates quasi-identifiers "
                "with a hierarchy of months or years, or drop them",
                {"persons": few, "k": k},
            )
        ]


class UnshiftedDates(FindingKind):
    """Dates of persons that stay as they are beside shifted ones."""

    type = "unshifted-dates"
    part = "identity"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of such dates, if there are any."""
        columns = view.unshifted_dates()
        if not columns:
            return []
        return [
            self.finding(
                columns,
                f"{column_names_text(columns)}: dates are released that do not shift with the "
                "other dates of the person: where both are about one event, the difference tells "
                "the shift. Shift them too, generalize them to years, or drop them",
            )
        ]
