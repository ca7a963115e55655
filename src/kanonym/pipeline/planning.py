"""What a policy asks of a table, and the dates and numbers that are read in its texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from kanonym.actions.registry import record_actions, unwrap, works_on_values
from kanonym.data import frames
from kanonym.data.person_key import columns_of
from kanonym.data.readings import (
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
    Schema,
    Sensitive,
    readings_of,
    with_missing,
)
from kanonym.engines import engine_of, is_local
from kanonym.engines.base import Request
from kanonym.engines.task import Task
from kanonym.policy import Policy, PolicySource
from kanonym.policy.algorithms import target_of
from kanonym.policy.definition import policy_from
from kanonym.policy.keywords import Keywords
from kanonym.policy.overrides import override


def resolve_policy(policy: PolicySource | None, short: Keywords) -> Policy:
    """Return the policy that is given, with the values of short forms in the place of its own."""
    return Policy.from_columns(**short) if policy is None else override(policy_from(policy), short)


def task_of(policy: Policy, native: Any) -> Task:
    """Return what a policy asks of a table in this process."""
    return Task.of(policy, policy.schema_for(frames.column_names(native)))


def required_abilities(policy: Policy, schema: Schema) -> list[Request]:
    """Return what a release needs that not every engine can do."""
    asked: list[Request] = []
    for name, attribute in schema.attributes.items():
        asked += [
            Request("row-actions", f"attribute {name!r}, action {kind}")
            for kind in record_actions(attribute.action or ())
        ]
        if attribute.role is Role.SET:
            asked.append(Request("item-sets", f"attribute {name!r}, role set"))
    target = target_of(policy.algorithm, schema)
    if target is not None and schema.attributes[target].action:
        # It guides the algorithm as it came in; on an engine only what actions leave is counted.
        asked.append(Request("row-actions", f"target {target!r}, which has an action"))
    asked += [Request("sampling", one.type) for one in policy.models if one.sampling is not None]
    if policy.keep_order:
        asked.append(Request("record-order", "keep_order"))
    return asked


def is_perturbed(policy: Policy, name: str) -> bool:
    """Whether the released identifiers of persons are no pseudonyms of them."""
    actions = unwrap(policy.attributes[name].action) if name in policy.attributes else []
    return any(one.perturbs for one in actions)


def uncounted_entities(policy: Policy, columns: Sequence[str]) -> list[str]:
    """Return the identifiers that count persons and that the columns of a release lack."""
    named = [one.entity for one in policy.models if one.entity and one.attribute == one.entity]
    return [
        name
        for name in named
        if any(one not in columns or is_perturbed(policy, one) for one in columns_of([name]))
    ]


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
) -> tuple[Policy, tuple[str, ...]]:
    """Return a policy that says how columns write dates and numbers, where it does not."""
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
    if not found.readings:
        return policy, found.notes
    attributes = dict(policy.attributes)
    for name, reading in found.readings.items():
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


def parse_with_policy(frame: Any, policy: Policy | None) -> Any:
    """Return a table of this process with values in columns whose texts the policy explains."""
    native = frames.to_eager(frame)
    if not isinstance(policy, Policy):  # what is none is refused where its columns are asked for
        return native
    return typed_table(native, readings_of(policy.attributes))


def to_canonical(frame: Any, policy: Policy | None, original: Any = None) -> Any:
    """Return a released table with values, without exceptions of the original, and plain labels."""
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
