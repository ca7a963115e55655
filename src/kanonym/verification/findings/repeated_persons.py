"""Records that seem to be several of each person, although nothing numbers the persons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.errors import DataError
from kanonym.data.schema import Role
from kanonym.data.table import encode_column
from kanonym.verification.finding import Finding, FindingKind, column_names_text
from kanonym.verification.lone_records import lone_records

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class RepeatedPersons(FindingKind):
    """Records that agree in their quasi-identifiers more often than different persons would."""

    type = "repeated-persons"
    part = "persons"
    needs_original = True

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding where few records are alone with their quasi-identifiers."""
        if view.persons is not None or view.original is None:
            return []
        names = view.schema.names(Role.QUASI_IDENTIFIER)
        try:
            taken = view.original.take(names)
            coded = [encode_column(taken.column(name)) for name in names]
        except DataError:  # so many combinations that they cannot be counted here
            return []
        found = lone_records(
            [domain for domain, _ in coded], [codes for _, codes in coded], taken.counts
        )
        if found is None:
            return []
        return [
            self.finding(
                names,
                f"{found.found:,} of {found.records:,} records are alone with their values of "
                f"{column_names_text(names)}, where about {found.expected:,} would be if each were "
                "another person. These look like several records of one person each, and k counts "
                "records, not people: anonymize a table with a column that tells the persons "
                "apart, and set entity in k-anonymity. If each record is a person, set rows: "
                "persons in the policy",
                found._asdict(),
            )
        ]
