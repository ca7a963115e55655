"""The role of every column of linked tables, of those too that the policy does not name."""

from __future__ import annotations

from dataclasses import replace

from kanonym.data.errors import SchemaError
from kanonym.data.schema import Schema
from kanonym.linked.keys.integrity import Tables
from kanonym.linked.policies.linked_policy import LinkedPolicy
from kanonym.linked.policies.ownership import table_faults
from kanonym.policy.faults import policy_error


def with_column_roles(policy: LinkedPolicy, tables: Tables) -> LinkedPolicy:
    """Return the policy with `others` as the role of each column that it does not name.

    Raises
    ------
    SchemaError
        Columns have no role, and there is no `others`.
    PolicyError
        A column cannot have the role of `others`.

    """
    found, faults = {}, []
    for name, table in policy.tables.items():
        named = {*table.linking, *table.attributes}
        unnamed = [one for one in tables[name].columns if one not in named]
        try:
            further = Schema.resolve(unnamed, {}, policy.others).attributes
        except SchemaError as error:
            raise SchemaError(f"{name}: {error}") from None
        found[name] = replace(table, attributes={**table.attributes, **further})
    if policy.others is not None:
        for table in found.values():
            faults += table_faults(table, policy.person, found)
    if faults:
        raise policy_error([one.below(("tables",)) for one in faults], "")
    return replace(policy, tables=found)
