"""Edits of a project, and their history."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any

from kanonym.data.errors import gettext as _
from kanonym.data.schema import Role
from kanonym.models import MODELS
from kanonym.policy import document
from kanonym.policy.construction import ROLES
from kanonym.policy.shorthand import model_of
from kanonym.policy.writing import policy_yaml
from kanonym.profiling import ColumnProfile, Profile
from kanonym.profiling.first_policy import attribute_form
from kanonym.profiling.questions import EACH_ROW, UNKNOWN, TableAnswers

Form = Mapping[str, Any]
"""A policy as its file has it; it may be incomplete while somebody works on it."""

LONGEST = 200
"""States that are kept; of more, the oldest without a name go."""


@dataclass(frozen=True, slots=True)
class State:
    """A policy at one time."""

    number: int
    form: Form
    change: str
    facts: Mapping[str, str]
    name: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """States, oldest first, and which of them is at work.

    Examples
    --------
    >>> history = History.of({"k": 5}).after({"k": 7}, "wb.did.model", {"model": "k-anonymity"})
    >>> history.state.form, history.undone().state.form, history.undone().redone().state.form
    ({'k': 7}, {'k': 5}, {'k': 7})

    """

    states: tuple[State, ...]
    position: int = 0
    last: int = 0

    @classmethod
    def of(cls, form: Form, change: str = _("Opened, with suggested roles")) -> History:
        """Return a history of one state."""
        return cls((State(1, form, change, {}),))

    @property
    def state(self) -> State:
        """The state at work."""
        return self.states[self.position]

    @property
    def undoable(self) -> bool:
        """Whether there is an earlier state."""
        return self.position > 0

    @property
    def redoable(self) -> bool:
        """Whether a state was undone."""
        return self.position < len(self.states) - 1

    @property
    def next_number(self) -> int:
        """The number of the next state: none is used twice, also where states went."""
        return max(self.last, *(state.number for state in self.states)) + 1

    def after(
        self, form: Form, change: str, facts: Mapping[str, str], kept: Collection[int] = ()
    ) -> History:
        """Return the history with a further state.

        States that were undone go, but those that have a name, or are `kept`.
        """
        number = self.next_number
        held = [bool(state.name) or state.number in kept for state in self.states]
        past = self.states[: self.position + 1]
        after = range(self.position + 1, len(self.states))
        named = tuple(self.states[i] for i in after if held[i])
        states = [*past[:-1], *named, past[-1], State(number, form, change, dict(facts))]
        while len(states) > LONGEST:
            loose = (
                i for i, one in enumerate(states[:-1]) if not one.name and one.number not in kept
            )
            del states[next(loose, 0)]
        return History(tuple(states), len(states) - 1, number)

    def undone(self) -> History:
        """Return the history at the state before."""
        return replace(self, position=max(self.position - 1, 0))

    def redone(self) -> History:
        """Return the history at the state after."""
        return replace(self, position=min(self.position + 1, len(self.states) - 1))

    def with_name(self, number: int, name: str) -> History:
        """Return the history with a name for a state."""
        states = tuple(
            replace(state, name=name) if state.number == number else state for state in self.states
        )
        return replace(self, states=states)

    def find(self, number: int) -> State | None:
        """Return a state by its number."""
        return next((state for state in self.states if state.number == number), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "position": self.position,
            "last": self.last,
            "states": [
                {
                    "number": state.number,
                    "form": state.form,
                    "change": state.change,
                    "facts": dict(state.facts),
                    "name": state.name,
                }
                for state in self.states
            ],
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> History:
        """Return the history of a JSON form."""
        listed: Sequence[Mapping[str, Any]] = given["states"]
        states = tuple(
            State(
                int(one["number"]),
                dict(one["form"]),
                str(one["change"]),
                {str(key): str(value) for key, value in one["facts"].items()},
                str(one["name"]),
            )
            for one in listed
        )
        position = int(given["position"])
        if not 0 <= position < len(states):
            raise ValueError("position")
        return cls(states, position, int(given.get("last", 0)))


LEAST_SEED = 10**14
"""Seeds have fifteen digits: nobody guesses them."""


def suggested_form(profile: Profile, private: Path) -> Form:
    """Return the policy that a profile suggests, with seeds, so that releases repeat.

    private: the file of the private seed.
    """
    try:
        form = document.parse(profile.policy_text(), "suggested policy")
    except KeyError:
        form = {"attributes": {}}
    return {**form, "seed": draw_seed(), "private_seed": {"file": str(private)}}


def answers_of(form: Form) -> TableAnswers:
    """Return the answers that a policy stands for."""
    models = [one for one in form.get("models", ()) if one.get("type") == model_of("k")]
    entity = next((one["entity"] for one in models if one.get("entity")), None)
    sensitive = tuple(columns_of(form, Role.SENSITIVE))
    return TableAnswers(
        persons=EACH_ROW if form.get("rows") else entity if isinstance(entity, str) else UNKNOWN,
        identifiers=tuple(columns_of(form, Role.IDENTIFIER)),
        known=tuple(columns_of(form, Role.QUASI_IDENTIFIER)),
        sensitive=sensitive if sensitive or form.get("sensitive") else None,
        harmless=tuple(columns_of(form, Role.INSENSITIVE)),
        k=next((one.get("k") for one in models), None),
    )


def form_of_answers(form: Form, profile: Profile, answers: TableAnswers) -> Form:
    """Return the first policy by what a person answered, with the seeds of another one."""
    text = profile.with_answers(answers).policy_text()
    seeds = {name: form[name] for name in ("seed", "private_seed") if name in form}
    return {**document.parse(text, "the answers"), **seeds}


def draw_seed() -> int:
    """Return a seed from the system's source."""
    return LEAST_SEED + secrets.randbelow(9 * LEAST_SEED)


