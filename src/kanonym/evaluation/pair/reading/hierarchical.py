"""Reading labels of a hierarchy: which leaves each one leaves open, and at which level."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from kanonym.data.columns.values import text_of
from kanonym.data.hierarchy import Hierarchy, HierarchySource
from kanonym.data.table import Domain, encode_column
from kanonym.evaluation.pair import tables
from kanonym.evaluation.pair.reading.texts import (
    Cells,
    ColumnReading,
    encode_distinct,
    parse_values,
    says_nothing,
    to_physical,
    value_range,
)
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.metrics.certainty import Axis


def read_labels(cells: Cells, source: HierarchySource) -> ColumnReading | None:
    """Read a column of labels, None where a released value is no label of the hierarchy.

    A text may be the label of several levels. Where one level has all of the texts, it is taken to
    be theirs; where several have, those come first at which every known record has its own label,
    then those whose labels leave most open, then the lowest. Where no level has all, each text is
    the widest label that reads so, at the lowest level.
    """
    domain, codes = encode_column(cells.original, source)
    tree = domain.hierarchy
    if tree is None or len(cells.released) > 1:
        return None
    values, place = encode_distinct(cells.released[0])
    texts = text_of(values).to_list()
    found = _places(tree, values, texts)
    mask = np.asarray((found >= 0).any(axis=0))
    empty = np.array([says_nothing(text) for text in texts], np.bool_) & ~mask
    if not (mask | empty).all():
        return None
    blank = cells.blank() | np.append(empty, np.False_)[place]
    held = place >= 0
    held[held] = ~blank[held]
    own = None if cells.rows is None else codes[cells.rows]
    levels, common = _levels(tree, found, mask, place[held], None if own is None else own[held])
    if own is None and values.dtype != pl.String and (found[0] >= 0).all():
        levels, common = np.zeros(len(texts), np.int32), 0
    first, last = _leaves(tree, levels, found, mask)
    # After the texts stand null as a value, and the suppressed cell.
    at_null = 0 if common is None else common
    top = max(tree.size - 1, 0)
    first = np.concatenate([first, [top, 0]]).astype(np.int32)
    last = np.concatenate([last, [top] * 2]).astype(np.int32)
    levels = np.concatenate([levels, [at_null, tree.n_levels - 1]]).astype(np.int32)
    labels = np.where(held, place, len(texts)).astype(np.int32)
    labels[blank] = len(texts) + 1
    generalization = _generalization(domain, tree, codes, labels, (first, last, levels))
    if common is not None and tree.size and not blank.any():
        generalization = _with_level(generalization, tree, first, common)
    inside = exact = np.zeros(0, np.bool_)
    if own is not None:
        inside = (first[labels] <= own) & (own <= last[labels])
        exact = inside & (first == last)[labels] & ~blank
    return ColumnReading(
        _column(cells, domain, codes, labels, first, last, blank),
        generalization if cells.recoded else None,
        own is not None and bool(inside.all()),
        own is not None and bool(exact.all()),
    )


def _places(tree: Hierarchy, values: pl.Series, texts: list[str]) -> Int32s:
    """Return (n_levels, n_values) int32: the label of each level that reads so, -1 for none."""
    found = np.full((tree.n_levels, len(texts)), -1, np.int32)
    for level, names in enumerate(tree.labels):
        number = {name: i for i, name in enumerate(names) if name is not None}
        found[level] = [number.get(text, -1) for text in texts]
    if not len(texts) or (found >= 0).any(axis=0).all():
        return found
    # A value may read otherwise than its leaf: 1.50 and 1.5.
    if values.dtype != pl.String:
        leaves = tree.leaf_of(values)
    elif tree.values.dtype.is_numeric() or tree.values.dtype.is_temporal():
        column = tree.values.drop_nulls()
        line = pl.Series(to_physical(column))
        place = pl.int_range(len(column), dtype=pl.Int32, eager=True)
        leaves = (
            pl.Series(parse_values(values, column))
            .replace_strict(line, place, default=-1, return_dtype=pl.Int32)
            .to_numpy()
            if line.n_unique() == len(line)
            else found[0]
        )
    else:
        return found
    found[0] = np.where(found[0] < 0, leaves, found[0])
    return found


def _levels(
    tree: Hierarchy, found: Int32s, known: Bools, place: Int32s, own: Int32s | None
) -> tuple[Int32s, int | None]:
    """Return (n_texts,) int32 levels, and the one that all have, or None.

    place, own: of the released cells with a label, which one and the original leaf.
    """
    covered = np.zeros(found.shape, np.int64)
    for level in range(tree.n_levels):
        covered[level] = np.append(tree.leaf_counts(level), 0)[found[level]]
    covered[:, ~known] = 0
    whole = [level for level, row in enumerate(found) if (row[known] >= 0).all()]
    if own is not None:
        agreeing = [
            level for level in whole if (tree.codes[level, own] == found[level, place]).all()
        ]
        whole = agreeing or whole
    if whole:
        widest = covered[whole[-1]]
        level = next(level for level in whole if (covered[level] == widest).all())
        return np.full(found.shape[1], level, np.int32), level
    return covered.argmax(axis=0).astype(np.int32), None


def _leaves(tree: Hierarchy, levels: Int32s, found: Int32s, known: Bools) -> tuple[Int32s, Int32s]:
    """Return the first and last leaf below each text; a text without a label has all."""
    first = np.zeros(len(levels), np.int32)
    last = np.full(len(levels), tree.size - 1, np.int32)
    for level in np.unique(levels[known]).tolist():
        at = known & (levels == level)
        label = found[level, at]
        first[at] = np.searchsorted(tree.codes[level], label)
        last[at] = np.searchsorted(tree.codes[level], label, side="right") - 1
    return first, last


def _generalization(
    domain: Domain,
    tree: Hierarchy,
    codes: Int32s,
    labels: Int32s,
    ends: tuple[Int32s, Int32s, Int32s],
) -> tables.Generalization:
    first, last, levels = ends
    upto = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=max(tree.size, 1)))])
    values = last.astype(np.int64) - first + 1
    penalties = (values - 1) / max(tree.size - 1, 1)
    penalties[-1] = 1.0
    return tables.Generalization(
        name=domain.name,
        original=codes,
        size=tree.size,
        height=tree.n_levels - 1,
        labels=labels,
        values=values,
        records=upto[last + 1] - upto[first],
        penalties=penalties,
        spans=Axis.of(domain).label_costs(first, last),
        levels=levels,
        below=_labels_below(tree, first, last, levels),
    )


def _labels_below(tree: Hierarchy, first: Int32s, last: Int32s, levels: Int32s) -> Ints:
    """Return the labels one level below each; 0 for values themselves."""
    if not tree.size:
        return np.zeros(len(levels), np.int64)
    under = tree.codes[np.maximum(levels - 1, 0)]
    number = under[np.arange(len(levels)), last] - under[np.arange(len(levels)), first] + 1
    return np.where(levels > 0, number, 0).astype(np.int64)


def _with_level(
    read: tables.Generalization, tree: Hierarchy, first: Int32s, level: int
) -> tables.Generalization:
    """Return it with the records of each label of the one level of a release."""
    row, n_labels = tree.codes[level], len(tree.labels[level])
    expected = np.bincount(row[read.original], minlength=n_labels)
    released = np.bincount(row[first][read.labels], minlength=n_labels)
    return replace(read, expected=expected, missing=expected - released)


def _column(
    cells: Cells,
    domain: Domain,
    codes: Int32s,
    labels: Int32s,
    first: Int32s,
    last: Int32s,
    blank: Bools,
) -> tables.Column:
    """Return the column as numbers where it holds numbers or times, else as categories."""
    everything = blank | ((first == 0) & (last == domain.size - 1) & (domain.size > 1))[labels]
    if domain.kind in ("number", "temporal"):
        original = to_physical(cells.original)
        low, high = _extremes(to_physical(domain.values), first, last)
        low, high = low[labels], high[labels]
        low[everything], high[everything] = value_range(original)
        line = to_physical(domain.values)
        sets = tables.NumberSets.of(
            np.where(everything, -1, labels), _torn_labels(line, first, last), line
        )
        return tables.NumericColumn(domain.name, original, low, high, everything, sets)
    texts = text_of(domain.values)
    categories = texts.extend_constant(None, 1) if domain.has_null else texts
    counts = last.astype(np.int64) - first + 1
    offsets = np.concatenate([[0], np.cumsum(counts)])
    members = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - first, counts)
    return tables.CategoricalColumn(
        domain.name, categories, codes, labels, offsets, members.astype(np.int32), everything
    )


def _torn_labels(line: Floats, first: Int32s, last: Int32s) -> dict[int, Int32s]:
    """Return the leaves of labels that are no interval: others lie between, or null is one."""
    rank = np.append(np.argsort(np.argsort(line)), len(line) + 1)
    found = {}
    for label, (low, high) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        leaves = np.arange(low, high + 1, dtype=np.int32)
        if np.ptp(rank[leaves]) + 1 > len(leaves) > 1:
            found[label] = leaves
    return found


def _extremes(line: Floats, first: Int32s, last: Int32s) -> tuple[Floats, Floats]:
    """Return the smallest and largest number among each run of leaves, NaN where null alone is."""
    low, high = np.full(len(first), np.nan), np.full(len(first), np.nan)
    last = np.minimum(last, len(line) - 1)
    mask = first <= last
    ends = np.stack([first[mask], last[mask] + 1], axis=1).reshape(-1)
    if len(ends):
        padded = np.append(line, line[-1])
        low[mask] = np.minimum.reduceat(padded, ends)[::2]
        high[mask] = np.maximum.reduceat(padded, ends)[::2]
    return low, high
