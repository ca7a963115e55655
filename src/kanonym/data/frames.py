"""Data frames in and out: pandas, polars and pyarrow, the same type out as in.

Columns are converted one at a time, so that a column nobody recodes may hold
anything at all (lists, mixed objects): it is released as it came.

What a converted column is made of:

- NaN is null; infinite numbers stay and are refused where they do harm.
- Ordered categories become a polars `Enum`, other categories a `Categorical`, those of numbers
  included: their owner says that they are categories. Categories that are dates or booleans become
  those values, and so do numbers that are ordered by themselves; in any other order they are an
  `Enum` of their texts.
- A column that is null throughout is text.
- The index of a pandas frame is no column: it is never read, never released.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
import polars as pl

from kanonym.data.columns import rebuild
from kanonym.data.columns.values import ReleasedColumn, RepeatedColumn, refuse_strange_years
from kanonym.data.errors import DataError, KanonymError
from kanonym.data.loading import LazyModule
from kanonym.data.person_key import PersonKey
from kanonym.kernels.arrays import Ints
from kanonym.kernels.parallel import parallel

_used_in: list[int] = []


def require_own_threads() -> None:
    """Refuse to work in a process that was forked after a table was read in its parent.

    The threads of polars stay in the parent, so the first call that needs one would hang.
    """
    if not _used_in:
        _used_in.append(os.getpid())
    if _used_in[0] != os.getpid():
        raise KanonymError(
            "this process was forked from one in which kanonym had been used, and its threads did "
            "not come along: start processes by multiprocessing.get_context('spawn')"
        )


if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = LazyModule("narwhals")

# pandas need not be installed, and pyarrow carries no types.
PandasFrame: TypeAlias = Any
PandasSeries: TypeAlias = Any
ArrowTable: TypeAlias = Any
ArrowArray: TypeAlias = Any
Rows: TypeAlias = Ints | None

FrameT = TypeVar("FrameT")

VALUE, EXCEPTION = "\u2063value", "\u2063exception"
"""The fields of a read column with exceptions: a value, or the text of a cell that is none."""

_SMALL_OFFSETS = 2**31 - 1  # bytes of text that Arrow's `string` type can address


class FetchableTable(ABC):
    """A table that an engine holds, and that can be fetched into this process."""

    @abstractmethod
    def to_polars(self) -> pl.DataFrame:
        """Return all of its rows."""


def is_frame(obj: object) -> bool:
    """Tell whether `obj` is a table that kanonym takes.

    True for a pandas or polars DataFrame, a polars LazyFrame, a pyarrow Table, and for a narwhals
    wrapper around one of them.

    Examples
    --------
    >>> is_frame(pl.DataFrame({"age": [34]})), is_frame({"age": [34]})
    (True, False)
    """
    native = to_native(obj)
    return _is_polars(native) or is_pandas(native) or is_arrow(native)


def to_native(frame: object) -> Any:
    """Return what is in a narwhals wrapper; anything else as it is."""
    return frame if _is_polars(frame) else nw.to_native(frame, pass_through=True)


def is_pandas(native: object) -> bool:
    """Tell whether a native table is one of pandas."""
    return not _is_polars(native) and nw.dependencies.is_pandas_dataframe(native)


def is_arrow(native: object) -> bool:
    """Tell whether a native table is one of pyarrow."""
    return not _is_polars(native) and nw.dependencies.is_pyarrow_table(native)


def _is_polars(native: object) -> bool:
    return isinstance(native, pl.DataFrame | pl.LazyFrame)


def to_eager(frame: object) -> Any:
    """Return the pandas, polars or pyarrow table behind `frame`, collected once.

    The rows of a table that an engine holds are fetched. A lazy frame may come out in another order
    each time it is collected. Whoever reads several columns of one, or builds a release from it,
    calls this first and works on the result.
    """
    require_own_threads()
    native = to_native(frame)
    if isinstance(native, pl.LazyFrame):
        return native.collect()
    if isinstance(native, FetchableTable):
        return native.to_polars()
    if not is_frame(native):
        lazy = nw.from_native(native, pass_through=True)
        if isinstance(lazy, nw.LazyFrame):  # of DuckDB or Spark
            return lazy.collect("polars").to_native()
        raise DataError(
            f"a table is a pandas or polars DataFrame, a polars LazyFrame or a pyarrow Table, or "
            "what Database, DuckDB or Spark made; "
            f"this is {type(native).__module__}.{type(native).__qualname__}"
        )
    return native


def column_names(frame: object) -> list[str]:
    """Return the names of the columns, in order."""
    native = to_native(frame)
    if isinstance(native, pl.LazyFrame):
        return _check_names(native.collect_schema().names())
    native = to_eager(native)
    if isinstance(native, pl.DataFrame):
        return _check_names(native.columns)
    if is_arrow(native):
        return _check_names(native.column_names)
    return _check_names(list(native.columns))


def select(frame: FrameT, names: Sequence[str]) -> FrameT:
    """Return some columns of an eager frame, in the order of their names; type and index stay."""
    if isinstance(frame, pl.DataFrame):
        return cast("FrameT", frame.select(list(names)))
    return cast("FrameT", nw.from_native(cast("Any", frame)).select(list(names)).to_native())


def n_rows(frame: object) -> int:
    """Return the number of rows; a lazy frame is collected for it."""
    native = to_eager(frame)
    return int(native.num_rows) if is_arrow(native) else len(native)


def column(frame: object, name: str) -> pl.Series:
    """Return one column as polars, ready to be encoded.

    Numbers, dates and text of Arrow-backed frames, and numbers of NumPy-backed ones, are not
    copied.

    Returns: polars.Series (n_rows,) of numbers, booleans, dates or times, text or categories; null
        for every missing value, NaN included.
    """
    series = values_of(_convert(to_eager(frame), name))
    dtype = series.dtype
    if not (dtype.is_numeric() or dtype.is_temporal() or dtype in rebuild.WORDS):
        raise DataError(
            f"column {name!r} holds {dtype}: only numbers, booleans, dates, text and "
            "categories can be recoded or measured. Convert the column, or give it the role "
            "insensitive (released as it is) or identifier (dropped)"
        )
    if dtype in (pl.Date, pl.Datetime):
        refuse_strange_years(series)
    return series


def with_exceptions(values: pl.Series, exceptions: pl.Series) -> pl.Series:
    """Return a read column with exceptions: (n,) values, and texts that are null where one is."""
    return pl.DataFrame({VALUE: values, EXCEPTION: exceptions}).to_struct(values.name)


def exceptions_of(series: pl.Series) -> pl.Series | None:
    """Return the exceptions of a column as `raw_column` returns it; None where it has none."""
    dtype = series.dtype
    is_read = isinstance(dtype, pl.Struct) and [field.name for field in dtype.fields] == [
        VALUE,
        EXCEPTION,
    ]
    return series.struct.field(EXCEPTION) if is_read else None


def values_of(series: pl.Series) -> pl.Series:
    """Return the values of a column, null where it has exceptions."""
    if exceptions_of(series) is None:
        return series
    return series.struct.field(VALUE).alias(series.name)


def column_with_exceptions(frame: object, name: str) -> pl.Series:
    """Return one column as `column` does, with its exceptions where it has some."""
    values, exceptions = column(frame, name), exceptions_of(raw_column(frame, name))
    return values if exceptions is None else with_exceptions(values, exceptions)


def without_exceptions(frame: FrameT) -> FrameT:
    """Return an eager frame with null for exceptions."""
    changed = {}
    for name in column_names(frame):
        with suppress(DataError):  # what cannot be read has none
            series = raw_column(frame, name)
            if exceptions_of(series) is not None:
                changed[name] = values_of(series)
    if not changed:
        return frame
    return assemble(frame, None, [changed.get(name, name) for name in column_names(frame)])


def raw_column(frame: object, name: str) -> pl.Series:
    """Return one column as polars, lists included: its type is the reader's to judge."""
    return _convert(to_eager(frame), name)


