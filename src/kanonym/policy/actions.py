"""Actions in a policy: built from their YAML forms, and written as such."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kanonym.actions.base import Action, After
from kanonym.actions.registry import ACTIONS, conflicting_shifts, random_actions
from kanonym.policy import document
from kanonym.policy.construction import build_typed
from kanonym.policy.faults import Fault, Faults, FaultsFoundError, policy_error, unknown_name

WHEN = ("before", "after")
"""Before the algorithm, on the values that come in; after it, on those that are released."""

_NO_PATH = ("", "-")


class Parameter(NamedTuple):
    """A parameter of an action."""

    name: str
    needed: bool
    default: Any

    def __str__(self) -> str:
        """Return `kind (needed)`, `days: 30`, or the name of one whose default says nothing."""
        if self.needed:
            return f"{self.name} (needed)"
        shown = str(self.default).lower() if isinstance(self.default, bool) else self.default
        return self.name if shown in (None, "") else f"{self.name}: {shown}"


def build_action(given: Any, directory: Path = Path()) -> Action | After:
    """Return an action, or the one that its name or its YAML form describes."""
    if isinstance(given, After):
        inner = build_action(given.action, directory)
        return inner if isinstance(inner, After) else After(inner)
    if isinstance(given, Action) and not isinstance(given, type):
        return given
    form: Any = {"type": given} if isinstance(given, str) else given
    if not isinstance(form, Mapping) or not isinstance(form.get("type"), str):
        reason = f"needs a type: {{type: {' | '.join(ACTIONS)}}}"
        raise FaultsFoundError([Fault((), reason)])
    when = form.get("when", WHEN[0])
    faults = Faults()
    if when not in WHEN:
        faults.append(Fault(("when",), unknown_name("value", when, WHEN)))
    built: Any = None
    with faults.below():
        built = build_typed(_parameters(form, directory), ACTIONS)
    faults.raise_all()
    return After(built) if when == WHEN[1] else built


def build_actions(given: Any, directory: Path = Path()) -> tuple[Action | After, ...]:
    """Return the actions of a list of actions or of their forms, of a single one, or of None."""
    if given is None:
        return ()
    if not isinstance(given, list | tuple):
        return (build_action(given, directory),)
    built: list[Action | After] = []
    faults = Faults()
    for i, one in enumerate(given):
        with faults.below(*([i] if len(given) > 1 else [])):
            built.append(build_action(one, directory))
    faults.raise_all()
    return tuple(built)


def faults_of_actions(
    given: Mapping[str, Sequence[Action | After]], seed: int | None
) -> list[Fault]:
    """Return what is wrong with the actions of all columns together, and with their seed."""
    faults = [
        Fault(("attributes", name, "action"), reason)
        for name, reason in conflicting_shifts(given).items()
    ]
    drawn = {name: random_actions(several) for name, several in given.items()}
    named = [f"{several[0]} of {name!r}" for name, several in drawn.items() if several]
    if named and seed == 0:
        reason = (
            f"is 0, but {', '.join(named)} must not be reproducible by trying seeds: omit the "
            f"seed (a random one is then used and not stored), or use one that cannot be "
            f"guessed, such as 15 random digits, and keep it secret"
        )
        faults.append(Fault(("seed",), reason))
    return faults


def actions_of_text(text: str, source: str) -> tuple[Action | After, ...]:
    """Return the actions that a name or a piece of YAML describes."""
    try:
        return build_actions(document.parse_value(text, source))
    except FaultsFoundError as error:
        raise policy_error(error.faults, source) from None


def form_of(built: Action | After) -> dict[str, Any]:
    """Return the form that an action has in YAML and JSON, without what says nothing.

    A key is the name of its variable or its file, never the key itself.
    """
    if isinstance(built, After):
        return {**form_of(built.action), "when": WHEN[1]}
    said = {
        parameter.name: getattr(built, parameter.name)
        for parameter in parameters(type(built))
        if getattr(built, parameter.name) or getattr(built, parameter.name) != parameter.default
    }
    return {"type": built.type, **{name: _plain(value) for name, value in said.items()}}


def action_text(built: Action | After) -> str:
    """Return an action with its parameters, in a line."""
    given = form_of(built)
    name = given.pop("type")
    told = ", ".join(f"{key}: {value}" for key, value in given.items())
    return f"{name} ({told})" if told else str(name)


def parameters(kind: Any) -> list[Parameter]:
    """Return the parameters of a class of actions, in order; none of one that is no dataclass."""
    if not is_dataclass(kind):
        return []
    return [
        Parameter(
            field.name,
            field.default is MISSING,
            None if field.default is MISSING else field.default,
        )
        for field in fields(kind)
    ]


def meanings(kind: Any) -> dict[str, str]:
    """Return what each parameter of an action means, from the docstring of its class."""
    sections = inspect.cleandoc(kind.__doc__ or "").split("\nParameters\n----------\n")
    if len(sections) < 2:
        return {}
    lines = re.split(r"\n\n[A-Z][a-z]+\n---", sections[1])[0].splitlines()
    found: dict[str, str] = {}
    names: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            names = line.split(", ")
        else:
            found |= {name: f"{found.get(name, '')} {line.strip()}".strip() for name in names}
    return found


def describe_actions() -> dict[str, list[dict[str, str]]]:
    """Return, by kind of action, what there is to say of each: a text for each heading."""
    kinds: dict[str, list[dict[str, str]]] = {}
    for name, one in ACTIONS.items():
        kind = one.__module__.split(".")[-2].replace("_", " ")
        kinds.setdefault(kind, []).append(
            {
                "type": name,
                "parameters": ", ".join(map(str, parameters(one))) or "none",
                "meanings": "\n".join(f"{key}: {said}" for key, said in meanings(one).items()),
                "protects": one.protects,
                "exposes": one.exposes,
            }
        )
    return kinds


def _parameters(form: Mapping[Any, Any], directory: Path) -> dict[Any, Any]:
    """Return a form without `when`, its files as seen from the working directory."""
    given = {name: value for name, value in form.items() if name != "when"}
    key = given.get("key")
    if isinstance(key, Mapping) and "file" in key:
        given["key"] = {**key, "file": _path(key["file"], directory)}
    if "mapping" in given:
        given["mapping"] = _path(given["mapping"], directory)
    return given


def _path(given: Any, directory: Path) -> Any:
    """Return a file's path below a directory; what is none stays, to be refused."""
    if not isinstance(given, str | Path) or str(given) in _NO_PATH:
        return given
    return str(directory / given)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_plain(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, np.generic):
        return value.item()
    return str(value) if isinstance(value, Path) else value
