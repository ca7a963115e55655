"""How far injected records move a table, and whether they can be told from real ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.evaluation.pair.tables import CategoricalColumn, NumericColumn
from kanonym.evaluation.utility.associations import CATEGORIES, COLUMNS, PAIRWISE, two_way_variation
from kanonym.evaluation.utility.cells import category_cells, numeric_cells
from kanonym.evaluation.utility.models.detection import DETECTION, detection
from kanonym.evaluation.utility.models.features import draw_records
from kanonym.metrics.measured_value import MeasuredValue
from kanonym.synthesis.injection.classes import Classes
from kanonym.verification.released_classes import group_by_code

RECORDS = 5_000
"""Most records of each kind that a classifier is given."""

FOLDS = 3

DISTANCE = replace(
    PAIRWISE,
    name="joint-distance",
    unit="share of records that would have to change in a two-way table of the columns to make the "
    "table before of the one after, mean over pairs",
)


def joint_distance(
    before: Mapping[str, pl.Series], added: Mapping[str, pl.Series], known: Sequence[str]
) -> MeasuredValue:
    """Measure how far added records move the joint distribution of a table's columns.

    before, added: (n,) and (m,) columns by name, of the table and of the added records.

    Notes
    -----
    Cost O(n + m) a pair of columns.

    """
    names = sorted(before, key=lambda name: name not in known)[:COLUMNS]
    if len(names) < 2:
        return MeasuredValue(DISTANCE, None, reason="the table has one column: there are no pairs")
    cells = {name: _cells(before[name], added[name]) for name in names}
    n, m = (len(table[names[0]]) for table in (before, added))
    parts = {}
    for a, b in combinations(names, 2):
        (first, size), (second, width) = cells[a], cells[b]
        pairs = first * width + second
        counts = [np.bincount(part, minlength=size * width) for part in (pairs[:n], pairs[n:])]
        after = (counts[0] + counts[1]) / (n + m)
        parts[f"{a} × {b}"] = two_way_variation(counts[0] / n, after)
    return MeasuredValue(DISTANCE, float(np.mean(list(parts.values()))), parts)


def _cells(before: pl.Series, added: pl.Series) -> tuple[NDArray[np.int64], int]:
    """Return (n + m,) int64 cells of a column's values, and their number."""
    both = pl.concat([before, added])
    dtype = both.dtype
    if (dtype.is_numeric() or dtype.is_temporal()) and dtype != pl.Enum:
        values = both.to_physical().cast(pl.Float64).fill_null(np.nan).to_numpy()
        mine, theirs = values[: len(before)], values[len(before) :]
        nowhere = np.zeros(len(theirs), np.bool_)
        numbers = numeric_cells(NumericColumn(before.name, mine, theirs, theirs, nowhere))
        others = np.searchsorted(numbers.borders, theirs, side="right")
        others[np.isnan(theirs)] = numbers.size - 1
        return np.concatenate([numbers.original, others]).astype(np.int64), numbers.size
    groups = group_by_code([both.cast(pl.String)])
    own, labels = groups.labels[: len(before)], groups.labels[len(before) :]
    each = np.arange(len(groups.sizes) + 1)
    column = CategoricalColumn(
        name=before.name,
        categories=both.gather(groups.first),
        original=own,
        labels=labels,
        offsets=each,
        members=each[:-1].astype(np.int32),
        suppressed=np.zeros(len(added), np.bool_),
    )
    categories = category_cells(column, CATEGORIES)
    found = np.concatenate([categories.original, categories.shares.argmax(axis=1)[labels]])
    return found.astype(np.int64), categories.size


def measure_distinguishability(
    real: Sequence[pl.Series],
    added: Sequence[pl.Series],
    classes: Classes,
    owners: NDArray[np.int64],
    random: np.random.Generator,
) -> MeasuredValue:
    """Measure how well a classifier tells added records from real ones of the same classes.

    real, added: (n,) and (m,) columns of the table and of the added records.
    owners: (m,) int64 class of each added record.

    Notes
    -----
    Real records are drawn with a chance that grows with their weight (Poisson sampling) and
    weighted by what is left of it (Horvitz and Thompson 1952).

    """
    numbers = np.bincount(owners, minlength=len(classes))
    rows = np.flatnonzero(numbers[classes.labels])
    weights = (numbers / classes.sizes)[classes.labels[rows]]
    chances = _chances(weights)
    kept = random.random(len(rows)) < chances
    rows, weights = rows[kept], (weights / chances)[kept]
    chosen = draw_records(len(owners), RECORDS, random)
    if not len(rows):
        return MeasuredValue(DETECTION, None, reason="nothing was added")
    return detection(
        [column.gather(rows) for column in real],
        [column.gather(chosen) for column in added],
        random,
        weights=weights,
        folds=FOLDS,
    )


def _chances(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (n,) chances, as the weights go as far as 1 allows, that add up to 5,000 at most."""
    if len(weights) <= RECORDS:
        return np.ones(len(weights))
    # Those that reach 1 are the largest: their number is the first that leaves others below.
    order = np.sort(weights)[::-1]
    rest = np.cumsum(order[::-1])[::-1]
    certain = np.arange(len(order))
    fits = order * (RECORDS - certain) <= rest
    first = int(np.argmax(fits))
    scale = (RECORDS - first) / rest[first]
    chances: NDArray[np.float64] = np.minimum(weights * scale, 1.0)
    return chances
