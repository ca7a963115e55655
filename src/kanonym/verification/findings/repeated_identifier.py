"""Identifiers that repeat, so that records may be several of one person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.schema import Identifier, QuasiIdentifier, Role
from kanonym.profiling.words import name_hints
from kanonym.verification.finding import Finding, FindingKind
from kanonym.verification.frequency_set import Repeats

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class RepeatedIdentifier(FindingKind):
    """Identifiers, and columns that look like one, with fewer values than records.

    Nothing is found where the policy states who the persons are. Without the original, recoded
    values repeat by design, so quasi-identifiers are left out.
    """

    type = "repeated-identifier"
    part = "persons"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of each such column."""
        if view.persons is not None:
            return []
        table = view.released if view.original is None else view.original
        found = []
        for name, attribute in view.schema.attributes.items():
            hidden = view.original is None and (
                isinstance(attribute, QuasiIdentifier) or name not in view.released.columns
            )
            declared = isinstance(attribute, Identifier)
            if hidden or not (declared or _sounds_identifying(name)):
                continue
            try:
                values = table.values(name)
            except DataError:
                continue
            repeats = values.repeats
            if 1 < repeats.values < repeats.records and (
                declared or _looks_identifying(values.sample)
            ):
                found.append(self._of(name, repeats, declared=declared))
        return found

    def _of(self, name: str, repeats: Repeats, *, declared: bool) -> Finding:
        entity = f"set entity: {name} in k-anonymity"
        return self.finding(
            [name],
            f"{name} has {repeats.values:,} values in {repeats.records:,} records. If these are "
            "several records of one person, k counts records, not people: "
            f"{entity if declared else f'make it an identifier and {entity}'}. If each record is "
            "a person, set rows: persons in the policy",
            {"values": repeats.values, "records": repeats.records},
        )


def _sounds_identifying(name: str) -> bool:
    return any(hint.role is Role.IDENTIFIER for hint in name_hints(name))


def _looks_identifying(column: pl.Series) -> bool:
    from kanonym.profiling.identifiers import find_identifiers  # noqa: PLC0415 - half a second

    return bool(find_identifiers(column))
