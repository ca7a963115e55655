"""The short forms: lists of columns and single numbers instead of objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kanonym.data.person_key import EntityColumns
from kanonym.data.schema import Role
from kanonym.models import MODELS
from kanonym.policy.faults import Fault, FaultsFoundError, unknown_name
from kanonym.policy.keywords import KEYWORDS

THRESHOLDS = ("l", "t", "alpha", "beta", "delta")
"""Keywords of models that each sensitive attribute gets."""


WITH_HIERARCHY = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.SET)


def model_of(keyword: str) -> str:
    """Return the model that a keyword stands for."""
    return next(name for name, kind in MODELS.items() if kind.keyword == keyword)


def model_of_items(quasi_identifiers: Sequence[str]) -> str:
    """Return the model that `m` stands for: of each class where there are quasi-identifiers."""
    return model_of("m of classes" if quasi_identifiers else "m")


def separators(given: Sequence[str] | Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the separator of each set, None for lists.

    given: the columns, or their separators by column.
    """
    if isinstance(given, str):
        reason = f"sets: give a list of columns, not the text {given!r}"
        raise FaultsFoundError([Fault((), reason)])
    return dict(given) if isinstance(given, Mapping) else dict.fromkeys(given)


def missing_words(given: Any) -> tuple[list[Any], dict[str, list[Any]]]:
    """Return the words for missing values of all columns, and those of single ones.

    given: a list of words, or lists by column, that of all columns by the empty name.
    """
    if isinstance(given, Mapping):
        named = {name: list(words) for name, words in given.items()}
        return named.pop("", []), named
    if isinstance(given, str):
        reason = f"missing: give a list of words, not the text {given!r}"
        raise FaultsFoundError([Fault((), reason)])
    return list(given), {}


def check_names(given: Iterable[str]) -> None:
    """Refuse what is no keyword of a policy."""
    faults = [
        Fault((name,), unknown_name("parameter", name, list(KEYWORDS)))
        for name in given
        if name not in KEYWORDS
    ]
    if faults:
        raise FaultsFoundError(faults)


def expand(
    columns: Mapping[Role, Sequence[str]],
    hierarchies: Mapping[str, Any],
    k: int | None,
    thresholds: Mapping[str, float | None],
    *,
    sets: Mapping[str, str | None] | None = None,
    m: int | None = None,
    entity: EntityColumns | None = None,
    required: bool = True,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the attributes and models, in their YAML form, that the short forms stand for."""
    attributes, faults = _attributes(columns, sets or {}, hierarchies)
    asked = {name: value for name, value in thresholds.items() if value is not None}
    if asked and not columns[Role.SENSITIVE]:
        faults += [Fault((name,), "needs a sensitive attribute") for name in asked]
    if k is None:
        without = {"entity": entity is not None, "m": m is not None, "alpha": "alpha" in asked}
        faults += [Fault((name,), "needs k as well") for name, said in without.items() if said]
    if m is not None and not sets:
        faults.append(Fault(("m",), "needs a set"))
    if required and not asked and k is None:
        named = ", ".join(["k", *THRESHOLDS])
        faults.append(Fault((), f"nothing is required: give at least one of {named}"))
    if faults:
        raise FaultsFoundError(faults)
    models = [
        {"type": model_of(name), "attribute": attribute, **({"k": k} if name == "alpha" else {})}
        | {name: value}
        for name, value in asked.items()
        for attribute in columns[Role.SENSITIVE]
    ]
    own: list[dict[str, Any]] = []
    if m is not None:
        own.append({"type": model_of_items(columns[Role.QUASI_IDENTIFIER]), "k": k, "m": m})
    if k is not None and (m is None or entity is not None):
        counted = {} if entity is None else {"entity": entity}
        own.append({"type": model_of("k"), "k": k, **counted})
    return attributes, [*own, *models]


def _attributes(
    columns: Mapping[Role, Sequence[str]],
    sets: Mapping[str, str | None],
    hierarchies: Mapping[str, Any],
) -> tuple[dict[str, dict[str, Any]], list[Fault]]:
    """Return the attributes of `expand`, and their faults."""
    faults: list[Fault] = []
    attributes: dict[str, dict[str, Any]] = {}
    for role, names in columns.items():
        if isinstance(names, str):
            faults.append(Fault((), f"{role}: give a list of columns, not the text {names!r}"))
            continue
        for name in names:
            if name in attributes:
                both = f"{attributes[name]['role']} and {role}"
                faults.append(Fault((), f"column {name!r} is in two roles: {both}"))
            attributes[name] = {"role": str(role)}
    for name, separator in sets.items():
        if name in attributes:
            both = f"{attributes[name]['role']} and {Role.SET}"
            faults.append(Fault((), f"column {name!r} is in two roles: {both}"))
        attributes[name] = {"role": str(Role.SET), "separator": separator}
    for name, given in hierarchies.items():
        if attributes.get(name, {}).get("role") not in WITH_HIERARCHY:
            reason = "is neither a quasi-identifier nor a sensitive attribute"
            faults.append(Fault(("hierarchies", name), reason))
        else:
            is_file = isinstance(given, str | os.PathLike)
            attributes[name]["hierarchy"] = {"file": os.fspath(given)} if is_file else given
    return attributes, faults


def rename(fault: Fault) -> Fault:
    """Return a fault of the expanded policy with the place that the caller knows."""
    match fault.path:
        case ("models", int(), str(parameter)):
            return Fault((parameter,), fault.reason)
        case ("attributes", str(name), "hierarchy", *rest):
            return Fault(("hierarchies", name, *rest), fault.reason)
        case ("attributes",):
            return Fault(("quasi_identifiers",), fault.reason)
    return fault
