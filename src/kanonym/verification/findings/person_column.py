"""Find columns whose values repeat, and determine others as a person does: the best proposal.

Looked for in the structure of the original, whatever the columns are called, and although the
policy states that rows are persons; not where it names an entity. Identifiers have findings of
their own.
"""

from __future__ import annotations

from kanonym.data.schema import Identifier
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import column_names_text


@finding_kind(
    "person-column",
    "persons",
    "{columns}: {values} values in {records} records, which determine others: these look like "
    "several records of one person each, and k counts records, not people.",
    needs_original=True,
)
def person_column(view: ReleaseView) -> Evidence:
    attributes = view.schema.attributes
    for proposed in view.proposed_persons[:1] if not view.policy.entities else ():
        if not view.persons and any(
            isinstance(attributes[name], Identifier) for name in proposed.columns
        ):
            continue
        columns = " and ".join(proposed.columns)
        message = (
            f"{columns}: {proposed.values:,} values in {proposed.records:,} records, each with one "
            f"value of {column_names_text(proposed.constant)}: these look like several records of "
            "one person each. k counts "
            f"records, not people: make {columns} an identifier, and set entity in k-anonymity"
        )
        yield proposed.columns, message, {"values": proposed.values, "records": proposed.records}
