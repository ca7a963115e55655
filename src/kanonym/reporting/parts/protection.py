"""The three questions of European data protection, answered with figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.evaluation.attacks.base import Aim
from kanonym.reporting.document import Cell, Link, Paragraph, Section, Table
from kanonym.reporting.known.attacked import AIMS, asking
from kanonym.reporting.parts.attacks import title_of

if TYPE_CHECKING:
    from kanonym.language import Speech
    from kanonym.reporting.summary import Summary

SOURCE = (
    "https://ec.europa.eu/justice/article-29/documentation/opinion-recommendation/files/2014/"
    "wp216_en.pdf"
)


def sections(summary: Summary, says: Speech) -> tuple[Section, ...]:
    """Return the section on the three questions."""
    rows = tuple(
        (
            Cell(says.say(f"gdpr.{key}"), "strong", says.say(f"gdpr.{key}.question")),
            _answer(summary, key, says),
        )
        for key in AIMS
    )
    header = says.say("head.question"), says.say("head.answer")
    return (
        Section(
            "protection",
            says.say("section.gdpr"),
            (
                Paragraph(says.say("gdpr.intro")),
                Table(header, rows, style="questions"),
                Link(says.say("repeat.source"), SOURCE),
            ),
        ),
    )


def _answer(summary: Summary, key: Aim, says: Speech) -> str:
    """Return what class sizes and requirements imply, and what attacks achieved."""
    if not summary.size.rows_out:
        return says.say("gdpr.empty")
    implied = {
        "singling-out": _singled_out,
        "linkability": _linked,
        "inference": _inferred,
    }[key](summary, says)
    tried = asking(summary.attacks, key)
    if not tried:
        return f"{implied} {says.say('gdpr.untried')}"
    most = tried[0]
    low, high = most.interval
    told = says.say(
        "gdpr.attacked",
        attacks=says.things(len(tried), "attack"),
        title=title_of(most, says),
        rate=says.tenths(most.targets.rate),
        attempts=says.count(most.attempts),
        chance=says.tenths(most.chance.rate),
        risk=says.tenths(most.risk),
        low=says.tenths(low),
        high=says.tenths(high),
    )
    beyond = says.say("gdpr.beyond" if low > 0 else "gdpr.not-beyond")
    for hidden in sorted({one.hidden_by for one in tried if one.hidden_by}):
        beyond += f" {says.say(f'attacks.hidden.{hidden}')}"
    return f"{implied} {told} {beyond}"


def _singled_out(summary: Summary, says: Speech) -> str:
    smallest = summary.privacy.class_sizes.smallest
    persons = [
        one.achieved
        for one in summary.privacy.verification.models
        if one.type == "k-anonymity" and one.attribute is not None and one.achieved is not None
    ]
    if smallest <= 1 or min(persons, default=2) <= 1:
        return says.say("gdpr.singling-out.alone")
    if persons:
        fewest = says.things(int(min(persons)), "person")
        return says.say("gdpr.singling-out.persons", smallest=fewest)
    return says.say("gdpr.singling-out.sizes", smallest=says.things(smallest, "record"))


def _linked(summary: Summary, says: Speech) -> str:
    risk = summary.privacy.risk
    return says.say(
        "gdpr.linkability.sizes",
        highest=says.chance(risk.highest),
        average=says.chance(risk.average),
    )


def _inferred(summary: Summary, says: Speech) -> str:
    hidden = [name for name, role in summary.columns.roles.items() if role.startswith("sensitive")]
    held = {one.attribute for one in summary.privacy.verification.models if one.satisfied}
    if not hidden:
        return says.say("gdpr.inference.none")
    told = []
    for key, names in (
        ("protected", [name for name in hidden if name in held]),
        ("unprotected", [name for name in hidden if name not in held]),
    ):
        if names:
            told.append(says.say(f"gdpr.inference.{key}", names=says.names(names)))
    return " ".join(told)
