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
from kanonym.linked.persons.person_trees import Codes, collections_of, combine
from kanonym.linked.policies.linked_policy import Counting, LinkedPolicy
from kanonym.linked.policies.table_policy import Reference

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
    targets
        By table and reference the row that each row refers to, -1 for none: (n_rows,) int64.
    parents
        By table, in the order of `LinkedPolicy.order`, the row of its owner's table that each
        row belongs to: (n_rows,) int64. The table of persons has none.
    persons
        By table, the person of each row: (n_rows,) int64.

    """

    policy: LinkedPolicy
    sizes: Mapping[str, int]
    targets: Mapping[str, Mapping[Reference, Codes]]
    parents: Mapping[str, Codes]
    persons: Mapping[str, Codes]

    @classmethod
    def of(cls, tables: Tables, policy: LinkedPolicy) -> LinkedRows:
        """Return how the rows of tables hang together; `check_keys` found them in order."""
        targets = {
            name: {one: parent_rows(tables, table, one, policy) for one in table.references}
            for name, table in policy.tables.items()
        }
        parents: dict[str, Codes] = {}
        persons = {policy.person: np.arange(tables[policy.person].height, dtype=np.int64)}
        for name in policy.order[1:]:
            owner = policy.tables[name].owner
            assert owner is not None  # noqa: S101 - the order has tables of persons alone
            parents[name] = targets[name][owner]
            persons[name] = persons[owner.table][parents[name]]
        sizes = {name: tables[name].height for name in policy.order}
        return cls(policy, sizes, targets, parents, persons)

    @property
    def n_persons(self) -> int:
        """Number of persons."""
        return self.sizes[self.policy.person]

    def merged(self, equal: Mapping[str, Codes]) -> dict[str, Codes]:
        """Return by table the row that stands for each row: itself, or an equal one of its parent.

        equal: by table that merges rows, equal numbers for equal rows: (n_rows,) int64. Rows
        below a merged row belong to the one that stands for it.
        """
        stands = {name: np.arange(size, dtype=np.int64) for name, size in self.sizes.items()}
        for name, codes in equal.items():
            owner = self.policy.tables[name].owner
            assert owner is not None  # noqa: S101 - only rows that belong to others are merged
            parent = stands[owner.table][self.parents[name]]
            groups = combine([parent, codes], len(codes))
            stands[name] = np.unique(groups, return_index=True)[1].astype(np.int64)[groups]
        return stands

    def trees(
        self,
        own: Mapping[str, Codes],
        stands: Mapping[str, Codes] | None = None,
        counting: Counting = "multiset",
    ) -> Codes:
        """Return (n_persons,) int64: equal numbers for persons with equal rows in other tables.

        Parameters
        ----------
        own
            By table (n_rows,) int64, equal numbers for equal rows.
        stands
            As of `merged`; None where no rows are.
        counting
            Whether repeated rows count.

        """
        return self._below(self.policy.person, own, stands, counting)

    def _below(
        self,
        name: str,
        own: Mapping[str, Codes],
        stands: Mapping[str, Codes] | None,
        counting: Counting,
    ) -> Codes:
        """Return (n_rows,) int64: equal numbers for rows with equal rows below them."""
        found: list[Codes] = []
        for child in self.policy.children(name):
            if not self.policy.is_counted(child):
                continue
            codes = combine(
                [own[child], self._below(child, own, stands, counting)], self.sizes[child]
            )
            parent = self.parents[child]
            if stands is not None:
                kept = stands[child] == np.arange(len(codes))
                parent, codes = stands[name][parent[kept]], codes[kept]
            found.append(
                collections_of(parent, codes, self.sizes[name], repeated=counting == "multiset")
            )
        return combine(found, self.sizes[name])

    def counts(self, name: str) -> Codes:
        """Return (n_persons,) int64: the number of rows that each person has in a table."""
        return np.bincount(self.persons[name], minlength=self.n_persons).astype(np.int64)


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
