"""Which rows are released, and where references lead then: limits, equal rows, suppression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError, SchemaError
from kanonym.linked.given_tables import Column, as_key
from kanonym.linked.linked_keys import is_drawn, numbered_parts, unnumbered_parts
from kanonym.linked.linked_policy import LinkedPolicy, Tables, band_column
from kanonym.linked.person_rows import Codes, LinkedRows, codes_of_values, combine


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
    """What became of the rows of a table that merges equal ones, those of released persons.

    rows: rows that another one, which is equal, stands for. different: different pairs of a person
    and all released values of a row before. lost: those of them that the release does not have.
    """

    rows: int
    different: int
    lost: int


def _compared(
    tables: Tables, rows: LinkedRows, keys: Mapping[Column, Column]
) -> dict[str, list[str]]:
    """Return by table that merges rows the columns in which equal rows are equal.

    All columns but those that say whose a row is, and keys that are numbers of this release.
    """
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
            found[name] = [one for one in tables[name].columns if one not in skipped]
    return found


def equal_but_for_levels(
    tables: Tables, rows: LinkedRows, keys: Mapping[Column, Column]
) -> dict[str, Codes]:
    """Return by table that merges rows, equal numbers for rows that are equal at equal levels.

    tables: as actions leave them.
    """
    found = {}
    for name, columns in _compared(tables, rows, keys).items():
        known = rows.policy.tables[name].quasi_identifiers
        codes = codes_of_values(tables[name], [one for one in columns if one not in known])
        apart = np.zeros(len(codes), np.bool_)  # or rows below would have one key
        for table in rows.policy.tables.values():
            for one, target in rows.targets[table.name].items():
                in_key = one.table == name and {*one.columns} & {*table.key}
                if in_key and not numbered_parts(rows.policy, table.name):
                    apart[target[target >= 0]] = True
        own = np.arange(len(codes)) + len(codes)
        found[name] = combine([np.where(apart, own, codes)], len(codes))
    return found


def count_merged(
    released: Tables,
    rows: LinkedRows,
    keys: Mapping[Column, Column],
    kept: Mapping[str, NDArray[np.bool_]],
    suppressed: NDArray[np.bool_],
) -> dict[str, MergedRows]:
    """Return what became of equal rows; released: all rows, recoded."""
    found = {}
    for name, columns in _compared(released, rows, keys).items():
        persons = pl.Series("\0person", rows.persons[name])
        values = released[name].select(persons, *columns)
        shown = ~suppressed[rows.persons[name]]
        before, after = (values.filter(pl.Series(one)) for one in (shown, kept[name]))
        different = before.n_unique()
        lost = different - after.n_unique()
        found[name] = MergedRows(before.height - after.height, different, lost)
    return found


@dataclass(frozen=True)
class KeptRows:
    """The rows of tables that are released.

    tables: all rows of all tables. kept: by table with persons, (n_rows,) bool; other tables keep
    all rows. stands: as of `LinkedRows.merged`. random: numbers anew what `numbered_parts` names;
    None leaves it.
    """

    tables: Tables
    rows: LinkedRows
    kept: Mapping[str, NDArray[np.bool_]]
    stands: Mapping[str, Codes]
    random: np.random.Generator | None = None
    _new: dict[Column, pl.Series] = field(default_factory=dict)

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return the tables: references to merged rows follow, those to other rows become null."""
        return {
            name: pl.DataFrame([self._column(name, one) for one in self.tables[name].columns])
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
        for one in sorted(tables[name].references, key=lambda one: one != tables[name].owner):
            if values.name not in one.columns or one.table not in self.kept:
                continue
            key = tables[one.table].key[one.columns.index(values.name)]
            if (one.table, key) == (name, values.name):
                continue
            target = self.rows.targets[name][one]
            target = target[self.kept[name]] if name in self.kept else target
            row = self.stands[one.table][np.maximum(target, 0)]
            gone = pl.Series((target < 0) | ~self.kept[one.table][row])
            if values.name in tables[name].key and gone.any():
                raise PolicyError(
                    f"{name}.{values.name} is in a key and refers to rows of {one.table} that are "
                    f"not released: leave out the key of {name}, where nothing refers to it"
                )
            place = pl.Series(np.cumsum(self.kept[one.table])[row] - 1).set(gone, None)
            return self._column(one.table, key).gather(place).alias(values.name)
        return values

    def _numbers(self, name: str, random: np.random.Generator) -> pl.Series:
        """Return (n_rows,) 1, 2, … in random order within the rows that agree in the rest of a key.

        The order of the rows does not matter. All parts have the same numbers.
        """
        key, parts = self.rows.policy.tables[name].key, numbered_parts(self.rows.policy, name)
        for one in parts:
            if (name, one) in self._new:
                return self._new[name, one]
        frame = self.tables[name].filter(pl.Series(self.kept[name]))
        order = frame.select(as_key(frame[one]) for one in key).select(pl.arg_sort_by(key))
        drawn = np.empty(frame.height, np.int64)
        drawn[order.to_series().to_numpy()] = random.permutation(frame.height)
        rest = [self._column(name, one) for one in key if one not in parts]
        ranks = pl.DataFrame([*rest, pl.Series("\0drawn", drawn)]).select(
            pl.col("\0drawn").rank("ordinal").over([pl.lit(0), *(one.name for one in rest)])
        )
        return ranks.to_series().cast(pl.Int64)
