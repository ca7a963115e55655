"""What else might have been released: neighbours of a node, and compared runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.reporting.document import Block, Bullets, Cell, Figure, Paragraph, Section, Table, Text

if TYPE_CHECKING:
    from kanonym.language import Speech
    from kanonym.reporting.known.choice import Choice, Neighbour
    from kanonym.reporting.known.compared import Alternatives
    from kanonym.reporting.summary import Summary


def sections(summary: Summary, says: Speech) -> tuple[Section, ...]:
    """Return the sections on the chosen node and on compared runs."""
    chosen = () if summary.choice is None else (_choice(summary.choice, says),)
    compared = () if summary.comparison is None else (_compared(summary.comparison, says),)
    return (*chosen, *compared)


def _choice(choice: Choice, says: Speech) -> Section:
    header = [says.say(f"head.{key}") for key in ("attribute", "level", "example")]
    header += [
        says.say(f"head.{way}", what=what)
        for way in ("finer", "coarser")
        for what in (choice.metric, says.say("head.suppressed"), says.say("head.satisfies"))
    ]
    rows = tuple(
        (
            price.attribute,
            says.say("of", part=price.level, whole=price.highest),
            "–" if price.example is None else price.example,
            *_beside(price.finer, says),
            *_beside(price.coarser, says),
        )
        for price in choice.prices
    )
    blocks: tuple[Block, ...] = (
        Bullets(tuple(("", one) for one in choice.sentences)),
        Table(tuple(header), rows, frozenset({3, 4, 6, 7}), "node"),
        Paragraph(says.say("choice.note"), "note"),
    )
    return Section("choice", says.say("section.choice"), blocks)


def _beside(node: Neighbour | None, says: Speech) -> tuple[Text, Text, Text]:
    if node is None:
        return "–", "", ""
    met = Cell(says.say("met"), "met") if node.satisfied else Cell(says.say("unmet"), "unmet")
    return says.value(node.score), says.count(node.suppressed), met


def _compared(found: Alternatives, says: Speech) -> Section:
    title = says.say("section.comparison")
    reason = Paragraph(found.reason)
    if not found.runs:
        return Section("comparison", title, (reason,))

    def draw() -> str:
        from kanonym.reporting.charts.alternatives import (  # noqa: PLC0415 - half a second
            alternatives_svg,
        )

        return alternatives_svg(found, says)

    numbers = Table(
        (
            says.say("head.run"),
            says.known(f"measure.{found.privacy}", found.privacy),
            says.known(f"measure.{found.measure}", found.measure),
            says.say("head.suppressed"),
            says.say("head.frontier"),
        ),
        tuple(
            (
                Cell(one.label, "strong" if one.knee else ""),
                says.value(one.private),
                says.value(one.useful),
                says.count(one.suppressed),
                says.say("yes" if one.frontier else "no"),
            )
            for one in found.runs
        ),
        frozenset({1, 2, 3}),
    )
    runs = says.things(len(found.runs), "run")
    caption = says.say("compared.caption")
    if found.refused:
        caption += " " + says.say("compared.refused", runs=says.things(found.refused, "run"))
    chart = Figure("", says.say("alt.frontier", runs=runs), draw, caption, numbers)
    return Section("comparison", title, (reason, chart))
