"""Hierarchies that do not depend on the table: what is public before a record is looked at.

A hierarchy that is built from the values of a column tells of them: one record can add a level, a
label or an error. Here every value has its place beforehand. Null is a branch of its own, whether
it occurs or not, and any value that the hierarchy does not list is released as the root.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.data.hierarchy import FromFile, FromMapping, Hierarchy, HierarchySource, Intervals
from kanonym.data.hierarchy.base import ROOT
from kanonym.data.hierarchy.builders.base import Column
from kanonym.data.hierarchy.builders.interval import Grid
from kanonym.data.hierarchy.csv_file import Rows
from kanonym.data.results import ShortRepr
from kanonym.data.schema import QuasiIdentifier
from kanonym.differential_privacy.cells import canonical_texts, read_cells

MOST_INTERVALS = 100_000
"""A grid of more intervals is a mistake in the policy."""

Place = Callable[[pl.Series], NDArray[np.int32]]


@dataclass(frozen=True, slots=True, repr=False)
class PublicHierarchy(ShortRepr):
    """A hierarchy in which every value has a place, whatever the table holds.

    place: from texts, as `declared_cells` returns them, to (n,) int32 leaves.
    """

    _shown: ClassVar[tuple[str, ...]] = ("tree.n_levels", "lowest")

    tree: Hierarchy
    lowest: int
    place: Place
    attribute: QuasiIdentifier

    def levels_of(self, labels: pl.Series) -> list[int]:
        """Return the levels at which all of some released labels can stand."""
        held = set(canonical_texts(labels).unique().to_list())
        root = self.tree.labels[-1][0]
        return [
            level
            for level, names in enumerate(self.tree.labels)
            if held <= {None, *self._read([*names, root])}
        ]

    def _read(self, names: Sequence[str | None]) -> pl.Series:
        return read_cells(pl.Series(names, dtype=pl.String), self.attribute, listed=True)

    def leaves(self, column: pl.Series) -> pl.Series:
        """Return the leaf of each cell, as the text that it has in the tree."""
        return self.tree.values.gather(self.place(column)).alias(column.name)


def public_hierarchy(name: str, attribute: QuasiIdentifier) -> PublicHierarchy:
    """Return the hierarchy of an attribute, if it can be known without the table."""
    source = attribute.hierarchy
    if isinstance(source, FromFile | FromMapping):
        return _listed(name, source.rows, attribute)
    if isinstance(source, Intervals):
        return _intervals(name, source, attribute)
    if source is None:
        reason = "has no hierarchy, and one that is built from the data tells of it"
    else:
        reason = f"has a hierarchy that is built from the data ({_kind(source)}), which tells of it"
    raise PolicyError(
        f"attribute {name!r} {reason}: give a file, a mapping, or intervals with bounds, or with "
        "width, bottom and top"
    )


def _kind(source: HierarchySource) -> str:
    return str(getattr(source, "kind", type(source).__name__))


def _listed(name: str, rows: Rows, attribute: QuasiIdentifier) -> PublicHierarchy:
    """Return the hierarchy of a file or a mapping."""
    n_levels = len(rows.labels)
    order = np.lexsort(rows.codes)
    order = order[order != rows.null] if rows.null >= 0 else order
    texts = [
        [rows.labels[level][code] for code in rows.codes[level, order].tolist()]
        for level in range(n_levels)
    ]
    null: list[str | None] = [None] * (n_levels - 1)
    if rows.null >= 0:
        null = [rows.labels[level][rows.codes[level, rows.null]] for level in range(n_levels - 1)]
    tree = _complete(name, texts, null, str(rows.labels[-1][0]))
    own = read_cells(pl.Series(name, texts[0], dtype=pl.String), attribute, listed=True)
    if own.null_count():
        raise PolicyError(f"{rows.origin}: 'nan' is listed as a value, but is read as null")
    if own.n_unique() < len(own):
        twice = own.filter(own.is_duplicated())[0]
        raise PolicyError(
            f"{rows.origin}: {twice!r} is listed twice, in two ways of writing it. If these are "
            "codes and not numbers, declare type: text, which compares them as they are written"
        )
    frame = pl.DataFrame({"value": own, "leaf": np.arange(len(own), dtype=np.int32)})
    other, missing = tree.size - 2, tree.size - 1

    def place(column: pl.Series) -> NDArray[np.int32]:
        found = pl.DataFrame({"value": column}).join(
            frame, on="value", how="left", maintain_order="left"
        )["leaf"]
        leaves = found.fill_null(other).to_numpy().copy()
        leaves[column.is_null().to_numpy()] = missing
        return leaves.astype(np.int32)

    return PublicHierarchy(tree, 0, place, attribute)


def _intervals(name: str, source: Intervals, attribute: QuasiIdentifier) -> PublicHierarchy:
    """Return the hierarchy of intervals whose ends the policy gives."""
    cuts = _cuts(name, source)
    if not 0 < len(cuts) <= MOST_INTERVALS:
        raise PolicyError(
            f"attribute {name!r}: {len(cuts):,} ends of intervals; there may be 1 to "
            f"{MOST_INTERVALS:,}"
        )
    # One number of each interval stands for it.
    numbers = pl.Series(name, [cuts[0] - 1, *cuts], dtype=pl.Float64)
    plan = source.plan(Column(numbers, np.ones(len(numbers), np.int64), null=False))
    texts: list[list[str | None]] = []
    for level in plan.levels:
        new = np.append(True, np.diff(level.groups) != 0)
        starts = np.flatnonzero(new)
        labels = level.labels(starts, np.append(starts[1:], len(numbers)))
        texts.append([labels[group] for group in (np.cumsum(new) - 1).tolist()])
    texts = [texts[0], *texts, [ROOT] * len(numbers)]
    tree = _complete(name, texts, [None] * (len(texts) - 1), ROOT)
    ends = np.array(cuts, np.float64)
    other, missing = tree.size - 2, tree.size - 1

    def place(column: pl.Series) -> NDArray[np.int32]:
        numeric = column.cast(pl.Float64, strict=False).fill_nan(None)
        unread = numeric.is_null().to_numpy()
        leaves = np.searchsorted(ends, numeric.fill_null(0).to_numpy(), side="right")
        leaves[unread] = other
        leaves[(column.is_null() | (column == "")).fill_null(value=True).to_numpy()] = missing
        return leaves.astype(np.int32)

    return PublicHierarchy(tree, 1, place, attribute)


def _cuts(name: str, source: Intervals) -> list[float]:
    """Return the ends of the finest intervals, ascending."""
    ends = [end for end in (source.bottom, source.top) if end is not None]
    if source.bounds is not None:
        lists = source.bounds
        finest = lists[0] if isinstance(lists[0], Sequence) else lists
        inner = [float(end) for end in finest]  # type: ignore[arg-type]
        low = -np.inf if source.bottom is None else source.bottom
        high = np.inf if source.top is None else source.top
        return sorted({*ends, *(end for end in inner if low < end < high)})
    if source.width is None or source.bottom is None or source.top is None:
        raise PolicyError(
            f"attribute {name!r}: quantiles and open ends depend on the data, which tells of it: "
            "give intervals with bounds, or with width, bottom and top"
        )
    widths = source.width if isinstance(source.width, Sequence) else (source.width,)
    grid = Grid.of(widths, source.origin or 0)
    step = grid.widths[0]
    first = int(np.floor((source.bottom * grid.scale - grid.origin) / step))
    last = int(np.ceil((source.top * grid.scale - grid.origin) / step))
    if last - first > MOST_INTERVALS:
        return [0.0] * (last - first)
    edges = [(grid.origin + i * step) / grid.scale for i in range(first, last + 1)]
    return sorted({*ends, *(edge for edge in edges if source.bottom < edge < source.top)})


def _complete(
    name: str, texts: Sequence[Sequence[str | None]], null: Sequence[str | None], root: str
) -> Hierarchy:
    """Return a tree with two more leaves: all other values, and null.

    texts: the labels of the listed leaves, by level, in depth-first order; the last are the root.
    null: the labels of null below the root.
    """
    if any(root in {*row, missing} for row, missing in zip(texts, null, strict=False)):
        raise PolicyError(
            f"hierarchy of {name!r}: {root!r} is the root and a label below it. Values that it "
            "does not list are released as the root: give the label below another name"
        )
    labels: list[tuple[str | None, ...]] = []
    codes = np.zeros((len(texts), len(texts[0]) + 2), np.int32)
    for level, row in enumerate(texts[:-1]):
        whole = [*row, root, null[level]]
        new = np.array([True, *(a != b for a, b in zip(whole[1:], whole, strict=False))])
        labels.append(tuple(text for text, first in zip(whole, new.tolist(), strict=True) if first))
        codes[level] = np.cumsum(new) - 1
    labels.append((root,))
    values = pl.Series(name, [*texts[0], root, null[0]], dtype=pl.String)
    if null[0] is not None:
        values = values.set(pl.Series([*[False] * (len(values) - 1), True]), None)
    return Hierarchy(values, tuple(labels), codes)
