"""What a policy over several tables says of the release: without what it drops."""

from __future__ import annotations

from dataclasses import replace

from kanonym.linked.keys.integrity import Tables
from kanonym.linked.keys.key_parts import is_plain
from kanonym.linked.persons.row_limits import banded_policy
from kanonym.linked.policies.linked_policy import LinkedPolicy


def released_policy(policy: LinkedPolicy, tables: Tables) -> LinkedPolicy:
    """Return the policy of tables as they were released, which may be the tables that came in.

    Without tables that `band` replaces, references that were dropped as identifiers, and keys
    that nothing needs and that are incomplete.
    """
    if not set(policy.tables) <= set(tables):
        policy = banded_policy(policy)
    owning = {one.owner.table for one in policy.tables.values() if one.owner}
    found = {}
    for name, table in policy.tables.items():
        if name not in tables:
            found[name] = table
            continue
        columns = set(tables[name].columns)
        dropped = {one for one in table.linking if one not in columns and is_plain(table, one)}
        kept = tuple(
            one for one in table.references if one == table.owner or not dropped & {*one.columns}
        )
        drops = name not in owning and not set(table.key) <= columns
        found[name] = replace(table, references=kept, key=() if drops else table.key)
    keyless = {name for name, one in found.items() if not one.key}
    return replace(
        policy,
        tables={
            name: replace(
                one,
                references=tuple(
                    each
                    for each in one.references
                    if each == one.owner or each.table not in keyless
                ),
            )
            for name, one in found.items()
        },
    )
