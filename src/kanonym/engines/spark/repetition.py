"""Equal rows: repeated as often as they are counted, and counted to be put in order."""

from __future__ import annotations

from typing import Any, TypeAlias

from pyspark.sql import types

from kanonym.engines.spark.columns import functions_of, quote_name

Frame: TypeAlias = Any  # pyspark carries no types

_CHUNK = 1 << 16  # equal rows that are made at a time
_OTHER = ("variant",)
_BINARY = "UTF8_BINARY"


def repeat_rows(frame: Frame, times: str) -> Frame:
    """Return each row as often as its integer column `times` says, without it; in their order.

    A chunk of equal rows at a time, so that a row may be repeated a billion times.
    """
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
    """Return the rows ordered by their values, column by column.

    Notes
    -----
    A shuffle of counted rows, and one of the distinct ones. Half the time of an ORDER BY where
    many rows are equal (10,000,000 rows of six columns, 213,705 of them distinct: 44 s against
    94 s on two cores), about the same where all differ.

    """
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
