"""A policy over several tables, fitted to the tables that are given, or released."""

from __future__ import annotations

from dataclasses import replace

from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.hierarchy import Flat
from kanonym.data.schema import Identifier, QuasiIdentifier, Schema
from kanonym.linked.given_tables import Tables
from kanonym.linked.linked_policy import LinkedPolicy
from kanonym.linked.ownership import table_faults
from kanonym.linked.table_policy import TablePolicy, banded_tables, with_below
from kanonym.policy.faults import policy_error


def with_column_roles(policy: LinkedPolicy, tables: Tables, *, whole: bool = False) -> LinkedPolicy:
    """Return the policy with `others` as the role of each column that it does not name.

    whole: refuse named columns that tables lack, as releases may.
    """
    found = {}
    for name, table in policy.tables.items():
        columns = tables[name].columns
        free = [one for one in columns if one not in table.linking]
        named = {
            column: role
            for column, role in table.attributes.items()
            if column not in table.linking and (whole or column in columns)
        }
        try:
            further = Schema.resolve(free, named, policy.others).attributes
        except SchemaError as error:
            raise SchemaError(f"{name}: {error}") from None
        found[name] = replace(table, attributes={**table.attributes, **further})
    several = found.values() if policy.others is not None else ()
    faults = [one for table in several for one in table_faults(table, policy.person, found)]
    if faults:
        raise policy_error([one.below(("tables",)) for one in faults], "")
    return replace(policy, tables=found)


def band_column(table: str) -> str:
    """Return the column of the table of persons that says how many rows a person has."""
    return f"{table}_rows"


def banded_policy(policy: LinkedPolicy) -> LinkedPolicy:
    """Return the policy of a release: a number of rows in the place of each banded table."""
    banded = banded_tables(policy.tables)
    gone = with_below(banded, policy.tables)
    tables = {name: one for name, one in policy.tables.items() if name not in gone}
    for one in tables.values():
        for reference in one.references:
            if reference.table in gone:
                raise PolicyError(
                    f"{one.name}.{reference.text} refers to {reference.table}, which band does "
                    "not release"
                )
    person = tables[policy.person]
    counted = {band_column(name): QuasiIdentifier(hierarchy=Flat()) for name in banded}
    tables[policy.person] = replace(person, attributes={**person.attributes, **counted})
    return replace(policy, tables=tables)


def is_plain(table: TablePolicy, column: str) -> bool:
    """Whether a column of a key has no role, or is an identifier without an action."""
    attribute = table.attributes.get(column)
    return attribute is None or (isinstance(attribute, Identifier) and not attribute.action)


def released_policy(policy: LinkedPolicy, tables: Tables) -> LinkedPolicy:
    """Return the policy of tables as they were released, which may be the tables that came in.

    Without tables that `band` replaces, references that were dropped as identifiers, and keys
    that nothing needs and that are incomplete.
    """
    if not {*policy.tables} <= {*tables}:
        policy = banded_policy(policy)
    owning = {one.owner.table for one in policy.tables.values() if one.owner}
    keyless = {
        name
        for name, table in policy.tables.items()
        if not table.key
        or (name in tables and name not in owning and not {*table.key} <= {*tables[name].columns})
    }
    found = {}
    for name, table in policy.tables.items():
        columns = {*tables[name].columns} if name in tables else {*table.linking}
        dropped = {one for one in table.linking if one not in columns and is_plain(table, one)}
        kept = tuple(
            one
            for one in table.references
            if one == table.owner or (one.table not in keyless and not dropped & {*one.columns})
        )
        key = () if name in keyless else table.key
        found[name] = replace(table, references=kept, key=key)
    return replace(policy, tables=found)
