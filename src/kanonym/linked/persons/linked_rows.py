"""How the rows of linked tables hang together: each below the row it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.table import value_codes
from kanonym.linked.keys.integrity import Tables, parent_rows
from kanonym.linked.keys.key_parts import counted_parts
from kanonym.linked.persons.person_trees import Codes, collections_of, combine, first_of_equal
from kanonym.linked.policies.linked_policy import Counting, LinkedPolicy

Masks = dict[str, NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class LinkedRows:
    """The rows of persons in all tables.

    Attributes
    ----------
    policy
        Which table belongs to which.
    sizes
        Rows of each table.
    parents
        By table, in the order of `LinkedPolicy.order`, the row of its owner's table that each
        row belongs to: (n_rows,) int64. The table of persons has none.
    persons
        By table, the person of each row: (n_rows,) int64.

    """

    policy: LinkedPolicy
    sizes: Mapping[str, int]
    parents: Mapping[str, Codes]
    persons: Mapping[str, Codes]

    @classmethod
    def of(cls, tables: Tables, policy: LinkedPolicy) -> LinkedRows:
        """Return how the rows of tables hang together; `check_keys` found them in order."""
        parents: dict[str, Codes] = {}
        persons = {policy.person: np.arange(tables[policy.person].height, dtype=np.int64)}
        for name in policy.order[1:]:
            table = policy.tables[name]
            assert table.owner is not None  # noqa: S101 - the order has tables of persons alone
            parents[name] = parent_rows(tables, table, table.owner, policy)
            persons[name] = persons[table.owner.table][parents[name]]
        return cls(policy, {name: tables[name].height for name in policy.order}, parents, persons)

    @property
    def n_persons(self) -> int:
        """Number of persons."""
        return self.sizes[self.policy.person]

    def merged(self, own: Mapping[str, Codes], ranks: Mapping[str, Codes]) -> Masks:
        """Return by table which rows stay: one of equal rows where the policy merges them.

        own: by table (n_rows,) equal numbers for rows that are equal after recoding. ranks: by
        table the order in which rows are preferred. A row goes along with its parent.
        """
        kept: Masks = {self.policy.person: np.ones(self.n_persons, np.bool_)}
        for name, parent in self.parents.items():
            owner = self.policy.tables[name].owner
            assert owner is not None  # noqa: S101 - as in `of`
            stays = kept[owner.table][parent]
            if self.policy.tables[name].merge:
                rows = np.flatnonzero(stays)
                first = first_of_equal(parent[rows], own[name][rows], ranks[name][rows])
                stays = np.zeros(len(parent), np.bool_)
                stays[rows[first]] = True
            kept[name] = stays
        return kept

    def trees(
        self,
        own: Mapping[str, Codes],
        kept: Mapping[str, NDArray[np.bool_]] | None = None,
        counting: Counting = "multiset",
    ) -> Codes:
        """Return (n_persons,) int64: equal numbers for persons with equal rows in other tables.

        Parameters
        ----------
        own
            By table (n_rows,) int64, equal numbers for equal rows.
        kept
            By table which rows there are; None for all.
        counting
            Whether repeated rows count.

        """
        return self._below(self.policy.person, own, kept, counting)

    def _below(
        self,
        name: str,
        own: Mapping[str, Codes],
        kept: Mapping[str, NDArray[np.bool_]] | None,
        counting: Counting,
    ) -> Codes:
        """Return (n_rows,) int64: equal numbers for rows with equal rows below them."""
        found: list[Codes] = []
        for child in self.policy.children(name):
            if not self.policy.is_counted(child):
                continue
            codes = combine(
                [own[child], self._below(child, own, kept, counting)], self.sizes[child]
            )
            parent = self.parents[child]
            if kept is not None:
                parent, codes = parent[kept[child]], codes[kept[child]]
            found.append(
                collections_of(parent, codes, self.sizes[name], repeated=counting == "multiset")
            )
        return combine(found, self.sizes[name])

    def counts(self, name: str) -> Codes:
        """Return (n_persons,) int64: the number of rows that each person has in a table."""
        return np.bincount(self.persons[name], minlength=self.n_persons).astype(np.int64)

    def without(self, suppressed: NDArray[np.bool_], kept: Masks) -> Masks:
        """Return which rows stay when some persons go: all of theirs go along."""
        return {name: kept[name] & ~suppressed[self.persons[name]] for name in kept}


def codes_of_values(frame: pl.DataFrame, columns: list[str]) -> Codes:
    """Return (n_rows,) int64: equal numbers for rows with equal values in some columns."""
    coded = [value_codes(frame[name])[0].astype(np.int64) for name in columns]
    return combine(coded, frame.height)


def known_codes(tables: Mapping[str, Any], policy: LinkedPolicy) -> dict[str, Codes]:
    """Return by table `codes_of_values` of its `known_names`."""
    return {
        name: codes_of_values(tables[name], known_names(tables, policy, name))
        for name in policy.order
    }


def known_names(tables: Mapping[str, Any], policy: LinkedPolicy, name: str) -> list[str]:
    """Return the quasi-identifiers of a table, as far as it has them, and counted key columns."""
    known = [one for one in policy.tables[name].quasi_identifiers if one in tables[name].columns]
    return [*known, *counted_parts(tables, policy, name)]
