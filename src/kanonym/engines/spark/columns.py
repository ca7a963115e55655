"""Columns of Spark, and repeatable reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, TypeAlias

import polars as pl
import pyarrow as pa
from polars import selectors
from pyspark.sql import types

from kanonym.data.errors import DataError

ArrowTable: TypeAlias = Any  # pyarrow carries no types
ArrowSchema: TypeAlias = Any
ColumnFrame: TypeAlias = Any  # nor does pyspark

_EQUALS: dict[type[pl.DataType], types.DataType] = {
    pl.Boolean: types.BooleanType(),
    pl.Int8: types.ByteType(),
    pl.Int16: types.ShortType(),
    pl.Int32: types.IntegerType(),
    pl.Int64: types.LongType(),
    pl.Float32: types.FloatType(),
    pl.Float64: types.DoubleType(),
    pl.String: types.StringType(),
    pl.Date: types.DateType(),
    pl.Duration: types.DayTimeIntervalType(),
    pl.Binary: types.BinaryType(),
}


def to_spark(frame: pl.DataFrame) -> tuple[ArrowTable, types.StructType]:
    """Return a frame as Arrow, in types that Spark has, and Spark's name for them.

    Integers without sign take the next wider type with one, categories become texts, times
    become microseconds, and a column of nothing but null is text.
    """
    struct = struct_of(frame.schema)
    fitted = frame.with_columns(
        selectors.by_dtype(pl.UInt8).cast(pl.Int16),
        selectors.by_dtype(pl.UInt16).cast(pl.Int32),
        selectors.by_dtype(pl.UInt32).cast(pl.Int64),
        selectors.by_dtype(pl.UInt64).cast(pl.Decimal(20, 0)),
        selectors.by_dtype(pl.Int128).cast(pl.Decimal(38, 0)),
        selectors.by_dtype(pl.Null, pl.Categorical, pl.Enum).cast(pl.String),
        selectors.datetime().dt.cast_time_unit("us"),
        selectors.duration().dt.cast_time_unit("us"),
    )
    return fitted.to_arrow(compat_level=pl.CompatLevel.oldest()), struct


def struct_of(schema: Mapping[str, pl.DataType]) -> types.StructType:
    """Return Spark's schema of columns that `to_spark` makes."""
    return types.StructType(
        [types.StructField(name, _type_of(name, dtype)) for name, dtype in schema.items()]
    )


def arrow_schema(schema: Mapping[str, pl.DataType], *, large: bool) -> ArrowSchema:
    """Return the Arrow schema that Spark awaits from a function on its workers.

    large: whether its texts may be larger than 2 GB a batch.
    """
    table, _ = to_spark(pl.DataFrame(schema=dict(schema)))
    return pa.schema(
        [(field.name, _worker_type(field.type, large=large)) for field in table.schema]
    )


def from_arrow(table: ArrowTable) -> pl.DataFrame:
    """Return what Spark gave as polars; moments are in UTC, whatever zone the session has."""
    frame = pl.from_arrow(table.unify_dictionaries())
    if not isinstance(frame, pl.DataFrame):
        raise TypeError("a table of Arrow is a frame")
    return frame.with_columns(selectors.datetime(time_zone="*").dt.convert_time_zone("UTC"))


def quote_name(name: str) -> str:
    """Return the exact name of a column as Spark's own functions take it, dots included."""
    return "`" + name.replace("`", "``") + "`"


def functions_of(frame: ColumnFrame) -> Any:
    """Return the functions of columns that fit a DataFrame: classic ones, or those of Connect."""
    connect = type(frame).__module__.startswith("pyspark.sql.connect")
    return import_module("pyspark.sql.connect.functions" if connect else "pyspark.sql.functions")


def check_names(names: Sequence[str], *, by_case: bool) -> None:
    """Refuse two columns that Spark cannot tell apart.

    by_case: whether the session tells upper from lower case.
    """
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name if by_case else name.lower(), name)
        if other is not name:
            mend = (
                ""
                if other == name
                else (
                    ", or make Spark distinguish them: "
                    'spark.conf.set("spark.sql.caseSensitive", "true")'
                )
            )
            raise DataError(
                f"columns {other!r} and {name!r} have the same name on Spark; rename one{mend}"
            )


