"""The three questions of European data protection, answered with figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.errors import Sentence, ngettext
from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks.base import Aim
from kanonym.evaluation.attacks.sentences import figures_sentence, finding_sentence, title_of
from kanonym.reporting.document import Block, Bullets, Heading, Link, Paragraph, Section
from kanonym.reporting.known.attacks import AIMS, attacks_on_question
from kanonym.reporting.wording import counts_persons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanonym.evaluation.attacks.result import AttackResult
    from kanonym.language import Translator
    from kanonym.reporting.summary import Summary

SOURCE = (
    "https://ec.europa.eu/justice/article-29/documentation/opinion-recommendation/files/2014/"
    "wp216_en.pdf"
)


AIM_QUESTIONS: dict[str, tuple[Sentence, Sentence]] = {
    "singling-out": (_("Singling out"), _("Can somebody isolate the records of one person?")),
    "linkability": (
        _("Linkability"),
        _("Can somebody link records of the same person, in this table or in another one?"),
    ),
    "inference": (
        _("Inference"),
        _("Can somebody deduce the value of an attribute with significant probability?"),
    ),
}
UNTRIED = _("No attack of this kind was run; `kanonym attack` runs them.")
ANSWERS = {
    "yes": ngettext(
        "Yes, for the intruder of {attacks}, who succeeds beyond chance.",
        "Yes, for the intruders of {attacks}, who succeed beyond chance.",
    ),
    "unknown": _("Not shown, but unknown for {attacks}."),
    "not shown": _("Not shown: no attack that was run succeeds beyond chance."),
    "open": _("Open."),
}
"""What attacks answer to a question."""


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the section on the three questions."""
    blocks = tuple(block for key in AIMS for block in _answers(summary, key, says))
    return (
        Section(
            "protection",
            says.text(_("The three questions of data protection")),
            (
                Paragraph(
                    says.text(
                        _(
                            "The data protection authorities of the European Union ask three "
                            "questions about anonymized data (Article 29 Working Party, Opinion "
                            "05/2014, WP 216, section 3). The figures show what attacks achieved "
                            "on this release or, where none was run, what class sizes imply. Where "
                            "the answer is not “no”, the opinion asks for an evaluation of the "
                            "risk of identification; “not shown” is less than “no”. “Sign a "
                            "release” in the documentation of kanonym (docs/sign.md) explains "
                            "what they say about the GDPR, HIPAA and other rules."
                        )
                    )
                ),
                *blocks,
                Link(
                    says.text(
                        _("Article 29 Working Party, Opinion 05/2014 on Anonymisation Techniques")
                    ),
                    SOURCE,
                ),
            ),
        ),
    )


def _answers(summary: Summary, key: Aim, says: Translator) -> tuple[Block, ...]:
    """Return what class sizes and requirements imply, and a sentence for each attack."""
    title, question = map(says.text, AIM_QUESTIONS[key])
    head = Heading(f"{title}: {question}")
    if not summary.size.rows_out:
        return head, Paragraph(says.text(_("Nothing was released.")))
    implied = {
        "singling-out": _singling_out_answer,
        "linkability": _linkage_answer,
        "inference": _inference_answer,
    }[key](summary, says)
    tried = attacks_on_question(summary.attacks, key)
    if not tried:
        return head, Paragraph(f"{implied} {says.text(UNTRIED)}", lead=says.text(ANSWERS["open"]))
    told = tuple(
        (
            title_of(result.type, says),
            f"{figures_sentence(result, says)} {finding_sentence(result, says)}",
        )
        for result in tried
    )
    return head, Paragraph(implied, lead=_answer_of_attacks(tried, says)), Bullets(told)


def _answer_of_attacks(tried: Sequence[AttackResult], says: Translator) -> str:
    """Return what attacks on a question answer, with those that do."""
    helped = [title_of(attack.type, says) for attack in tried if attack.finding == "beyond"]
    unknown = [title_of(attack.type, says) for attack in tried if attack.hidden_by is not None]
    key, named = ("yes", helped) if helped else ("unknown" if unknown else "not shown", unknown)
    return says.text(ANSWERS[key], len(named), attacks=says.names(named))


def _singling_out_answer(summary: Summary, says: Translator) -> str:
    smallest = summary.privacy.class_sizes.smallest
    persons = [
        model.achieved
        for model in summary.privacy.verification.models
        if counts_persons(model.type, model.attribute) and model.achieved is not None
    ]
    if smallest <= 1 or min(persons, default=2) <= 1:
        return says.text(
            _(
                "Yes: some released records are alone in their class, and so can be isolated by "
                "the quasi-identifiers."
            )
        )
    if persons:
        fewest = says.plural(int(min(persons)), ngettext("person", "people"))
        return says.text(
            _("Nobody has a class to themselves: the smallest class has records of {smallest}."),
            smallest=fewest,
        )
    return says.text(
        _("No released record is alone in its class: the smallest class has {smallest}."),
        smallest=says.plural(smallest, ngettext("record", "records")),
    )


def _linkage_answer(summary: Summary, says: Translator) -> str:
    risk = summary.privacy.risk
    return says.text(
        _(
            "Judging by class sizes alone, somebody who knows the quasi-identifiers of one record "
            "of a person picks this person among those of the class with a chance of at most "
            "{highest}, {average} on average. Who has several records is easier to find."
        )
        if summary.counts_persons
        else _(
            "Judging by class sizes alone, somebody who knows the quasi-identifiers of a record of "
            "the table picks this record with a chance of at most {highest}, {average} on average."
        ),
        highest=says.chance(risk.highest),
        average=says.chance(risk.average),
    )


def _inference_answer(summary: Summary, says: Translator) -> str:
    hidden = [name for name, role in summary.columns.roles.items() if role.startswith("sensitive")]
    held = {model.attribute for model in summary.privacy.verification.models if model.satisfied}
    if not hidden:
        return says.text(
            _(
                "The custodian states that no attribute is sensitive: what a class reveals about "
                "the others was not checked."
            )
            if summary.origin.policy.get("sensitive")
            else _(
                "No attribute was declared sensitive, so what a class reveals about the others was "
                "not checked."
            )
        )
    told = []
    for key, names in (
        (
            _(
                "Every class meets requirements on {names}: they limit what a class reveals, but "
                "do not reduce it to nothing."
            ),
            [name for name in hidden if name in held],
        ),
        (
            _(
                "No requirement limits what a class reveals about {names}: a class whose records "
                "have the same value discloses it."
            ),
            [name for name in hidden if name not in held],
        ),
    ):
        if names:
            told.append(says.text(key, names=says.names(names)))
    return " ".join(told)
