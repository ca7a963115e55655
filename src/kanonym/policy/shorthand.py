"""The short forms: lists of columns and single numbers instead of objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kanonym.data.schema import Role
from kanonym.policy.faults import Fault, FaultsFoundError, unknown_name
from kanonym.policy.keywords import KEYWORDS

# Short name, with the type of the model that each sensitive attribute gets.
MODEL_OF = {
    "l": "l-diversity",
    "t": "t-closeness",
    "alpha": "alpha-k-anonymity",
    "beta": "beta-likeness",
    "delta": "delta-disclosure",
}


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
    entity: str | None = None,
    required: bool = True,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the attributes and models, in their YAML form, that the short forms stand for.

    Parameters
    ----------
    columns
        The columns of each role.
    hierarchies
        Hierarchies, or paths of hierarchy files, by column.
    k
        k of k-anonymity.
    thresholds
        The thresholds of `MODEL_OF`, None for those that are not asked for.
    entity
        The identifier by which k-anonymity counts persons, None to count records.
    required
        Whether there must be a model at all.

    """
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
    for name, given in hierarchies.items():
        if attributes.get(name, {}).get("role") not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
            reason = "is neither a quasi-identifier nor a sensitive attribute"
            faults.append(Fault(("hierarchies", name), reason))
        else:
            is_file = isinstance(given, str | os.PathLike)
            attributes[name]["hierarchy"] = {"file": os.fspath(given)} if is_file else given
    asked = {name: value for name, value in thresholds.items() if value is not None}
    if asked and not columns[Role.SENSITIVE]:
        faults += [Fault((name,), "needs a sensitive attribute") for name in asked]
    if k is None:
        without = {"entity": entity is not None, "alpha": "alpha" in asked}
        faults += [Fault((name,), "needs k as well") for name, said in without.items() if said]
    if required and not asked and k is None:
        named = ", ".join(["k", *MODEL_OF])
        faults.append(Fault((), f"nothing is required: give at least one of {named}"))
    if faults:
        raise FaultsFoundError(faults)
    counted = {} if entity is None else {"entity": entity}
    models = [] if k is None else [{"type": "k-anonymity", "k": k, **counted}]
    for name, value in asked.items():
        needed = {name: value, "k": k} if name == "alpha" else {name: value}
        models += [
            {"type": MODEL_OF[name], "attribute": attribute, **needed}
            for attribute in columns[Role.SENSITIVE]
        ]
    return attributes, models


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
