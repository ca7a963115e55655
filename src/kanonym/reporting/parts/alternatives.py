"""What else might have been released: neighbours of a node, and compared runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.reporting.document import Block, Bullets, Cell, Figure, Paragraph, Section, Table, Text

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.reporting.known.choice import Choice, Neighbour
    from kanonym.reporting.known.comparison import Alternatives
    from kanonym.reporting.summary import Summary


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the sections on the chosen node and on compared runs."""
    chosen = () if summary.choice is None else (_choice(summary.choice, says),)
    compared = (
        () if summary.comparison is None else (_comparison_section(summary.comparison, says),)
    )
    return (*chosen, *compared)


def _choice(choice: Choice, says: Translator) -> Section:
    header = [says.text(f"head.{key}") for key in ("attribute", "level", "example")]
    header += [
        says.text(f"head.{way}", what=what)
        for way in ("finer", "coarser")
        for what in (choice.metric, says.text("head.suppressed"), says.text("head.satisfies"))
    ]
    rows = tuple(
        (
            price.attribute,
            says.text("of", part=price.level, whole=price.highest),
            "–" if price.example is None else price.example,
            *_neighbour_row(price.finer, says),
            *_neighbour_row(price.coarser, says),
        )
        for price in choice.prices
    )
    blocks: tuple[Block, ...] = (
        Bullets(tuple(("", sentence) for sentence in choice.sentences)),
        Table(tuple(header), rows, frozenset({3, 4, 6, 7}), "node"),
        Paragraph(says.text("choice.note"), "note"),
    )
    return Section("choice", says.text("section.choice"), blocks)


def _neighbour_row(node: Neighbour | None, says: Translator) -> tuple[Text, Text, Text]:
    if node is None:
        return "–", "", ""
    met = Cell(says.text("met"), "met") if node.satisfied else Cell(says.text("unmet"), "unmet")
    return says.value(node.score), says.count(node.suppressed), met


def _comparison_section(found: Alternatives, says: Translator) -> Section:
    title = says.text("section.comparison")
    reason = Paragraph(found.reason)
    if not found.runs:
        return Section("comparison", title, (reason,))

    def draw() -> str:
        from kanonym.reporting.charts.alternatives import (  # noqa: PLC0415 - half a second
            alternatives_chart,
        )

        return alternatives_chart(found, says).to_svg()

    numbers = Table(
        (
            says.text("head.run"),
            says.text_or(f"measure.{found.privacy}", found.privacy),
            says.text_or(f"measure.{found.measure}", found.measure),
            says.text("head.suppressed"),
            says.text("head.frontier"),
        ),
        tuple(
            (
                Cell(run.label, "strong" if run.knee else ""),
                says.value(run.private),
                says.value(run.useful),
                says.count(run.suppressed),
                says.text("yes" if run.frontier else "no"),
            )
            for run in found.runs
        ),
        frozenset({1, 2, 3}),
    )
    runs = says.plural(len(found.runs), "run")
    caption = says.text("compared.caption")
    if found.refused:
        caption += " " + says.text("compared.refused", runs=says.plural(found.refused, "run"))
    chart = Figure("", says.text("alt.frontier", runs=runs), draw, caption, numbers)
    return Section("comparison", title, (reason, chart))
