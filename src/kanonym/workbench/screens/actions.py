"""Actions: what changes the cells of a column, with an example on the table's own cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from kanonym.actions.registry import ACTIONS
from kanonym.data.errors import KanonymError, PolicyError, SchemaError
from kanonym.data.errors import gettext as _
from kanonym.policy.actions import WHEN, build_action
from kanonym.policy.faults import FaultsFoundError, policy_error
from kanonym.workbench.forms import Field, fields_of, parse_fields, with_sent
from kanonym.workbench.project.history import actions_of, with_action, without_action
from kanonym.workbench.view import Screen, View


async def show(view: View) -> dict[str, Any]:
    """Return the actions of a column, the form of a further one, and an example."""
    known = _columns(view)
    asked = view.asked("column")
    column = asked if asked in known else next(iter(known), None)
    if column is None:
        return {"known": known, "column": None}
    own = _own(view, column)
    place = _place(view.asked("place"), own)
    kind = own[place]["type"] if place is not None else view.asked("type")
    kind = kind if kind in ACTIONS else ""
    inputs: list[Field] = []
    when = ""
    if kind:
        given = own[place] if place is not None else {}
        inputs = _inputs(view, kind, given)
        if view.sent:
            inputs = with_sent(inputs, view.sent, view.faults)
        when = view.sent.get("when") or given.get("when", WHEN[0])
    example, reason = await _example(view, column, kind, place)
    return {
        "known": known,
        "marked": {name for name in known if _own(view, name)},
        "column": column,
        "role": view.project.form["attributes"][column].get("role", ""),
        "own": [
            {"place": i, "form": one, "kind": ACTIONS[one["type"]]}
            for i, one in enumerate(own)
            if one.get("type") in ACTIONS
        ],
        "kinds": _kinds(),
        "kind": kind,
        "chosen": ACTIONS.get(kind),
        "place": place,
        "inputs": inputs,
        "when": when,
        "moments": WHEN,
        "example": example,
        "reason": reason,
    }


async def save(view: View) -> str | None:
    """Give a column a further action, or change one."""
    column = _requested_column(view)
    place, form = _place(view.sent.get("place", ""), _own(view, column)), _sent_form(view)
    _check(form)
    changed = with_action(view.project.form, column, form, place)
    view.project.change(changed, _("{column}: action {action}"), column=column, action=form["type"])
    return _address(column)


async def remove(view: View) -> str | None:
    """Take an action away."""
    column = _requested_column(view)
    own = _own(view, column)
    place = _place(view.sent.get("place", ""), own)
    if place is not None:
        changed = without_action(view.project.form, column, place)
        kind = str(own[place].get("type"))
        view.project.change(
            changed, _("{column}: action {action} removed"), column=column, action=kind
        )
    return _address(column)


async def _example(view: View, column: str, kind: str, place: int | None) -> tuple[Any, str]:
    """Return cells before and after the actions, or why there are none.

    What stands in an unsent form is not tried.
    """
    form = view.project.form
    if kind and view.sent:
        try:
            sent = _sent_form(view)
            _check(sent)
        except KanonymError as error:
            return None, str(error)
        form = with_action(form, column, sent, place)
    elif not _own(view, column):
        return None, ""
    try:
        return await view.project.answers.action_example(form, column), ""
    except KanonymError as error:
        return None, str(error)


def _sent_form(view: View) -> dict[str, Any]:
    """Return the action that a form describes."""
    kind = view.sent.get("type", "")
    if kind not in ACTIONS:
        raise PolicyError(f"there is no action {kind!r}")
    form = {"type": kind, **parse_fields(_inputs(view, kind, {}), view.sent)}
    when = view.sent.get("when", WHEN[0])
    return form if when == WHEN[0] else {**form, "when": when}


def _check(form: Mapping[str, Any]) -> None:
    """Refuse parameters that the action refuses."""
    try:
        build_action(form)
    except FaultsFoundError as error:
        raise policy_error(error.faults, "") from None


def _inputs(view: View, kind: str, given: Mapping[str, Any]) -> list[Field]:
    return fields_of(ACTIONS[kind], given, {"subject": _columns(view)})


def _kinds() -> dict[str, list[Any]]:
    """Return the actions by the kind that their package names."""
    found: dict[str, list[Any]] = {}
    for action in ACTIONS.values():
        found.setdefault(action.__module__.split(".")[-2], []).append(action)
    return found


def _columns(view: View) -> list[str]:
    """Return the columns that have a role, in the order of the table."""
    table, attributes = view.project.table, view.project.form.get("attributes", {})
    return [name for name in (table.columns if table else ()) if name in attributes]


def _own(view: View, column: str) -> list[Mapping[str, Any]]:
    return actions_of(view.project.form, column)


def _place(text: str, own: list[Mapping[str, Any]]) -> int | None:
    return int(text) if text.isdecimal() and int(text) < len(own) else None


def _requested_column(view: View) -> str:
    column = view.sent.get("column", "")
    if column not in _columns(view):
        raise SchemaError(f"column {column!r} has no role")
    return column


def _address(column: str) -> str:
    return f"actions?column={quote(column, safe='')}"


SCREEN = Screen("actions", show, {"save": save, "remove": remove}, trials={"try"})
