"""What a policy asks of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanonym.actions.registry import record_actions, unwrap
from kanonym.data import frames
from kanonym.data.person_key import columns_of
from kanonym.data.schema import Role, Schema
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
    """Return the identifiers by which persons are counted and that a release no longer has.

    columns: of the release.
    """
    named = [one.entity for one in policy.models if one.entity and one.attribute == one.entity]
    return [
        name
        for name in named
        if any(one not in columns or is_perturbed(policy, one) for one in columns_of([name]))
    ]
