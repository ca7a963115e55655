"""A release beside its original: which columns are compared, and what is known about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl

from kanonym.actions.base import Action
from kanonym.actions.registry import ColumnActions, random_actions
from kanonym.data import frames
from kanonym.data.columns.rebuild import Frame, TableSource
from kanonym.data.errors import DataError, Message, SchemaError
from kanonym.data.files import table_of
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.results import ShortRepr
from kanonym.data.schema import Identifier, ItemSet, Recoding
from kanonym.data.table import LARGEST
from kanonym.evaluation import releases
from kanonym.evaluation.columns import (
    SelectedColumns,
    finite_column,
    has_infinite_squares,
    select_columns,
)
from kanonym.evaluation.pair.tables import PairedSets, TablePair, pair_sets
from kanonym.kernels.arrays import Ints
from kanonym.pipeline.planning import parse_with_policy, to_canonical
from kanonym.policy import Policy, PolicySource


@dataclass(frozen=True, slots=True, repr=False)
class AlignedTables(ShortRepr):
    """The columns of two tables, ready to be read beside each other.

    rows: (n_released,) int64 the original record of each released one, of a `Release`.
    kept: of a `Release` that suppresses records: (n_original,) int64 the records of its input that
    are released, ascending. The original has no others: what is measured may be published.
    """

    before: dict[str, pl.Series]
    after: dict[str, pl.Series]
    known: list[str]
    sensitive: list[str]
    trees: dict[str, HierarchySource]
    sources: dict[str, HierarchySource]
    recodings: dict[str, Recoding]
    aligned: bool | None
    rows: Ints | None
    left_out: dict[str, str]
    policy: Policy | None
    sets: PairedSets | None
    kept: Ints | None = None

    @property
    def known_hierarchies(self) -> dict[str, HierarchySource]:
        """The hierarchies of quasi-identifiers."""
        return {name: tree for name, tree in self.trees.items() if name in self.known}

    def with_sets(self, pair: TablePair) -> TablePair:
        """Return a pair of these tables with their sets of items; the same without sets."""
        if self.sets is None:
            return pair
        pair = replace(pair, sets=self.sets)
        if pair.columns:
            return pair
        n_original, n_released = self.sets.original.n_rows, self.sets.released.n_rows
        rows = np.arange(n_released) if self.aligned and n_original == n_released else self.rows
        return replace(pair, n_original=n_original, n_released=n_released, rows=rows)

    def column_of(self, table: Frame, name: str) -> pl.Series:
        """Return a column of further persons, a table of `frames.to_eager`, as in `before`."""
        if name not in self.known:
            return frames.column(table, name)
        column = finite_column(table, name)
        if self.policy is not None and _is_compared_after_actions(self.policy, name, self.trees):
            return _apply_actions(self.policy, table, name)
        return column


def align_tables(
    original: TableSource,
    released: TableSource,
    policy: PolicySource | None,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    hierarchies: Mapping[str, HierarchySource] | None = None,
    aligned: bool | None = None,
    released_only: bool = True,
) -> AlignedTables:
    """Return the columns of a release and of its original; parameters and errors as of `utility`.

    `released` may be a `Release`: it brings its policy, its hierarchies, and which records are
    which. released_only: of a `Release`, leave the records out that it suppresses.
    """
    named = bool(quasi_identifiers or hierarchies)
    table, meant, release = releases.unpack_release(released, policy, named=named)
    original = table_of(original)
    whole, table = parse_with_policy(original, meant), to_canonical(table, meant, original)
    names = frames.column_names(whole)
    n_rows = frames.n_rows(whole)
    tables, kept = (whole, table), None
    if release is not None:
        releases.require_made_of(release, n_rows)
        kept = releases.released_records(release) if released_only else None
    if kept is not None:
        tables = frames.assemble(whole, kept, names), table
    held = frames.column_names(tables[1])
    columns = select_columns(meant, quasi_identifiers, sensitive, hierarchies or {}, held)
    absent = [name for name in columns.held if name not in names]
    if absent:
        raise SchemaError(f"the original has no column {absent[0]!r}. It has: {', '.join(names)}")
    if not n_rows:
        raise DataError("the original has no record: there is nothing to compare a release with")
    if release is None and aligned is None and meant is not None and meant.keep_order:
        aligned = n_rows == frames.n_rows(tables[1]) or None
    before, after, left_out = _comparable_columns(tables, names, held, meant, columns)
    trees = dict(columns.trees)
    recodings: dict[str, Recoding] = {}
    if meant is not None:
        # What is drawn for a record depends on its place among all of them.
        as_recoded = {name: _apply_actions(meant, whole, name) for name in columns.held}
        if kept is not None:
            as_recoded = {name: column.gather(kept) for name, column in as_recoded.items()}
        recodings = releases.recodings_of(meant, as_recoded)
        if release is not None:
            trees |= releases.hierarchies_of(release, released_only=released_only)
        trees = {
            name: tree
            for name, tree in trees.items()
            if name not in columns.held or recodings.get(name) == "hierarchy"
        }
        before |= {
            name: as_recoded[name]
            for name in columns.held
            if _is_compared_after_actions(meant, name, trees)
        }
    rows = None if release is None else release.rows
    if rows is not None and kept is not None:
        rows = np.searchsorted(kept, rows)
    return AlignedTables(
        {name: before[name] for name in names if name in before},
        after,
        [name for name in names if name in columns.held],
        [name for name in columns.sensitive if name in before],
        trees,
        {name: tree for name, tree in columns.trees.items() if name in trees},
        recodings,
        aligned,
        rows,
        left_out,
        meant,
        pair_sets(*tables, meant),
        kept,
    )


def _comparable_columns(
    tables: tuple[Frame, Frame],
    names: Sequence[str],
    held: Sequence[str],
    policy: Policy | None,
    asked: SelectedColumns,
) -> tuple[dict[str, pl.Series], dict[str, pl.Series], dict[str, str]]:
    """Return the compared columns of the original and of the release, and why others are not."""
    before: dict[str, pl.Series] = {}
    after: dict[str, pl.Series] = {}
    left_out: dict[str, str] = {}
    for name in names:
        if name in asked.held:
            before[name] = finite_column(tables[0], name)
            after |= {one: finite_column(tables[1], one) for one in asked.held[name]}
        elif name in held and not (
            policy is not None and isinstance(policy.attributes.get(name), Identifier | ItemSet)
        ):
            try:
                both = frames.column(tables[0], name), frames.column(tables[1], name)
            except DataError:
                left_out[name] = Message("holds what is no number, date, text or category")
                continue
            if any(map(has_infinite_squares, both)):
                left_out[name] = Message(
                    "has numbers that are infinite or beyond ±{largest:g}", largest=LARGEST
                )
            else:
                before[name], after[name] = both
    return before, after, left_out


def _is_compared_after_actions(
    policy: Policy, name: str, trees: Mapping[str, HierarchySource]
) -> bool:
    """Whether a quasi-identifier is compared as actions leave it."""
    return name in trees or not random_actions(_actions(policy, name))


def _apply_actions(policy: Policy, table: Frame, name: str) -> pl.Series:
    """Return a column as actions leave it, which is what a hierarchy knows."""
    actions = _actions(policy, name)
    seed = 0 if policy.seed is None and not random_actions(actions) else policy.seed
    if not actions or seed is None:
        return frames.column(table, name)
    every = {one: _actions(policy, one) for one in frames.column_names(table)}
    return ColumnActions(partial(frames.column, table), every, seed).before(name)


def _actions(policy: Policy, name: str) -> Sequence[Action]:
    """Return the actions on a column; none where the policy does not name it."""
    attribute = policy.attributes.get(name)
    return () if attribute is None else attribute.action
