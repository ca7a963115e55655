"""Algorithms of a policy by name, also those of sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from kanonym.algorithms.base import Algorithm
from kanonym.algorithms.itemsets.base import ItemAlgorithm
from kanonym.algorithms.options import CLASSIFICATION
from kanonym.data.errors import PolicyError
from kanonym.data.loading import LazyRegistry
from kanonym.data.schema import Attribute, ItemSet, QuasiIdentifier, Role, Schema
from kanonym.metrics.information_loss import Metric, metric_from
from kanonym.models.base import PrivacyModel
from kanonym.models.itemsets import KKmAnonymity, KmAnonymity
from kanonym.policy.construction import build_typed
from kanonym.policy.faults import Fault, FaultsFoundError, policy_error, unknown_name

ITEM_ALGORITHMS: LazyRegistry[type[ItemAlgorithm]] = LazyRegistry(
    "kanonym.algorithms",
    {
        "apriori": "itemsets.apriori:Apriori",
        "optimal-cut": "itemsets.apriori:OptimalCut",
        "lra": "itemsets.apriori:LRA",
        "vpa": "itemsets.apriori:VPA",
    },
)
"""Every algorithm of items by the name that a policy gives it."""

NEEDED = f"{{type: {KmAnonymity.type}, k: …, m: …}}"


def build_item_algorithm(given: Any) -> ItemAlgorithm | None:
    """Return an algorithm of items, or the one that its name or its YAML form describes."""
    if given is None:
        return None
    built: ItemAlgorithm = build_typed(
        {"type": given} if isinstance(given, str) else given, ITEM_ALGORITHMS
    )
    return built


def check_item_models(
    models: Iterable[PrivacyModel], attributes: Mapping[str, Attribute], others: Role | None
) -> None:
    """Refuse sets that no model protects, and models of items that have no set."""
    sets = [name for name, one in attributes.items() if isinstance(one, ItemSet)]
    every = list(models)
    asked = [(i, one) for i, one in enumerate(every) if one.known_items is not None]
    faults = []
    if sets and not asked:
        reason = f"none protects the items of {sets[0]!r}, which is a set: add {NEEDED}"
        faults.append(Fault((), reason))
    for i, model in asked:
        name = model.attribute
        if not sets:
            faults.append(Fault((i,), "needs an attribute of the role set"))
        elif name is not None and name not in sets:
            faults.append(Fault((i, "attribute"), unknown_name("set", name, sets)))
        elif name is not None and len(sets) > 1:
            reason = (
                f"is {name!r}, but what is known of several sets counts together: omit attribute, "
                f"and the model is about {' and '.join(map(repr, sets))}"
            )
            faults.append(Fault((i, "attribute"), reason))
    if asked:
        faults += _entity_faults(every)
    if len(asked) > 1:
        faults.append(Fault((asked[1][0],), "is the second model of items: keep the stronger one"))
    known = others is Role.QUASI_IDENTIFIER or any(
        isinstance(attribute, QuasiIdentifier) for attribute in attributes.values()
    )
    if asked and not faults:
        place, model = asked[0]
        by_class = is_by_class(model)
        if by_class and not known:
            reason = f"needs quasi-identifiers; for sets alone choose {KmAnonymity.type}"
            faults.append(Fault((place,), reason))
        if len(every) == 1 and not by_class and known:
            reason = (
                f"none protects the quasi-identifiers: choose {KKmAnonymity.type}, which protects "
                "them together with the items, or add another model"
            )
            faults.append(Fault((), reason))
    if faults:
        raise FaultsFoundError(faults)


def _entity_faults(models: Iterable[PrivacyModel]) -> list[Fault]:
    """Return the models that count persons of several records, which those of items do not."""
    return [
        Fault(
            (i, "entity"),
            f"is {one.entity!r}, but the candidates of known items are records: group the rows of "
            "each person first, and omit entity",
        )
        for i, one in enumerate(models)
        if one.entity is not None
    ]


def is_by_class(model: PrivacyModel) -> bool:
    """Whether a model counts candidates of known items in each class."""
    return model.known_items is not None and model.known_items.by_class


def check_item_algorithm(
    built: ItemAlgorithm | None, models: Iterable[PrivacyModel], attributes: Mapping[str, Attribute]
) -> None:
    """Refuse an algorithm of items where there are none, or where it cannot do what is asked."""
    sets = any(isinstance(attribute, ItemSet) for attribute in attributes.values())
    by_class = any(is_by_class(model) for model in models)
    reason = ""
    if built is not None and not sets:
        reason = f"is {built.type}, but no attribute has the role set"
    elif built is not None and by_class and not built.within_classes:
        able = ", ".join(name for name, one in ITEM_ALGORITHMS.items() if one.within_classes)
        reason = (
            f"is {built.type}, which recodes the whole table; {KKmAnonymity.type} recodes the "
            f"items of each class: choose {able}"
        )
    if reason:
        raise FaultsFoundError([Fault((), reason)])


def check_classes(built: Algorithm, models: Iterable[PrivacyModel]) -> None:
    """Refuse a model of the items of classes where classes may overlap."""
    asked = [model.type for model in models if is_by_class(model)]
    if asked and built.nulls is not None:
        reason = (
            f"is {built.type}, which forms no classes, but {asked[0]} recodes the items of each "
            "class: choose mondrian"
        )
        raise FaultsFoundError([Fault((), reason)])


ALGORITHMS: LazyRegistry[type[Algorithm]] = LazyRegistry(
    "kanonym.algorithms",
    {
        "mondrian": "mondrian:Mondrian",
        "segmentation": "segmentation:Segmentation",
        "auto": "auto:Auto",
        "full-domain": "full_domain:FullDomain",
        "local-recoding": "local_recoding:LocalRecoding",
        "cell-suppression": "cell_suppression:CellSuppression",
        "mdav": "microaggregation.mdav:MDAV",
        "ona": "microaggregation.mdav:ONA",
        "mona": "microaggregation.mdav:MONA",
        "kdtree": "clustering:KDTree",
        "k-member": "clustering:KMember",
        "kmeans": "clustering:KMeans",
        "individual-ranking": "microaggregation.mdav:IndividualRanking",
    },
    "kanonym.algorithms",
)
"""Every algorithm by the name that a policy gives it."""

RELEASED = {
    "levels": "releases levels of hierarchies",
    "cells": "releases values unchanged or not at all",
}
"""What algorithms release that leave no choice of a recoding."""

WAY_OUT = "remove the recoding, or choose an algorithm that takes any, such as mondrian"


def build_algorithm(given: Any) -> Algorithm:
    """Return an algorithm, or the one that its name or its YAML form describes."""
    if isinstance(given, Algorithm) and not isinstance(given, type):
        return given
    form = {"type": given} if isinstance(given, str) else given
    if isinstance(form, Mapping):
        form = {
            name: _metric(value) if name == "metric" and value != CLASSIFICATION else _tuples(value)
            for name, value in form.items()
        }
        if isinstance(form.get("type"), str) and form["type"] in ITEM_ALGORITHMS:
            reason = f"is {form['type']!r}, which recodes items: name it in item_algorithm"
            raise FaultsFoundError([Fault(("type",), reason)])
        kind = ALGORITHMS.get(str(form.get("type")))
        if "weights" in form and kind is not None and kind.unweighted:
            reason = f"has no meaning: {kind.type} {kind.unweighted}; choose another algorithm"
            raise FaultsFoundError([Fault(("weights",), reason)])
    built: Algorithm = build_typed(form, ALGORITHMS)
    return built


def needs_models(given: Any) -> bool:
    """Say whether an algorithm forms no class without a model; it, its name or its YAML form.

    Others form as many as their parameters say.
    """
    if isinstance(given, Algorithm):
        return not given.own_groups
    kind = given.get("type") if isinstance(given, Mapping) else given
    known = ALGORITHMS.get(kind) if isinstance(kind, str) else None
    return known is None or not known.own_groups


def leaves_no_recoding(built: Algorithm) -> bool:
    """Say whether what an algorithm releases leaves no choice of a recoding."""
    return built.recodes in RELEASED


def limit_of(parts: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a policy with the algorithm's suppression limit as the policy's.

    One that differs from the policy's own stays where it is, and is refused there.
    """
    form = parts.get("algorithm")
    if not isinstance(form, Mapping) or "suppression_limit" not in form:
        return parts
    limit = form["suppression_limit"]
    if "suppression_limit" in parts and parts["suppression_limit"] != limit:
        return parts
    rest = {name: value for name, value in form.items() if name != "suppression_limit"}
    return {**parts, "algorithm": rest, "suppression_limit": limit}


