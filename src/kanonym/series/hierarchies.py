"""Hierarchies that were fitted, and what they say of values that the fit did not see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy import Automatic, Dates, Hierarchy, HierarchySource, Intervals, Masking
from kanonym.data.hierarchy.builders.base import neighbour_runs
from kanonym.data.hierarchy.builders.calendar_date import parse_dates
from kanonym.data.hierarchy.leaves import parse_leaves, value_texts
from kanonym.series.values import stack_columns


class ExtendedHierarchy(NamedTuple):
    """A fitted hierarchy with the values of a batch in it.

    Attributes
    ----------
    hierarchy
        Over the leaves of the fitted one, which keep their order, and over all that came.
    levels
        For each level of the fitted one, the level that groups its leaves and names them
        the same.
    strangers
        (size,) bool: leaves that the fitted hierarchy cannot place. They have a branch of
        their own, whose labels are never released.

    """

    hierarchy: Hierarchy
    levels: tuple[int, ...]
    strangers: NDArray[np.bool_]


def rule_of(
    source: HierarchySource | None,
    hierarchy: Hierarchy,
    column: Callable[[], tuple[pl.Series, NDArray[np.int64] | None]],
) -> HierarchySource | None:
    """Return the rule behind a hierarchy, None where it is no rule but a list of values.

    A rule says of every number, date or code what its labels are, whatever else the table
    holds: intervals, dates and masking do. Quantiles, once found, are intervals.

    Parameters
    ----------
    source
        What the policy says; None for a hierarchy that was suggested.
    hierarchy
        What it was bound to.
    column
        Gives the values of the column and their counts, where they must be looked at again.

    """
    if source is None or isinstance(source, Automatic):
        source = Automatic().suggest(*column()).builder
    if isinstance(source, Intervals) and source.quantiles is not None:
        if source.bottom is not None or source.top is not None:
            return None
        return _cut(hierarchy)
    return source if isinstance(source, Intervals | Dates | Masking) else None


def _cut(hierarchy: Hierarchy) -> Intervals | None:
    """Return the intervals that start where the groups of a hierarchy do."""
    n_values = hierarchy.size - hierarchy.has_null
    bounds = []
    for row in hierarchy.codes[1:-1]:
        starts, _ = neighbour_runs(row[:n_values])
        bounds.append(hierarchy.values.gather(starts[1:]).to_list())
    try:
        return Intervals(bounds=bounds) if bounds and all(bounds) else None
    except HierarchyError:  # decimal numbers make no bounds
        return None


def extend_hierarchy(
    fitted: Hierarchy, rule: HierarchySource | None, values: pl.Series
) -> ExtendedHierarchy:
    """Return a fitted hierarchy over the distinct values of a batch, too.

    Values that the rule places get the labels of their number, date or code; all others,
    and null where the fit saw none, are strangers.

    Notes
    -----
    The rule is applied to the old and the new values together, and taken only if every
    old one keeps its place and its labels.

    """
    found = fitted.leaf_of(values)
    new = values.filter(pl.Series(found < 0))
    levels = tuple(range(fitted.n_levels))
    hierarchy = fitted
    placeable = _placeable_values(rule, fitted, new.drop_nulls())
    if rule is not None and len(placeable):
        wider = _widen(fitted, rule, placeable)
        if wider is not None:
            hierarchy, levels = wider
    left = new.filter(pl.Series(hierarchy.leaf_of(new) < 0))
    if not len(left):
        return ExtendedHierarchy(hierarchy, levels, np.zeros(hierarchy.size, np.bool_))
    return ExtendedHierarchy(*_with_unseen_values(hierarchy, levels, left))


def _placeable_values(rule: HierarchySource | None, fitted: Hierarchy, new: pl.Series) -> pl.Series:
    """Return the values that a rule can be asked about without a change to what it said."""
    if isinstance(rule, Dates) and len(new):
        return new.filter(parse_dates(new).is_not_null())
    if isinstance(rule, Masking) and len(new):
        longest = value_texts(fitted.values).str.len_chars().max() or 0
        return new.filter(value_texts(new).str.len_chars() <= longest)
    return new


def _widen(
    fitted: Hierarchy, rule: HierarchySource, new: pl.Series
) -> tuple[Hierarchy, tuple[int, ...]] | None:
    """Return the hierarchy of a rule over more values; None where it changes the old ones."""
    known = fitted.values
    try:
        built = rule.bind(stack_columns(known, new))
    except HierarchyError:
        return None
    places = built.leaf_of(known)
    if (np.diff(places) <= 0).any():
        return None
    now = [_labels_at(built, level, places) for level in range(built.n_levels)]
    every = np.arange(fitted.size, dtype=np.int32)
    levels = [0]
    for level in range(1, fitted.n_levels - 1):
        before = _labels_at(fitted, level, every)
        same = [at for at in range(levels[-1] + 1, len(now) - 1) if now[at] == before]
        if not same:
            return None
        levels.append(same[0])
    return built, (*levels, built.n_levels - 1)


def _labels_at(known: Hierarchy, level: int, leaves: NDArray[np.int32]) -> list[str | None]:
    """Return the labels of some leaves at a level."""
    names = known.labels[level]
    return [names[code] for code in known.codes[level, leaves].tolist()]


def _with_unseen_values(
    known: Hierarchy, levels: tuple[int, ...], strangers: pl.Series
) -> tuple[Hierarchy, tuple[int, ...], NDArray[np.bool_]]:
    """Return a hierarchy with further leaves, each a branch of its own below the root."""
    kept = known.size - known.has_null
    null = strangers.null_count() > 0
    named = strangers.drop_nulls()
    values = stack_columns(known.values.head(kept), named)
    if known.has_null or null:
        values = values.extend_constant(None, 1)
    n = len(named)
    further = np.arange(n + (known.has_null or null), dtype=np.int32)
    labels, codes = [], []
    for names, row in zip(known.labels[:-1], known.codes[:-1], strict=True):
        old = names[: len(names) - known.has_null]
        ends = names[len(old) :] or ((None,) if null else ())  # null stays the last
        labels.append((*old, *_fresh_names(value_texts(named).to_list(), {*old, *ends}), *ends))
        codes.append(np.concatenate([row[:kept], len(old) + further]))
    codes.append(np.zeros(len(values), np.int32))
    strange = np.zeros(len(values), np.bool_)
    strange[kept : kept + n] = True
    if null:
        strange[-1] = True
    wider = Hierarchy(values, (*labels, known.labels[-1]), np.stack(codes).astype(np.int32))
    return wider, levels, strange


def _fresh_names(names: Sequence[str], taken: set[str | None]) -> list[str]:
    """Return names that differ from all that are taken."""
    found = []
    for name in names:
        own = name
        while own in taken:
            own += "'"
        taken.add(own)
        found.append(own)
    return found


def to_rows(hierarchy: Hierarchy) -> list[list[str | None]]:
    """Return one row a leaf, from its value to the root; null stays null."""
    return [list(row) for row in hierarchy.rows()]


def from_rows(name: str, rows: Sequence[Sequence[Any]], dtype: pl.DataType) -> Hierarchy:
    """Return the hierarchy of rows that `to_rows` made, its leaves of a column's type."""
    columns = list(zip(*rows, strict=True))
    labels, codes = [], []
    for column in columns:
        starts = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(column)) if a != b)]
        labels.append(tuple(column[start] for start in starts))
        sizes = np.diff([*starts, len(column)])
        codes.append(np.repeat(np.arange(len(starts), dtype=np.int32), sizes))
    leaves = pl.Series(name, columns[0], dtype=pl.String)
    return Hierarchy(
        parse_leaves(leaves, dtype, lambda _: "the file"), tuple(labels), np.stack(codes)
    )
