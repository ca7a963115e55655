"""Records: the riskiest ones before and after, and a person that is looked up."""

from __future__ import annotations

from typing import Any

from kanonym.data.errors import gettext as _
from kanonym.data.errors import ngettext
from kanonym.data.schema import Role
from kanonym.pipeline.reasons import Reason
from kanonym.workbench.project.history import columns_of
from kanonym.workbench.view import Screen, View
from kanonym.workbench.work.facts import RecordRisk, RecordRisks

ROWS = 20
RELATIONS = {">=": "≥", "<=": "≤"}
SOUGHT = "is:"
"""Before the name of a quasi-identifier whose value is sought."""


WHY = {
    ".records": _(
        "With {column} {value} instead of {released}, its class would have {records}; at least "
        "{required} are required."
    ),
    ".model": _(
        "With {column} {value} instead of {released}, its class would have {records} and a {model} "
        "of {measured}; required is {relation} {required}."
    ),
    ".others.records": _(
        "With {column} {value} instead of {released}, {records} of its class would be left over; "
        "at least {required} are required."
    ),
    ".others.model": _(
        "With {column} {value} instead of {released}, the rest of its class would have a {model} "
        "of {measured}; required is {relation} {required}."
    ),
    ".nothing": _(
        "With {column} {value} instead of {released}, no requirement on its class would fail: the "
        "algorithm divides the records in another way."
    ),
    ".suppressed.records": _(
        "Suppressed: with the values it has, its class would have {records}; at least {required} "
        "are required."
    ),
    ".suppressed.model": _(
        "Suppressed: with the values it has, its class would have {records} and a {model} of "
        "{measured}; required is {relation} {required}."
    ),
    ".suppressed.nothing": _(
        "Suppressed, although a class of the values it has would satisfy every requirement on "
        "classes: the algorithm divides the records in another way."
    ),
    ".suppressed.levels.records": _(
        "Suppressed: at the levels of this release its class would have {records}; at least "
        "{required} are required."
    ),
    ".suppressed.levels.model": _(
        "Suppressed: at the levels of this release its class would have {records} and a {model} of "
        "{measured}; required is {relation} {required}."
    ),
    ".suppressed.levels.nothing": _(
        "Suppressed, although its class at the levels of this release would satisfy every "
        "requirement on classes."
    ),
}
"""Why a value is not released as it is, by what would fail."""


async def show(view: View) -> dict[str, Any]:
    """Return a page of records."""
    if not view.project.can_hold:
        return {"found": None}
    if not view.project.busy and not view.project.held.has_release:
        view.project.hold_release(view.session.language)
    if not view.project.held.has_release:
        return {"found": None}
    query = view.request.query_params
    known = columns_of(view.project.form, Role.QUASI_IDENTIFIER)
    sought, suppressed = view.project.sought, view.project.only_suppressed
    start = int(query["row"]) if query.get("row", "").isdecimal() else 0
    risks = await view.project.answers.records(start, ROWS, sought, suppressed=suppressed)
    return {
        "found": risks,
        "known": known,
        "sought": sought,
        "suppressed": suppressed,
        "step": ROWS,
        "prefix": SOUGHT,
        "why": lambda record: [_sentence(view, risks, record, reason) for reason in record.reasons],
    }


async def find(view: View) -> str | None:
    """Look for the records with some values; no address holds them, so no browser keeps them."""
    known = columns_of(view.project.form, Role.QUASI_IDENTIFIER)
    given = {name: view.sent.get(f"{SOUGHT}{name}", "").strip() for name in known}
    view.project.sought = {name: value for name, value in given.items() if value}
    view.project.only_suppressed = "suppressed" in view.sent
    return None


async def find_all(view: View) -> str | None:
    """Show all records again."""
    view.project.sought, view.project.only_suppressed = {}, False
    return None


def _sentence(view: View, found: RecordRisks, record: RecordRisk, reason: Reason) -> str:
    """Say why a value is not released as it is, or a record not at all."""
    translator, failure = view.says, reason.failure
    facts = {"records": translator.plural(reason.records, ngettext("record", "records"))}
    key = "" if reason.attribute is not None else ".suppressed"
    if reason.attribute is not None:
        released = record.cells[found.names.index(reason.attribute)][1]
        missing = translator.text(_("missing"))
        facts |= {"column": reason.attribute, "value": reason.value or missing}
        facts["released"] = released or missing
    elif reason.at_levels:
        key += ".levels"
    if failure is None:
        return translator.text(WHY[f"{key}.nothing"], **facts)
    counts_persons = failure.attribute is not None and failure.attribute == found.entity
    if failure.counts_records or counts_persons:
        unit = "person" if counts_persons else "record"
        facts |= {"records": translator.plural(failure.measured, unit)}
        key += ".others.records" if reason.others else ".records"
        return translator.text(WHY[key], **facts, required=translator.value(failure.required))
    named = failure.model if failure.attribute is None else f"{failure.model} ({failure.attribute})"
    return translator.text(
        WHY[f"{key}.others.model" if reason.others else f"{key}.model"],
        **facts,
        model=named,
        measured=translator.value(failure.measured),
        relation=RELATIONS.get(failure.relation, failure.relation),
        required=translator.value(failure.required),
    )


SCREEN = Screen("records", show, {"find": find, "all": find_all}, needs="release")
