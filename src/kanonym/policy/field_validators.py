"""Validators of a policy's fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BeforeValidator, Field, GetPydanticSchema, ValidationInfo
from pydantic_core import PydanticCustomError, core_schema

from kanonym.actions.pseudonymization.keyed_pseudonyms import check_source
from kanonym.algorithms.base import Algorithm
from kanonym.algorithms.itemsets.base import ItemAlgorithm
from kanonym.data.errors import PolicyError, shown_value
from kanonym.data.option import option_of
from kanonym.data.schema import Attribute, ItemSet, QuasiIdentifier, Role, with_missing
from kanonym.models.base import PrivacyModel
from kanonym.policy import actions, algorithms, construction, shorthand
from kanonym.policy.attacks import ATTACKS
from kanonym.policy.faults import Fault, FaultsFoundError, unknown_name


def build_attack_limits(given: Any, _: object = None) -> dict[str, float]:
    """Return the largest tolerated risk of each attack that is named."""
    if not isinstance(given, Mapping):
        reason = f"must name attacks with a limit each, {{linkage: 0.2}}, not {shown_value(given)}"
        raise FaultsFoundError([Fault((), reason)])
    faults = []
    for name, limit in given.items():
        if name not in ATTACKS:
            faults.append(Fault((name,), unknown_name("attack", name, ATTACKS)))
        elif isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit <= 1:
            reason = f"must be a number above 0 and at most 1, not {shown_value(limit)}"
            faults.append(Fault((name,), reason))
    if faults:
        raise FaultsFoundError(faults)
    return {name: float(limit) for name, limit in given.items()}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the parts of a policy come from, for file names and for error messages."""

    source: str = ""
    directory: Path = Path()
    rename: Callable[[Fault], Fault] = lambda fault: fault


NOWHERE = Origin()
origin_of_parts: ContextVar[Origin] = ContextVar("origin")


def _validator(build: Callable[[Any, ValidationInfo], Any]) -> BeforeValidator:
    """Let `build` make a field's value, and carry its faults to the error that lists all."""

    def run(given: Any, info: ValidationInfo) -> Any:
        try:
            return build(given, info)
        except FaultsFoundError as error:
            raise PydanticCustomError("faults", "faults", {"faults": error.faults}) from None

    return BeforeValidator(run)


def range_of(declared: Any) -> Any:
    """Return the range that a keyword declares."""
    found = option_of(declared)
    assert found is not None  # noqa: S101 - keywords of this module have options
    return Field(ge=found[1].least, le=found[1].most, allow_inf_nan=False)


# Attributes, models and algorithms check themselves: pydantic need not look inside.
Opaque = GetPydanticSchema(lambda _source, _handler: core_schema.any_schema())


def _attributes(given: Any, info: ValidationInfo) -> dict[str, Attribute]:
    built = construction.build_attributes(
        given, origin_of_parts.get(NOWHERE).directory, actions.build_actions
    )
    named = any(isinstance(attribute, QuasiIdentifier | ItemSet) for attribute in built.values())
    if not named and info.data.get("others", Role.QUASI_IDENTIFIER) is not Role.QUASI_IDENTIFIER:
        raise FaultsFoundError([Fault((), "no column is a quasi-identifier: nothing to protect")])
    words = info.data.get("missing", ())
    return {name: with_missing(attribute, words) for name, attribute in built.items()}


def _models(given: Any, info: ValidationInfo) -> tuple[PrivacyModel, ...]:
    built = construction.build_models(given, origin_of_parts.get(NOWHERE).directory)
    if "attributes" in info.data and "others" in info.data:
        construction.check_models(built, info.data["attributes"], info.data["others"])
        algorithms.check_item_models(built, info.data["attributes"], info.data["others"])
    return built


def _algorithm(given: Any, info: ValidationInfo) -> Algorithm:
    if isinstance(given, Mapping) and "suppression_limit" in given:
        reason = f"is {given['suppression_limit']!r}, but the policy has another value; set it once"
        raise FaultsFoundError([Fault(("suppression_limit",), reason)])
    built = algorithms.build_algorithm(given)
    if "attributes" in info.data and "others" in info.data:
        algorithms.check_attributes(built, info.data["attributes"], info.data["others"])
    algorithms.check_models(built, info.data.get("models", ()))
    algorithms.check_classes(built, info.data.get("models", ()))
    return built


def _item_algorithm(given: Any, info: ValidationInfo) -> ItemAlgorithm | None:
    built = algorithms.build_item_algorithm(given)
    if "attributes" in info.data and "models" in info.data:
        algorithms.check_item_algorithm(built, info.data["models"], info.data["attributes"])
    return built


def _others(given: Any, info: ValidationInfo) -> Any:
    del info
    if given == Role.SET:
        raise FaultsFoundError([Fault((), "is 'set': name each column of sets under attributes")])
    return given


def _recoding(given: Any, info: ValidationInfo) -> Any:
    if "algorithm" in info.data:
        algorithms.check_recoding(info.data["algorithm"], given)
    return given


def _words(given: Any, info: ValidationInfo) -> tuple[str, ...]:
    del info
    words, named = shorthand.missing_words(given)
    if named:
        raise FaultsFoundError([Fault((), "is a list; words of one column are its missing")])
    return tuple(str(word) for word in words)


by_words = _validator(_words)


def _private_seed(given: Any, info: ValidationInfo) -> Any:
    del info
    if given is not None:
        try:
            check_source("private_seed", given)
        except PolicyError as error:
            raise FaultsFoundError([Fault((), str(error))]) from None
    return given


no_set = _validator(_others)
by_attributes = _validator(_attributes)
by_models = _validator(_models)
by_algorithm = _validator(_algorithm)
by_item_algorithm = _validator(_item_algorithm)
fitting = _validator(_recoding)
by_attack = _validator(build_attack_limits)
by_private_seed = _validator(_private_seed)


@contextmanager
def parse_context(origin: Origin) -> Iterator[None]:
    """Say where parts come from while they are built."""
    token = origin_of_parts.set(origin)
    try:
        yield
    finally:
        origin_of_parts.reset(token)