def label_column(frame: object, name: str) -> pl.Series:
    """Return one column as `column` does, lists of two values as the intervals that they are."""
    series = _convert(to_eager(frame), name)
    inner = series.dtype.inner if isinstance(series.dtype, pl.List) else pl.Null()
    if inner.is_numeric() or inner == pl.String:
        pairs = series.list.len().drop_nulls()
        if (pairs == 2).all() and not series.list.eval(pl.element().is_null()).list.any().any():
            text = pl.format("[{}, {}]", pl.element().first(), pl.element().last())
            return series.list.eval(text).list.first().alias(name)
    return column(frame, name)


def to_polars(frame: object) -> pl.DataFrame:
    """Return the whole table as polars, lists and structs included."""
    native = to_eager(frame)
    return pl.DataFrame([_get_column(native, name) for name in column_names(native)])


def assemble(
    frame: FrameT, rows: Rows, columns: Sequence[ReleasedColumn], like: object = None
) -> FrameT:
    """Build a released table of the same type as the table that came in.

    rows: (n,) int64 positions of input rows in released order; None for all rows in their own
    order.
    """
    like = frame if like is None else like
    native = to_eager(frame)
    length = n_rows(native) if rows is None else len(rows)
    for entry in columns:
        if not isinstance(entry, str) and len(entry) != length:
            raise ValueError(f"column {entry.name!r} has {len(entry)} values for {length} rows")
    built: Any
    if isinstance(native, pl.DataFrame):
        built = _assemble_polars(native, rows, columns)
    else:
        whole = [one.to_series() if isinstance(one, RepeatedColumn) else one for one in columns]
        if is_arrow(native):
            built = _assemble_arrow(native, rows, whole)
        else:
            built = _assemble_pandas(native, rows, whole)
    return cast("FrameT", wrap_like(built, like))


