"""The three questions of European data protection, answered with figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.evaluation.attacks.base import Aim
from kanonym.reporting.document import Cell, Link, Paragraph, Section, Table
from kanonym.reporting.known.attacks import AIMS, attacks_on_question
from kanonym.reporting.parts.attacks import title_of

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.reporting.summary import Summary

SOURCE = (
    "https://ec.europa.eu/justice/article-29/documentation/opinion-recommendation/files/2014/"
    "wp216_en.pdf"
)


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the section on the three questions."""
    rows = tuple(
        (
            Cell(says.text(f"gdpr.{key}"), "strong", says.text(f"gdpr.{key}.question")),
            _answer(summary, key, says),
        )
        for key in AIMS
    )
    header = says.text("head.question"), says.text("head.answer")
    return (
        Section(
            "protection",
            says.text("section.gdpr"),
            (
                Paragraph(says.text("gdpr.intro")),
                Table(header, rows, style="questions"),
                Link(says.text("repeat.source"), SOURCE),
            ),
        ),
    )


def _answer(summary: Summary, key: Aim, says: Translator) -> str:
    """Return what class sizes and requirements imply, and what attacks achieved."""
    if not summary.size.rows_out:
        return says.text("gdpr.empty")
    implied = {
        "singling-out": _singling_out_answer,
        "linkability": _linkage_answer,
        "inference": _inference_answer,
    }[key](summary, says)
    tried = attacks_on_question(summary.attacks, key)
    if not tried:
        return f"{implied} {says.text('gdpr.untried')}"
    most = tried[0]
    low, high = most.interval
    told = says.text(
        "gdpr.attacked",
        attacks=says.plural(len(tried), "attack"),
        title=title_of(most, says),
        rate=says.tenths(most.targets.rate),
        attempts=says.count(most.attempts),
        chance=says.tenths(most.chance.rate),
        risk=says.tenths(most.risk),
        low=says.tenths(low),
        high=says.tenths(high),
    )
    beyond = says.text("gdpr.beyond" if low > 0 else "gdpr.not-beyond")
    for hidden in sorted({one.hidden_by for one in tried if one.hidden_by}):
        beyond += f" {says.text(f'attacks.hidden.{hidden}')}"
    return f"{implied} {told} {beyond}"


def _singling_out_answer(summary: Summary, says: Translator) -> str:
    smallest = summary.privacy.class_sizes.smallest
    persons = [
        one.achieved
        for one in summary.privacy.verification.models
        if one.type == "k-anonymity" and one.attribute is not None and one.achieved is not None
    ]
    if smallest <= 1 or min(persons, default=2) <= 1:
        return says.text("gdpr.singling-out.alone")
    if persons:
        fewest = says.plural(int(min(persons)), "person")
        return says.text("gdpr.singling-out.persons", smallest=fewest)
    return says.text("gdpr.singling-out.sizes", smallest=says.plural(smallest, "record"))


def _linkage_answer(summary: Summary, says: Translator) -> str:
    risk = summary.privacy.risk
    return says.text(
        "gdpr.linkability.sizes",
        highest=says.chance(risk.highest),
        average=says.chance(risk.average),
    )


def _inference_answer(summary: Summary, says: Translator) -> str:
    hidden = [name for name, role in summary.columns.roles.items() if role.startswith("sensitive")]
    held = {one.attribute for one in summary.privacy.verification.models if one.satisfied}
    if not hidden:
        return says.text("gdpr.inference.none")
    told = []
    for key, names in (
        ("protected", [name for name in hidden if name in held]),
        ("unprotected", [name for name in hidden if name not in held]),
    ):
        if names:
            told.append(says.text(f"gdpr.inference.{key}", names=says.names(names)))
    return " ".join(told)