def without_void(frame: ColumnFrame) -> ColumnFrame:
    """Return a DataFrame whose columns of nothing but null, without a type, are texts."""
    void = [one.name for one in frame.schema if isinstance(one.dataType, types.NullType)]
    if not void:
        return frame
    return frame.select(
        [
            frame[quote_name(name)].cast("string").alias(name) if name in void else quote_name(name)
            for name in frame.columns
        ]
    )


def _worker_type(dtype: Any, *, large: bool) -> Any:
    if pa.types.is_large_string(dtype) and not large:
        return pa.string()
    if pa.types.is_large_binary(dtype) and not large:
        return pa.binary()
    if pa.types.is_timestamp(dtype) and dtype.tz:
        return pa.timestamp("us", "UTC")
    return dtype


def _type_of(name: str, dtype: pl.DataType) -> types.DataType:
    wider: dict[type[pl.DataType], types.DataType] = {
        pl.UInt8: types.ShortType(),
        pl.UInt16: types.IntegerType(),
        pl.UInt32: types.LongType(),
        pl.UInt64: types.DecimalType(20, 0),
        pl.Int128: types.DecimalType(38, 0),
        pl.Null: types.StringType(),
        pl.Categorical: types.StringType(),
        pl.Enum: types.StringType(),
    }
    if isinstance(dtype, pl.Decimal):
        return types.DecimalType(dtype.precision or 38, dtype.scale)
    if isinstance(dtype, pl.Datetime):
        return types.TimestampType() if dtype.time_zone else types.TimestampNTZType()
    if isinstance(dtype, pl.Time) and hasattr(types, "TimeType"):
        return types.TimeType()
    found = _EQUALS.get(type(dtype)) or wider.get(type(dtype))
    if found is None:
        raise DataError(
            f"column {name!r} holds {dtype}, which Spark cannot take from here; convert it to "
            "numbers, dates or text"
        )
    return found


Frame: TypeAlias = Any  # pyspark carries no types

_CHUNK = 1 << 16  # equal rows that are made at a time
_OTHER = ("variant",)
_BINARY = "UTF8_BINARY"


def repeat_rows(frame: Frame, times: str) -> Frame:
    """Return each row as often as its integer column `times` says, without it; in their order."""
    sql = functions_of(frame)
    names = [name for name in frame.columns if name != times]
    chunk, left = _free_name(names, 0), _free_name(names, 1)
    number = frame[quote_name(times)].cast("long")
    starts = sql.sequence(sql.lit(0).cast("long"), number - 1, sql.lit(_CHUNK).cast("long"))
    columns = [quote_name(name) for name in names]
    chunks = frame.where(number >= 1).select(
        *columns, number.alias(left), sql.explode(starts).alias(chunk)
    )
    size = sql.least(chunks[left] - chunks[chunk], sql.lit(_CHUNK)).cast("int")
    rows = chunks.select(*columns, sql.explode(sql.array_repeat(sql.lit(0), size)))
    return rows.select(*columns)


def order_rows(frame: Frame) -> Frame:
    """Return the rows ordered by their values, column by column."""
    sql = functions_of(frame)
    columns = [quote_name(name) for name in frame.columns]
    times = _free_name(frame.columns, 0)
    counted = frame.groupBy(*columns).agg(sql.count(sql.lit(1)).alias(times))
    return repeat_rows(counted.orderBy(*columns), times)


def is_groupable(frame: Frame) -> bool:
    """Whether rows that are equal on Spark have the same values, in types that it can compare."""
    return not any(
        isinstance(one.dataType, (types.ArrayType, types.MapType, types.StructType))
        or one.dataType.simpleString() in _OTHER
        or getattr(one.dataType, "collation", _BINARY) != _BINARY
        for one in frame.schema
    )


def _free_name(names: list[str], place: int) -> str:
    """Return a name that none of these is, in any case."""
    taken = {name.lower() for name in names}
    return [one for number in range(len(taken) + 2) if (one := f"c{number}") not in taken][place]
