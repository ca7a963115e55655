"""Which rows and keys are released: limits, equal rows, pseudonyms, what keys tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from kanonym.actions.pseudonymization.keyed_pseudonyms import KeyedHash, Surrogate
from kanonym.actions.registry import ColumnActions
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.schema import Identifier, QuasiIdentifier
from kanonym.kernels.arrays import Bools
from kanonym.linked.given_tables import Column, as_key, band_column, is_plain
from kanonym.linked.linked_policy import LinkedPolicy, TablePolicy, Tables
from kanonym.linked.person_rows import Codes, LinkedRows, codes_of_values, combine


def released_keys(tables: Tables, policy: LinkedPolicy, seed: int) -> dict[Column, Column]:
    """Return the released columns of keys and references, each with the key that it leads to."""
    links = [
        ((table.name, name), (reference.table, key))
        for table in policy.tables.values()
        for reference in table.references
        for name, key in zip(reference.columns, policy.tables[reference.table].key, strict=True)
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
            dropped |= {(table.name, part) for part in numbered_parts(policy, table.name)}
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
    return [isinstance(action, Surrogate) and action.mapping is None for action in actions] == [
        True
    ]


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
    """Return tables with pseudonyms of released values alone, and facts about these."""
    found, facts = dict(tables), []
    for root in dict.fromkeys(keys.values()):
        column, actions = tables[root[0]][root[1]], key_actions(policy, root)
        told = {"space": ".".join(root), "values": (n := column.drop_nulls().n_unique())}
        facts.append({**told, "pseudonyms": [one.type for one in actions] or "none"})
        for action in actions:
            if isinstance(action, KeyedHash):
                facts[-1]["collision_probability"] = min(n * (n - 1) / 2 / 16**action.length, 1.0)
        if root[1] in numbered_parts(policy, root[0]):
            continue
        pairs = _pseudonyms(column, policy, root, seed)
        for table, name in (one for one, other in keys.items() if other == root):
            frame = pl.DataFrame({"value": as_key(tables[table][name])})
            new = frame.join(pairs, on="value", how="left", maintain_order="left")["pseudonym"]
            found[table] = found[table].with_columns(new.alias(name))
    return found, facts


def table_seed(seed: int, table: str) -> int:
    """Return the seed of one table: columns of one name in two tables do not draw alike."""
    return int.from_bytes(sha256(f"{seed} {table}".encode()).digest()[:16], "big")


def numbered_parts(policy: LinkedPolicy, name: str) -> tuple[str, ...]:
    """Return the columns of a composite key, without a role, that a release numbers."""
    table = policy.tables[name]
    if len(table.key) < 2 or name not in policy.order:
        return ()
    referring = {column for reference in table.references for column in reference.columns}
    return tuple(
        column
        for column in table.key
        if is_plain(table, column)
        and column not in referring
        and all(
            sum(other in reference.columns for reference in follower.references) == 1
            and other not in follower.quasi_identifiers
            for follower, other in _followers(policy, (name, column))
        )
    )


def _followers(policy: LinkedPolicy, part: Column) -> Iterator[tuple[TablePolicy, str]]:
    """Yield the columns that refer to a column of a key, and those that refer to these."""
    for table in policy.tables.values():
        for reference in table.references:
            if reference.table == part[0]:
                column = reference.columns[policy.tables[part[0]].key.index(part[1])]
                yield table, column
                if column in table.key and (table.name, column) != part:
                    yield from _followers(policy, (table.name, column))


def counted_parts(tables: Tables, policy: LinkedPolicy, name: str) -> list[str]:
    """Return the columns of a table's key that repeat and count as they are: a year, a place."""
    quiet = quiet_numbers(tables, policy, name)
    return [one for one in repeating_parts(tables, policy, name) if one not in quiet]


def unnumbered_parts(tables: Tables, policy: LinkedPolicy, name: str) -> list[str]:
    """Return `counted_parts` of tables whose keys are still to be numbered."""
    numbered = numbered_parts(policy, name)
    return [one for one in repeating_parts(tables, policy, name) if one not in numbered]


