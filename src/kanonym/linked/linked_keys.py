"""Keys of linked tables: one pseudonym for one value everywhere, and what columns of keys tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

import polars as pl

from kanonym.actions.pseudonymization.keyed_hash import KeyedHash
from kanonym.actions.pseudonymization.surrogate import Surrogate
from kanonym.actions.registry import ColumnActions
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.schema import Identifier, Insensitive, QuasiIdentifier
from kanonym.linked.given_tables import Column, as_key
from kanonym.linked.linked_policy import LinkedPolicy, Tables, is_plain
from kanonym.linked.table_policy import TablePolicy


def released_keys(tables: Tables, policy: LinkedPolicy, seed: int) -> dict[Column, Column]:
    """Return the released columns of keys and references, each with the key that it leads to."""
    links = [
        ((table.name, name), (one.table, key))
        for table in policy.tables.values()
        for one in table.references
        for name, key in zip(one.columns, policy.tables[one.table].key, strict=True)
    ]
    targets, needed = dict(reversed(links)), {key for _, key in links}
    roots: dict[Column, Column] = {}
    dropped = set()
    for table in policy.tables.values():
        owning = table.owner.columns if table.owner is not None else ()
        for name in table.linking:
            at, passed = (table.name, name), set[Column]()
            while at in targets and at not in passed:
                passed.add(at)
                at = targets[at]
            roots[table.name, name] = at
            own = name in owning or (table.name, name) in needed
            if not own and name in table.attributes and is_plain(table, name):
                dropped.add((table.name, name))
        if any((table.name, one) in dropped for one in table.key):
            # What is left is no key: nothing refers to it.
            dropped |= {(table.name, one) for one in numbered_parts(policy, table.name)}
    for root in set(roots.values()):
        _pseudonyms(tables[root[0]][root[1]], policy, root, seed, rehearsed=True)
    return {column: root for column, root in roots.items() if column not in dropped}


def key_actions(policy: LinkedPolicy, root: Column) -> tuple[Any, ...]:
    """Return what makes pseudonyms of a key; nothing where it is released as it is."""
    table, column, name = policy.tables[root[0]], root[1], ".".join(root)
    attribute = table.attributes.get(column)
    if isinstance(attribute, QuasiIdentifier) and len(table.key) == 1:
        raise PolicyError(
            f"{name} is a key, and quasi-identifier: a key is an identifier (released as a "
            "pseudonym) or insensitive (released as it is)"
        )
    return tuple(
        replace(one, space=name) if isinstance(one, KeyedHash) and one.space is None else one
        for one in (
            (Surrogate(),) if attribute is None or is_plain(table, column) else attribute.action
        )
    )


def is_drawn(policy: LinkedPolicy, root: Column) -> bool:
    """Whether the pseudonyms of a key are numbers of this release alone."""
    actions = key_actions(policy, root)
    return [isinstance(one, Surrogate) and one.mapping is None for one in actions] == [True]


def _pseudonyms(
    column: pl.Series, policy: LinkedPolicy, root: Column, seed: int, *, rehearsed: bool = False
) -> pl.DataFrame:
    """Return the values of a key, as text, with their pseudonyms; never written anywhere."""
    name = ".".join(root)
    values = column.drop_nulls().unique(maintain_order=True).alias(name)
    acting = ColumnActions(lambda _: values, {name: key_actions(policy, root)}, seed)
    pseudonyms = (acting.rehearsed() if rehearsed else acting).before(name)
    if pseudonyms.n_unique() < len(values) or pseudonyms.null_count():
        raise DataError(
            f"{name}: two keys have one pseudonym; give it an action that keeps them apart, such "
            "as surrogate or keyed-hash"
        )
    return pl.DataFrame({"value": as_key(values), "pseudonym": pseudonyms})


def with_pseudonyms(
    tables: Tables, policy: LinkedPolicy, keys: Mapping[Column, Column], seed: int
) -> tuple[dict[str, pl.DataFrame], list[dict[str, Any]]]:
    """Return released tables with pseudonyms of their keys, and what a manifest tells of these.

    Made of released values alone, numbers have no gaps and tell nothing of rows that are merged or
    suppressed. keys: as of `released_keys`; what `numbered_parts` names is numbered already.
    """
    found, facts = dict(tables), []
    for root in dict.fromkeys(keys.values()):
        column, actions = tables[root[0]][root[1]], key_actions(policy, root)
        told = {"space": ".".join(root), "values": (n := column.drop_nulls().n_unique())}
        facts.append({**told, "pseudonyms": [one.type for one in actions] or "none"})
        for one in actions:
            if isinstance(one, KeyedHash):
                facts[-1]["collision_probability"] = min(n * (n - 1) / 2 / 16**one.length, 1.0)
        if root[1] in numbered_parts(policy, root[0]):
            continue
        pairs = _pseudonyms(column, policy, root, seed)
        for table, name in (one for one, other in keys.items() if other == root):
            asked = pl.DataFrame({"value": as_key(tables[table][name])})
            new = asked.join(pairs, on="value", how="left", maintain_order="left")["pseudonym"]
            found[table] = found[table].with_columns(new.alias(name))
    return found, facts


def table_seed(seed: int, table: str) -> int:
    """Return the seed of one table: columns of one name in two tables do not draw alike."""
    return int.from_bytes(sha256(f"{seed} {table}".encode()).digest()[:16], "big")


def numbered_parts(policy: LinkedPolicy, name: str) -> tuple[str, ...]:
    """Return the columns of a table's composite key that a release numbers anew.

    They have no role and are in no reference, and what refers to them does nothing else.
    """
    table = policy.tables[name]
    if len(table.key) < 2 or name not in policy.order:
        return ()
    referring = {column for one in table.references for column in one.columns}
    return tuple(
        column
        for column in table.key
        if is_plain(table, column)
        and column not in referring
        and all(
            sum(other in one.columns for one in follower.references) == 1
            and other not in follower.quasi_identifiers
            for follower, other in _followers(policy, (name, column))
        )
    )


def _followers(policy: LinkedPolicy, part: Column) -> Iterator[tuple[TablePolicy, str]]:
    """Yield the columns that refer to a column of a key, and those that refer to these."""
    for table in policy.tables.values():
        for one in table.references:
            if one.table == part[0]:
                column = one.columns[policy.tables[part[0]].key.index(part[1])]
                yield table, column
                if column in table.key and (table.name, column) != part:
                    yield from _followers(policy, (table.name, column))


def counted_parts(tables: Tables, policy: LinkedPolicy, name: str) -> list[str]:
    """Return the columns of a table's key that count as they are.

    They repeat, so that equal pseudonyms say who has equal values: a year, a place. Columns that
    say whose a row is do not count, nor do quasi-identifiers, which count already, nor what the
    policy calls insensitive or sensitive, nor `quiet_numbers`.
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
    frame, parts = tables[name], numbered_parts(policy, name)
    if not parts or any(not frame[one].dtype.is_integer() for one in parts):
        return []
    rest = [pl.lit(0), *(pl.col(one) for one in policy.tables[name].key if one not in parts)]
    first = pl.col(parts[0])
    counted = frame.select(
        *(pl.col(one) == first for one in parts[1:]),
        (first.rank("ordinal").over(rest) == first).alias("\0dense"),
    )
    return list(parts) if all(one.all() for one in counted) else []
