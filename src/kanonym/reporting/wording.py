"""Requirement, answer, price and limits of a release, for readers without statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kanonym.data.errors import gettext as _
from kanonym.data.errors import ngettext
from kanonym.language import Translator
from kanonym.models import MODELS
from kanonym.models.base import PrivacyModel

if TYPE_CHECKING:
    from kanonym.verification.verdict import Verdict

Parameters = Mapping[str, Any]
COLUMN_LETTERS = 110
"""From so many letters on, further columns and their losses are counted only."""
ANSWERS: Mapping[Verdict, str] = {
    "satisfied": "satisfied",
    "satisfied with findings": "satisfied",
    "not assessed": "satisfied",
    "violated": "failed",
    "not private": "not-private",
    "nothing required": "none",
}
ANSWER_SENTENCES = {
    "satisfied": ngettext(
        "Yes: the requirement is met.", "Yes: all {requirements} requirements are met."
    ),
    "failed": _("No: the released table does NOT satisfy its policy. Do not publish it."),
    "not-private": _(
        "No: a seed was given, so what was drawn can be repeated, and nothing is promised. Do not "
        "publish this table."
    ),
    "none": _(
        "No requirement was set, so nothing is guaranteed. The release happens to be "
        "{smallest}-anonymous."
    ),
}

CHANCES = {
    "records": _(
        "Somebody who knows all quasi-identifiers of a record of the table picks this record with "
        "a chance of at most {highest}, {average} on average; without any knowledge, the chance "
        "would be {blind}."
    ),
    "persons": _(
        "Somebody who knows all quasi-identifiers of one record of a person picks this person "
        "among those of the class with a chance of at most {highest}, {average} on average. Who "
        "has several records is easier to find."
    ),
    "items": _(
        "Somebody who knows up to {items} of a person in the table, and the quasi-identifiers as "
        "far as the requirement covers them, picks that person’s record with a chance of at most "
        "{highest}; without any knowledge, the chance would be {blind}."
    ),
}

LIMITS = {
    "holder": _("This report"),
    "groups": _("Facts about groups"),
    "records.one": _("Several records per person"),
    "persons.one": _("One record per person"),
    "budget": _("Other releases"),
    "shared": _("Values shared by a class"),
    "other": _("Other knowledge"),
    "ruling": _("Ruling out values"),
    "being": _("Membership in the table"),
    "releases": _("Several releases"),
    "records": _("Several records per person"),
    "tried": _("The attacks"),
    "loss": _("The loss"),
    "law": _("The law"),
}
"""The headings of what a release does not protect against."""

LIMIT_SENTENCES = {
    "holder": _(
        "Its figures depend on the records and are no part of the promise. Keep it, and publish "
        "the public report instead (`kanonym anonymize --public-report`)."
    ),
    "groups": _(
        "What is true of many people stays visible, and may be concluded for a person whether or "
        "not this person is in the table."
    ),
    "records.one": _(
        "One record is protected. For a person with m records the effective ε is m times as large."
    ),
    "persons.one": _("At most one record of each person took part, so persons are protected."),
    "budget": _(
        "Whoever has several releases of the same table has the sum of their ε and δ; the ledger "
        "adds them up. Trying settings and keeping the best result costs as much as publishing all."
    ),
    "ruling": _(
        "Somebody who can rule out some values for a person learns more from a class than these "
        "figures show. This is not differential privacy."
    ),
    "being": _("The release does not hide that a person is in the table."),
    "releases": _("Two releases about the same people can be combined and then protect less."),
    "loss": _(
        "The loss measures how wide released values are. Whether an analysis still gives the same "
        "answer must be tested with that analysis."
    ),
    "law": _(
        "Whether this is anonymous in law depends on who receives it and what else they have. The "
        "figures are evidence for that assessment."
    ),
}


def requirement_text(
    speech: Translator, type_: str, attribute: str | None, required: float, given: Parameters
) -> str:
    """Say what a privacy model asks of the release."""
    sentences = _model(type_).requirements
    variants = (str(given.get(name)) for name in ("kind", "distance"))
    variant = next((name for name in variants if name in sentences), "")
    if counts_persons(type_, attribute):
        variant = "entity"
    elif "between" in sentences and given.get("minimum"):
        variant = "between"
    elif not variant and "" not in sentences:
        variant = next(iter(sentences), "")
    other = (
        _("The model {type} is required with the value {asked}.")
        if attribute is None
        else _("The model {type} on “{attribute}” is required with the value {asked}.")
    )
    return speech.text(
        sentences.get(variant, other), **_facts(speech, type_, attribute, required, given)
    )


def _facts(
    speech: Translator, type_: str, attribute: str | None, required: float, given: Parameters
) -> dict[str, str]:
    """Return what the sentences of the models may name."""
    whole, population = int(required), given.get("population")
    persons = ngettext("person", "people")
    others = ngettext("other person", "other people")
    others = ngettext("other", "others") if attribute is None else others
    return {
        "type": type_,
        "attribute": attribute or "",
        "asked": speech.value(required),
        "times": speech.value(_model(type_).factor(required)),
        "share": speech.percent(required),
        "least": speech.percent(given.get("minimum", 0)),
        "records": speech.plural(whole, ngettext("record", "records")),
        "persons": speech.plural(whole, persons),
        "others": speech.plural(whole - 1, others),
        "population": speech.plural(population if isinstance(population, int) else 0, persons),
        "items": speech.plural(int(given.get("m", 1)), ngettext("item", "items")),
        "k": speech.value(given.get("k", 1)),
        "rank": speech.ordinal(int(given.get("l", 2))),
        "delta": f"{given.get('delta', 0):g}",
        "unit": speech.text(_("person’s record") if given.get("entity") else _("record")),
    }


def _model(type_: str) -> type[PrivacyModel]:
    """Return a model; of one that is not registered, the traits that most have."""
    return MODELS.get(type_, PrivacyModel)


def counts_persons(type_: str, attribute: str | None) -> bool:
    """Whether a model counts persons, who may have several records: its attribute tells them."""
    return attribute is not None and "entity" in _model(type_).requirements


def counts_values(type_: str, kind: str | None) -> bool:
    """Whether a model counts the distinct values of a class."""
    return kind in (None, "distinct") and "distinct" in _model(type_).requirements


def _face(type_: str, given: Parameters) -> tuple[str, str]:
    """Return the symbol and the relation of a model, which may depend on its kind."""
    model = _model(type_)
    return model.variants.get(given.get("kind", ""), (model.symbol, model.relation))


def relation(type_: str, given: Parameters) -> str:
    """Write how the achieved value must compare with the required one."""
    return _face(type_, given)[1]


def symbol(type_: str, given: Parameters, speech: Translator | None = None) -> str:
    """Write the letter of a model's value."""
    letter = _face(type_, given)[0]
    return letter if speech is None else speech.translate(letter)


