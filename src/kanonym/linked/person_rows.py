"""How the rows of linked tables hang together, and which persons have equal rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.table import value_codes
from kanonym.linked.given_tables import (
    check_tables,
    parent_rows,
    released_policy,
    with_column_roles,
)
from kanonym.linked.linked_policy import Counting, LinkedPolicy, Reference, Tables
from kanonym.verification.linked_rows import collections_of

Codes = NDArray[np.int64]
"""(n_rows,) int64: equal numbers for rows that are equal."""

Masks = dict[str, NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class LinkedRows:
    """The rows of persons in all tables, each below the row it belongs to: (n_rows,) int64."""

    policy: LinkedPolicy
    sizes: Mapping[str, int]  # of each table of `LinkedPolicy.order`
    targets: Mapping[str, Mapping[Reference, Codes]]  # the row that each refers to, or -1
    parents: Mapping[str, Codes]  # the row that each belongs to, but persons
    persons: Mapping[str, Codes]  # the person of each row

    @classmethod
    def read(cls, tables: Tables, policy: LinkedPolicy) -> LinkedRows:
        """Return the rows of tables, released or not, that are found to be what a policy says."""
        policy = released_policy(policy, tables)
        check_tables(tables, policy)
        return cls.of(tables, with_column_roles(policy, tables))

    @classmethod
    def of(cls, tables: Tables, policy: LinkedPolicy) -> LinkedRows:
        """Return how the rows of tables hang together; `check_tables` found them in order."""
        targets = {
            name: {one: parent_rows(tables, table, one, policy) for one in table.references}
            for name, table in policy.tables.items()
        }
        parents: dict[str, Codes] = {}
        persons = {policy.person: np.arange(tables[policy.person].height, dtype=np.int64)}
        for name in policy.order[1:]:
            parents[name] = targets[name][policy.owner(name)]
            persons[name] = persons[policy.parent(name)][parents[name]]
        sizes = {name: tables[name].height for name in policy.order}
        return cls(policy, sizes, targets, parents, persons)

    def followed_by(self, other: LinkedRows) -> LinkedRows:
        """Return these rows and, behind them, those of other tables of the same policy."""
        sizes = {name: size + other.sizes[name] for name, size in self.sizes.items()}
        parents = {
            name: np.append(rows, other.parents[name] + self.sizes[self.policy.parent(name)])
            for name, rows in self.parents.items()
        }
        persons = {
            name: np.append(rows, other.persons[name] + self.n_persons)
            for name, rows in self.persons.items()
        }
        return LinkedRows(self.policy, sizes, {}, parents, persons)

    @property
    def n_persons(self) -> int:
        """Number of persons."""
        return self.sizes[self.policy.person]

    def way_up(self, name: str) -> list[tuple[str, Codes]]:
        """Return a table and those that it belongs to, each with the row of every row."""
        way = [(name, np.arange(self.sizes[name], dtype=np.int64))]
        while way[-1][0] != self.policy.person:
            at, rows = way[-1]
            way.append((self.policy.parent(at), self.parents[at][rows]))
        return way

    def knowing(self, names: Iterable[str]) -> LinkedRows:
        """Return the same rows, where numbers of rows of some tables are known."""
        known = {at for name in names for at, _ in self.way_up(name)}
        tables = {
            name: replace(one, known=one.known or name in known)
            for name, one in self.policy.tables.items()
        }
        return replace(self, policy=replace(self.policy, tables=tables))

    def merged(self, equal: Mapping[str, Codes]) -> dict[str, Codes]:
        """Return by table what stands for each row: itself, or an equal row of its parent."""
        stands = {name: np.arange(size, dtype=np.int64) for name, size in self.sizes.items()}
        for name, codes in equal.items():
            parent = stands[self.policy.parent(name)][self.parents[name]]
            groups = combine([parent, codes], len(codes))
            stands[name] = np.unique(groups, return_index=True)[1].astype(np.int64)[groups]
        return stands

    def classes(
        self,
        own: Mapping[str, Codes],
        stands: Mapping[str, Codes] | None = None,
        counting: Counting = "multiset",
    ) -> Codes:
        """Return (n_persons,) int64: equal numbers for persons equal with all their rows."""
        person = self.policy.person
        return combine([own[person], self.trees(own, stands, counting)], self.n_persons)

    def trees(
        self,
        own: Mapping[str, Codes],
        stands: Mapping[str, Codes] | None = None,
        counting: Counting = "multiset",
        name: str | None = None,
    ) -> Codes:
        """Return (n_rows,) int64: equal numbers for rows of a table with equal rows below them."""
        name = name or self.policy.person
        found: list[Codes] = []
        for child in self.policy.children(name):
            if not self.policy.tables[child].known:
                continue
            below = self.trees(own, stands, counting, child)
            parent, codes = self.parents[child], combine([own[child], below], self.sizes[child])
            if stands is not None:
                kept = stands[child] == np.arange(len(codes))
                parent, codes = stands[name][parent[kept]], codes[kept]
            repeated = counting == "multiset"
            found.append(collections_of(parent, codes, self.sizes[name], repeated=repeated))
        return combine(found, self.sizes[name])

    def class_sizes(self, own: Mapping[str, Codes], counting: Counting = "multiset") -> Codes:
        """Return (n_persons,) int64: the persons in the class of each person, as of `classes`."""
        classes = self.classes(own, counting=counting)
        return np.bincount(classes, minlength=1)[classes]

    def counts(self, name: str) -> Codes:
        """Return (n_persons,) int64: the number of rows that each person has in a table."""
        return np.bincount(self.persons[name], minlength=self.n_persons).astype(np.int64)


def combine(columns: Sequence[Codes], n_rows: int) -> Codes:
    """Return (n_rows,) int64: equal numbers, from 0, for rows that are equal in all columns."""
    codes = np.zeros(n_rows, np.int64)
    for column in columns:
        span = int(column.max(initial=0)) + 1
        _, codes = np.unique(codes * span + column, return_inverse=True)
    return codes


def codes_of(values: pl.Series) -> Codes:
    """Return (n_rows,) int64: equal numbers for equal values."""
    return value_codes(values)[0].astype(np.int64)


def codes_of_values(frame: pl.DataFrame, columns: Sequence[str]) -> Codes:
    """Return (n_rows,) int64: equal numbers for rows with equal values in some columns."""
    return combine([codes_of(frame[name]) for name in columns], frame.height)
