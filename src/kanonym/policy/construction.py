"""From plain values to attributes, hierarchies and models."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ConfigDict, TypeAdapter, ValidationError

from kanonym.data import hierarchy
from kanonym.data.domain import Domain
from kanonym.data.errors import HierarchyError, KanonymError
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.loading import LazyRegistry
from kanonym.data.person_key import columns_of
from kanonym.data.schema import (
    Attribute,
    Identifier,
    Insensitive,
    ItemSet,
    QuasiIdentifier,
    Role,
    Sensitive,
)
from kanonym.models import MODELS
from kanonym.models.base import PrivacyModel
from kanonym.policy import document
from kanonym.policy.faults import (
    Fault,
    Faults,
    FaultsFoundError,
    faults_of,
    policy_error,
    unknown_name,
)

ROLES: dict[str, type[Attribute]] = {
    Role.IDENTIFIER: Identifier,
    Role.QUASI_IDENTIFIER: QuasiIdentifier,
    Role.SENSITIVE: Sensitive,
    Role.INSENSITIVE: Insensitive,
    Role.SET: ItemSet,
}

AT_LEAST_ONE = "must be a list with at least one {type: …}"


def build_attributes(
    given: Any, directory: Path, actions: Callable[[Any, Path], tuple[Any, ...]]
) -> dict[str, Attribute]:
    """Return the attributes of a mapping of column name to attribute or to its YAML form.

    actions: builds the actions of an attribute from their forms.
    """
    if not isinstance(given, Mapping):
        raise FaultsFoundError([Fault((), "must map each column's name to {role: …}")])
    known = collect(lambda name, form: _attribute(name, form, directory), given.items())
    return dict(collect(lambda _, one: _with_actions(one, directory, actions), known))


def build_models(given: Any, directory: Path) -> tuple[PrivacyModel, ...]:
    """Return the models of a list of models or of their YAML forms; it may be empty.

    A model may be of a class that users define, which inherits from `PerClass`.
    The path of a population table is relative to `directory`.
    """
    if not isinstance(given, list | tuple):
        raise FaultsFoundError([Fault((), AT_LEAST_ONE)])

    def build_one(_: int, form: Any) -> PrivacyModel:
        if isinstance(form, Mapping) and isinstance(form.get("population"), str):
            form = {**form, "population": str(directory / form["population"])}
        own = isinstance(form, PrivacyModel)
        model: PrivacyModel = form if own else build_typed(form, MODELS)
        return model

    asked = tuple(model for _, model in collect(build_one, enumerate(given)))
    places = {
        str(one) if isinstance(one, str | Path) else id(one)
        for one in (model.population_table for model in asked)
        if one is not None
    }
    if len(places) > 1:
        raise FaultsFoundError([Fault((), "name two population tables; a policy has one")])
    return asked


def call_with_values(make: Callable[..., Any], given: Mapping[str, Any], owner: str) -> Any:
    """Call a class or function with named values that come from a policy.

    Unknown names, missing names and values of a wrong type are found together;
    what the called code itself refuses is found when these are right.
    """
    parameters = inspect.signature(make).parameters
    called = make.__init__ if isinstance(make, type) else make  # type: ignore[misc]
    hints = typing.get_type_hints(called, localns={"HierarchySource": Any, "EntityColumns": Any})
    values = {k: v.item() if isinstance(v, np.generic) else v for k, v in given.items()}
    faults = Faults()
    for name, value in values.items():
        if name not in parameters:
            faults.append(Fault((name,), unknown_name(f"key of {owner}", name, parameters)))
        else:
            faults += _type_faults(name, value, hints.get(name, Any))
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in values:
            faults.append(Fault((name,), f"is missing: {owner} needs it"))
    faults.raise_all()
    try:
        return make(**values)
    except KanonymError as error:
        raise FaultsFoundError([_fault_of_message(str(error), parameters, owner)]) from None


def build_typed(given: Any, kinds: LazyRegistry[Any]) -> Any:
    """Return `given` if it is built already, else the kind that its `type` names."""
    if isinstance(given, kinds.loaded()):
        return given
    if not isinstance(given, Mapping) or "type" not in given:
        raise FaultsFoundError([Fault((), f"needs a type: {{type: {' | '.join(kinds)}}}")])
    kind = given["type"]
    if not isinstance(kind, str) or kind not in kinds:
        raise FaultsFoundError([Fault(("type",), unknown_name("type", kind, kinds))])
    return call_with_values(kinds[kind], {k: v for k, v in given.items() if k != "type"}, kind)


def _attribute(name: Any, given: Any, directory: Path) -> Attribute:
    if not isinstance(name, str):
        raise FaultsFoundError([Fault((), f"YAML reads this name as {name!r}: put it in quotes")])
    if isinstance(given, Attribute):
        return given
    if not isinstance(given, Mapping) or "role" not in given:
        raise FaultsFoundError([Fault((), f"needs a role: {{role: {' | '.join(ROLES)}}}")])
    role, values = given["role"], {k: v for k, v in given.items() if k != "role"}
    if values.get("exceptions", "") is None:  # the word null of YAML
        values["exceptions"] = "null"
    faults = Faults()
    if values.get("hierarchy") is not None:
        with faults.below("hierarchy"):
            values["hierarchy"] = build_source(values.pop("hierarchy"), directory)
    if values.get("domain") is not None:
        with faults.below("domain"):
            values["domain"] = build_domain(values.pop("domain"))
    if isinstance(role, str) and role in ROLES:
        with faults.below():
            built: Attribute = call_with_values(ROLES[role], values, role)
    else:
        faults.append(Fault(("role",), unknown_name("role", role, ROLES)))
    faults.raise_all()
    return built


def _with_actions(
    attribute: Attribute, directory: Path, actions: Callable[[Any, Path], tuple[Any, ...]]
) -> Attribute:
    """Return an attribute with its actions built."""
    if not attribute.action or isinstance(attribute, ItemSet):
        return attribute
    try:
        built = actions(list(attribute.action), directory)
    except FaultsFoundError as error:
        raise FaultsFoundError([fault.below(("action",)) for fault in error.faults]) from None
    return replace(attribute, action=built)


def build_source(given: Any, directory: Path) -> HierarchySource:
    """Return a hierarchy source, or the one that its YAML form describes.

    File names are relative to `directory`.
    """
    if isinstance(given, HierarchySource):
        return given
    try:
        return hierarchy.from_dict(given, directory)
    except HierarchyError as error:
        raise FaultsFoundError([Fault((), str(error))]) from None


def build_domain(given: Any) -> Domain:
    """Return a domain, or the one of a list of values or of its YAML form."""
    if isinstance(given, Domain):
        return given
    form = {"values": given} if isinstance(given, list) else given
    if not isinstance(form, Mapping):
        raise FaultsFoundError([Fault((), "must be {values: [...]} or {minimum: …, maximum: …}")])
    built: Domain = call_with_values(Domain, form, "a domain")
    return built


def source_of_text(text: str) -> HierarchySource:
    """Return the hierarchy source that a word or a piece of YAML describes."""
    is_file = Path(text).suffix or "://" in text  # URLs are refused where files are read
    form = {"file": text} if is_file else document.parse_value(text, "hierarchy")
    try:
        return build_source(form, Path())
    except FaultsFoundError as error:
        raise policy_error(error.faults, "") from None


def check_models(
    given: Iterable[PrivacyModel], attributes: Mapping[str, Attribute], others: Role | None
) -> None:
    """Refuse models whose attribute is not sensitive, or lacks the hierarchy they need.

    The columns of an entity are identifiers instead: what tells persons apart is not released
    as it is.
    """
    sensitive = [name for name, attribute in attributes.items() if isinstance(attribute, Sensitive)]
    faults = Faults()
    for i, model in enumerate(given):
        name = model.attribute
        attribute = attributes.get(name or "")
        reason = ""
        if name is None or model.known_items is not None:
            continue
        if model.entity is not None:
            if reason := _entity_fault(name, attributes, others):
                faults.append(Fault((i, "entity"), reason))
            continue
        if attribute is None and others is not Role.SENSITIVE:
            reason = unknown_name("sensitive attribute", name, sensitive)
        elif attribute is not None and not isinstance(attribute, Sensitive):
            reason = f"{name!r} is {attribute.role}; it must be sensitive"
        elif model.needs_hierarchy and (attribute is None or attribute.hierarchy is None):
            reason = f"{name!r} needs a hierarchy for the hierarchical distance"
        if reason:
            faults.append(Fault((i, "attribute"), reason))
    faults.raise_all()


def _entity_fault(entity: str, attributes: Mapping[str, Attribute], others: Role | None) -> str:
    """Return what is wrong with the first column of an entity that has a fault, or no text."""
    persons = [name for name, attribute in attributes.items() if isinstance(attribute, Identifier)]
    for column in columns_of([entity]):
        told = attributes.get(column)
        if told is None and others is not Role.IDENTIFIER:
            return unknown_name("identifier", column, persons)
        if told is not None and not isinstance(told, Identifier):
            return f"{column!r} is {told.role}; it must be an identifier"
    return ""


def collect(
    make: Callable[[Any, Any], Any], items: Iterable[tuple[Any, Any]]
) -> list[tuple[Any, Any]]:
    """Make every item, and raise the faults of all of them together."""
    built, faults = [], Faults()
    for key, form in items:
        with faults.below(key):
            built.append((key, make(key, form)))
    faults.raise_all()
    return built


def _type_faults(name: str, value: Any, hint: Any) -> list[Fault]:
    try:
        TypeAdapter(
            hint, config=ConfigDict(strict=True, arbitrary_types_allowed=True)
        ).validate_python(value)
    except ValidationError as error:
        return [fault.below((name,)) for fault in faults_of(error, ())]
    return []


def _fault_of_message(message: str, parameters: Iterable[str], owner: str) -> Fault:
    """Return the fault that a message such as `k-anonymity: k is 0; …` tells of."""
    reason = message.removeprefix(f"{owner}: ")
    name, _, rest = reason.partition(" ")
    return Fault((name,), rest) if name in parameters else Fault((), reason)