def wrap_like(built: Any, like: object) -> Any:
    """Return a native table as a lazy frame or in a narwhals wrapper, where `like` is one."""
    if isinstance(to_native(like), pl.LazyFrame):
        built = built.lazy()
    if _is_polars(like):
        return built
    return nw.from_native(built) if isinstance(like, (nw.DataFrame, nw.LazyFrame)) else built


def _check_names(names: Sequence[object]) -> list[str]:
    if not names:
        raise DataError("the table has no columns")
    other = [name for name in names if not isinstance(name, str)]
    if other:
        raise DataError(
            f"column names must be text; {other[0]!r} is {type(other[0]).__name__} "
            "(pandas: df.columns = df.columns.astype(str))"
        )
    for name in cast("list[str]", list(names)):
        if not name or name == "*" or (name.startswith("^") and name.endswith("$")):
            # Polars takes these for "no name" and for patterns of names.
            raise DataError(f"column name {name!r} cannot be used; rename that column")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"column name {twice[0]!r} occurs more than once; names must differ")
    return cast("list[str]", list(names))


def _convert(native: pl.DataFrame | PandasFrame | ArrowTable, name: str) -> pl.Series:
    if isinstance(name, PersonKey):
        return name.combine([column(native, one) for one in name.columns])
    # Names of polars are texts that differ: checking them all for each column would take long.
    names = native.columns if isinstance(native, pl.DataFrame) else column_names(native)
    if name not in names:
        raise DataError(f"no column {name!r}; the table has: {', '.join(names)}")
    return _get_column(native, name)


def _get_column(native: pl.DataFrame | PandasFrame | ArrowTable, name: str) -> pl.Series:
    """Return a column that is known to be there, by the one name that it has."""
    if isinstance(native, pl.DataFrame):
        series = native.get_column(name)
    elif is_arrow(native):
        series = _from_arrow(native.column(name), name)
    else:
        series = _from_pandas(native[name])
    if series.dtype == pl.Null:
        series = series.cast(pl.String)
    if series.dtype.is_float() and series.is_nan().any():
        series = series.fill_nan(None)
    return series.alias(name)


def _from_arrow(array: ArrowArray, name: str) -> pl.Series:
    series = _read(array, name, str(array.type))
    if series.dtype == pl.Categorical and array.type.ordered:
        chunks = array.unify_dictionaries().chunks
        categories = chunks[0].dictionary.to_pylist() if chunks else []
        return series.cast(pl.Enum(categories))
    if series.dtype.is_numeric() and hasattr(array.type, "index_type"):
        return series.cast(pl.String).cast(pl.Categorical)
    return series