def check_attributes(
    built: Algorithm, attributes: Mapping[str, Attribute], others: Role | None
) -> None:
    """Refuse parameters about columns of the wrong role, and recodings that do not fit.

    Columns without a role of their own are not known yet where `others` makes them
    quasi-identifiers.
    """
    known = {name for name, one in attributes.items() if isinstance(one, QuasiIdentifier)}
    faults = []
    given = parameters_of(built)
    for parameter in ("levels", "weights", "importance", "targets"):
        for name in given.get(parameter) or ():
            if name in known or (name not in attributes and others is Role.QUASI_IDENTIFIER):
                continue
            reason = unknown_name("quasi-identifier", name, sorted(known))
            if name in attributes:
                reason = f"{name!r} is {attributes[name].role}; it must be a quasi-identifier"
            faults.append(Fault((parameter,), reason))
    faults += _target_faults(built, attributes, others)
    for name, attribute in attributes.items():
        if isinstance(attribute, QuasiIdentifier) and not _leaves_choice(built, attribute.recoding):
            clash = f"but the recoding of {name!r} is {attribute.recoding!r}"
            reason = f"{built.type} {RELEASED[built.recodes]}, {clash}: {WAY_OUT}"
            faults.append(Fault((), reason))
    if faults:
        raise FaultsFoundError(faults)


