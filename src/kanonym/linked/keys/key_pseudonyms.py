"""Keys in linked tables: one pseudonym for one value, wherever rows refer to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import polars as pl

from kanonym.actions.pseudonymization.keyed_hash import KeyedHash
from kanonym.actions.pseudonymization.surrogate import Surrogate
from kanonym.actions.registry import ColumnActions
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.schema import Identifier, QuasiIdentifier
from kanonym.linked.keys.integrity import Tables, as_key
from kanonym.linked.keys.key_parts import numbered_parts
from kanonym.linked.persons.known_columns import Column
from kanonym.linked.policies.linked_policy import LinkedPolicy


@dataclass(frozen=True, slots=True)
class KeySpace:
    """The values of one key column, which others refer to, and their pseudonyms.

    Attributes
    ----------
    name
        `table.column`.
    actions
        What makes pseudonyms of them; empty where the policy releases them as they are.
    pairs
        Columns `value`, as text, and `pseudonym`. Never written anywhere.

    """

    name: str
    actions: tuple[Any, ...]
    pairs: pl.DataFrame

    @property
    def is_numbered(self) -> bool:
        """Whether its pseudonyms are numbers of this release alone."""
        return all(isinstance(one, Surrogate) and one.mapping is None for one in self.actions) and (
            len(self.actions) == 1
        )

    def facts(self, n: int) -> dict[str, Any]:
        """Return what a manifest tells: how pseudonyms are made, and how likely two are equal.

        n: values in the release. Those of rows that are not released are not counted.
        """
        told: dict[str, Any] = {
            "space": self.name,
            "values": n,
            "pseudonyms": [one.type for one in self.actions] or "none",
        }
        hashed = next((one for one in self.actions if isinstance(one, KeyedHash)), None)
        if hashed is not None:
            told["collision_probability"] = min(n * (n - 1) / 2 / 16**hashed.length, 1.0)
        return told

    def apply(self, column: pl.Series) -> pl.Series:
        """Return the pseudonyms of a column that refers to this space; null stays."""
        asked = pl.DataFrame({"value": as_key(column)})
        found = asked.join(self.pairs, on="value", how="left", maintain_order="left")
        return found["pseudonym"].alias(column.name)


def root_of(policy: LinkedPolicy, table: str, column: str) -> Column:
    """Return the key column that a column refers to in the end; itself if it refers to none."""
    seen: list[Column] = []
    at = (table, column)
    while at not in seen:
        seen.append(at)
        for one in policy.tables[at[0]].references:
            if at[1] in one.columns:
                at = (one.table, policy.tables[one.table].key[one.columns.index(at[1])])
                break
    return at


def key_spaces(tables: Tables, policy: LinkedPolicy, seed: int) -> dict[Column, KeySpace]:
    """Return the key space of every column that is in a key or a reference, where it is released.

    Raises
    ------
    PolicyError
        The role of such a column is one that keys cannot have.
    DataError
        Two values have one pseudonym.

    """
    roots = {
        (table.name, name): root_of(policy, table.name, name)
        for table in policy.tables.values()
        for name in table.linking
        if name in tables[table.name].columns
    }
    spaces = {root: _space(tables, policy, root, seed) for root in set(roots.values())}
    dropped = {column for column in roots if _is_dropped(policy, column)}
    for table in policy.tables.values():
        if any((table.name, one) in dropped for one in table.key):
            # What is left is no key: nothing refers to it.
            dropped |= {(table.name, one) for one in numbered_parts(policy, table.name)}
    return {column: spaces[root] for column, root in roots.items() if column not in dropped}


def _referring(policy: LinkedPolicy) -> dict[Column, Column]:
    """Return the key column that each referring column refers to."""
    return {
        (table.name, name): (one.table, policy.tables[one.table].key[place])
        for table in policy.tables.values()
        for one in table.references
        for place, name in enumerate(one.columns)
    }


def _is_dropped(policy: LinkedPolicy, column: Column) -> bool:
    """Whether the policy drops a column: an identifier that nothing needs, without an action."""
    table, name = policy.tables[column[0]], column[1]
    if table.owner is not None and name in table.owner.columns:
        return False
    attribute = table.attributes.get(name)
    plain = isinstance(attribute, Identifier) and not attribute.action
    return plain and column not in set(_referring(policy).values())


def _space(tables: Tables, policy: LinkedPolicy, root: Column, seed: int) -> KeySpace:
    table, column = root
    attribute = policy.tables[table].attributes.get(column)
    name = f"{table}.{column}"
    if isinstance(attribute, QuasiIdentifier) and len(policy.tables[table].key) == 1:
        raise PolicyError(
            f"{name} is a key, and quasi-identifier: a key is an identifier (released as a "
            "pseudonym) or insensitive (released as it is)"
        )
    if attribute is None or (isinstance(attribute, Identifier) and not attribute.action):
        actions: tuple[Any, ...] = (Surrogate(),)
    else:
        actions = tuple(attribute.action)
    actions = tuple(
        replace(one, space=name) if isinstance(one, KeyedHash) and one.space is None else one
        for one in actions
    )
    values = tables[table][column].drop_nulls().unique(maintain_order=True).alias(name)
    acting = ColumnActions(lambda _: values, {name: actions}, seed)
    pseudonyms = acting.before(name)
    if pseudonyms.n_unique() < len(values) or pseudonyms.null_count():
        raise DataError(
            f"{name}: two keys have one pseudonym; give it an action that keeps them apart, such "
            "as surrogate or keyed-hash"
        )
    pairs = pl.DataFrame({"value": as_key(values), "pseudonym": pseudonyms})
    return KeySpace(name, actions, pairs)


def table_seed(seed: int, table: str) -> int:
    """Return the seed of one table: columns of one name in two tables do not draw alike."""
    return int.from_bytes(sha256(f"{seed} {table}".encode()).digest()[:16], "big")


def refuse_actions_of_references(policy: LinkedPolicy) -> None:
    """Refuse actions of columns that refer to a key: the pseudonym is that of the key.

    Raises
    ------
    PolicyError
        Names the column and the key.

    """
    for (table, column), (target, key) in _referring(policy).items():
        attribute = policy.tables[table].attributes.get(column)
        if attribute is not None and attribute.action:
            raise PolicyError(
                f"{table}.{column} refers to {target}.{key}, whose pseudonyms it gets: move the "
                "action there"
            )


def numbered_anew(
    released: Tables, spaces: Mapping[Column, KeySpace]
) -> tuple[dict[str, pl.DataFrame], list[dict[str, Any]]]:
    """Return tables whose keys are numbered without gaps, and what a manifest tells of each space.

    The largest number, or a gap, would tell how many rows were merged or suppressed.
    """
    found, facts = dict(released), []
    for space in {one.name: one for one in spaces.values()}.values():
        columns = [column for column, one in spaces.items() if one.name == space.name]
        columns = [(table, name) for table, name in columns if name in released[table].columns]
        if not columns:
            continue
        every = pl.concat([released[table][name].alias("value") for table, name in columns])
        every = every.drop_nulls().unique().sort()
        facts.append(space.facts(len(every)))
        for table, name in columns if space.is_numbered else ():
            numbers = pl.col(name).replace_strict(
                every, pl.int_range(1, len(every) + 1, eager=True), return_dtype=pl.Int64
            )
            found[table] = found[table].with_columns(numbers)
    return found, facts