def with_roles(form: Form, names: Collection[str], role: Role, profile: Profile) -> Form:
    """Return a policy in which columns have a role.

    A quasi-identifier gets the hierarchy that fits it, and dates and numbers in texts are read as
    they are written. Models of a column that is no longer sensitive go.
    """
    known = {column.name: column for column in profile.columns}
    attributes = {name: dict(one) for name, one in form.get("attributes", {}).items()}
    for name in names:
        own = {
            key: value
            for key, value in attributes.get(name, {}).items()
            if key in signature(ROLES[role]).parameters
        }
        attributes[name] = {"role": str(role), **_suggestion(known.get(name), role), **own}
    models = [one for one in form.get("models", ()) if _fits(one, attributes)]
    stated = {"sensitive": None} if role is Role.SENSITIVE and names else {}
    return with_parts({**form, "attributes": attributes, "models": models}, stated)


def with_attribute(form: Form, name: str, changed: Mapping[str, Any]) -> Form:
    """Return a policy in which a column says something else; None takes a part away."""
    attributes = {key: dict(one) for key, one in form.get("attributes", {}).items()}
    merged = {**attributes.get(name, {}), **changed}
    attributes[name] = {key: value for key, value in merged.items() if value is not None}
    return {**form, "attributes": attributes}


def with_action(form: Form, name: str, action: Mapping[str, Any], place: int | None = None) -> Form:
    """Return a policy in which a column has an action more, or another one in a place."""
    several = actions_of(form, name)
    place = len(several) if place is None else place
    several[place : place + 1] = [dict(action)]
    return _with_actions(form, name, several)


def without_action(form: Form, name: str, place: int) -> Form:
    """Return a policy in which a column lacks the action in a place."""
    several = actions_of(form, name)
    return _with_actions(form, name, several[:place] + several[place + 1 :])


def actions_of(form: Form, name: str) -> list[Mapping[str, Any]]:
    """Return the actions of a column, each as a form of its own."""
    own = form.get("attributes", {}).get(name, {}).get("action")
    several = own if isinstance(own, list | tuple) else [] if own is None else [own]
    return [{"type": one} if isinstance(one, str) else one for one in several]


def _with_actions(form: Form, name: str, several: list[Mapping[str, Any]]) -> Form:
    action: Any = several[0] if len(several) == 1 else several or None
    return with_attribute(form, name, {"action": action})


def with_model(form: Form, model: Mapping[str, Any], place: int | None = None) -> Form:
    """Return a policy with a model more, or with another one in a place.

    Differential privacy takes the seed away: who knows it repeats the draws.
    """
    models = list(form.get("models", ()))
    if place is None or not 0 <= place < len(models):
        same = [
            i
            for i, one in enumerate(models)
            if (one.get("type"), one.get("attribute"))
            == (model.get("type"), model.get("attribute"))
        ]
        place = same[0] if same else len(models)
    models[place : place + 1] = [dict(model)]
    changed = {**form, "models": models}
    if is_private(changed):
        changed.pop("seed", None)
    return changed


