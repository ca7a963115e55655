"""What is given beside a table: presets, the population, weights and households."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data import files, frames
from kanonym.data.columns.rebuild import Frame, Population
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.readings import detect_readings, typed_table
from kanonym.data.table import value_codes
from kanonym.evaluation.columns import name_list
from kanonym.evaluation.risk.presets import PRESETS
from kanonym.policy.faults import unknown_name


def presets_of(presets: Sequence[str]) -> list[str]:
    """Return the presets that are asked for."""
    names = name_list(presets, "presets")
    for name in names:
        if name not in PRESETS:
            raise PolicyError(unknown_name("preset", name, PRESETS))
    return names


def population_of(given: Population) -> tuple[int | None, Frame | None]:
    """Return the number of persons, or a table of them: one of the two, or neither."""
    if given is None:
        return None, None
    if isinstance(given, str | os.PathLike):
        return None, files.read_table(os.fspath(given))
    if frames.is_frame(given):
        return None, frames.to_eager(given)
    try:
        number = None
        if isinstance(given, SupportsIndex) and not isinstance(given, bool):
            number = operator.index(given)
    except TypeError:
        number = None
    if number is None:
        said = repr(given) if isinstance(given, bool | float) else f"a {type(given).__name__}"
        raise PolicyError(
            "population is the number of persons, a table of all of them or its path; this is "
            f"{said}"
        )
    return number, None


def weights_of(column: pl.Series) -> NDArray[np.float64]:
    """Return (n_rows,) float64 sampling weights; texts are read as numbers, `1,25` as 1.25."""
    if column.dtype == pl.String:
        table = pl.DataFrame([column])
        detection = detect_readings(table, table.columns, lenient=True)
        column = frames.column(typed_table(table, detection.readings), column.name)
    if not column.dtype.is_numeric():
        raise SchemaError(
            f"column {column.name!r} is not a column of weights: it holds {column.dtype}, not "
            f"numbers"
        )
    weights = column.cast(pl.Float64).fill_null(np.nan).to_numpy()
    wrong = ~(np.isfinite(weights) & (weights > 0))
    if wrong.any():
        row = int(wrong.argmax())
        given = "is missing" if column[row] is None else f"is {column[row]}"
        raise DataError(
            f"column {column.name!r}, row {row + 1}: the sampling weight {given}; it must be a "
            "finite number above 0, the number of persons that the record stands for"
        )
    return weights


def households_of(column: pl.Series) -> NDArray[np.int32]:
    """Return (n_rows,) int32 codes of households, -1 for none."""
    codes, _ = value_codes(column)
    return np.where(column.is_null().to_numpy(), np.int32(-1), codes).astype(np.int32)
