"""How often values of two columns occur together, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from kanonym.data.errors import SchemaError
from kanonym.data.results import ShortRepr
from kanonym.evaluation.pair.aligned_tables import align_tables
from kanonym.evaluation.pair.reading import read_pair
from kanonym.evaluation.pair.tables import CategoricalColumn, TablePair
from kanonym.evaluation.utility.cells import (
    CategoryCells,
    Cells,
    category_cells,
    chunks,
    numeric_cells,
    one_hot,
    total_variation,
)
from kanonym.kernels.arrays import Floats
from kanonym.release import Release

MOST_CELLS = 8
"""Rows and columns of a table: bins of numbers, or categories beside one of all others."""
OTHERS = "…"
"""The label of all other categories."""


@dataclass(frozen=True, slots=True, repr=False)
class Contingency(ShortRepr):
    """A two-way table of the released records, of their original values and as released.

    rows, columns: labels of the values of both columns; None for a missing value.
    before, after: (n_rows, n_columns) float64 records.
    """

    rows: tuple[str | None, ...]
    columns: tuple[str | None, ...]
    before: Floats
    after: Floats

    @property
    def moved(self) -> float:
        """The share of the records that would have to change for both to agree, in [0, 1]."""
        n = max(float(self.before.sum()), 1.0)
        return total_variation(self.before / n, self.after / n)


def contingency(original: Any, release: Release, row: str, column: str) -> Contingency:
    """Count how often values of two columns occur together, before and after.

    A released value that leaves several values open is spread evenly over them, each column for
    itself. Suppressed records are in neither table.

    Examples
    --------
    >>> import kanonym as ka, polars as pl
    >>> table = pl.DataFrame({"sex": list("ffmm"), "smokes": ["yes", "no", "no", "no"]})
    >>> released = ka.anonymize(table, quasi_identifiers=["sex"], sensitive=["smokes"], k=2)
    >>> contingency(table, released, "sex", "smokes").before.tolist()
    [[1.0, 1.0], [2.0, 0.0]]

    """
    tables = align_tables(original, release, None)
    names = {row, column}
    absent = names - {*tables.before}
    if absent:
        raise SchemaError(f"column {min(absent)!r} cannot be compared: it is not in both tables")
    before = {name: tables.before[name] for name in (row, column)}
    known = [name for name in tables.known if name in names]
    trees = {name: tree for name, tree in tables.known_hierarchies.items() if name in names}
    pair = read_pair(before, tables.after, known, trees, aligned=tables.aligned, rows=tables.rows)
    both = first, second = _cells(pair, row), _cells(pair, column)
    sides = (True, pair.n_original), (False, pair.n_released)
    joint = [_joint(first, second, n, original=original) for original, n in sides]
    labels = [_labels(cells, before[cells.name]) for cells in both]
    used = [(joint[0] + joint[1]).sum(axis=axis) > 0 for axis in (1, 0)]
    kept = [
        tuple(label for label, is_used in zip(several, mask, strict=True) if is_used)
        for several, mask in zip(labels, used, strict=True)
    ]
    return Contingency(kept[0], kept[1], *(one[np.ix_(*used)] for one in joint))


def _cells(pair: TablePair, name: str) -> Cells:
    column = pair.column(name)
    if isinstance(column, CategoricalColumn):
        return category_cells(column, MOST_CELLS)
    return numeric_cells(column, MOST_CELLS)


def _joint(first: Cells, second: Cells, n: int, *, original: bool) -> Floats:
    """Return (n_first, n_second) float64: the records that fall in two cells together."""
    total = np.zeros((first.size, second.size))
    for rows in chunks(n):
        a, b = (one_hot(c, rows) if original else c.released(rows) for c in (first, second))
        total += a.T @ b
    return total


def _labels(cells: Cells, values: pl.Series) -> list[str | None]:
    """Return the name of each cell: a category, or the ends of the original numbers in it."""
    found: list[str | None] = [None] * cells.size
    if isinstance(cells, CategoryCells):
        categories = cells.column.categories.to_list()
        several = np.bincount(cells.cell_of, minlength=cells.size) > 1
        for place, cell in enumerate(cells.cell_of[: len(categories)].tolist()):
            found[cell] = OTHERS if several[cell] else categories[place]
        return found
    table = pl.DataFrame({"cell": cells.original, "value": values}).drop_nulls().group_by("cell")
    ends = table.agg(pl.col("value").min().alias("low"), pl.col("value").max().alias("high"))
    for cell, low, high in ends.iter_rows():
        found[cell] = str(low) if low == high else f"{low} – {high}"
    return found