def without_model(form: Form, place: int) -> Form:
    """Return a policy without the model in a place."""
    models = list(form.get("models", ()))
    return {**form, "models": models[:place] + models[place + 1 :]}


def with_parts(form: Form, parts: Mapping[str, Any]) -> Form:
    """Return a policy with other parts, such as its algorithm; None takes one away."""
    merged = {**form, **parts}
    return {name: value for name, value in merged.items() if value is not None}


def with_private_parts(form: Form) -> Form:
    """Return a policy without what differential privacy does not allow beside it.

    It stands alone; what has no hierarchy is not released; levels are drawn with a tenth of ε
    where none are named. Who the persons are, and hierarchies, a person must say.
    """
    model = next(dict(one) for one in form["models"] if is_private({"models": [one]}))
    algorithm = dict(form.get("algorithm") or {})
    algorithm = algorithm if algorithm.get("type") == "full-domain" else {"type": "full-domain"}
    for part in ("search", "steps", "seconds", "weights"):
        algorithm.pop(part, None)
    if not algorithm.get("levels") and not algorithm.get("degree") and model.get("epsilon"):
        model.setdefault("search_epsilon", model["epsilon"] / 10)
    attributes = {}
    for name, one in form.get("attributes", {}).items():
        is_generalized = one.get("role") == Role.QUASI_IDENTIFIER
        kept = {key: part for key, part in one.items() if key != "action"}
        attributes[name] = kept if is_generalized else {"role": str(Role.IDENTIFIER)}
    others = {"others": str(Role.IDENTIFIER)} if "others" in form else {}
    changed = {**form, **others, "attributes": attributes, "models": [model]}
    gone = ("keep_order", "suppression_limit", "recoding", "seed", "minimality")
    return with_parts(changed, {"algorithm": algorithm, **dict.fromkeys(gone)})


def with_absolute_files(form: Form, folder: Path) -> Form:
    """Return a policy whose hierarchy files are named from the root, and not from its folder."""
    attributes = {}
    for name, one in form.get("attributes", {}).items():
        attributes[name] = dict(one)
        hierarchy = one.get("hierarchy")
        named = hierarchy.get("file") if isinstance(hierarchy, Mapping) else None
        if isinstance(named, str):
            attributes[name]["hierarchy"] = {"file": str(folder / named)}
        elif isinstance(named, Mapping):
            absolute = {**named, "path": str(folder / str(named["path"]))}
            attributes[name]["hierarchy"] = {"file": absolute}
    return {**form, "attributes": attributes}


def text_of(form: Form) -> str:
    """Return a policy as the text of its file."""
    return policy_yaml(form, (), {})


def columns_of(form: Form, role: Role) -> list[str]:
    """Return the columns of a role."""
    attributes = form.get("attributes", {})
    return [name for name, one in attributes.items() if one.get("role") == role]


def is_repeatable(form: Form) -> bool:
    """Whether a policy gives the same release again: what is drawn has seeds that are kept."""
    hides = form.get("minimality") != "none" and any(
        one.get("attribute") or one.get("type") == "alpha-k-anonymity"
        for one in form.get("models", ())
    )
    return form.get("seed") is not None and ("private_seed" in form or not hides)


def is_private(form: Form) -> bool:
    """Whether a policy asks for differential privacy, which only a fresh draw gives."""
    kinds = (MODELS.get(one.get("type", "")) for one in form.get("models", ()))
    return any(kind is not None and kind.guarantee == "mechanism" for kind in kinds)


def _suggestion(column: ColumnProfile | None, role: Role) -> dict[str, Any]:
    """Return what a column says of itself in a role: its hierarchy, and how it is written."""
    return {} if column is None else attribute_form(replace(column, role=role))


def _fits(model: Mapping[str, Any], attributes: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the columns that a model names still have the role that it needs."""
    attribute, entity = model.get("attribute"), model.get("entity")
    if attribute is not None:
        return bool(attributes.get(attribute, {}).get("role", "sensitive") == Role.SENSITIVE)
    if entity is not None:
        told = [entity] if isinstance(entity, str) else entity
        roles = {attributes.get(name, {}).get("role", "identifier") for name in told}
        return roles == {str(Role.IDENTIFIER)}
    return True
