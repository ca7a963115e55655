"""Records that seem to be several of each person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.schema import Identifier
from kanonym.profiling.persons import ProposedPersons, proposed_persons
from kanonym.profiling.repeated_persons import repeated_persons
from kanonym.verification.finding import Finding, FindingKind, column_names_text

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class PersonColumn(FindingKind):
    """Columns whose values repeat, and determine others as a person does.

    Looked for in the structure of the original, whatever the columns are called, and although the
    policy states that rows are persons; not where it names an entity.
    """

    type = "person-column"
    part = "persons"
    needs_original = True

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of the best proposal; identifiers have findings of their own."""
        if view.policy.entities:
            return []
        attributes = view.schema.attributes
        return [
            self._of(one)
            for one in _proposals(view)[:1]
            if view.persons or not any(isinstance(attributes[c], Identifier) for c in one.columns)
        ]

    def _of(self, proposed: ProposedPersons) -> Finding:
        columns = " and ".join(proposed.columns)
        constant = column_names_text(proposed.constant)
        return self.finding(
            proposed.columns,
            f"{columns}: {proposed.values:,} values in {proposed.records:,} records, each with one "
            f"value of {constant}: these look like several records of one person each. k counts "
            f"records, not people: make {columns} an identifier, and set entity in k-anonymity",
            {"values": proposed.values, "records": proposed.records},
        )


class RepeatedPersons(FindingKind):
    """Records that agree as those of one person do, although no column numbers the persons."""

    type = "repeated-persons"
    part = "persons"
    needs_original = True

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of the columns in which records agree."""
        if view.policy.entities or view.original is None or _proposals(view):
            return []
        repeated = repeated_persons(view.records)
        if repeated is None:
            return []
        return [
            self.finding(
                repeated.columns,
                f"{column_names_text(repeated.columns)}: {repeated.values:,} combinations in "
                f"{repeated.records:,} records, of which {repeated.alone:,} are alone, agree as "
                "several records of one person do, and k counts records, not people: anonymize a "
                "table with a column that tells the persons apart, and set entity in k-anonymity",
                {
                    "values": repeated.values,
                    "records": repeated.records,
                    "alone": repeated.alone,
                },
            )
        ]


def _proposals(view: ReleaseView) -> list[ProposedPersons]:
    """Return who the persons may be; groups of persons count where nobody states that rows are."""
    if view.original is None:
        return []
    stated = view.persons is not None
    return [one for one in proposed_persons(view.records) if not (stated and one.likely_groups)]
