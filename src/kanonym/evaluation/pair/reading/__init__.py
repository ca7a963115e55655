"""Reading a release: what each released value leaves open, the inverse of recoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from kanonym.data.errors import SchemaError
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.table import kind_of, value_codes
from kanonym.evaluation.pair.reading.categories import read_categories
from kanonym.evaluation.pair.reading.hierarchical import read_labels
from kanonym.evaluation.pair.reading.numbers import read_numbers
from kanonym.evaluation.pair.reading.texts import Cells, ColumnReading
from kanonym.evaluation.pair.tables import TablePair
from kanonym.kernels.arrays import Ints
from kanonym.kernels.classes.grouping import group_rows
from kanonym.recoding.recode import released_names

__all__ = ["read_pair"]

NULL_TEXT = "(null)"


def read_pair(
    original: Mapping[str, pl.Series],
    released: Mapping[str, pl.Series],
    quasi_identifiers: Sequence[str],
    hierarchies: Mapping[str, HierarchySource | None] | None = None,
    *,
    aligned: bool | None = None,
    rows: Ints | None = None,
) -> TablePair:
    """Put a release beside its original.

    A released value of a quasi-identifier may be the value itself, also as text; an interval
    `[20, 30)`, a bound `<18` or `>=90`; a set `{a, b}`; a label of its hierarchy; `*`; null,
    which is a suppressed cell or the value null; a mask `130**` of values; a number that no
    record has, as a mean. Two columns `age_min` and `age_max` are read as one. Columns of
    other roles hold values; what is no number there is a category.

    rows: (n_released,) int64, the original row of each released one, where it is known; `aligned`
    is then not read.

    Examples
    --------
    >>> before = {"age": pl.Series("age", [23, 25, 41, 42])}
    >>> after = {"age": pl.Series("age", ["[23, 25]", "[23, 25]", "*", "[41, 42]"])}
    >>> age = read_pair(before, after, ["age"], aligned=True).column("age")
    >>> age.low.tolist(), age.high.tolist()
    ([23.0, 23.0, 23.0, 41.0], [25.0, 25.0, 42.0, 42.0])
    >>> age.suppressed.tolist()
    [False, False, True, False]
    """
    names = _names(original, released, quasi_identifiers)
    n_original = len(next(iter(original.values()), ()))
    n_released = len(next(iter(released.values()), ()))
    if rows is None and aligned and n_original != n_released:
        raise SchemaError(
            f"the release has {n_released} rows and the original {n_original}: they are not "
            "aligned; without that, measures that compare record by record are left out"
        )
    coded = [value_codes(released[one]) for name in quasi_identifiers for one in names[name]]
    if coded and n_released:
        classes = group_rows([codes for codes, _ in coded], [size for _, size in coded]).labels
    else:
        classes = np.zeros(n_released, np.int32)
    known = rows is not None
    if not known and aligned is not False and n_original == n_released:
        rows = np.arange(n_original)

    def read(rows: Ints | None) -> dict[str, ColumnReading]:
        return {
            name: _read(
                Cells(
                    original[name].alias(name),
                    tuple(_restore_nulls(released[one].alias(one), original[name]) for one in own),
                    rows,
                    classes,
                    name in quasi_identifiers,
                    (hierarchies or {}).get(name) is not None,
                ),
                (hierarchies or {}).get(name),
            )
            for name, own in names.items()
        }

    found = read(rows)
    doubtful = not known and aligned is None and rows is not None
    if doubtful and not _rows_agree(found, original, quasi_identifiers):
        rows, found = None, read(None)
    generalizations = {name: reading.generalization for name, reading in found.items()}
    return TablePair(
        columns=tuple(reading.column for reading in found.values()),
        quasi_identifiers=tuple(quasi_identifiers),
        n_original=n_original,
        n_released=n_released,
        rows=rows,
        generalizations=tuple(
            generalization
            for name in quasi_identifiers
            if (generalization := generalizations[name]) is not None
        ),
        classes=classes,
        new={name: reading.new for name, reading in found.items() if reading.new},
    )


def _restore_nulls(released: pl.Series, original: pl.Series) -> pl.Series:
    """Return a released column with null for `(null)`, which is null as Amnesia writes it."""
    if released.dtype != pl.String or not (released == NULL_TEXT).any():
        return released
    if original.dtype == pl.String and (original == NULL_TEXT).any():
        return released
    return released.set(released == NULL_TEXT, None)


def _names(
    original: Mapping[str, pl.Series],
    released: Mapping[str, pl.Series],
    quasi_identifiers: Sequence[str],
) -> dict[str, list[str]]:
    """Return the released columns of each attribute that both tables have."""
    missing = [name for name in quasi_identifiers if name not in original]
    if missing:
        raise SchemaError(
            f"the original has no column {missing[0]!r}, which is a quasi-identifier. "
            f"It has: {', '.join(original)}"
        )
    found = {}
    for name in original:
        both = released_names(name, "range")
        if name in released:
            found[name] = [name]
        elif name in quasi_identifiers and set(both) <= set(released):
            found[name] = both
        elif name in quasi_identifiers:
            raise SchemaError(
                f"the release has no column for the quasi-identifier {name!r}: neither {name} "
                f"nor {both[0]} and {both[1]}. It has: {', '.join(released)}"
            )
    return found


def _read(cells: Cells, source: HierarchySource | None) -> ColumnReading:
    """Read one attribute in the first way that fits."""
    labels = None if source is None or not cells.recoded else read_labels(cells, source)
    if labels is not None and (cells.rows is None or labels.contains):
        return labels
    numeric = kind_of(cells.original.dtype) in {"number", "temporal"}
    try:
        return read_numbers(cells) if numeric else read_categories(cells)
    except SchemaError:
        if labels is not None:
            return labels
        if cells.recoded:
            raise
        return read_categories(replace(cells, original=cells.original.cast(pl.String)))


def _rows_agree(
    found: Mapping[str, ColumnReading],
    original: Mapping[str, pl.Series],
    quasi_identifiers: Sequence[str],
) -> bool:
    """Whether rows that stand at the same place may be the same record, and something says so."""
    for name, reading in found.items():
        if not (reading.contains if name in quasi_identifiers else reading.unchanged):
            return False
    return any(one.unchanged and original[name].n_unique() > 1 for name, one in found.items())