def answer_text(
    speech: Translator,
    *,
    verdict: Verdict,
    requirements: int,
    findings: int,
    rows_in: int,
    rows_out: int,
    n_classes: int,
    smallest: int,
    highest: float,
    average: float,
    known_items: int = 0,
    constructed: bool = False,
    persons: bool = False,
) -> tuple[str, ...]:
    """Say whether the requirements hold and what an intruder can still do.

    constructed: whether a proof about how the release was made takes the place of checks.
    persons: whether k-anonymity counts persons, who may have several records.
    """
    if not rows_out:
        return (
            speech.text(
                _("No record was released: there is nothing to find out, and nothing to use.")
            ),
        )
    key = ANSWERS[verdict]
    two = key == "satisfied" and requirements == 2
    found = speech.text(
        _("Yes: both requirements are met.") if two else ANSWER_SENTENCES[key],
        requirements,
        requirements=speech.count(requirements),
        smallest=speech.count(smallest),
    )
    if verdict == "satisfied with findings":
        found += " " + speech.text(
            ngettext(
                "But there is a finding: the requirement alone does not protect everybody.",
                "But there are {findings} findings: the requirements alone do not protect "
                "everybody.",
            ),
            findings,
            findings=speech.count(findings),
        )
    elif verdict == "not assessed":
        found += " " + speech.text(
            _("But not everything was assessed: the parts of the verdict say what to answer.")
        )
    checked = (
        _(
            "The released values were checked as far as they show it; that records were sampled "
            "rests on how the release was made."
        )
        if constructed
        else _("This was checked on the released values themselves.")
    )
    counted = "items" if known_items else "persons" if persons else "records"
    return (
        f"{found} {speech.text(checked)}",
        speech.text(
            ngettext(
                "The released {records} forms {classes}; the smallest has {smallest}.",
                "The {records} that were released form {classes}; the smallest has {smallest}.",
            ),
            rows_out,
            records=speech.plural(rows_out, ngettext("record", "records")),
            classes=speech.plural(n_classes, ngettext("class", "classes")),
            smallest=speech.plural(smallest, ngettext("record", "records")),
        ),
        speech.text(
            CHANCES[counted],
            highest=speech.chance(highest),
            average=speech.chance(average),
            blind=speech.chance(1 / max(rows_in, 1)),
            items=speech.plural(known_items, ngettext("item", "items")),
        ),
    )


