"""Find identifiers, and columns that look like one, with fewer values than records.

Nothing is found where the policy states who the persons are. Without the original, recoded
values repeat by design, so quasi-identifiers are left out.
"""

from __future__ import annotations

import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.schema import Identifier, QuasiIdentifier, Role
from kanonym.profiling.words import name_hints
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind


@finding_kind(
    "repeated-identifier",
    "persons",
    "{values} values of “{columns}” occur in {records} records. If these are several records "
    "of one person, the figures below count records, not people.",
)
def repeated_identifier(view: ReleaseView) -> Evidence:
    table = view.released if view.original is None else view.original
    for name, attribute in view.schema.attributes.items() if view.persons is None else ():
        hidden = view.original is None and (
            isinstance(attribute, QuasiIdentifier) or name not in view.released.columns
        )
        declared = isinstance(attribute, Identifier)
        sounds_so = any(hint.role is Role.IDENTIFIER for hint in name_hints(name))
        if hidden or not (declared or sounds_so):
            continue
        try:
            values = table.values(name)
        except DataError:
            continue
        repeats = values.repeats
        if 1 < repeats.values < repeats.records and (declared or _looks_identifying(values.sample)):
            entity = f"set entity: {name} in k-anonymity"
            message = (
                f"{name} has {repeats.values:,} values in {repeats.records:,} records. If these "
                "are several records of one person, k counts records, not people: "
                f"{entity if declared else f'make it an identifier and {entity}'}. If each record "
                "is a person, set rows: persons in the policy"
            )
            yield [name], message, {"values": repeats.values, "records": repeats.records}


def _looks_identifying(column: pl.Series) -> bool:
    from kanonym.profiling.identifiers import find_identifiers  # noqa: PLC0415 - half a second

    return bool(find_identifiers(column))
