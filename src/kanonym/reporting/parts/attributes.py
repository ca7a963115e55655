"""Roles and why, and what happened to each attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanonym.reporting.document import Cell, Paragraph, Section, Table, Text

if TYPE_CHECKING:
    from kanonym.language import Speech
    from kanonym.reporting.distributions.examples import Transformation
    from kanonym.reporting.summary import Summary


def sections(summary: Summary, says: Speech) -> tuple[Section, ...]:
    """Return the sections on attributes."""
    return _roles(summary, says), _transformations(summary, says)


def role_of(role: str, says: Speech) -> str:
    """Name a role in the language of the report."""
    base, _, changed = role.partition(", ")
    named = says.known(f"role.{base}", base)
    return says.say("role.changed", role=named) if changed else named


def fate_of(role: str, summary: Summary, says: Speech) -> str:
    """Say what becomes of the attributes of a role."""
    base, _, changed = role.partition(", ")
    if base == "quasi-identifier" and "cells" in summary.origin.algorithm and not changed:
        return says.say("fate.blanked")
    return says.say(f"fate.{base}.changed" if changed else f"fate.{base}")


def _roles(summary: Summary, says: Speech) -> Section:
    found = summary.columns.evidence
    note = Paragraph(says.say("roles.given" if found is None else "roles.profiled"), "note")
    rows: list[tuple[str, Text, Text]] = []
    for name, role in summary.columns.roles.items():
        reasons = () if found is None else found.reasons.get(name, ())
        said = "; ".join(reasons) or says.say("roles.silent")
        why: Text = said
        if found is not None and name in found.suggested:
            other = says.say("roles.otherwise", role=role_of(found.suggested[name], says))
            why = Cell(said, note=other)
        rows.append((name, role_of(role, says), why))
    header = tuple(says.say(f"head.{key}") for key in ("attribute", "role", "why"))
    table = Table(header, _joined(rows, says), style="reasons")
    return Section("roles", says.say("section.roles"), (note, table))


def _transformations(summary: Summary, says: Speech) -> Section:
    header = tuple(says.say(f"head.{key}") for key in ("attribute", "done", "examples"))
    rows = [
        (
            one.name,
            done(one, says),
            Cell(
                "\n".join(
                    says.say("example", invented=invented, released=released)
                    if invented
                    else released
                    for invented, released in one.examples
                )
                or "–",
                "code" if one.examples else "",
            ),
        )
        for one in summary.columns.transformations
    ]
    note = Paragraph(says.say("examples.note", floor=says.count(summary.loss.floor)), "note")
    return Section(
        "transformations",
        says.say("section.transformations"),
        (note, Table(header, _joined(rows, says), style="examples")),
    )


def _joined(rows: Sequence[tuple[str, Text, Text]], says: Speech) -> tuple[tuple[Text, ...], ...]:
    """Return one row for all attributes of which a table says the same."""
    names: dict[tuple[Text, Text], list[str]] = {}
    for name, *said in rows:
        names.setdefault((said[0], said[1]), []).append(name)
    return tuple((says.names(some), *said) for said, some in names.items())


def done(one: Transformation, says: Speech) -> str:
    """Say what was done to an attribute."""
    changed = one.actions and says.say("done.actions", actions=", ".join(one.actions))
    if one.recoding is None:
        if changed:
            return changed
        return says.say("done.identifier" if one.role == "identifier" else "done.unchanged")
    recoded = _recoded(one, says)
    return says.say("done.and", first=changed, second=recoded) if changed else recoded


def _recoded(one: Transformation, says: Speech) -> str:
    if one.level is not None and one.highest is not None:
        return says.say("done.levels", level=one.level, highest=one.highest)
    return says.known(f"done.{one.recoding}", str(one.recoding))