def price_text(
    speech: Translator,
    *,
    rows_in: int,
    suppressed: int,
    limit: float,
    lost: float,
    by_column: Mapping[str, float],
    sampled: bool = False,
) -> tuple[str, ...]:
    """Say what the protection cost; sampled: whether a sample of the records was drawn first."""
    if not rows_in:
        return (speech.text(_("The original table holds no record.")),)
    left_out = speech.text(
        _("No record was suppressed: all {rows} are in the release."), rows=speech.count(rows_in)
    )
    if suppressed:
        left_out = speech.text(
            ngettext(
                "{suppressed} of {records} ({share}) was left out: not sampled, or in too small a "
                "class.",
                "{suppressed} of {records} ({share}) were left out: not sampled, or in too small "
                "a class.",
            )
            if sampled
            else ngettext(
                "{suppressed} of {records} ({share}) was suppressed; {limit} were allowed.",
                "{suppressed} of {records} ({share}) were suppressed; {limit} were allowed.",
            ),
            suppressed,
            suppressed=speech.count(suppressed),
            records=speech.plural(rows_in, ngettext("record", "records")),
            share=speech.percent(suppressed / rows_in),
            limit=speech.percent(limit),
        )
    if not by_column:
        return (left_out,)
    whole = speech.text(
        _(
            "On average, a released value of a quasi-identifier covers {share} of its column’s "
            "range (0 %: exact; 100 %: no information)."
        ),
        share=speech.tenths(lost),
    )
    columns = [
        speech.text(_("{name} {share}"), name=name, share=speech.tenths(by_column[name]))
        for name in sorted(by_column, key=lambda name: -by_column[name])
    ]
    if len(columns) == 1:
        return left_out, whole
    listed = speech.text(
        _("Column by column: {columns}."), columns=speech.names(columns, COLUMN_LETTERS)
    )
    return left_out, whole, listed


def limit_texts(
    speech: Translator,
    roles: Mapping[str, str],
    protected: Sequence[str],
    *,
    actions: Sequence[tuple[str, str, str, str]] = (),
    attacked: bool = False,
    entity: str | None = None,
    none_sensitive: bool = False,
    private: bool = False,
) -> tuple[tuple[str, str], ...]:
    """Say what the release does not protect against: `(heading, sentence)` each."""
    if private:
        keys = ("holder", "groups", "records.one" if entity is None else "persons.one", "budget")
        return tuple(
            (speech.text(LIMITS[key]), speech.text(LIMIT_SENTENCES[key]))
            for key in (*keys, "loss", "law")
        )
    having = {
        "sensitive": [name for name, its in roles.items() if its.startswith("sensitive")],
        "insensitive": [name for name, its in roles.items() if its == "insensitive"],
    }
    unprotected = [name for name in having["sensitive"] if name not in protected]
    said: dict[str, str] = {}
    if unprotected:
        said["shared"] = speech.text(
            _(
                "No requirement was set for {names}. Where all records of a class have the same "
                "value, it is disclosed for everybody in the class."
            ),
            names=speech.names(unprotected),
        )
    elif not having["sensitive"]:
        said["shared"] = speech.text(
            _(
                "The custodian states that no attribute is sensitive, so only class sizes were "
                "checked."
            )
            if none_sensitive
            else _("No attribute was declared sensitive, so only class sizes were checked.")
        )
    said["other"] = speech.text(_("An intruder is assumed to know at most the quasi-identifiers."))
    if having["insensitive"]:
        names = speech.names(having["insensitive"])
        said["other"] += " " + speech.text(
            _(
                "If somebody can look up one of {names}, which no requirement protects, the "
                "protection does not hold."
            ),
            names=names,
        )
    said |= {key: speech.text(LIMIT_SENTENCES[key]) for key in ("ruling", "being", "releases")}
    if entity is None:
        said["records"] = speech.text(
            _("Each record counts as one person: the records of one person can fill a class.")
        )
    said["tried"] = (
        speech.text(
            _(
                "Attacks show what these intruders achieve with the knowledge they are given. "
                "Their failure proves nothing about cleverer ones; the intervals ({confidence} "
                "confidence) only show how far chance may have moved the figures."
            ),
            confidence=speech.percent(0.95),
        )
        if attacked
        else speech.text(_("No attack was run, so the chances are based on class sizes alone."))
    )
    said |= {key: speech.text(LIMIT_SENTENCES[key]) for key in ("loss", "law")}
    changed = [
        (f"{name}: {action}", f"{speech.translate(protects)} {speech.translate(exposes)}")
        for name, action, protects, exposes in actions
    ]
    return (*((speech.text(LIMITS[key]), text) for key, text in said.items()), *changed)
