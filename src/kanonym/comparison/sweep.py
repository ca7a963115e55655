"""What is swept: every combination of the values that are asked for, each as a policy."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, TypeGuard, cast

from kanonym.algorithms.base import Algorithm
from kanonym.data.errors import PolicyError
from kanonym.models.base import NO_THRESHOLDS, PrivacyModel
from kanonym.policy import Policy
from kanonym.policy.algorithms import build_algorithm as algorithm_of
from kanonym.policy.algorithms import form_of, leaves_no_recoding
from kanonym.policy.faults import FaultsFoundError, policy_error, unknown_name
from kanonym.policy.keywords import Keywords

ALGORITHMS = ("mondrian", "segmentation", "auto", "full-domain")
"""What is tried where a sweep does not say it."""

SIZES = (2, 5, 10, 20, 50)
"""The values of k that are tried where a sweep does not say them."""

OPTIONS = ("suppression_limit", "recoding")
"""Options of a policy that can be swept."""

OF_ALGORITHM = "algorithm."


@dataclass(frozen=True, slots=True)
class Combination:
    """One value of each parameter that is swept, and the policy that they make."""

    parameters: dict[str, Any]
    policy: Policy | None
    reason: str | None = None


def combinations(policy: Policy, sweep: Mapping[str, Iterable[Any]]) -> list[Combination]:
    """Return every combination of a sweep once; the values of its last key vary fastest."""
    sweep = sweep_lists(sweep)
    _check_keys(policy, sweep)
    found: dict[str, Combination] = {}
    for values in itertools.product(*sweep.values()):
        asked = dict(zip(sweep, values, strict=True))
        taken = _names(_algorithm(policy, asked.get("algorithm"), {}))
        for key in asked:
            if key.startswith(OF_ALGORITHM) and key.removeprefix(OF_ALGORITHM) not in taken:
                asked[key] = None
        parameters = {key: plain_value(value) for key, value in asked.items()}
        if repr(parameters) not in found:
            found[repr(parameters)] = _combine(policy, asked, parameters)
    every = list(found.values())
    if all(combination.policy is None for combination in every):
        raise PolicyError(f"sweep: no combination is a policy. The first: {every[0].reason}")
    return every


def default_sweep(policy: Policy) -> dict[str, list[Any]]:
    """Return the sweep that is made where none is asked for: algorithms, and k if there is one.

    The policy's own algorithm is among them.
    """
    own = policy.algorithm.type
    sweep: dict[str, list[Any]] = {"algorithm": [own, *(a for a in ALGORITHMS if a != own)]}
    if any("k" in _names(model) for model in policy.models):
        sweep["k"] = list(SIZES)
    return sweep


def sweep_lists(sweep: Mapping[str, Iterable[Any]]) -> dict[str, list[Any]]:
    """Return a sweep with its values as lists: they are read once, as a generator allows."""
    if not isinstance(sweep, Mapping) or not sweep:
        raise PolicyError("a sweep maps each parameter to its values, as {'k': [2, 5, 10]} does")
    found = {}
    for key, given in sweep.items():
        values = (
            given
            if isinstance(given, str | Mapping) or not isinstance(given, Iterable)
            else list(given)
        )
        if not isinstance(values, list) or not values:
            raise PolicyError(f"sweep of {key!r}: {values!r} is not a list of values")
        found[key] = values
    return found


def with_first_values(short: Mapping[str, Any], sweep: Mapping[str, Sequence[Any]]) -> Keywords:
    """Return the short forms of a policy with thresholds that only the sweep states.

    Their first values stand in: every combination puts its own in their place.
    """
    thresholds = ("k", "l", "t", "alpha", "beta", "delta")
    absent = [name for name in thresholds if sweep.get(name) and short.get(name) is None]
    return cast("Keywords", {**short, **{name: sweep[name][0] for name in absent}})


def plain_value(value: Any) -> Any:
    """Return a swept value as JSON has it: an algorithm as its name or its YAML form."""
    if _is_built(value):
        form, needed = form_of(value), _required_parameters(value)
        default = form_of(type(value)(**needed))
        value = {
            name: part
            for name, part in form.items()
            if name == "type" or name in needed or part != default.get(name)
        }
    if isinstance(value, Mapping):
        return value["type"] if len(value) == 1 else dict(value)
    return value.item() if hasattr(value, "item") else value


def without_recoding(policy: Policy, every: Iterable[Combination]) -> list[str]:
    """Return the algorithms of combinations for which the recoding of a policy is left out."""
    if policy.recoding is None:
        return []
    left_out = [
        one.policy.algorithm.type
        for one in every
        if one.policy is not None
        and one.policy.recoding is None
        and "recoding" not in one.parameters
    ]
    return list(dict.fromkeys(left_out))


def with_parts(policy: Policy, **parts: Any) -> Policy:
    """Return a policy with other parts."""
    own = {name: getattr(policy, name) for name in type(policy).model_fields}
    return type(policy)(**{**own, **parts})


def single_line(error: Exception) -> str:
    """Return what an error tells, without line breaks."""
    first, *more = [line.strip() for line in str(error).splitlines()]
    return "; ".join(more) if first.endswith("faults") else " ".join([first, *more])


def _check_keys(policy: Policy, sweep: Mapping[str, Sequence[Any]]) -> None:
    """Refuse keys that name nothing."""
    thresholds = {name: None for model in policy.models for name in _names(model)}
    of_one_type = [f"{model.type}.{name}" for model in policy.models for name in _names(model)]
    algorithms = [_algorithm(policy, one, {}) for one in sweep.get("algorithm", [None])]
    own = {f"{OF_ALGORITHM}{name}": None for algorithm in algorithms for name in _names(algorithm)}
    known = ["algorithm", *OPTIONS, *thresholds, *own]
    for key in sweep:
        if key not in known and key not in of_one_type:
            raise PolicyError(f"sweep: {unknown_name('parameter', key, known)}")


def _combine(policy: Policy, asked: Mapping[str, Any], parameters: dict[str, Any]) -> Combination:
    """Return the policy that one value of each parameter makes, or why there is none."""
    parts: dict[str, Any] = {name: asked[name] for name in OPTIONS if name in asked}
    own = {
        key.removeprefix(OF_ALGORITHM): value
        for key, value in asked.items()
        if key.startswith(OF_ALGORITHM) and value is not None
    }
    try:
        parts["models"] = [_with_thresholds(model, asked) for model in policy.models]
        parts["algorithm"] = _algorithm(policy, asked.get("algorithm"), own)
        if asked.get("algorithm") is not None and leaves_no_recoding(parts["algorithm"]):
            parts.setdefault("recoding", None)
        return Combination(parameters, with_parts(policy, **parts))
    except PolicyError as error:
        return Combination(parameters, None, single_line(error))


def _with_thresholds(model: PrivacyModel, asked: Mapping[str, Any]) -> PrivacyModel:
    """Return a model with the thresholds that are asked of all models, or of its type."""
    changed = {
        name: asked[key]
        for name in _names(model)
        for key in (name, f"{model.type}.{name}")
        if key in asked
    }
    return replace(model, **changed) if changed else model  # type: ignore[type-var]


def _algorithm(policy: Policy, given: Any, further: Mapping[str, Any]) -> Algorithm:
    """Return an algorithm of a sweep, with further parameters.

    given: an algorithm, its name or its form; None for the policy's own. A name or a form of the
    policy's own type keeps the policy's parameters.
    """
    if _is_built(given):
        form = form_of(given)
    else:
        own = form_of(policy.algorithm)
        form = {"type": given} if isinstance(given, str) else own if given is None else given
        if isinstance(form, Mapping) and form.get("type") == own["type"]:
            form = {**own, **form}
    try:
        return algorithm_of({**form, **further} if isinstance(form, Mapping) else form)
    except FaultsFoundError as error:
        faults = [fault.below(("algorithm",)) for fault in error.faults]
        raise policy_error(faults, "sweep") from None


def _names(part: Any) -> list[str]:
    """Return the parameters of a model or an algorithm that can be swept."""
    return [field.name for field in fields(part) if field.name not in NO_THRESHOLDS]


def _required_parameters(part: Any) -> dict[str, Any]:
    """Return the parameters of an algorithm that have no default."""
    return {
        field.name: getattr(part, field.name)
        for field in fields(part)
        if field.default is MISSING and field.default_factory is MISSING
    }


def _is_built(given: Any) -> TypeGuard[Algorithm]:
    return isinstance(given, Algorithm) and not isinstance(given, type)
