"""The report that may go along with a differentially private synthetic table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kanonym.data.errors import gettext as _
from kanonym.reporting.document import Block, Bullets, Cell, Document, Paragraph, Table, Text
from kanonym.reporting.public_document import (
    PARAMETERS,
    UNITS,
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


METHODS = {
    "aim": _(
        "Method AIM: again and again, the columns were drawn that the model explained worst, and "
        "counted, until the budget was spent."
    ),
    "mst": _(
        "Method MST: each column was counted, and pairs of columns that form a tree, which were "
        "drawn with a third of the budget."
    ),
}


def synthetic_document(
    made: PrivateSynthesis,
    says: Translator,
    title: str | None = None,
    output: Content | None = None,
) -> Document:
    """Return the document; it is made of the promise and the policy, without what was drawn."""
    promise, most = made.promise, made.promise.records_per_person
    persons = "several" if most is None else "one-each" if most == 1 else "some-each"
    unit = says.text(_("person’s records") if most and most > 1 else UNITS[promise.protects])
    sections: list[tuple[str, Sequence[Block]]] = [
        ("meaning", meaning_of(promise, unit, persons, "noise", says, most=says.count(most or 1))),
        ("parameters", (_parameters(promise, says),)),
        ("made", (_making(made.method, says),)),
        (
            "public",
            (
                Paragraph(
                    says.text(
                        _(
                            "These domains were declared without looking at the table. A value "
                            "that one does not list is read as “other” if that is listed, "
                            "otherwise as missing; numbers beyond a range as its nearer end. Where "
                            "neither is a value, the record was left out."
                        )
                    )
                ),
                _domains(promise.domains, says),
            ),
        ),
        (
            "verified",
            (
                Paragraph(
                    says.text(
                        _(
                            "Values of a synthetic table cannot show that noise was added, that "
                            "nobody can repeat the draws, and that domains and parameters were "
                            "chosen without looking at the table. For this, the publisher vouches."
                        )
                    )
                ),
            ),
        ),
        ("others", other_releases(promise.spent, says)),
    ]
    if made.constraints:
        rules = Bullets(tuple(("", Cell(constraint, "code")) for constraint in made.constraints))
        sections.insert(4, ("constraints", (rules,)))
    if output is not None:
        sections.append(("file", (file_table(output),)))
    return framed(
        promise,
        unit,
        sections,
        says,
        title or says.text(_("Differentially private synthetic table")),
    )


def _parameters(promise: Promise, says: Translator) -> Table:
    given = (("ε", promise.epsilon), ("δ", promise.delta), ("ρ", promise.rho))
    header = tuple(says.text(key) for key in (_("parameter"), _("value"), _("meaning")))
    rows = tuple(
        (sign, format_parameter(value, says), says.text(PARAMETERS[key]))
        for (sign, value), key in zip(given, ("epsilon", "delta", "rho"), strict=True)
    )
    return Table(header, rows, frozenset({1}))


def _making(method: str, says: Translator) -> Bullets:
    steps = (
        _(
            "Records were counted by a few columns at a time, and noise was added to each count: "
            "the discrete Gaussian distribution, drawn exactly by the system’s random source."
        ),
        METHODS[method],
        _(
            "Every record of the table was drawn from the model of these noisy counts. None is of "
            "a person. Their number was chosen, or follows from the noisy counts."
        ),
    )
    return Bullets(tuple(("", says.text(step)) for step in steps))


def _domains(domains: Mapping[str, Mapping[str, Any]], says: Translator) -> Table:
    header = (says.text(_("attribute")), says.text(_("domain")), says.text(_("may be missing")))
    rows = tuple(
        (name, _domain(facts, says), says.text(_("yes") if facts["nulls"] else _("no")))
        for name, facts in domains.items()
    )
    return Table(header, rows)


def _domain(facts: Mapping[str, Any], says: Translator) -> Text:
    if "values" in facts:
        return says.text(_("{n} listed values"), n=says.count(facts["values"]))
    return says.text(
        _("{minimum} to {maximum}, in {bins} bins"),
        minimum=str(facts["minimum"]),
        maximum=str(facts["maximum"]),
        bins=says.count(facts["bins"]),
    )
