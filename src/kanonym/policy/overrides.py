"""Short forms beside a policy: single values that take the place of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kanonym.data.hierarchy import from_file
from kanonym.data.schema import Attribute, Identifier, ItemSet, QuasiIdentifier, Role, Sensitive
from kanonym.models import MODELS, KAnonymity
from kanonym.models.base import PrivacyModel
from kanonym.policy import construction
from kanonym.policy.definition import Policy
from kanonym.policy.faults import Fault, FaultsFoundError, policy_error
from kanonym.policy.keywords import NOTHING
from kanonym.policy.shorthand import (
    THRESHOLDS,
    check_names,
    missing_words,
    model_of,
    model_of_items,
    separators,
)

ROLES: dict[str, type[Identifier | QuasiIdentifier | Sensitive]] = {
    "identifiers": Identifier,
    "quasi_identifiers": QuasiIdentifier,
    "sensitive": Sensitive,
}


def override(policy: Policy, short: Mapping[str, Any]) -> Policy:
    """Return a policy with the values that short forms state in the place of its own."""
    given = {name: value for name, value in short.items() if value is not None}
    if not given:
        return policy
    try:
        check_names(given)
        attributes = _attributes(policy.attributes, given)
        models = _models(policy.models, attributes, given)
    except FaultsFoundError as error:
        raise policy_error(error.faults, "") from None
    fields = {name: getattr(policy, name) for name in type(policy).model_fields}
    changed = {name: value for name, value in given.items() if name in fields}
    if "sensitive" in changed and changed["sensitive"] != NOTHING:
        changed["sensitive"] = None
    added = construction.build_models(changed.pop("models", ()), Path())
    taken = {(one.type, one.attribute) for one in added}
    models = [*(model for model in models if (model.type, model.attribute) not in taken), *added]
    algorithm = changed.pop("algorithm", None)
    if "missing" in changed:
        changed["missing"] = missing_words(changed["missing"])[0] or list(policy.missing)
    if "attack_limits" in changed:
        changed["attack_limits"] = {**policy.attack_limits, **changed["attack_limits"]}
    found = type(policy)(**{**fields, **changed, "attributes": attributes, "models": models})
    return found if algorithm is None else found.with_algorithm(algorithm)


def _attributes(own: Mapping[str, Attribute], given: Mapping[str, Any]) -> dict[str, Attribute]:
    """Return the attributes with the roles and hierarchies that are given."""
    found = dict(own)
    named: dict[str, str] = {}
    for form, kind in ROLES.items():
        for name in _names(form, given.get(form, ())):
            if name in named:
                both = f"{named[name]} and {form}"
                raise FaultsFoundError([Fault((), f"column {name!r} is in two roles: {both}")])
            named[name] = form
            if not isinstance(found.get(name), kind):
                found[name] = kind()
    for name, separator in separators(given.get("sets", ())).items():
        if name in named:
            both = f"{named[name]} and sets"
            raise FaultsFoundError([Fault((), f"column {name!r} is in two roles: {both}")])
        own_set = found.get(name)
        if not isinstance(own_set, ItemSet):
            found[name] = ItemSet(separator=separator)
        elif separator is not None:
            found[name] = replace(own_set, separator=separator)
    found |= _with_missing(found, missing_words(given.get("missing", ()))[1])
    for name, source in given.get("hierarchies", {}).items():
        attribute = found.get(name)
        if not isinstance(attribute, QuasiIdentifier | Sensitive | ItemSet):
            reason = "is neither a quasi-identifier nor a sensitive attribute"
            raise FaultsFoundError([Fault(("hierarchies", name), reason)])
        read = from_file(os.fspath(source)) if isinstance(source, str | os.PathLike) else source
        found[name] = replace(attribute, hierarchy=read)
    return found


def _with_missing(
    own: Mapping[str, Attribute], words: Mapping[str, Sequence[Any]]
) -> dict[str, Attribute]:
    """Return the attributes for which words for missing values are given."""
    found: dict[str, Attribute] = {}
    for name, missing in words.items():
        attribute = own.get(name)
        if not isinstance(attribute, QuasiIdentifier | Sensitive):
            reason = "is neither a quasi-identifier nor a sensitive attribute"
            raise FaultsFoundError([Fault(("missing", name), reason)])
        found[name] = replace(attribute, missing=missing)
    return found


def _names(form: str, given: Sequence[str]) -> Sequence[str]:
    if form == "sensitive" and given == NOTHING:
        return ()
    if isinstance(given, str):
        reason = f"{form}: give a list of columns, not the text {given!r}"
        raise FaultsFoundError([Fault((), reason)])
    return given


def _models(
    own: Sequence[PrivacyModel], attributes: Mapping[str, Attribute], given: Mapping[str, Any]
) -> list[PrivacyModel]:
    """Return the models with the thresholds that are given."""
    models = list(own)
    counted = {name: given[name] for name in ("k", "entity") if name in given}
    of_items = {name: given[name] for name in ("k", "m") if name in given}
    if "m" in given or (of_items and _is_about_items(models)):
        models = _models_of_items(models, attributes, of_items)
        counted.pop("k", None)
    if counted:
        models = [
            _change_model(one, counted) if one.type == KAnonymity.type else one for one in models
        ]
        if not any(model.type == KAnonymity.type for model in models):
            if "k" not in counted:
                raise FaultsFoundError([Fault(("entity",), "needs k as well")])
            models.insert(0, _build_model(KAnonymity.type, counted))
    sensitive = [name for name, one in attributes.items() if one.role is Role.SENSITIVE]
    for form in THRESHOLDS:
        if form not in given:
            continue
        if not sensitive:
            raise FaultsFoundError([Fault((form,), "needs a sensitive attribute")])
        kind = model_of(form)
        for name in sensitive:
            places = [
                i for i, one in enumerate(models) if (one.type, one.attribute) == (kind, name)
            ]
            for i in places:
                models[i] = _change_model(models[i], {form: given[form]})
            if not places:
                models.append(_build_model(kind, _parameters(form, name, given)))
    return models


def _is_about_items(models: Sequence[PrivacyModel]) -> bool:
    """Whether a model of items is the one that k is about."""
    types = {model.type for model in models}
    return KAnonymity.type not in types and any(model.known_items is not None for model in models)


def _models_of_items(
    own: Sequence[PrivacyModel], attributes: Mapping[str, Attribute], given: Mapping[str, Any]
) -> list[PrivacyModel]:
    """Return the models with another k and m of the items, or with a model of them."""
    if any(model.known_items is not None for model in own):
        return [one if one.known_items is None else _change_model(one, given) for one in own]
    sets = [name for name, one in attributes.items() if one.role is Role.SET]
    missing = "a set" if not sets else "k as well" if "k" not in given else None
    if missing:
        raise FaultsFoundError([Fault(("m",), f"needs {missing}")])
    known = [name for name, one in attributes.items() if one.role is Role.QUASI_IDENTIFIER]
    return [*own, _build_model(model_of_items(known), given)]


def _parameters(form: str, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a new model of an attribute."""
    if form != "alpha":
        return {"attribute": name, form: given[form]}
    if "k" not in given:
        raise FaultsFoundError([Fault(("alpha",), "needs k as well")])
    return {"attribute": name, "alpha": given["alpha"], "k": given["k"]}


def _change_model(model: PrivacyModel, parameters: Mapping[str, Any]) -> PrivacyModel:
    changed: PrivacyModel = replace(model, **parameters)  # type: ignore[type-var]
    return changed


def _build_model(kind: str, parameters: Mapping[str, Any]) -> PrivacyModel:
    model: PrivacyModel = MODELS[kind](**parameters)
    return model
