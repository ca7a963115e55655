"""Columns of composite keys: those that tell something of persons are numbered anew, or counted."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from kanonym.data.schema import Identifier, Insensitive
from kanonym.linked.keys.integrity import Tables
from kanonym.linked.policies.linked_policy import LinkedPolicy
from kanonym.linked.policies.table_policy import Reference, TablePolicy

Part = tuple[str, str]
"""A table and a column of its key."""


def numbered_parts(policy: LinkedPolicy, name: str) -> tuple[str, ...]:
    """Return the columns of a table's composite key that a release numbers anew.

    They have no role and are in no reference, and what refers to them does nothing else.
    """
    table = policy.tables[name]
    if len(table.key) < 2 or name not in policy.order:
        return ()
    return tuple(
        column
        for column in table.key
        if is_plain(table, column)
        and not any(column in one.columns for one in table.references)
        and all(_is_bound(*one) for one in _followers(policy, (name, column)))
    )


def is_plain(table: TablePolicy, column: str) -> bool:
    """Whether a column of a key has no role, or is an identifier without an action."""
    attribute = table.attributes.get(column)
    return attribute is None or (isinstance(attribute, Identifier) and not attribute.action)


def _is_bound(table: TablePolicy, _: Reference, column: str) -> bool:
    """Whether a column is in one reference, and no quasi-identifier."""
    several = sum(column in one.columns for one in table.references) > 1
    return not several and column not in table.quasi_identifiers


def _followers(policy: LinkedPolicy, part: Part) -> Iterator[tuple[TablePolicy, Reference, str]]:
    """Yield the columns that refer to a column of a key, and those that refer to these."""
    for table in policy.tables.values():
        for one in table.references:
            if one.table != part[0]:
                continue
            column = one.columns[policy.tables[part[0]].key.index(part[1])]
            yield table, one, column
            if column in table.key and (table.name, column) != part:
                yield from _followers(policy, (table.name, column))


def counted_parts(tables: Tables, policy: LinkedPolicy, name: str) -> list[str]:
    """Return the columns of a table's key that count as they are.

    They repeat, so that equal pseudonyms say who has equal values: a year, a place. Columns that
    say whose a row is do not count, nor do quasi-identifiers, which count already, nor what the
    policy calls insensitive or sensitive, nor numbers as of `numbered_parts`.
    """
    quiet = quiet_numbers(tables, policy, name)
    return [one for one in _repeating(tables, policy, name, _PLAIN) if one not in quiet]


def unnumbered_parts(tables: Tables, policy: LinkedPolicy, name: str) -> list[str]:
    """Return `counted_parts` of tables whose keys are still to be numbered."""
    numbered = numbered_parts(policy, name)
    return [one for one in _repeating(tables, policy, name, _PLAIN) if one not in numbered]


def insensitive_parts(tables: Tables, policy: LinkedPolicy, name: str) -> list[str]:
    """Return the columns of a table's key that repeat and are insensitive, so not counted."""
    return _repeating(tables, policy, name, (Insensitive,))


_PLAIN = (Identifier, type(None))


def _repeating(
    tables: Tables, policy: LinkedPolicy, name: str, roles: tuple[type, ...]
) -> list[str]:
    """Return the columns of a table's key that repeat, of some roles; not those of its owner."""
    table, frame = policy.tables[name], tables[name]
    return [
        column
        for column in table.key
        if column in frame.columns
        and not (table.owner and column in table.owner.columns)
        and isinstance(table.attributes.get(column), roles)
        and frame[column].n_unique() < frame.height
    ]


def quiet_numbers(tables: Tables, policy: LinkedPolicy, name: str) -> list[str]:
    """Return `numbered_parts` that are 1, 2, … within the rows that agree in the rest of the key.

    Whoever numbered them so, they tell how many rows there are; in which order, is not seen.
    """
    frame = tables[name]
    parts = numbered_parts(policy, name)
    if not parts or any(not frame[one].dtype.is_integer() for one in parts):
        return []
    rest = [pl.lit(0), *(pl.col(one) for one in policy.tables[name].key if one not in parts)]
    first = pl.col(parts[0])
    counted = frame.select(
        *(pl.col(one) == first for one in parts[1:]),
        (first.rank("ordinal").over(rest) == first).alias("\0dense"),
    )
    return list(parts) if all(one.all() for one in counted) else []