def _target_faults(
    built: Algorithm, attributes: Mapping[str, Attribute], others: Role | None
) -> list[Fault]:
    """Say what is wrong with the column that guides an algorithm."""
    name = built.target
    if name is None or (name not in attributes and others not in (None, Role.QUASI_IDENTIFIER)):
        return []
    if name not in attributes and others is None:
        return [Fault(("target",), unknown_name("column", name, attributes))]
    if name in attributes and not isinstance(attributes[name], QuasiIdentifier):
        return []
    reason = f"{name!r} is a quasi-identifier; name the column that is to be predicted from them"
    return [Fault(("target",), reason)]


def target_of(built: Algorithm, schema: Schema) -> str | None:
    """Return the column that guides an algorithm, None where none does."""
    faults = _target_faults(built, schema.attributes, None)
    if faults:
        raise policy_error([fault.below(("algorithm",)) for fault in faults], "")
    return built.target


def check_models(built: Algorithm, models: Iterable[PrivacyModel]) -> None:
    """Refuse models that count persons of a population where classes have no levels."""
    counting = [model.type for model in models if model.guarantee == "population"]
    if counting and built.recodes != "levels":
        reason = (
            f"is {built.type}, but {counting[0]} generalizes a population table by levels: "
            "choose full-domain"
        )
        raise FaultsFoundError([Fault((), reason)])


def check_recoding(built: Algorithm, recoding: str | None) -> None:
    """Refuse a recoding of all attributes that the algorithm leaves no room for."""
    if not _leaves_choice(built, recoding):
        reason = f"is {recoding!r}, but {built.type} {RELEASED[built.recodes]}: {WAY_OUT}"
        raise FaultsFoundError([Fault((), reason)])


def _leaves_choice(built: Algorithm, recoding: str | None) -> bool:
    """Say whether an algorithm leaves room for a recoding."""
    fixed = built.recodes in RELEASED
    return not fixed or recoding is None or (recoding, built.recodes) == ("hierarchy", "levels")


def parameters_of(built: Algorithm | ItemAlgorithm) -> dict[str, Any]:
    """Return the parameters of an algorithm by name, as it holds them."""
    return {field.name: getattr(built, field.name) for field in fields(built)}  # type: ignore[arg-type]


def form_of(built: Algorithm | ItemAlgorithm) -> dict[str, Any]:
    """Return the form that an algorithm has in YAML and JSON, without what says nothing."""
    plain = {name: _plain(value) for name, value in parameters_of(built).items()}
    said = {name: value for name, value in plain.items() if value not in (None, {}, [], ())}
    return {"type": built.type, **said}


def _metric(given: Any) -> Any:
    """Return the metric of a YAML form; a name stays a name, if it is one of a metric."""
    try:
        built = metric_from(given)
    except PolicyError as error:
        reason = str(error).removeprefix("metric: ")
        raise FaultsFoundError([Fault(("metric",), reason)]) from None
    return given if isinstance(given, str) else built


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value.to_dict() if isinstance(value, Metric) else value


def _tuples(value: Any) -> Any:
    """Return a value of YAML as an algorithm takes it: sequences as tuples."""
    if isinstance(value, Mapping):
        return {name: _tuples(one) for name, one in value.items()}
    return tuple(_tuples(one) for one in value) if isinstance(value, list) else value
