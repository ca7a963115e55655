"""Results: four figures, then before and after, risk, attacks and models in tabs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kanonym.data.errors import DataError, KanonymError, SchemaError
from kanonym.data.errors import gettext as _
from kanonym.data.schema import Role
from kanonym.workbench.forms import FieldError, number_of
from kanonym.workbench.project.history import columns_of
from kanonym.workbench.view import Screen, View
from kanonym.workbench.work.facts import ReportPart

TABS = {
    "summary": _("Summary"),
    "columns": _("By column"),
    "records": _("By record"),
    "pairs": _("Two columns"),
    "risk": _("Risk"),
    "attacks": _("Attacks"),
    "models": _("Models"),
}
"""What is shown one at a time, below the figures."""
TAB_OF = {"utility": "columns", "risk": "risk", "attacks": "attacks", "protection": "attacks"}
TAB_OF |= {"tile": "", "verdicts": ""}
"""Where parts of the report stand; the others are in the summary."""
ROWS = 40
MOST_SUBSETS = 100
"""Subsets of quasi-identifiers that are listed: those with the most records alone first."""


async def show(view: View) -> dict[str, Any]:
    """Return the figures, and what the chosen tab shows."""
    project = view.project
    assert project.release is not None  # noqa: S101 - the screen needs it
    language = view.session.language
    parts: tuple[ReportPart, ...] = ()
    if (
        not project.busy
        and not project.answers.knows_report(language)
        and not project.held.has_release
        and project.release_has_seed
    ):
        project.hold_release(language)
    if not project.busy and (project.answers.knows_report(language) or project.held.has_release):
        parts = await project.answers.report_parts(language)
    asked = view.asked("tab")
    tab = asked if asked in TABS else "summary"
    shares = project.release.figures["verification"].get("largest_shares", ())
    facts: Mapping[str, Any] = {}
    fault = ""
    if project.held.has_release and not project.busy and tab in TAB_FACTS:
        try:
            facts = await TAB_FACTS[tab](view)
        except KanonymError as error:
            fault = str(error)
    return {
        "release": project.release,
        "top": [one for one in parts if one.anchor == "verdicts"],
        "tiles": [one for one in parts if one.anchor == "tile"],
        "worst": max(shares, key=lambda one: one["share"], default=None),
        "sections": [one for one in parts if TAB_OF.get(one.anchor, "summary") == tab],
        "tabs": TABS,
        "tab": tab,
        "facts": facts,
        "fault": fault,
        "targets": _targets(view),
        "accuracies": project.accuracies,
    }


async def _records(view: View) -> Mapping[str, Any]:
    """Return records before and after, class by class."""
    asked = view.asked("row")
    start = int(asked) if asked.isdecimal() else 0
    found = await view.project.answers.records(start, ROWS, {}, suppressed=False, by_class=True)
    return {"found": found, "step": ROWS}


async def _pairs(view: View) -> Mapping[str, Any]:
    """Return how often values of two columns occur together, before and after."""
    names = _targets(view)
    if len(names) < 2:
        raise DataError("two released columns are needed")
    both = [view.asked(name) for name in ("first", "second")]
    first = both[0] if both[0] in names else _most_generalized(view, names)
    others = [name for name in names if name != first]
    second = both[1] if both[1] in others else others[0]
    table = await view.project.answers.contingency(first, second)
    return {"first": first, "second": second, "table": table}


def _most_generalized(view: View, names: Sequence[str]) -> str:
    """Return the column that lost most, the first one where nothing is known of that."""
    lost = {} if view.project.release is None else view.project.release.figures["utility"]
    return max(names, key=lambda name: lost.get("coverage", {}).get(name, {}).get("loss", -1.0))


async def _risk(view: View) -> Mapping[str, Any]:
    """Return the risk of the table beside that of the release, with what a form says of them."""
    known = {name: view.asked(name) for name in ("weight", "household", "population")}
    columns = [] if view.project.table is None else view.project.table.columns
    given = {name: known[name] for name in ("weight", "household") if known[name] in columns}
    wrong, text = "", known["population"].strip()
    try:
        number = {"population": int(number_of("population", text, 1, None))} if text else {}
        found = await view.project.answers.compared_risk({**given, **number})
    except KanonymError as error:
        if not text:
            raise
        wrong = error.text(view.says) if isinstance(error, FieldError) else str(error)
        found = await view.project.answers.compared_risk(given)
    worst = sorted(found.subsets, key=lambda both: (-both[0].uniques, len(both[0].columns)))
    shown = {"risk": found, "subsets": worst[:MOST_SUBSETS]}
    return {**shown, "known": known, "wrong": wrong, "columns": columns}


TAB_FACTS = {"records": _records, "pairs": _pairs, "risk": _risk}
"""What tabs show beside sections of the report."""


async def accuracy(view: View) -> str | None:
    """Measure how well models that learn from the release predict a column."""
    target = view.sent.get("target", "")
    if target not in _targets(view):
        raise SchemaError(f"column {target!r} is not released")
    view.project.measure_accuracy(target)
    return "results?tab=models"


def _targets(view: View) -> list[str]:
    """Return the columns that are released, the sensitive ones first."""
    roles = (Role.SENSITIVE, Role.INSENSITIVE, Role.QUASI_IDENTIFIER)
    return [name for role in roles for name in columns_of(view.project.form, role)]


async def attack(view: View) -> str | None:
    """Attack and assess the release."""
    view.project.attack(view.session.language)
    return "results?tab=attacks"


SCREEN = Screen("results", show, {"attack": attack, "accuracy": accuracy}, needs="release")
