"""Keys of linked tables: one pseudonym for one value everywhere, and what columns of keys tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import polars as pl

from kanonym.actions.pseudonymization.keyed_hash import KeyedHash
from kanonym.actions.pseudonymization.surrogate import Surrogate
from kanonym.actions.registry import ColumnActions
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.schema import Identifier, Insensitive, QuasiIdentifier
from kanonym.linked.fitted_policy import is_plain
from kanonym.linked.given_tables import Column, Tables, as_key
from kanonym.linked.linked_policy import LinkedPolicy
from kanonym.linked.table_policy import TablePolicy


@dataclass(frozen=True, slots=True)
class KeySpace:
    """The values of one key column, which others refer to, and their pseudonyms.

    actions: what makes pseudonyms; none where values are released as they are. pairs: columns
    `value`, as text, and `pseudonym`, never written anywhere.
    """

    name: str
    actions: tuple[Any, ...]
    pairs: pl.DataFrame

    @property
    def is_numbered(self) -> bool:
        """Whether its pseudonyms are numbers of this release alone."""
        return [isinstance(one, Surrogate) and one.mapping is None for one in self.actions] == [
            True
        ]

    def facts(self, n: int) -> dict[str, Any]:
        """Return what a manifest tells of the pseudonyms of n released values."""
        told: dict[str, Any] = {
            "space": self.name,
            "values": n,
            "pseudonyms": [one.type for one in self.actions] or "none",
        }
        for one in self.actions:
            if isinstance(one, KeyedHash):
                told["collision_probability"] = min(n * (n - 1) / 2 / 16**one.length, 1.0)
        return told

    def apply(self, column: pl.Series) -> pl.Series:
        """Return the pseudonyms of a column that refers to this space; null stays."""
        asked = pl.DataFrame({"value": as_key(column)})
        found = asked.join(self.pairs, on="value", how="left", maintain_order="left")
        return found["pseudonym"].alias(column.name)


def key_spaces(tables: Tables, policy: LinkedPolicy, seed: int) -> dict[Column, KeySpace]:
    """Return the key space of every released column that is in a key or a reference."""
    targets = _referring(policy)
    roots: dict[Column, Column] = {}
    for table in policy.tables.values():
        for name in table.linking:
            if name in tables[table.name].columns:
                at, passed = (table.name, name), set[Column]()
                while at in targets and at not in passed:
                    passed.add(at)
                    at = targets[at]
                roots[table.name, name] = at
    needed = set(targets.values())
    dropped = {one for one in roots if one not in needed and _is_dropped(policy, *one)}
    for table in policy.tables.values():
        if any((table.name, one) in dropped for one in table.key):
            # What is left is no key: nothing refers to it.
            dropped |= {(table.name, one) for one in numbered_parts(policy, table.name)}
    spaces = {root: _space(tables, policy, root, seed) for root in set(roots.values())}
    return {column: spaces[root] for column, root in roots.items() if column not in dropped}


def _referring(policy: LinkedPolicy) -> dict[Column, Column]:
    """Return the key column that each referring column refers to first."""
    return {
        (table.name, name): (one.table, policy.tables[one.table].key[place])
        for table in policy.tables.values()
        for one in reversed(table.references)
        for place, name in enumerate(one.columns)
    }


def _is_dropped(policy: LinkedPolicy, name: str, column: str) -> bool:
    """Whether a column that nothing needs is an identifier without an action."""
    table = policy.tables[name]
    owning = table.owner is not None and column in table.owner.columns
    return not owning and column in table.attributes and is_plain(table, column)


def _space(tables: Tables, policy: LinkedPolicy, root: Column, seed: int) -> KeySpace:
    table, column = policy.tables[root[0]], root[1]
    attribute, name = table.attributes.get(column), ".".join(root)
    if isinstance(attribute, QuasiIdentifier) and len(table.key) == 1:
        raise PolicyError(
            f"{name} is a key, and quasi-identifier: a key is an identifier (released as a "
            "pseudonym) or insensitive (released as it is)"
        )
    given = (Surrogate(),) if attribute is None or is_plain(table, column) else attribute.action
    actions = tuple(
        replace(one, space=name) if isinstance(one, KeyedHash) and one.space is None else one
        for one in given
    )
    values = tables[table.name][column].drop_nulls().unique(maintain_order=True).alias(name)
    pseudonyms = ColumnActions(lambda _: values, {name: actions}, seed).before(name)
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
    """Refuse actions of columns that refer to a key: the pseudonym is that of the key."""
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
        columns = [
            (table, name)
            for (table, name), one in spaces.items()
            if one.name == space.name and name in released[table].columns
        ]
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
