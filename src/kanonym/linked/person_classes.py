"""Classes of persons with all their rows, at any levels, and the search for levels."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import polars as pl

from kanonym.data.errors import DataError, HierarchyError
from kanonym.data.hierarchy import Automatic, Flat, Hierarchy
from kanonym.data.table import encode_column, refuse_infinite
from kanonym.kernels.arrays import Bools, Int32s
from kanonym.kernels.classes.grouping import Groups
from kanonym.linked.linked_policy import LinkedPolicy, Tables
from kanonym.linked.person_rows import Codes, LinkedRows, combine
from kanonym.verification.released_classes import SensitiveColumn, classes_of_release


def person_columns(
    tables: Tables, rows: LinkedRows, original: pl.DataFrame | None = None
) -> list[SensitiveColumn]:
    """Return the sensitive attributes of persons, those of other tables as `table.column`.

    original: the table of persons before. In other tables null is no value.
    """
    policy = rows.policy
    frame = tables[policy.person]
    columns = [
        SensitiveColumn.of(frame[name], attribute, None if original is None else original[name])
        for name, attribute in policy.tables[policy.person].sensitive.items()
        if name in frame.columns
    ]
    for name in policy.order[1:]:
        for column in policy.tables[name].sensitive:
            if column in tables[name].columns:
                values = tables[name][column].alias(f"{name}.{column}")
                whose = pl.Series("\0person", rows.persons[name])
                values, whose = pl.DataFrame([values, whose]).drop_nulls().unique()
                columns.append(SensitiveColumn(values, rows=whose.to_numpy()))
    return columns


Levels = tuple[int, ...]

MOST_NODES = 4_000
"""Combinations of levels that are tried in the order of their loss before the search descends."""


@dataclass(frozen=True)
class KnownColumn:
    """One quasi-identifier of one table, whose rows have leaves of a hierarchy."""

    table: str
    name: str
    hierarchy: Hierarchy
    leaves: Int32s  # (n_rows,)
    values: pl.Series
    refers: bool  # to another table: its pseudonym is released, or nothing
    in_key: bool  # released as it is, or keys would become equal

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
        below = (
            self.hierarchy.leaf_counts(level)[self.codes(level)]
            for level in range(self.highest + 1)
        )
        return tuple(float((one - 1).mean()) / rest if len(one) else 0.0 for one in below)

    def released(self, level: int) -> pl.Series:
        """Return the labels of a level; at level 0 the values in their own type."""
        if level == 0:
            return self.values
        if self.refers:
            return pl.Series(self.name, [None] * len(self.values), dtype=self.values.dtype)
        labels = pl.Series(self.name, self.hierarchy.labels[level], dtype=pl.String)
        return labels.gather(self.codes(level))


def known_columns(
    tables: Tables, policy: LinkedPolicy, told: dict[str, str], but: Collection[str] = ()
) -> list[KnownColumn]:
    """Return the quasi-identifiers of all tables, but some; told: gets what each built tree is."""
    found = []
    for table in policy.order:
        asked = policy.tables[table]
        for name, attribute in asked.quasi_identifiers.items():
            if f"{table}.{name}" in but:
                continue
            values = tables[table][name]
            values = values.fill_nan(None) if values.dtype.is_float() else values
            refers, in_key = name in asked.referring, name in asked.key
            source = Flat() if refers or in_key else attribute.hierarchy
            if source is None:
                suggestion = Automatic().suggest(values)
                source, told[f"{table}.{name}"] = suggestion.builder, suggestion.parameters
            try:
                refuse_infinite(values)
                domain, leaves = encode_column(values, source)
            except DataError as error:
                raise DataError(f"{table}, {error}") from None
            except HierarchyError as error:
                raise HierarchyError(f"{table}: {error}", values=error.values) from None
            assert domain.hierarchy is not None  # noqa: S101 - there is a source
            column = KnownColumn(table, name, domain.hierarchy, leaves, values, refers, in_key)
            found.append(column)
    return found


@dataclass(frozen=True)
class PersonClasses:
    """Classes of persons with all their rows, at any levels."""

    rows: LinkedRows
    known: Sequence[KnownColumn]
    sensitive: Sequence[SensitiveColumn]
    further: Mapping[str, Codes]  # by table that merges rows, equal but for their levels
    parts: Mapping[str, Sequence[Codes]]  # codes of the columns of its key that count
    _own: dict[tuple[str, Levels], Codes] = field(default_factory=dict)

    def at(self, levels: Levels) -> tuple[dict[str, Codes], Bools]:
        """Return by table the row that stands for each, and which persons fail."""
        own = {name: self._codes(name, levels) for name in self.rows.policy.order}
        equal = {name: combine([own[name], one], len(one)) for name, one in self.further.items()}
        stands = self.rows.merged(equal)
        classes = self.rows.classes(own, stands, self.rows.policy.counting)
        return stands, self._failing(classes)[classes]

    def _failing(self, classes: Codes) -> Bools:
        """Return which classes, numbered from 0 and none empty, fail a model: (n_classes,) bool."""
        models = self.rows.policy.models
        _, first, sizes = np.unique(classes, return_index=True, return_counts=True)
        groups = Groups(classes.astype(np.int32), sizes, first, np.zeros((len(sizes), 0), np.int32))
        named = {model.attribute for model in models}
        columns = [one for one in self.sensitive if one.values.name in named]
        seen = classes_of_release(groups, columns)
        failing = np.zeros(len(sizes), np.bool_)
        for model in models:
            failing |= ~model.satisfied(seen)
        return failing

    def satisfies(self, levels: Levels) -> bool:
        """Whether few enough persons are in classes that fail."""
        failing = self.at(levels)[1]
        limit = self.rows.policy.suppression_limit * len(failing)
        return int(failing.sum()) <= limit and not (failing.all() and len(failing))

    def _codes(self, name: str, levels: Levels) -> Codes:
        """Return equal numbers for equal rows of one table; kept for other levels elsewhere."""
        pairs = zip(self.known, levels, strict=True)
        several = [(one, level) for one, level in pairs if one.table == name]
        mine = (name, tuple(level for _, level in several))
        if mine not in self._own:
            codes = [one.codes(level) for one, level in several]
            self._own[mine] = combine([*codes, *self.parts[name]], self.rows.sizes[name])
        return self._own[mine]


@dataclass(frozen=True, slots=True)
class SearchedLevels:
    """Levels, one for each column, and how they were found."""

    levels: Levels
    loss: float  # mean of the columns, in [0, 1]
    checked: int  # combinations that were tried
    size: int  # all combinations
    optimal: bool  # no satisfying one loses less

    def account(self, known: Sequence[KnownColumn], built: Mapping[str, str]) -> dict[str, Any]:
        """Return the JSON form; built: hierarchies that were built because none was given."""
        names = [f"{one.table}.{one.name}" for one in known]
        return {
            "type": "full-domain",
            "levels": dict(zip(names, self.levels, strict=True)),
            "highest_levels": dict(zip(names, (one.highest for one in known), strict=True)),
            "metric": "span-loss",
            "score": self.loss,
            "optimal": self.optimal,
            "lattice_size": self.size,
            "nodes_checked": self.checked,
            **({"built_hierarchies": dict(built)} if built else {}),
        }


def find_levels(
    losses: Sequence[Sequence[float]], satisfies: Callable[[Levels], bool], most: int = MOST_NODES
) -> SearchedLevels | None:
    """Return the satisfying levels of least mean loss; None where not even the roots satisfy.

    Combinations come in the order of their loss, which never falls from one level of a column to
    the next, so that the first one that satisfies is the best, whatever `satisfies` is like. Ties:
    the lexicographically lower levels. Beyond `most` of them, the search starts at the roots and
    goes down one level at a time, where that saves most, as long as levels satisfy.
    """
    tops = tuple(len(one) - 1 for one in losses)
    size = prod(top + 1 for top in tops)

    def loss_of(levels: Levels) -> float:
        every = [one[level] for one, level in zip(losses, levels, strict=True)]
        return sum(every) / max(len(every), 1)

    bottom = (0,) * len(tops)
    queue, seen, checked = [(loss_of(bottom), bottom)], {bottom}, 0
    while queue and checked < most:
        loss, levels = heapq.heappop(queue)
        checked += 1
        if satisfies(levels):
            return SearchedLevels(levels, loss, checked, size, optimal=True)
        for above in set(_neighbours(levels, tops, 1)) - seen:
            seen.add(above)
            heapq.heappush(queue, (loss_of(above), above))
    if not queue or not satisfies(tops):
        return None
    levels, checked = tops, checked + 1
    while True:
        for _, below in sorted(
            (loss_of(neighbour), neighbour) for neighbour in _neighbours(levels, tops, -1)
        ):
            checked += 1
            if satisfies(below):
                levels = below
                break
        else:
            return SearchedLevels(levels, loss_of(levels), checked, size, optimal=False)


def _neighbours(levels: Levels, tops: Levels, step: int) -> list[Levels]:
    """Return the levels with one of them a step higher or lower."""
    return [
        (*levels[:i], level + step, *levels[i + 1 :])
        for i, level in enumerate(levels)
        if 0 <= level + step <= tops[i]
    ]