def _from_pandas(column: PandasSeries) -> pl.Series:
    name = str(column.name)
    if column.dtype == "object":
        rebuild.refuse_mixture(column)
    if column.dtype != "category":
        return _read(column, name, str(column.dtype))
    categories = column.cat.categories
    values = "iufbmM" if column.cat.ordered else "bmM"
    in_order = not column.cat.ordered or categories.is_monotonic_increasing
    if categories.dtype.kind in values and in_order:
        return _read(column, name, f"categories of {categories.dtype}")
    texts = [str(category) for category in categories]
    if len(set(texts)) < len(texts):
        raise DataError(f"column {name!r} has two categories with the same text; rename one")
    series = _read(column.cat.rename_categories(texts), name, "categories")
    return series.cast(pl.Enum(texts) if column.cat.ordered else pl.Categorical())


def _read(column: PandasSeries | ArrowArray, name: str, dtype: str) -> pl.Series:
    # Whatever the libraries raise here may quote a value, so none of it is passed on.
    try:
        series: pl.Series = nw.from_native(column, series_only=True).to_polars()
    except (TypeError, ValueError, ArithmeticError, RuntimeError, pl.exceptions.PolarsError):
        raise DataError(
            f"column {name!r} of type {dtype} cannot be read; convert it to numbers, dates or text"
        ) from None
    return series


def _assemble_polars(
    frame: pl.DataFrame, rows: Rows, columns: Sequence[ReleasedColumn]
) -> pl.DataFrame:
    places = pl.Series(np.arange(frame.height) if rows is None else rows)

    def build(entry: ReleasedColumn) -> pl.Series:
        if isinstance(entry, RepeatedColumn):
            return replace(entry, values=rebuild.rebuild_polars(entry.values)).to_series()
        if isinstance(entry, str):
            entry = frame.get_column(entry).gather(places)
        return rebuild.rebuild_polars(entry)

    return pl.DataFrame(parallel(build, columns))


def _assemble_arrow(
    table: ArrowTable, rows: Rows, columns: Sequence[str | pl.Series]
) -> ArrowTable:
    built = {
        _name(entry): rebuild.take_arrow(entry, table.column(entry), rows)
        if isinstance(entry, str)
        else rebuild.rebuild_arrow(to_arrow(entry))
        for entry in columns
    }
    return nw.get_native_namespace(table).table(built)


def to_arrow(series: pl.Series) -> ArrowArray:
    """Return a column as an array, with the text type that other libraries expect."""
    array = series.to_arrow(compat_level=pl.CompatLevel.oldest())
    if series.dtype == pl.String and array.nbytes <= _SMALL_OFFSETS:
        return array.cast("string")
    return array


def _assemble_pandas(
    frame: PandasFrame, rows: Rows, columns: Sequence[str | pl.Series]
) -> PandasFrame:
    pandas = nw.get_native_namespace(frame)
    built = {
        _name(entry): rebuild.rebuild_pandas(_to_pandas(rebuild.rebuild_polars(entry), frame))
        if isinstance(entry, pl.Series)
        else rebuild.rebuild_pandas(frame[entry], rows)
        for entry in columns
    }
    return pandas.DataFrame(built, copy=False)


def _to_pandas(series: pl.Series, frame: PandasFrame) -> PandasSeries:
    before = frame[series.name] if series.name in frame.columns else None
    kept = None if before is None or not rebuild.same_type(series, before) else before.dtype
    if series.null_count() and (series.dtype.is_integer() or series.dtype == pl.Boolean):
        # NumPy has no null in these; going through floats would lose digits.
        if kept is None or isinstance(kept, np.dtype):
            kept = "boolean" if series.dtype == pl.Boolean else str(series.dtype)
        column: PandasSeries = series.to_pandas(use_pyarrow_extension_array=True)
        return column.astype(kept)
    nested = isinstance(series.dtype, pl.Struct)
    column = series.to_pandas(use_pyarrow_extension_array=nested)
    return column if kept is None else column.astype(kept)


def _name(entry: str | pl.Series) -> str:
    return entry if isinstance(entry, str) else entry.name
