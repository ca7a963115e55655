"""Values of a database as Arrow columns, exact, and their fingerprints."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

import numpy as np
import polars as pl
import pyarrow as pa
from polars import selectors
from sqlglot import exp

from kanonym.data.errors import DataError
from kanonym.engines.sql.statements import exact_column
from kanonym.engines.sql.store import Query

ArrowTable: TypeAlias = Any  # pyarrow carries no types
ArrowField: TypeAlias = Any

_WIDEST = 38  # digits of a decimal
_TYPE = b"POSTGRESQL:type"
_MODIFIER = b"POSTGRESQL:typmod"


def frame_of(
    table: ArrowTable,
    *,
    scales: Mapping[str, int] | None = None,
    words: Mapping[str, Sequence[str]] | None = None,
) -> pl.DataFrame:
    """Return an engine's answer as polars."""
    columns = []
    for header, array in zip(table.schema, table.columns, strict=True):
        if words and header.name in words:
            texts = array.cast(pa.large_string())
            series = pl.Series(texts, dtype=pl.Enum(words[header.name]))
        else:
            series = _series(header, array, None if scales is None else scales.get(header.name))
        columns.append(series.alias(header.name))
    return pl.DataFrame(columns)


def to_plain_types(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table of the types that every engine takes: categories and no type are text."""
    texts = {
        name: pl.String
        for name, dtype in frame.schema.items()
        if dtype in (pl.Categorical, pl.Enum, pl.Null)
    }
    return frame.cast(texts) if texts else frame  # type: ignore[arg-type]


def is_decimal_text(header: ArrowField) -> bool:
    """Tell whether a column of PostgreSQL is a `numeric`, which arrives as text."""
    return (header.metadata or {}).get(_TYPE) == b"numeric"


def declared_scale(header: ArrowField) -> int | None:
    """Return the digits behind the point of a `numeric`; None where it has no limit."""
    modifier = int((header.metadata or {}).get(_MODIFIER, b"-1"))
    if modifier < 0:
        return None
    # PostgreSQL keeps precision and an 11-bit scale with sign in one number, four too large.
    scale = (modifier - 4) & 0x7FF
    return max(scale - 0x800 if scale >= 0x400 else scale, 0)


def _series(header: ArrowField, array: Any, scale: int | None) -> pl.Series:
    if is_decimal_text(header):
        return _decimals(array.cast(pa.string()), header, scale)
    if pa.types.is_decimal(header.type) and header.type.precision == _WIDEST:
        return _whole(pl.Series(array)) if header.type.scale == 0 else pl.Series(array)
    if pa.types.is_null(header.type):
        return pl.Series(array).cast(pl.String)
    return pl.Series(array)


def _decimals(texts: Any, header: ArrowField, scale: int | None) -> pl.Series:
    """Return `numeric` as decimals; what counts without a fraction and type is whole numbers."""
    series = pl.Series(texts, dtype=pl.String)
    series = series.set(series == "NaN", None)
    declared = declared_scale(header) if scale is None else scale
    if declared is None:
        digits = series.str.split(".").list.get(1, null_on_oob=True).str.len_chars().max()
        declared = int(str(digits or 0))
        if not digits:
            whole = series.cast(pl.Int64, strict=False)
            if whole.null_count() == series.null_count():
                return whole
    try:
        return series.cast(pl.Decimal(_WIDEST, declared))
    except pl.exceptions.PolarsError:
        raise DataError(
            f"column {header.name!r} holds numbers that are infinite or have more than {_WIDEST} "
            "digits; make a view that rounds them, and take that"
        ) from None


def _whole(series: pl.Series) -> pl.Series:
    small = series.cast(pl.Int64, strict=False)
    return small if small.null_count() == series.null_count() else series


_UNSIGNED = (pl.UInt8, pl.UInt16, pl.UInt32)
_LARGE = (pl.UInt64, pl.Int128, pl.UInt128)


def without_nan(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with null in the place of NaN."""
    return frame.with_columns(selectors.float().fill_nan(None))


def to_signed(frame: pl.DataFrame, engine: str) -> pl.DataFrame:
    """Return a table with whole numbers of at most 64 bits, and a sign."""
    small = frame.with_columns(selectors.by_dtype(*_UNSIGNED).cast(pl.Int64))
    for column in small.select(selectors.by_dtype(*_LARGE)):
        fitted = column.cast(pl.Int64, strict=False)
        if fitted.null_count() > column.null_count():
            refuse_column(
                column.name, "whole numbers of more than 64 bits", engine, "convert it to text"
            )
        small = small.with_columns(fitted)
    return small


def to_microseconds(frame: pl.DataFrame, engine: str) -> pl.DataFrame:
    """Return a table with dates and times in microseconds."""
    for column in frame.select(selectors.datetime(), selectors.time()):
        fine = column.dtype in (pl.Time, pl.Datetime("ns"), pl.Datetime("ns", "*"))
        if fine and bool((column.to_physical() % 1000 != 0).any()):
            refuse_column(
                column.name,
                "times below a microsecond",
                engine,
                "round it (dt.truncate('1us')) or convert it to text",
            )
    return frame.with_columns(selectors.datetime().dt.cast_time_unit("us"))


def times_as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with dates, times and durations as ISO 8601; moments in UTC."""
    digits = {"ms": 3, "us": 6, "ns": 9}
    texts = []
    for name, dtype in frame.schema.items():
        column = pl.col(name)
        if isinstance(dtype, pl.Datetime):
            if dtype.time_zone is not None:
                column = column.dt.convert_time_zone("UTC")
            offset = "" if dtype.time_zone is None else "+00:00"
            form = f"%Y-%m-%dT%H:%M:%S%.{digits[dtype.time_unit]}f{offset}"
            texts.append(column.dt.strftime(form))
        elif dtype in (pl.Date, pl.Time, pl.Duration):
            texts.append(column.dt.to_string("iso"))
    return frame.with_columns(texts)


def decimals_as_floats(frame: pl.DataFrame, engine: str) -> pl.DataFrame:
    """Return a table with floating-point numbers in the place of decimals."""
    for column in frame.select(selectors.decimal()):
        fitted = column.cast(pl.Float64)
        back = fitted.cast(column.dtype, strict=False)
        if not back.equals(column, null_equal=True):
            refuse_column(
                column.name,
                "decimals of more digits than a floating-point number has",
                engine,
                "round it, or convert it to text",
            )
        frame = frame.with_columns(fitted)
    return frame


def refuse_nul(frame: pl.DataFrame, engine: str) -> None:
    """Refuse texts with the character U+0000."""
    for column in frame.select(pl.col(pl.String)):
        if bool(column.str.contains("\0", literal=True).any()):
            refuse_column(column.name, "a text with the character U+0000", engine, "remove it")


def refuse_types(frame: pl.DataFrame, engine: str, *, lists: bool) -> None:
    """Refuse columns of types that no database has; lists: whether it has lists."""
    for name, dtype in frame.schema.items():
        nested = dtype.is_nested() and not (lists and isinstance(dtype, pl.List))
        if nested or dtype == pl.Object:
            refuse_column(
                name, f"values of the type {dtype}", engine, "drop it, or convert it to text"
            )


def refuse_column(column: str, what: str, engine: str, mend: str) -> NoReturn:
    """Say that a database cannot hold a column."""
    raise DataError(f"column {column!r} holds {what}, which {engine} cannot store exactly: {mend}")


SEED = 0x5EED
_WRAP = (1 << 64) - 1


@dataclass
class Fingerprint:
    """Sums of hashes over the rows of a table, which do not depend on their order.

    Two tables of different rows have the same sums with a chance of about 2 to the power of -64.
    """

    rows: int = 0
    columns: dict[str, int] = field(default_factory=dict)
    records: int = 0

    def add(self, part: pl.DataFrame) -> None:
        """Add the rows of a part of the table."""
        self.add_hashes(pl.DataFrame([column.hash(seed=SEED) for column in part]))

    def add_hashes(self, hashes: pl.DataFrame) -> None:
        """Add the rows of a part of the table, of whose values the hashes with `SEED` are given."""
        self.rows += len(hashes)
        for column in hashes:
            self.columns[column.name] = _add_hashes(self.columns.get(column.name, 0), column)
        self.records = _add_hashes(self.records, hashes.hash_rows(seed=SEED))


def fingerprint_of(parts: Iterable[pl.DataFrame]) -> Fingerprint:
    """Return the fingerprint of a table that comes in parts."""
    fingerprint = Fingerprint()
    for part in parts:
        fingerprint.add(part)
    return fingerprint


def require_same(written: Fingerprint, found: Fingerprint, where: str) -> None:
    """Refuse a table that does not come back as it was written.

    where: the file or table, as it may be shown.
    """
    if found == written or found.rows == written.rows == 0:  # which may come in no part at all
        return
    if found.rows != written.rows:
        raise DataError(
            f"{where}: {written.rows} rows were written and {found.rows} are read back; nothing "
            "was released"
        )
    other = [name for name, total in written.columns.items() if found.columns.get(name) != total]
    column = f"column {other[0]!r}" if other else "its rows"
    raise DataError(
        f"{where}: {column} is not read back as it was written; nothing was released. Convert the "
        "column to text, or choose another format"
    )


def _add_hashes(total: int, hashes: pl.Series) -> int:
    return (total + int(hashes.to_numpy().sum(dtype=np.uint64))) & _WRAP  # it wraps, too


def table_of(query: Query) -> str:
    """Return the name of the table that a query of `read_query` reads."""
    return next(query.find_all(exp.Table)).name


def fresh_name() -> str:
    """Return a table's name that nobody has: letters, digits and underscores."""
    return f"kanonym_{secrets.token_hex(8)}"


def read_query(name: str, columns: list[str]) -> Query:
    """Return a query that reads columns of a table."""
    return exp.select(*map(exact_column, columns)).from_(exp.table_(name, quoted=True))


def refuse_same_names(names: Sequence[str], where: str) -> None:
    """Refuse names that differ in case only: DuckDB and SQLite take them for one."""
    for name, count in Counter(name.lower() for name in names).items():
        if count > 1:
            same = [each for each in names if each.lower() == name]
            raise DataError(
                f"{where}: columns {same[0]!r} and {same[1]!r} differ only in case, which this "
                f"engine does not distinguish; rename one"
            )
