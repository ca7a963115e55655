"""Quasi-identifiers of linked tables at the levels of their hierarchies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError, HierarchyError
from kanonym.data.hierarchy import Automatic, Flat, Hierarchy
from kanonym.data.schema import QuasiIdentifier
from kanonym.linked.persons.person_trees import Codes
from kanonym.linked.policies.linked_policy import LinkedPolicy

Column = tuple[str, str]
"""A table and one of its columns."""


@dataclass(frozen=True)
class KnownColumn:
    """One quasi-identifier of one table.

    Attributes
    ----------
    table, name
        Where it is.
    hierarchy
        Over its values.
    leaves
        (n_rows,) int32, the leaf of each row.
    values
        The column before recoding.
    refers
        Whether it refers to another table: a pseudonym is released, or nothing.
    in_key
        Whether it is in the key of its table: released as it is, or keys would become equal.

    """

    table: str
    name: str
    hierarchy: Hierarchy
    leaves: NDArray[np.int32]
    values: pl.Series
    refers: bool
    in_key: bool

    @property
    def highest(self) -> int:
        """The highest level at which it can be released."""
        return 0 if self.in_key else self.hierarchy.n_levels - 1

    def codes(self, level: int) -> Codes:
        """Return (n_rows,) int64: equal numbers for rows with one label at a level."""
        found: Codes = self.hierarchy.codes[level][self.leaves].astype(np.int64)
        return found

    @cached_property
    def losses(self) -> tuple[float, ...]:
        """Mean over rows, by level, of (leaves of the label - 1) / (all leaves - 1)."""
        rest = max(self.hierarchy.size - 1, 1)
        found = []
        for level in range(self.highest + 1):
            below = self.hierarchy.leaf_counts(level)[self.hierarchy.codes[level][self.leaves]]
            found.append(float((below - 1).mean()) / rest if len(below) else 0.0)
        return tuple(found)

    def released(self, level: int) -> pl.Series:
        """Return the labels of a level; at level 0 the values in their own type."""
        if level == 0:
            return self.values
        if self.refers:
            return pl.Series(self.name, [None] * len(self.values), dtype=self.values.dtype)
        labels = pl.Series(self.name, self.hierarchy.labels[level], dtype=pl.String)
        return labels.gather(self.codes(level))


def known_columns(
    columns: Mapping[Column, pl.Series], policy: LinkedPolicy, told: dict[str, str]
) -> list[KnownColumn]:
    """Return the quasi-identifiers of all tables with persons, in order.

    columns: the columns of tables as actions leave them. told: gets a sentence by column, where
    a hierarchy is built because none was given.

    Raises
    ------
    HierarchyError
        A hierarchy lacks a value.
    DataError
        A number is infinite.

    """
    found = []
    for table in policy.order:
        referring = {name for one in policy.other_references(table) for name in one.columns}
        for name in policy.tables[table].quasi_identifiers:
            attribute = policy.tables[table].attributes[name]
            assert isinstance(attribute, QuasiIdentifier)  # noqa: S101 - it is one of these
            values = _finite(columns[table, name], table)
            refers = name in referring
            in_key = name in policy.tables[table].key
            source = Flat() if refers or in_key else attribute.hierarchy
            if source is None:
                suggestion = Automatic().suggest(values)
                source, told[f"{table}.{name}"] = suggestion.builder, suggestion.describe()
            try:
                hierarchy = source.bind(values)
            except HierarchyError as error:
                raise HierarchyError(f"{table}: {error}", values=error.values) from None
            leaves = hierarchy.leaf_of(values)
            found.append(KnownColumn(table, name, hierarchy, leaves, values, refers, in_key))
    return found


def _finite(values: pl.Series, table: str) -> pl.Series:
    """Return a column with null for NaN; refuse infinite numbers."""
    if not values.dtype.is_float():
        return values
    infinite = values.is_infinite().fill_null(value=False).arg_true()
    if len(infinite):
        raise DataError(
            f"{table}, column {values.name!r}, row {infinite[0] + 1}: infinite values cannot be "
            "generalized; replace them, or leave the cell empty for a missing value"
        )
    return values.fill_nan(None)
