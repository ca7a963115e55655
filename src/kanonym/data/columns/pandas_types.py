"""Columns of pandas: their types kept."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.loading import LazyModule

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = LazyModule("narwhals")

PandasSeries: TypeAlias = Any  # pandas need not be installed

WORDS = (pl.Boolean, pl.String, pl.Categorical, pl.Enum)


def as_pandas(series: pl.Series, before: PandasSeries) -> PandasSeries:
    """Return a column as a Series of the type of another one that was read as such a column."""
    pandas = nw.get_native_namespace(before)
    if before.dtype == "object":
        return pandas.Series(series.to_list(), dtype="object")
    if before.dtype != "category":
        whole = series.dtype.is_integer() or series.dtype == pl.Boolean
        arrow = not isinstance(before.dtype, np.dtype) and (whole or series.dtype != pl.String)
        return series.to_pandas(use_pyarrow_extension_array=arrow).astype(before.dtype)
    categories = before.cat.categories
    if series.dtype in WORDS:
        place = {str(category): code for code, category in enumerate(categories)}
        codes = [-1 if text is None else place[text] for text in series.cast(pl.String)]
    else:
        codes = categories.get_indexer(series.to_pandas())
    return pandas.Series(pandas.Categorical.from_codes(codes, dtype=before.dtype))


def same_type(series: pl.Series, before: PandasSeries) -> bool:
    """Tell whether a column has the very type of another one that pandas holds."""
    if not (series.dtype.is_numeric() or series.dtype.is_temporal() or series.dtype == pl.Boolean):
        return False
    after = nw.from_native(series, series_only=True).dtype
    return bool(nw.from_native(before, series_only=True).dtype == after)


def refuse_mixture(column: PandasSeries) -> None:
    """Allow one type of object, or integers with floats: anything else has no order or text."""
    types: set[type] = {type(value) for value in column[column.notna()]}
    if len(types) > 1 and (bool in types or not all(issubclass(kind, Real) for kind in types)):
        found = ", ".join(sorted(kind.__name__ for kind in types))
        raise DataError(
            f"column {column.name!r} holds values of several types ({found}); "
            "convert it to one type (pandas: astype(str))"
        )
