"""History: undo and redo, named states, and what differs between two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanonym.data.errors import gettext as _
from kanonym.workbench.project.folder import KeptRelease
from kanonym.workbench.view import Screen, View

ABSENT = "–"


async def show(view: View) -> dict[str, Any]:
    """Return all states, and the differences of two that are compared."""
    history, query = view.project.history, view.request.query_params
    if history is None:
        return {
            "states": [],
            "current": 0,
            "differences": None,
            "pair": (),
            "kept": {},
            "others": [],
        }
    translator = view.says
    kept: dict[int, list[KeptRelease]] = {}
    for release in view.project.kept:
        kept.setdefault(release.state, []).append(release)
    states = [
        {
            "number": state.number,
            "name": state.name,
            "change": translator.text(state.change, **state.facts),
        }
        for state in reversed(history.states)
    ]
    pair = [query.get(name, "") for name in ("first", "second")]
    chosen = [history.find(int(one)) for one in pair if one.isdecimal()]
    differences = None
    if len(chosen) == 2 and chosen[0] is not None and chosen[1] is not None:
        differences = compare_forms(chosen[0].form, chosen[1].form)
    return {
        "states": states,
        "current": history.state.number,
        "differences": differences,
        "pair": pair,
        "kept": kept,
        "others": [one for one in view.project.kept if history.find(one.state) is None],
    }


async def discard(view: View) -> str | None:
    """Delete the files of a release."""
    view.project.discard(view.sent.get("folder", ""))
    return None


async def undo(view: View) -> str | None:
    """Go back to the state before."""
    if view.project.history is not None:
        view.project.keep(view.project.history.undone())
    return _back(view)


async def redo(view: View) -> str | None:
    """Go on to the state after."""
    if view.project.history is not None:
        view.project.keep(view.project.history.redone())
    return _back(view)


async def name(view: View) -> str | None:
    """Give a state a name."""
    history, number = view.project.history, view.sent.get("number", "")
    if history is not None and number.isdecimal():
        view.project.keep(history.with_name(int(number), view.sent.get("name", "").strip()[:80]))
    return None


async def restore(view: View) -> str | None:
    """Go on from an earlier state, as a further one."""
    history, number = view.project.history, view.sent.get("number", "")
    found = history.find(int(number)) if history is not None and number.isdecimal() else None
    if found is not None:
        view.project.change(found.form, _("Back to state {number}"), number=str(found.number))
    return None


def compare_forms(
    first: Mapping[str, Any], second: Mapping[str, Any]
) -> list[tuple[str, str, str]]:
    """Return what differs between two policies: its place, and how it is in both.

    >>> compare_forms({"seed": 1, "attributes": {"age": 2}}, {"seed": 1, "attributes": {}})
    [('attributes: age', '2', '–')]
    """
    ours, theirs = _flat(first), _flat(second)
    return [
        (place, ours.get(place, ABSENT), theirs.get(place, ABSENT))
        for place in dict.fromkeys((*ours, *theirs))
        if ours.get(place) != theirs.get(place)
    ]


def _flat(form: Mapping[str, Any]) -> dict[str, str]:
    """Return the parts of a policy by place: attributes and models one by one."""
    found: dict[str, str] = {}
    for key, part in form.items():
        if isinstance(part, Mapping) and key == "attributes":
            found |= {f"{key}: {column}": _text(one) for column, one in part.items()}
        elif isinstance(part, list | tuple):
            for one in part:
                named = " ".join(str(one[k]) for k in ("type", "attribute") if k in one)
                found[f"{key}: {named}"] = _text(one)
        else:
            found[key] = _text(part)
    return found


def _text(part: Any) -> str:
    if isinstance(part, Mapping):
        return ", ".join(f"{key}: {_text(value)}" for key, value in part.items())
    return str(part)


def _back(view: View) -> str:
    """Return the screen where the button was."""
    return view.sent.get("screen", "") or "history"


SCREEN = Screen(
    "history",
    show,
    {"undo": undo, "redo": redo, "name": name, "restore": restore, "discard": discard},
    needs="nothing",
)
