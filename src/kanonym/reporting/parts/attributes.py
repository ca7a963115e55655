"""Roles and why, and what happened to each attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanonym.reporting.document import Cell, Paragraph, Section, Table, Text

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.reporting.distributions.examples import Transformation
    from kanonym.reporting.summary import Summary


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the sections on attributes."""
    return _roles(summary, says), _transformations(summary, says)


def role_of(role: str, says: Translator) -> str:
    """Name a role in the language of the report."""
    base, _, changed = role.partition(", ")
    named = says.text_or(f"role.{base}", base)
    return says.text("role.changed", role=named) if changed else named


def role_treatment(role: str, summary: Summary, says: Translator) -> str:
    """Say what becomes of the attributes of a role."""
    base, _, changed = role.partition(", ")
    if base == "quasi-identifier" and "cells" in summary.origin.algorithm and not changed:
        return says.text("fate.blanked")
    return says.text(f"fate.{base}.changed" if changed else f"fate.{base}")


def _roles(summary: Summary, says: Translator) -> Section:
    evidence = summary.columns.evidence
    note = Paragraph(says.text("roles.given" if evidence is None else "roles.profiled"), "note")
    rows: list[tuple[str, Text, Text]] = []
    for name, role in summary.columns.roles.items():
        reasons = () if evidence is None else evidence.reasons.get(name, ())
        said = "; ".join(reasons) or says.text("roles.silent")
        why: Text = said
        if evidence is not None and name in evidence.suggested:
            other = says.text("roles.otherwise", role=role_of(evidence.suggested[name], says))
            why = Cell(said, note=other)
        rows.append((name, role_of(role, says), why))
    header = tuple(says.text(f"head.{key}") for key in ("attribute", "role", "why"))
    table = Table(header, _merge_rows(rows, says), style="reasons")
    return Section("roles", says.text("section.roles"), (note, table))


def _transformations(summary: Summary, says: Translator) -> Section:
    header = tuple(says.text(f"head.{key}") for key in ("attribute", "done", "examples"))
    rows = [
        (
            transformation.name,
            describe_transformation(transformation, says),
            Cell(
                "\n".join(
                    says.text("example", invented=invented, released=released)
                    if invented
                    else released
                    for invented, released in transformation.examples
                )
                or "–",
                "code" if transformation.examples else "",
            ),
        )
        for transformation in summary.columns.transformations
    ]
    note = Paragraph(says.text("examples.note", floor=says.count(summary.loss.floor)), "note")
    return Section(
        "transformations",
        says.text("section.transformations"),
        (note, Table(header, _merge_rows(rows, says), style="examples")),
    )


def _merge_rows(
    rows: Sequence[tuple[str, Text, Text]], says: Translator
) -> tuple[tuple[Text, ...], ...]:
    """Return one row for all attributes of which a table says the same."""
    names: dict[tuple[Text, Text], list[str]] = {}
    for name, *said in rows:
        names.setdefault((said[0], said[1]), []).append(name)
    return tuple((says.names(some), *said) for said, some in names.items())


def describe_transformation(one: Transformation, says: Translator) -> str:
    """Say what was done to an attribute."""
    changed = one.actions and says.text("done.actions", actions=", ".join(one.actions))
    if one.recoding is None:
        if changed:
            return changed
        done = {"identifier": "done.identifier", "set": "done.items"}
        return says.text(done.get(one.role, "done.unchanged"))
    recoded = _describe_recoding(one, says)
    return says.text("done.and", first=changed, second=recoded) if changed else recoded


def _describe_recoding(one: Transformation, says: Translator) -> str:
    if one.level is not None and one.highest is not None:
        return says.text("done.levels", level=one.level, highest=one.highest)
    return says.text_or(f"done.{one.recoding}", str(one.recoding))
