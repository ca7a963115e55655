"""Roles: what is suggested and why, and what the person decides."""

from __future__ import annotations

from typing import Any

from kanonym.data.errors import SchemaError
from kanonym.data.errors import gettext as _
from kanonym.data.schema import Role
from kanonym.policy.shorthand import model_of
from kanonym.profiling import Profile, TableAnswers, questions
from kanonym.profiling.questions import LISTS, UNKNOWN
from kanonym.workbench.forms import number_of
from kanonym.workbench.project.history import (
    answers_of,
    columns_of,
    form_of_answers,
    with_model,
    with_parts,
    with_roles,
)
from kanonym.workbench.view import Screen, View

SETS = 6
"""Sets of columns that are shown."""


async def show(view: View) -> dict[str, Any]:
    """Return the columns with their roles."""
    project, translator = view.project, view.says
    assert project.table is not None  # noqa: S101 - the screen needs it
    profile = project.table.profile
    attributes = project.form.get("attributes", {})
    histograms = project.table.histograms[translator.code]
    rows = [
        {
            "place": place,
            "name": one.name,
            "type": one.content.type,
            "distinct": one.content.counted.distinct,
            "uniques": one.content.counted.uniques,
            "nulls": one.content.nulls,
            "role": attributes.get(one.name, {}).get("role", ""),
            "suggested": str(one.role),
            "reasons": [reason.to_text(translator) for reason in one.reasons],
            "remarks": one.remarks,
            "reading": one.reading,
            "histogram": histograms.get(one.name),
        }
        for place, one in enumerate(profile.columns)
    ]
    counts = {str(role): len(columns_of(project.form, role)) for role in Role}
    return {
        "rows": rows,
        "roles": [str(role) for role in Role],
        "counts": counts,
        "questions": list(questions(profile, answers_of(project.form))),
        "places": {one.name: place for place, one in enumerate(profile.columns)},
        "entity": profile.entity,
        "counted": _entity_of(project.form),
        "unique_sets": [names for names, _ in profile.unique_sets.sets[:SETS]],
        "near_sets": [names for names, _ in profile.near_unique_sets.sets[:SETS]],
    }


async def role(view: View) -> str | None:
    """Give one column, or all that are ticked, a role."""
    project = view.project
    assert project.table is not None  # noqa: S101 - the screen needs it
    names = project.table.columns
    one, all_ticked = view.sent.get("one", ""), view.sent.get("ticked", "")
    if one:
        place, _colon, chosen = one.partition(":")
        places = [place]
    else:
        chosen, places = all_ticked, view.every("column")
    if chosen not in set(Role) or not places or not all(_is_place(p, names) for p in places):
        raise SchemaError(view.says.text(_("Tick at least one column first.")))
    meant = [names[int(place)] for place in places]
    form = with_roles(project.form, meant, Role(chosen), project.table.profile)
    shown = view.says.names(meant, 60)
    project.change(form, _("{columns}: {role}"), columns=shown, role=chosen)
    return None


async def accept_suggestions(view: View) -> str | None:
    """Give all columns the roles that are suggested."""
    project = view.project
    assert project.table is not None  # noqa: S101 - the screen needs it
    profile: Profile = project.table.profile
    form = project.form
    for one in Role:
        form = with_roles(form, profile.names(one), one, profile)
    project.change(form, _("Suggested roles"))
    return None


async def answers(view: View) -> str | None:
    """Make the policy that a person's answers say."""
    project, sent = view.project, view.sent
    assert project.table is not None  # noqa: S101 - the screen needs it
    profile: Profile = project.table.profile
    names = project.table.columns
    given: dict[str, Any] = {"persons": sent.get("persons", UNKNOWN)}
    for part in (*LISTS, "unneeded"):
        ticked = [place for place in view.every(part) if _is_place(place, names)]
        given[part] = tuple(names[int(place)] for place in ticked)
    if not given["sensitive"] and not sent.get("none_sensitive"):
        given["sensitive"] = None
    given["k"] = int(number_of("k", sent.get("k", ""), 1, None))
    form = form_of_answers(project.form, profile, TableAnswers(**given))
    project.change(form, _("Answered questions"))
    return None


async def persons(view: View) -> str | None:
    """Say who is who: records are persons, or an identifier tells persons apart."""
    form, entity = view.project.form, view.sent.get("entity", "")
    k = next((one.get("k", 5) for one in form.get("models", ()) if _is_k(one)), 5)
    counted = {"entity": entity} if entity else {}
    form = with_parts(form, {"rows": None if entity else "persons"})
    models = [one for one in form.get("models", ()) if not _is_k(one)]
    form = with_model({**form, "models": []}, {"type": model_of("k"), "k": k, **counted})
    view.project.change(
        {**form, "models": [*form["models"], *models]},
        _("Who is who: {column}"),
        column=entity or "–",
    )
    return None


def _is_k(model: Any) -> bool:
    return bool(model.get("type") == model_of("k"))


def _entity_of(form: Any) -> str:
    """Return the identifier by which persons are counted; empty where records are."""
    return next((one.get("entity") or "" for one in form.get("models", ()) if _is_k(one)), "")


def _is_place(text: str, names: list[str]) -> bool:
    return text.isdecimal() and int(text) < len(names)


SCREEN = Screen(
    "columns",
    show,
    {"role": role, "suggested": accept_suggestions, "persons": persons, "answers": answers},
)
