"""Sets of items in a policy: how they are recoded, and which models speak about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kanonym.algorithms.base import Algorithm
from kanonym.algorithms.itemsets.base import ItemAlgorithm
from kanonym.data.loading.lazy_registry import LazyRegistry
from kanonym.data.schema import Attribute, ItemSet, QuasiIdentifier, Role
from kanonym.models.base import PrivacyModel
from kanonym.models.itemsets import KKmAnonymity, KmAnonymity
from kanonym.policy.construction import build_typed
from kanonym.policy.faults import Fault, FaultsFoundError, unknown_name

ITEM_ALGORITHMS: LazyRegistry[type[ItemAlgorithm]] = LazyRegistry(
    "kanonym.algorithms",
    {
        "apriori": "itemsets.apriori:Apriori",
        "optimal-cut": "itemsets.optimal_cut:OptimalCut",
        "lra": "itemsets.lra:LRA",
        "vpa": "itemsets.vpa:VPA",
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
    built: ItemAlgorithm | None,
    models: Iterable[PrivacyModel],
    attributes: Mapping[str, Attribute],
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
