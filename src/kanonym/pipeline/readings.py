"""Dates and numbers as people write them, found in a table and added to its policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from kanonym.actions.registry import works_on_values
from kanonym.data import frames
from kanonym.data.readings import (
    NumberReading,
    Reading,
    canonical_table,
    declared_form,
    detect_readings,
    settle_readings,
    typed_table,
)
from kanonym.data.schema import (
    Attribute,
    QuasiIdentifier,
    Role,
    Sensitive,
    readings_of,
    with_missing,
)
from kanonym.engines import engine_of, is_local
from kanonym.policy import Policy

READ_BY = ("intervals", "dates", "automatic")
"""Hierarchies of values; all others are about the texts of a column."""


_OTHERS: dict[Role, Attribute] = {
    Role.QUASI_IDENTIFIER: QuasiIdentifier(),
    Role.SENSITIVE: Sensitive(),
}


def with_readings(
    policy: Policy,
    frame: Any,
    told: Callable[[str], None] | None = None,
    *,
    lenient: bool = False,
    released: bool = False,
    decimals: Mapping[str, int] | None = None,
) -> tuple[Policy, tuple[str, ...]]:
    """Return a policy that says how the columns of a table write dates and numbers.

    Looked at are quasi-identifiers and sensitive attributes without a type of their own, an
    action on texts, or a hierarchy of texts.

    decimals: of columns of numbers, as of `files.read_table`; labels are written with as many.
    """
    if not is_local(frame):
        if told is not None:
            for sentence in _undeclared_readings(policy, frame):
                told(sentence)
        return policy, ()
    native = frames.to_eager(frame)
    default = _OTHERS.get(policy.others or Role.INSENSITIVE)
    default = default if default is None else with_missing(default, policy.missing)
    every = {name: policy.attributes.get(name, default) for name in frames.column_names(native)}
    asked = {
        name: one
        for name, one in every.items()
        if isinstance(one, QuasiIdentifier | Sensitive) and _is_open(one)
    }
    missing = {name: [str(word) for word in one.missing] for name, one in asked.items()}
    found = detect_readings(
        native, list(asked), lenient=lenient, missing=missing, bands=not released
    )
    sentences = list(found.sentences)
    if not lenient:
        settle_readings(native, readings_of(policy.attributes), sentences.append)
    if told is not None:
        for sentence in sentences:
            told(sentence)
    fixed = {
        name: Reading(NumberReading(decimals=number))
        for name, number in (decimals or {}).items()
        if isinstance(asked.get(name), QuasiIdentifier)
    }
    if not found.readings and not fixed:
        return policy, found.notes
    attributes = dict(policy.attributes)
    for name, reading in {**found.readings, **fixed}.items():
        attributes[name] = replace(asked[name], **declared_form(reading))
    parts = {name: getattr(policy, name) for name in type(policy).model_fields}
    return type(policy)(**{**parts, "attributes": attributes}), found.notes


def _undeclared_readings(policy: Policy, frame: Any) -> list[str]:
    """Return sentences about texts on an engine whose first records seem to be dates or numbers."""
    engine = engine_of(frame)
    found, _ = with_readings(policy, engine.sample(engine.columns), lenient=True)
    return [
        f"column {name!r}: the first texts are of type {one.type}"
        + (f", written as {one.format}" if one.format else "")
        + "; on an engine they are read only if the policy declares it, as kanonym profile does"
        for name, one in found.attributes.items()
        if isinstance(one, QuasiIdentifier | Sensitive)
        and one != policy.attributes.get(name)
        and one.type is not None
    ]


def parse_with_policy(
    frame: Any, policy: Policy | None, told: Callable[[str], None] | None = None
) -> Any:
    """Return a table of this process with values in columns whose texts the policy explains.

    told: called with a sentence for each column with exceptions.
    """
    native = frames.to_eager(frame)
    if not isinstance(policy, Policy):  # what is none is refused where its columns are asked for
        return native
    return typed_table(native, settle_readings(native, readings_of(policy.attributes), told))


def to_canonical(frame: Any, policy: Policy | None, original: Any = None) -> Any:
    """Return a released table with values and plain labels in such columns.

    original: the table that it was made of, whose exceptions are then null in both.
    """
    native = frames.to_eager(frame)
    if not isinstance(policy, Policy):
        return native
    readings = readings_of(policy.attributes)
    if original is not None and readings:
        readings = settle_readings(frames.to_eager(original), readings)
    return canonical_table(native, readings)


def _is_open(one: QuasiIdentifier | Sensitive) -> bool:
    """Whether a column of texts may be read as something else."""
    hierarchy = one.hierarchy
    of_values = hierarchy is None or getattr(hierarchy, "kind", None) in READ_BY
    return one.type is None and works_on_values(one.action or ()) and of_values
