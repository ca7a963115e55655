"""One attribute in both tables, and what all ways of reading it share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.columns.value_texts import text_of
from kanonym.data.errors import SchemaError
from kanonym.data.hierarchy.leaves import parse_times
from kanonym.data.results.short_repr import ShortRepr
from kanonym.evaluation.pair.tables import Column, Generalization


@dataclass(frozen=True, slots=True, repr=False)
class Cells(ShortRepr):
    """One attribute of an original and of a release.

    original: (n_original,) values.
    released: one (n_released,) column, or two of lowest and highest values.
    rows: (n_released,) int64, the original record of each released one, or None.
    classes: (n_released,) int32 equivalence classes of the release, from 0.
    """

    original: pl.Series
    released: tuple[pl.Series, ...]
    rows: NDArray[np.int64] | None
    classes: NDArray[np.int32]
    recoded: bool
    labelled: bool = False

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.original.name

    @property
    def null(self) -> NDArray[np.bool_]:
        """(n_released,) bool, cells without a value."""
        found = self.released[0].is_null()
        for other in self.released[1:]:
            found &= other.is_null()
        return found.to_numpy()

    def blank(self) -> NDArray[np.bool_]:
        """Return (n_released,) bool: the cells without a value that are suppressed.

        Where records are known, those of classes of which a record had a value. Else none as
        long as the release has no more of them than the original; with more, nobody can tell
        which are suppressed, and all are taken to be.
        """
        null, before = self.null, self.original.is_null().to_numpy()
        if self.rows is not None:
            lost = np.zeros(int(self.classes.max(initial=-1)) + 1, np.bool_)
            lost[self.classes[null & ~before[self.rows]]] = True
            return null & lost[self.classes]
        return null if null.sum() > before.sum() else np.zeros(len(null), np.bool_)

    def unreadable(self, row: int, column: int = 0) -> SchemaError:
        """Return the error about one released value."""
        values = self.released[column]
        return SchemaError(
            f"column {values.name!r}, row {row + 1} of the release: {str(values[row])!r} is "
            f"neither a value of the original's {self.name!r} nor an interval, a set or a mask "
            "of its values; give the hierarchy of which it is a label (--hierarchy "
            f"{self.name}=FILE, hierarchies={{{self.name!r}: …}}, or in the policy)"
        )


@dataclass(frozen=True, slots=True, repr=False)
class ColumnReading(ShortRepr):
    """What was read of one attribute."""

    column: Column
    generalization: Generalization | None
    contains: bool
    unchanged: bool
    new: int = 0


def encode_distinct(values: pl.Series) -> tuple[pl.Series, NDArray[np.int32]]:
    """Return the distinct non-null values and (n,) int32 places among them, -1 for null."""
    column = values.drop_nulls().unique(maintain_order=True)
    numbers = pl.int_range(len(column), dtype=pl.Int32, eager=True)
    place = values.replace_strict(column, numbers, default=-1, return_dtype=pl.Int32)
    return column, place.to_numpy()


def to_physical(values: pl.Series) -> NDArray[np.float64]:
    """Return numbers, or times in their physical unit, as float64; NaN for null."""
    plain = values.to_physical() if values.dtype.is_temporal() else values
    return plain.cast(pl.Float64).to_numpy(writable=True)


def value_range(line: NDArray[np.float64]) -> tuple[float, float]:
    """Return the smallest and largest number, NaN where there is none."""
    held = line[~np.isnan(line)]
    return (float(held.min()), float(held.max())) if len(held) else (np.nan, np.nan)


def parse_values(texts: pl.Series, values: pl.Series) -> NDArray[np.float64]:
    """Return texts as numbers or times of a column, NaN where a text is none.

    values: distinct values of the column; a text as recoding writes one of them is that.
    """
    line = pl.Series(to_physical(values))
    column = texts.replace_strict(text_of(values), line, default=None, return_dtype=pl.Float64)
    if values.dtype.is_numeric():
        others = texts.str.strip_chars().cast(pl.Float64, strict=False)
    else:
        others = pl.Series(to_physical(_times(texts, values.dtype)))
    return column.fill_null(others.fill_nan(None)).to_numpy(writable=True)


def _times(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return ISO texts in a type of time, null where one is none."""
    if dtype == pl.Time:
        return texts.str.to_time("%H:%M:%S%.f", strict=False)
    if dtype == pl.Date:
        return parse_times(texts).cast(pl.Date)
    if not isinstance(dtype, pl.Datetime):
        return pl.Series(texts.name, [None] * len(texts), dtype=dtype)
    unit, zone = dtype.time_unit, dtype.time_zone
    naive = parse_times(texts).cast(pl.Datetime(unit))
    if zone is None:
        return naive
    local = naive.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    fixed = texts.str.to_datetime(
        "%Y-%m-%dT%H:%M:%S%.f%:z", strict=False, time_unit=unit, time_zone="UTC"
    )
    return fixed.dt.convert_time_zone(zone).fill_null(local)
