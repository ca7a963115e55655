"""Rows of frames that are built: further records, and the index of pandas."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import polars as pl

from kanonym.data.columns.rebuild import as_pandas
from kanonym.data.frames import (
    FrameT,
    Rows,
    is_arrow,
    is_pandas,
    to_arrow,
    to_eager,
    to_native,
    wrap_like,
)
from kanonym.data.loading import LazyModule
from kanonym.kernels.arrays import Ints

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = LazyModule("narwhals")

ArrowArray: TypeAlias = Any  # pyarrow carries no types

_logger = logging.getLogger(__name__)


def append_records(
    frame: FrameT, further: Sequence[pl.Series], rows: Ints, like: object = None
) -> FrameT:
    """Build a table of records of the input and of further ones, its types untouched.

    further: all of its columns in their order, (m,) values each of the type that `column` reads:
    the records n_rows to n_rows + m - 1.
    rows: (n,) int64 positions of the records in released order.
    """
    like = frame if like is None else like
    native: Any = to_eager(frame)
    if isinstance(native, pl.DataFrame):
        more = [one.cast(native.schema[one.name]) for one in further]
        built: Any = pl.concat([native, pl.DataFrame(more)])[rows]
    elif is_arrow(native):
        arrow = nw.get_native_namespace(native)
        fields = [native.schema.field(one.name) for one in further]
        more = [_as_arrow(*both) for both in zip(further, fields, strict=True)]
        more = arrow.table(more, schema=arrow.schema(fields))
        built = arrow.concat_tables([native.replace_schema_metadata(), more])
        built = built.unify_dictionaries().take(rows)
    else:
        pandas = nw.get_native_namespace(native)
        columns = {}
        for column in further:
            own = native[column.name]
            both = pandas.concat([own, as_pandas(column, own)]).array.take(rows)
            columns[column.name] = pandas.Series(both, dtype=own.dtype)
        built = pandas.DataFrame(columns)
    return cast("FrameT", wrap_like(built, like))


def with_row_numbers(built: FrameT, frame: object, rows: Rows) -> FrameT:
    """Return a table with the numbers of its rows as index, where pandas numbers those of `frame`.

    built: as `assemble` returns it. rows: as of `assemble`. Another index may name persons, and is
    not released: a warning says so.
    """
    native, before = to_native(built), to_eager(frame)
    if not is_pandas(native):
        return built
    if not np.array_equal(np.asarray(before.index), np.arange(len(before))):
        _logger.warning(
            "the index of the frame is not 0 to n-1, and is not released: records are numbered anew"
        )
        return built
    if rows is None or len(rows) == len(before):
        return built
    native = native.set_axis(rows)
    return cast("FrameT", nw.from_native(native) if isinstance(built, nw.DataFrame) else native)


def with_index(built: FrameT, frame: object) -> FrameT:
    """Return a table with the index of another one, where both are pandas; else as it is.

    built: as `assemble` returns it, a row for each of `frame`, in that order.
    """
    native = to_native(built)
    if not is_pandas(native):
        return built
    native = native.set_axis(to_eager(frame).index)
    return cast("FrameT", nw.from_native(native) if isinstance(built, nw.DataFrame) else native)


def _as_arrow(series: pl.Series, field: Any) -> ArrowArray:
    """Return a column as an array of the type that a field of a table has."""
    dtype = field.type
    if not hasattr(dtype, "value_type") or not hasattr(dtype, "index_type"):
        return to_arrow(series).cast(dtype)
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    return to_arrow(series).cast(dtype.value_type).dictionary_encode().cast(dtype)
