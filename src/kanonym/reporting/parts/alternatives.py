"""What else might have been released: neighbours of a node, and compared runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.errors import gettext as _
from kanonym.data.errors import ngettext
from kanonym.reporting.document import Block, Bullets, Cell, Figure, Paragraph, Section, Table, Text

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.reporting.known.choice import Alternatives, Choice, Neighbour
    from kanonym.reporting.summary import Summary


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the sections on the chosen node and on compared runs."""
    chosen = () if summary.choice is None else (_choice(summary.choice, says),)
    compared = (
        () if summary.comparison is None else (_comparison_section(summary.comparison, says),)
    )
    return (*chosen, *compared)


def _choice(choice: Choice, says: Translator) -> Section:
    header = [says.text(key) for key in (_("attribute"), _("level"), _("most frequent label"))]
    header += [
        says.text(way, what=what)
        for way in (_("finer: {what}"), _("coarser: {what}"))
        for what in (choice.metric, says.text(_("suppressed")), says.text(_("satisfies")))
    ]
    rows = tuple(
        (
            price.attribute,
            says.text(_("{part} of {whole}"), part=price.level, whole=price.highest),
            "–" if price.example is None else price.example,
            *_neighbour_row(price.finer, says),
            *_neighbour_row(price.coarser, says),
        )
        for price in choice.prices
    )
    blocks: tuple[Block, ...] = (
        Bullets(tuple(("", sentence) for sentence in choice.sentences)),
        Table(tuple(header), rows, frozenset({3, 4, 6, 7}), "node"),
        Paragraph(
            says.text(
                _(
                    "Level 0 keeps the values as they are; the highest level is “*”. Finer and "
                    "coarser: the same release with only that level changed, and with all records "
                    "of failing classes suppressed. A finer level keeps more of its attribute, but "
                    "more records may have to be suppressed, or too many."
                )
            ),
            "note",
        ),
    )
    return Section("choice", says.text(_("The chosen node and its neighbours")), blocks)


def _neighbour_row(node: Neighbour | None, says: Translator) -> tuple[Text, Text, Text]:
    if node is None:
        return "–", "", ""
    met = (
        Cell(says.text(_("✓ yes")), "met")
        if node.satisfied
        else Cell(says.text(_("✗ no")), "unmet")
    )
    return says.value(node.score), says.count(node.suppressed), met


def _comparison_section(found: Alternatives, says: Translator) -> Section:
    from kanonym.comparison.comparison import PRIVACY_TITLES, measure_title  # noqa: PLC0415 - few reports have one

    title = says.text(_("Alternatives: privacy and loss"))
    reason = Paragraph(found.reason)
    if not found.runs:
        return Section("comparison", title, (reason,))

    def draw() -> str:
        from kanonym.reporting.charts.frontier import alternatives_chart  # noqa: PLC0415 - half a second

        return alternatives_chart(found, says).to_svg()

    numbers = Table(
        (
            says.text(_("release")),
            says.translate(PRIVACY_TITLES[found.privacy]),
            measure_title(found.measure, says),
            says.text(_("suppressed")),
            says.text(_("frontier")),
        ),
        tuple(
            (
                Cell(run.label, "strong" if run.knee else ""),
                says.value(run.private),
                says.value(run.useful),
                says.count(run.suppressed),
                says.text(_("yes") if run.frontier else _("no")),
            )
            for run in found.runs
        ),
        frozenset({1, 2, 3}),
    )
    runs = says.plural(len(found.runs), ngettext("run", "runs"))
    caption = says.text(
        _(
            "Each dot is a release that was tried. The line connects those that no other beats in "
            "both privacy and loss. The ring marks the recommended one."
        )
    )
    if found.refused:
        caption += " " + says.text(
            _("{runs} produced no release."),
            runs=says.plural(found.refused, ngettext("run", "runs")),
        )
    chart = Figure(
        "", says.text(_("Chart of {runs} by privacy and loss."), runs=runs), draw, caption, numbers
    )
    return Section("comparison", title, (reason, chart))
