"""Risk in figures: what an assessment measured, thresholds of authorities, special uniques."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanonym.report.document import (
    Block,
    Cell,
    Figure,
    Folded,
    Heading,
    Paragraph,
    Section,
    Table,
)

if TYPE_CHECKING:
    from kanonym.report import assessed
    from kanonym.report.language import Speech
    from kanonym.report.summary import Summary


def sections(summary: Summary, says: Speech) -> tuple[Section, ...]:
    """Return the section on risk."""
    title, found = says.say("section.risk"), summary.assessed
    if found is None:
        return (Section("risk", title, (Paragraph(says.say("assessed.none")),)),)
    return (
        Section(
            "risk",
            title,
            (*measured(found.risk, says), *_presets(found, says), *_suda(found, says)),
        ),
    )


def measured(figures: Sequence[assessed.Figure], says: Speech) -> tuple[Block, ...]:
    """Return a table of measures, and which of them were not measured."""
    header = tuple(says.say(f"head.{key}") for key in ("measure", "value", "better"))
    rows = tuple(
        (
            _explained(one, says),
            says.tenths(one.value) if one.share else says.value(one.value),
            says.say(f"better.{one.better}"),
        )
        for one in figures
        if one.value is not None
    )
    missing = [one for one in figures if one.value is None]
    blocks: tuple[Block, ...] = (Table(header, rows, frozenset({1}), "measures"),)
    if missing:
        reasons = Table(
            (says.say("head.measure"), says.say("head.reason")),
            tuple((named(one.name, says), _foreign(one.reason or "–", says)) for one in missing),
        )
        names = "; ".join(named(one.name, says) for one in missing)
        blocks += (Folded(says.say("assessed.missing", reasons=names), (reasons,)),)
    return blocks


def _explained(one: assessed.Figure, says: Speech) -> Cell:
    """Name a measure, with its threshold where it has one."""
    threshold = one.parts.get("threshold")
    note = "" if threshold is None else says.say("threshold", share=says.percent(threshold))
    return Cell(named(one.name, says), note=note)


def named(name: str, says: Speech) -> str:
    """Name a measure."""
    return says.known(f"measure.{name}", name.replace("_", " "))


def _foreign(text: str, says: Speech) -> Cell:
    """Return an English sentence of an assessment in a report of any language."""
    return Cell(text, language="" if says.code == "en" else "en")


def _presets(found: assessed.Assessed, says: Speech) -> tuple[Block, ...]:
    if not found.presets:
        return ()
    header = tuple(says.say(f"head.{key}") for key in ("preset", "met", "reason"))
    words = {True: "met", False: "unmet", None: "unknown"}
    rows = tuple(
        (
            _foreign(one.title, says),
            Cell(
                says.say(f"presets.{words[one.met]}"),
                {True: "met", False: "unmet", None: ""}[one.met],  # type: ignore[arg-type]
            ),
            _foreign(one.reason, says),
        )
        for one in found.presets
    )
    return Heading(says.say("part.presets")), Table(header, rows, style="presets")


def _suda(found: assessed.Assessed, says: Speech) -> tuple[Block, ...]:
    if not found.suda:
        return ()
    heading = Heading(says.say("part.suda"))
    total = sum(share for _, share in found.suda)
    if not total > 0:
        return heading, Paragraph(says.say("suda.none"))
    shares = {name: share / total for name, share in found.suda}
    most = max(shares, key=shares.__getitem__)

    def draw() -> str:
        from kanonym.report.plots import shares_svg  # noqa: PLC0415 - half a second

        return shares_svg(shares, says.say("axis.suda"), says)

    numbers = Table(
        (says.say("head.attribute"), says.say("head.value")),
        tuple((name, says.tenths(share)) for name, share in shares.items()),
        frozenset({1}),
    )
    alternative = says.say("alt.suda", most=most, much=says.percent(shares[most]))
    return (
        heading,
        Paragraph(says.say("suda.text")),
        Figure("", alternative, draw, numbers=numbers),
    )
