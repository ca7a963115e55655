"""What a policy may not ask for beside differential privacy, because it would tell of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from kanonym.algorithms.full_domain import FullDomain
from kanonym.algorithms.full_domain.private import SCORES
from kanonym.data.errors import KanonymError
from kanonym.data.schema import Attribute, Identifier, QuasiIdentifier, Role
from kanonym.differential_privacy.public_hierarchies import public_hierarchy
from kanonym.models.differential import DifferentialPrivacy, sampling_model
from kanonym.policy.faults import Fault

if TYPE_CHECKING:
    from kanonym.policy.definition import Policy


def faults_of_private_release(policy: Policy) -> list[Fault]:
    """Return what must not stand beside a model that samples records; nothing without one.

    A table is not looked at: what is refused here is refused for every table.
    """
    model = sampling_model(policy.models)
    if model is None:
        if not isinstance(policy.algorithm, FullDomain):
            return []
        return [
            Fault(("algorithm", name), "is for the model differential-privacy alone")
            for name in ("degree", "targets")
            if getattr(policy.algorithm, name)
        ]
    return [
        *_model_faults(policy, model),
        *_algorithm_faults(policy, model),
        *_person_faults(policy, model),
        *(fault for item in policy.attributes.items() for fault in _attribute_faults(*item)),
        *_option_faults(policy),
    ]


def _model_faults(policy: Policy, model: DifferentialPrivacy) -> Iterator[Fault]:
    """Say which other models there are: what they suppress depends on records."""
    for place, other in enumerate(policy.models):
        if other is not model:
            reason = (
                f"{other.type} beside {model.type}: suppressing by it depends on the records. "
                f"{model.type} stands alone; its classes have {model.sampling.k} records or more"
            )
            yield Fault(("models", place), reason)


def _algorithm_faults(policy: Policy, model: DifferentialPrivacy) -> Iterator[Fault]:
    """Say what is wrong with how levels are chosen."""
    algorithm = policy.algorithm
    if not isinstance(algorithm, FullDomain):
        reason = (
            f"is {algorithm.type}, whose classes depend on the records: {model.type} needs "
            "full-domain, with levels that are named or drawn"
        )
        yield Fault(("algorithm",), reason)
        return
    if algorithm.search != "optimal" or algorithm.steps or algorithm.seconds or algorithm.weights:
        reason = (
            f"search, steps, seconds and weights do not apply with {model.type}: levels are named "
            "or drawn, not searched for"
        )
        yield Fault(("algorithm",), reason)
    levels = algorithm.levels
    open_ones = [
        name
        for name, one in policy.attributes.items()
        if isinstance(one, QuasiIdentifier) and not _is_fixed(levels, name)
    ]
    if model.search_epsilon is None:
        if algorithm.targets:
            yield Fault(("algorithm", "targets"), "is for levels that are drawn: no search_epsilon")
        if open_ones and algorithm.degree is None:
            reason = (
                f"names no level of {', '.join(open_ones)}. Name one each, or a degree, or give "
                f"{model.type} a search_epsilon, by which levels are drawn"
            )
            yield Fault(("algorithm", "levels"), reason)
    elif algorithm.degree is not None:
        reason = "fixes the levels, so there is nothing to draw with search_epsilon: remove one"
        yield Fault(("algorithm", "degree"), reason)
    elif algorithm.metric_type not in SCORES:
        reason = (
            f"{algorithm.metric_type} has no score of bounded sensitivity, by which levels could "
            f"be drawn: choose one of {', '.join(SCORES)}"
        )
        yield Fault(("algorithm", "metric"), reason)


def _is_fixed(levels: Mapping[str, object], name: str) -> bool:
    given = levels.get(name)
    return isinstance(given, int) or (isinstance(given, tuple | list) and given[0] == given[-1])


def _person_faults(policy: Policy, model: DifferentialPrivacy) -> Iterator[Fault]:
    """Say that a person may have several records, and is then not protected."""
    found = [name for name, one in policy.attributes.items() if isinstance(one, Identifier)]
    if model.entity is not None:
        if not isinstance(policy.attributes.get(model.entity), Identifier):
            reason = f"{model.entity!r} must be an identifier; there are: {', '.join(found)}"
            yield Fault(("models", 0, "entity"), reason)
    elif found and policy.rows is None:
        reason = (
            f"is missing: {', '.join(found)} may repeat, and {model.type} protects one record. "
            "rows: persons says that each record is a person; entity, of the model, keeps one "
            "record of each person, drawn at random"
        )
        yield Fault(("rows",), reason)


def _attribute_faults(name: str, attribute: Attribute) -> Iterator[Fault]:
    """Say what is wrong with an attribute."""
    place = ("attributes", name)
    if not isinstance(attribute, QuasiIdentifier | Identifier):
        reason = (
            f"is {attribute.role}, and would be released as it is. Under differential privacy "
            "every released column is generalized in the class: make it a quasi-identifier with a "
            "hierarchy (level 0 keeps its values), or an identifier, which is dropped"
        )
        yield Fault(place, reason)
        return
    if attribute.action:
        reason = "an action is no part of the proof: change the column beforehand, or generalize it"
        yield Fault((*place, "action"), reason)
    if isinstance(attribute, Identifier):
        return
    if attribute.exceptions == "refuse":
        reason = (
            "a cell that the type does not read would stop the run, which tells of it: keep or null"
        )
        yield Fault((*place, "exceptions"), reason)
    try:
        public_hierarchy(name, attribute)
    except KanonymError as error:
        yield Fault((*place, "hierarchy"), str(error).removeprefix(f"attribute {name!r} "))


def _option_faults(policy: Policy) -> Iterator[Fault]:
    """Say which options tell of the table."""
    if policy.others is not None and policy.others is not Role.IDENTIFIER:
        reason = (
            f"is {policy.others}, and columns that nobody named would be released. Under "
            "differential privacy each released column has a hierarchy: name them, and set others: "
            "identifier, which drops the rest"
        )
        yield Fault(("others",), reason)
    if policy.keep_order:
        yield Fault(("keep_order",), "tells which records were left out: leave it out")
    if policy.suppression_limit not in (0, 1):
        reason = (
            "has no effect under differential privacy: whether a limit is kept depends on the "
            "records. Leave it out"
        )
        yield Fault(("suppression_limit",), reason)
