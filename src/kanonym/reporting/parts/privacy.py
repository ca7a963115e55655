"""Privacy achieved against required, and the sizes of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.errors import gettext as _
from kanonym.data.errors import ngettext
from kanonym.reporting.document import (
    Block,
    Bullets,
    Cell,
    Figure,
    Heading,
    Paragraph,
    Section,
    Table,
)
from kanonym.reporting.wording import counts_values

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.reporting.summary import Requirement, Summary


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the section on privacy."""
    told = (*summary.privacy.answer, *worst_classes(summary, says))
    blocks: list[Block] = []
    if summary.privacy.verification.models:
        blocks.append(requirements_table(summary, says))
    else:
        blocks.append(
            Paragraph(says.text(_("No requirement was set, so nothing is guaranteed.")), "strong")
        )
    blocks += [
        Bullets(tuple(("", one) for one in told)),
        Heading(says.text(_("Class sizes"))),
        *_sizes(summary, says),
    ]
    return (Section("privacy", says.text(_("Privacy: required and achieved")), tuple(blocks)),)


def requirements_table(summary: Summary, says: Translator, most: int | None = None) -> Table:
    """Return what was required and achieved; at most so many lines."""
    header = tuple(
        says.text(key) for key in (_("requirement"), _("required"), _("achieved"), _("met"))
    )
    rows = tuple(
        (
            Cell(model.sentence, note=_note(model, summary, says)),
            f"{model.symbol} {model.relation} {says.value(model.required)}".strip(),
            says.value(model.achieved),
            "–"
            if model.achieved is None
            else Cell(says.text(_("✓ yes")), "met")
            if model.satisfied
            else Cell(says.text(_("✗ no")), "unmet"),
        )
        # What is not met is never left out.
        for model in sorted(summary.privacy.verification.models, key=lambda one: one.satisfied)[
            :most
        ]
    )
    return Table(header, rows, frozenset({1, 2}), "requirements")


def worst_classes(summary: Summary, says: Translator) -> list[str]:
    """Say for each sensitive attribute how much of its worst class the commonest value has."""
    return [
        says.text(
            _(
                "Worst class for “{attribute}”: {share} of its {records} have the same value; in "
                "the whole table {table}."
            ),
            attribute=share.attribute,
            share=says.percent(share.share),
            records=says.plural(share.records, ngettext("record", "records")),
            table=says.percent(share.table_share),
        )
        for share in summary.privacy.verification.largest_shares
    ]


def _note(one: Requirement, summary: Summary, says: Translator) -> str:
    """Name a model, and say how near to one value the worst class comes if that is measured."""
    named = ", ".join(filter(None, (one.type, one.kind)))
    figures = summary.assessed
    if not counts_values(one.type, one.kind) or figures is None:
        return named
    alpha = figures.risk.get("alpha")
    if alpha is None or one.attribute is None or one.attribute not in alpha.parts:
        return named
    share = says.percent(alpha.parts[one.attribute])
    told = says.text(
        _("In one class, {share} of the records have the same value of “{attribute}”."),
        share=share,
        attribute=one.attribute,
    )
    return f"{named}. {told}"


def _sizes(summary: Summary, says: Translator) -> tuple[Block, ...]:
    sizes = summary.privacy.class_sizes
    if not summary.size.rows_out:
        return (Paragraph(says.text(_("No record was released, so there is no class."))),)
    facts = {
        "classes": says.plural(summary.privacy.verification.classes, ngettext("class", "classes")),
        "smallest": says.plural(sizes.smallest, ngettext("record", "records")),
        "median": says.value(sizes.median),
        "largest": says.count(sizes.largest),
        "mean": says.value(sizes.mean),
    }
    numbers = Table(
        tuple(says.text(key) for key in (_("records in the class"), _("classes"), _("records"))),
        tuple(
            (label, says.count(classes), says.count(records))
            for label, classes, records in zip(
                sizes.labels, sizes.classes, sizes.records, strict=True
            )
        ),
        frozenset({1, 2}),
    )

    def draw() -> str:
        from kanonym.reporting.charts.bars import class_sizes_chart  # noqa: PLC0415 - half a second

        return class_sizes_chart(sizes, says).to_svg()

    alternative = says.text(
        _(
            "Bar chart of class sizes: {classes}, from {smallest} to {largest} records; half of "
            "them have at most {median}."
        ),
        **{**facts, "smallest": says.count(sizes.smallest)},
    )
    return (
        Paragraph(
            says.text(
                _(
                    "{classes}. The smallest has {smallest}, the median {median}, the largest "
                    "{largest}; the mean is {mean} records. A person in a large class is hidden "
                    "among more people."
                ),
                **facts,
            )
        ),
        Figure(
            "",
            alternative,
            draw,
            says.text(_("Released records by the size of their class.")),
            numbers,
        ),
    )
