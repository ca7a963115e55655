"""The report that may go along with a differentially private synthetic table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kanonym.reporting.document import Block, Bullets, Cell, Document, Paragraph, Table, Text
from kanonym.reporting.promise_parts import (
    file_table,
    format_parameter,
    framed,
    meaning_of,
    other_releases,
)

if TYPE_CHECKING:
    from kanonym.data.files import Content
    from kanonym.language import Translator
    from kanonym.synthesis import PrivateSynthesis
    from kanonym.synthesis.private import Promise


def synthetic_document(
    made: PrivateSynthesis,
    says: Translator,
    title: str | None = None,
    output: Content | None = None,
) -> Document:
    """Return the document; it is made of the promise and the policy, without what was drawn."""
    promise, most = made.promise, made.promise.records_per_person
    persons = "several" if most is None else "one-each" if most == 1 else "some-each"
    unit = says.text("private.records" if most and most > 1 else f"private.{promise.protects}")
    sections: list[tuple[str, Sequence[Block]]] = [
        ("meaning", meaning_of(promise, unit, persons, "noise", says, most=says.count(most or 1))),
        ("parameters", (_parameters(promise, says),)),
        ("made", (_making(made.method, says),)),
        ("public", (Paragraph(says.text("private.domains")), _domains(promise.domains, says))),
        ("verified", (Paragraph(says.text("private.unverified.synthetic")),)),
        ("others", other_releases(promise.spent, says)),
    ]
    if made.constraints:
        rules = Bullets(tuple(("", Cell(constraint, "code")) for constraint in made.constraints))
        sections.insert(4, ("constraints", (rules,)))
    if output is not None:
        sections.append(("file", (file_table(output),)))
    return framed(promise, unit, sections, says, title or says.text("private.synthetic.title"))


def _parameters(promise: Promise, says: Translator) -> Table:
    given = (("ε", promise.epsilon), ("δ", promise.delta), ("ρ", promise.rho))
    header = tuple(says.text(f"private.head.{key}") for key in ("parameter", "value", "meaning"))
    rows = tuple(
        (sign, format_parameter(value, says), says.text(f"private.{key}"))
        for (sign, value), key in zip(given, ("epsilon", "delta", "rho"), strict=True)
    )
    return Table(header, rows, frozenset({1}))


def _making(method: str, says: Translator) -> Bullets:
    keys = ("noise", f"model.{method}", "drawn")
    return Bullets(tuple(("", says.text(f"private.made.{key}")) for key in keys))


def _domains(domains: Mapping[str, Mapping[str, Any]], says: Translator) -> Table:
    header = (
        says.text("head.attribute"),
        says.text("private.head.domain"),
        says.text("private.head.nulls"),
    )
    rows = tuple(
        (name, _domain(facts, says), says.text("yes" if facts["nulls"] else "no"))
        for name, facts in domains.items()
    )
    return Table(header, rows)


def _domain(facts: Mapping[str, Any], says: Translator) -> Text:
    if "values" in facts:
        return says.text("private.listed", n=says.count(facts["values"]))
    return says.text(
        "private.range",
        minimum=str(facts["minimum"]),
        maximum=str(facts["maximum"]),
        bins=says.count(facts["bins"]),
    )