def repeating_parts(
    tables: Tables,
    policy: LinkedPolicy,
    name: str,
    roles: tuple[type, ...] = (Identifier, type(None)),
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
    """Return `numbered_parts` that are 1, 2, … within rows of an equal rest of the key."""
    frame, parts = tables[name], numbered_parts(policy, name)
    if not parts or any(not frame[part].dtype.is_integer() for part in parts):
        return []
    rest = [pl.lit(0), *(pl.col(one) for one in policy.tables[name].key if one not in parts)]
    first = pl.col(parts[0])
    counted = frame.select(
        *(pl.col(part) == first for part in parts[1:]),
        (first.rank("ordinal").over(rest) == first).alias("\0dense"),
    )
    return list(parts) if all(column.all() for column in counted) else []


def known_codes(tables: Tables, policy: LinkedPolicy) -> dict[str, Codes]:
    """Return by table `codes_of_values` of its `known_names`."""
    return {
        name: codes_of_values(tables[name], known_names(tables, policy, name))
        for name in policy.order
    }


def known_names(tables: Tables, policy: LinkedPolicy, name: str) -> list[str]:
    """Return the quasi-identifiers of a table, as far as it has them, and counted key columns."""
    known = [
        identifier
        for identifier in policy.tables[name].quasi_identifiers
        if identifier in tables[name].columns
    ]
    return [*known, *counted_parts(tables, policy, name)]


def limit_rows(
    tables: Tables, policy: LinkedPolicy, random: np.random.Generator
) -> dict[str, pl.DataFrame]:
    """Return tables with rows beyond a cap left out, and numbers of rows instead of bands."""
    rows = LinkedRows.of(tables, policy)
    kept = {policy.person: np.ones(rows.n_persons, np.bool_)}
    limited = dict(tables)
    for name, parent in rows.parents.items():
        above, table = policy.parent(name), policy.tables[name]
        kept[name] = kept[above][parent]
        if table.cap is not None:
            order = random.permutation(len(parent))
            order = order[np.argsort(parent[order], kind="stable")]
            counts = np.bincount(parent, minlength=rows.sizes[above])
            place = np.arange(len(parent)) - (np.cumsum(counts) - counts)[parent[order]]
            kept[name][order[place >= table.cap]] = False
        if table.band is not None:
            column, whose = band_column(name), rows.persons[name][kept[name]]
            if column in tables[policy.person].columns:
                raise SchemaError(
                    f"{policy.person} has a column {column!r}, which band needs: rename it"
                )
            texts = [str(i) for i in range(table.band)] + [f"{table.band}+"]
            numbers = np.minimum(np.bincount(whose, minlength=rows.n_persons), table.band)
            labels = pl.Series(column, texts).gather(numbers)
            limited[policy.person] = limited[policy.person].with_columns(labels)
    if all(mask.all() for mask in kept.values()):
        return {name: limited[name] for name in policy.tables}
    return KeptRows(limited, rows, kept, rows.merged({})).frames()


class MergedRows(NamedTuple):
    """What became of the equal rows of released persons in a table that merges them."""

    rows: int  # that another one, which is equal, stands for
    different: int  # pairs of a person and all released values of a row, before
    lost: int  # those of them that the release does not have


def _compared(
    tables: Tables, rows: LinkedRows, keys: Mapping[Column, Column]
) -> dict[str, list[str]]:
    """Return by table that merges rows the columns in which equal rows are equal."""
    policy = rows.policy
    found = {}
    for name in policy.order:
        table = policy.tables[name]
        if table.merge and table.owner is not None:
            counted = {*table.referring, *unnumbered_parts(tables, policy, name)}
            drawn = {
                one
                for one in {*table.key} - counted
                if (name, one) in keys and is_drawn(policy, keys[name, one])
            }
            skipped = {*table.owner.columns, *drawn}
            found[name] = [column for column in tables[name].columns if column not in skipped]
    return found


def equal_but_for_levels(
    tables: Tables, rows: LinkedRows, keys: Mapping[Column, Column]
) -> dict[str, Codes]:
    """Return by table that merges rows, equal numbers for rows that are equal at equal levels."""
    found = {}
    for name, columns in _compared(tables, rows, keys).items():
        known = rows.policy.tables[name].quasi_identifiers
        codes = codes_of_values(tables[name], [column for column in columns if column not in known])
        apart = np.zeros(len(codes), np.bool_)  # or rows below would have one key
        for table in rows.policy.tables.values():
            for reference, target in rows.targets[table.name].items():
                in_key = reference.table == name and {*reference.columns} & {*table.key}
                if in_key and not numbered_parts(rows.policy, table.name):
                    apart[target[target >= 0]] = True
        own = np.arange(len(codes)) + len(codes)
        found[name] = combine([np.where(apart, own, codes)], len(codes))
    return found


def count_merged(
    released: Tables,
    rows: LinkedRows,
    keys: Mapping[Column, Column],
    kept: Mapping[str, Bools],
    suppressed: Bools,
) -> dict[str, MergedRows]:
    """Return what became of equal rows; released: all rows, recoded."""
    found = {}
    for name, columns in _compared(released, rows, keys).items():
        persons = pl.Series("\0person", rows.persons[name])
        values = released[name].select(persons, *columns)
        shown = ~suppressed[rows.persons[name]]
        before, after = (values.filter(pl.Series(mask)) for mask in (shown, kept[name]))
        different = before.n_unique()
        lost = different - after.n_unique()
        found[name] = MergedRows(before.height - after.height, different, lost)
    return found


@dataclass(frozen=True)
class KeptRows:
    """The rows of tables that are released."""

    tables: Tables  # all rows of all tables
    rows: LinkedRows
    kept: Mapping[str, Bools]  # (n_rows,) by table with persons
    stands: Mapping[str, Codes]  # as of `LinkedRows.merged`
    random: np.random.Generator | None = None  # numbers keys anew; None leaves them
    _new: dict[Column, pl.Series] = field(default_factory=dict)

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return the tables: references to merged rows follow, those to other rows become null."""
        return {
            name: pl.DataFrame([self._column(name, column) for column in self.tables[name].columns])
            for name in self.rows.policy.tables
        }

    def _column(self, name: str, column: str) -> pl.Series:
        if (name, column) not in self._new:
            values = self.tables[name][column]
            values = values.filter(pl.Series(self.kept[name])) if name in self.kept else values
            if self.random is not None and column in numbered_parts(self.rows.policy, name):
                values = self._numbers(name, self.random)
            self._new[name, column] = self._followed(name, values.alias(column))
        return self._new[name, column]

    def _followed(self, name: str, values: pl.Series) -> pl.Series:
        """Return a column with the keys of the rows that its reference leads to."""
        tables = self.rows.policy.tables
        for reference in sorted(tables[name].references, key=lambda one: one != tables[name].owner):
            if values.name not in reference.columns or reference.table not in self.kept:
                continue
            key = tables[reference.table].key[reference.columns.index(values.name)]
            if (reference.table, key) == (name, values.name):
                continue
            target = self.rows.targets[name][reference]
            target = target[self.kept[name]] if name in self.kept else target
            row = self.stands[reference.table][np.maximum(target, 0)]
            gone = pl.Series((target < 0) | ~self.kept[reference.table][row])
            if values.name in tables[name].key and gone.any():
                raise PolicyError(
                    f"{name}.{values.name} is in a key and refers to rows of {reference.table} "
                    f"that are not released: leave out the key of {name}, where nothing refers to "
                    "it"
                )
            place = pl.Series(np.cumsum(self.kept[reference.table])[row] - 1).set(gone, None)
            return self._column(reference.table, key).gather(place).alias(values.name)
        return values

    def _numbers(self, name: str, random: np.random.Generator) -> pl.Series:
        """Return 1, 2, … in random order within rows of an equal rest of the key."""
        key, parts = self.rows.policy.tables[name].key, numbered_parts(self.rows.policy, name)
        for part in parts:
            if (name, part) in self._new:
                return self._new[name, part]
        frame = self.tables[name].filter(pl.Series(self.kept[name]))
        order = frame.select(as_key(frame[one]) for one in key).select(pl.arg_sort_by(key))
        drawn = np.empty(frame.height, np.int64)
        drawn[order.to_series().to_numpy()] = random.permutation(frame.height)
        rest = [self._column(name, one) for one in key if one not in parts]
        ranks = pl.DataFrame([*rest, pl.Series("\0drawn", drawn)]).select(
            pl.col("\0drawn").rank("ordinal").over([pl.lit(0), *(one.name for one in rest)])
        )
        return ranks.to_series().cast(pl.Int64)
