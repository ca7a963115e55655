"""Requirements: privacy models in plain words, and how many violate each now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kanonym.data.errors import KanonymError, PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.schema import Role
from kanonym.evaluation.risk.presets import PRESETS
from kanonym.models import MODELS
from kanonym.pipeline.planning import Violations
from kanonym.policy.construction import build_typed
from kanonym.policy.faults import FaultsFoundError
from kanonym.policy.shorthand import model_of
from kanonym.reporting.wording import requirement_text
from kanonym.workbench.forms import (
    Field,
    FieldError,
    check_typed,
    fields_of,
    parse_fields,
    summary_of,
    with_ranges,
    with_sent,
)
from kanonym.workbench.project.history import (
    Form,
    columns_of,
    is_private,
    with_model,
    with_parts,
    with_private_parts,
    without_model,
)
from kanonym.workbench.view import Screen, View
from kanonym.workbench.work.facts import QuickRelease


async def show(view: View) -> dict[str, Any]:
    """Return the models of the policy, and the form of one that is added or changed."""
    project, query = view.project, view.request.query_params
    listed = list(project.form.get("models", ()))
    try:
        violations = await project.answers.violations(project.form)
        found, unit = violations.models, violations.unit
    except KanonymError:
        found, unit = (), "record"
    shown = [
        {
            "place": place,
            "type": one["type"],
            "attribute": one.get("attribute", ""),
            "sentence": _sentence(view, one),
            "number": found[place].number if place < len(found) else None,
            "best": found[place].best if place < len(found) else None,
        }
        for place, one in enumerate(listed)
    ]
    editing = query.get("edit", "")
    if view.sent.get("type"):  # refused: the form stays as it was filled in
        editing = view.sent.get("place", "")
    place = int(editing) if editing.isdecimal() and int(editing) < len(listed) else None
    kind = listed[place]["type"] if place is not None else query.get("add", "")
    kind = view.sent.get("type", kind)
    given = listed[place] if place is not None else {}
    inputs = _inputs(view, kind, given) if kind in MODELS else []
    if inputs and not is_private({"models": [{"type": kind}]}):
        inputs = with_ranges(inputs, MODELS[kind])
    trial, refused = None, ""
    if view.is_trial:
        try:
            trial = await _try(view)
        except FieldError as error:
            refused = f"{error.field}: {error.text(view.says)}"
        except KanonymError as error:
            refused = str(error)
    return {
        "trial": trial,
        "refused": refused,
        "models": shown,
        "faults": project.faults,
        "unit": unit,
        "kinds": {name: summary_of(model) for name, model in MODELS.items()},
        "promises": {
            name: (getattr(model, "promise", ""), getattr(model, "no_promise", ""))
            for name, model in MODELS.items()
        },
        "kind": kind if kind in MODELS else "",
        "place": place,
        "inputs": with_sent(inputs, view.sent, view.faults) if view.sent.get("type") else inputs,
        "presets": [one for one in PRESETS.values() if one.smallest is not None],
        "sensitive": columns_of(project.form, Role.SENSITIVE),
        "unprotected": _unprotected(project.form),
        "known": columns_of(project.form, Role.QUASI_IDENTIFIER),
    }


async def save(view: View) -> str | None:
    """Add a model, or change one."""
    kind, form = _with_sent_model(view)
    view.project.change(form, _("Requirement {model}"), model=kind)
    return None


def _with_sent_model(view: View) -> tuple[str, Form]:
    """Return the type of the model that a form says, and the policy with this model."""
    kind, place = view.sent.get("type", ""), view.sent.get("place", "")
    if kind not in MODELS:
        raise PolicyError(f"there is no model {kind!r}")
    model = {"type": kind, **parse_fields(_inputs(view, kind, {}), view.sent)}
    check_typed(model, MODELS)
    at = int(place) if place.isdecimal() else None
    return kind, with_model(view.project.form, model, at)


async def _try(view: View) -> tuple[Violations, QuickRelease | None]:
    """Count what violates the policy with the model of the form, and make a quick release."""
    _kind, form = _with_sent_model(view)
    violations = await view.project.answers.violations(form)
    return violations, None if is_private(form) else await view.project.answers.quick_release(form)


async def remove(view: View) -> str | None:
    """Take a model away."""
    place = view.sent.get("place", "")
    listed: Sequence[Any] = view.project.form.get("models", ())
    if place.isdecimal() and int(place) < len(listed):
        kind = listed[int(place)]["type"]
        form = without_model(view.project.form, int(place))
        view.project.change(form, _("Requirement {model} removed"), model=kind)
    return None


async def preset(view: View) -> str | None:
    """Ask for the class size of a regulator."""
    chosen = PRESETS.get(view.sent.get("preset", ""))
    if chosen is None or chosen.smallest is None:
        raise PolicyError("there is no such preset")
    listed = view.project.form.get("models", ())
    own = next((dict(one) for one in listed if one.get("type") == model_of("k")), {})
    place = next((i for i, one in enumerate(listed) if one.get("type") == model_of("k")), None)
    model = {"type": model_of("k"), **own, "k": chosen.smallest}
    form = with_model(view.project.form, model, place)
    view.project.change(form, _("Preset: {preset}"), preset=chosen.title)
    return None


async def make_private(view: View) -> str | None:
    """Change what differential privacy does not allow beside it."""
    if is_private(view.project.form):
        changed = with_private_parts(view.project.form)
        view.project.change(changed, _("Changed for differential privacy"))
    return None


async def persons(view: View) -> str | None:
    """Say that each record is a person."""
    changed = with_parts(view.project.form, {"rows": "persons"})
    view.project.change(changed, _("Who is who: {column}"), column="–")
    return None


async def nothing_sensitive(view: View) -> str | None:
    """Say that no attribute is sensitive."""
    changed = with_parts(view.project.form, {"sensitive": "none"})
    view.project.change(changed, _("No attribute is sensitive"))
    return None


def _inputs(view: View, kind: str, given: Mapping[str, Any]) -> list[Field]:
    columns = {
        "attribute": columns_of(view.project.form, Role.SENSITIVE),
        "entity": columns_of(view.project.form, Role.IDENTIFIER),
    }
    return fields_of(MODELS[kind], given, columns)


def _unprotected(form: Mapping[str, Any]) -> list[str]:
    """Return the sensitive columns that no model looks at."""
    looked_at = {one.get("attribute") for one in form.get("models", ())}
    return [name for name in columns_of(form, Role.SENSITIVE) if name not in looked_at]


def _sentence(view: View, form: Mapping[str, Any]) -> str:
    """Say what a model asks; what is not complete is shown as it is written."""
    try:
        model = build_typed(form, MODELS)
    except FaultsFoundError:
        return str(dict(form))
    return requirement_text(view.says, model.type, model.attribute, model.required, form)


SCREEN = Screen(
    "requirements",
    show,
    {
        "save": save,
        "remove": remove,
        "preset": preset,
        "private": make_private,
        "persons": persons,
        "nothing_sensitive": nothing_sensitive,
    },
    trials={"try"},
)
