"""Which columns of a table are meant, by a policy or by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.schema import QuasiIdentifier, Role, Sensitive
from kanonym.models import KAnonymity
from kanonym.pipeline import released_columns
from kanonym.policy import Policy


@dataclass(frozen=True, slots=True)
class Asked:
    """Which columns of a table are meant, and what is known about them."""

    attributes: list[str]
    columns: list[str]
    sensitive: list[str]
    trees: Mapping[str, HierarchySource]
    entities: list[str]


def columns_asked(
    policy: Policy | None,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    hierarchies: Mapping[str, HierarchySource],
    names: Sequence[str],
) -> Asked:
    """Return what a policy or the short forms say of a table with columns `names`."""
    if policy is None:
        for given in (quasi_identifiers, sensitive):
            if isinstance(given, str):
                raise SchemaError(f"give a list of columns, not the text {given!r}")
        columns = released_columns(list(quasi_identifiers), names)
        absent = [name for name in sensitive if name not in names]
        both = [name for name in sensitive if name in quasi_identifiers]
        if absent or both:
            wrong = f"no such column: {absent[0]!r}" if absent else f"{both[0]!r} is in two roles"
            raise SchemaError(f"{wrong}. The table has: {', '.join(names)}")
        return Asked(list(quasi_identifiers), columns, list(sensitive), hierarchies, [])
    if quasi_identifiers or sensitive or hierarchies:
        raise PolicyError("give a policy or name the columns, not both")
    chosen = {
        role: [name for name, one in policy.attributes.items() if one.role is role] for role in Role
    }
    made = {one for name in chosen[Role.QUASI_IDENTIFIER] for one in (f"{name}_min", f"{name}_max")}
    others = [name for name in names if name not in policy.attributes and name not in made]
    if policy.others in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        chosen[policy.others] += others
    return Asked(
        chosen[Role.QUASI_IDENTIFIER],
        released_columns(chosen[Role.QUASI_IDENTIFIER], names),
        [name for name in chosen[Role.SENSITIVE] if name in names],
        {
            name: one.hierarchy
            for name, one in policy.attributes.items()
            if isinstance(one, QuasiIdentifier | Sensitive) and one.hierarchy is not None
        },
        [one.entity for one in policy.models if isinstance(one, KAnonymity) and one.entity],
    )
