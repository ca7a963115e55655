"""Find columns whose values repeat, and determine others as a person does: the best proposal.

Looked for in the structure of the original, whatever the columns are called, and although the
policy states that rows are persons; not where it names an entity. Identifiers have findings of
their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanonym.data.schema import Identifier
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import column_names_text

if TYPE_CHECKING:
    from kanonym.profiling.persons import ProposedPersons


@finding_kind(
    "person-column",
    "persons",
    "{columns}: {values} values in {records} records, which determine others: these look like "
    "several records of one person each, and k counts records, not people.",
    needs_original=True,
)
def person_column(view: ReleaseView) -> Evidence:
    for proposed in _person_proposals(view):
        columns = " and ".join(proposed.columns)
        message = (
            f"{columns}: {proposed.values:,} values in {proposed.records:,} records, each with one "
            f"value of {column_names_text(proposed.constant)}: these look like several records of "
            "one person each. k counts "
            f"records, not people: make {columns} an identifier, and set entity in k-anonymity"
        )
        yield proposed.columns, message, {"values": proposed.values, "records": proposed.records}


def advice_beside_persons(view: ReleaseView, columns: Sequence[str], advice: str) -> str:
    """Return advice on columns: another one where this finding advises to make them identifiers."""
    persons = {name for proposed in _person_proposals(view) for name in proposed.columns}
    return (
        "make it an identifier, as the finding on persons advises"
        if persons >= {*columns}
        else advice
    )


def _person_proposals(view: ReleaseView) -> list[ProposedPersons]:
    """Return who the persons seem to be, unless the policy knows; one or none."""
    attributes = view.schema.attributes
    return [
        proposed
        for proposed in ([] if view.policy.entities else view.proposed_persons[:1])
        if view.persons
        or not any(isinstance(attributes[name], Identifier) for name in proposed.columns)
    ]
