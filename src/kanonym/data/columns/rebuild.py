"""Columns rebuilt in the type and library they came in."""

from __future__ import annotations

import copy
from numbers import Real
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

import numpy as np
import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.loading import LazyModule
from kanonym.kernels.arrays import Ints


class Frame(Protocol):
    """A pandas or polars DataFrame, a polars LazyFrame, a pyarrow Table, or a table on an engine.

    Also a narwhals wrapper around one of them. What else has columns is refused when it is read.
    """

    @property
    def columns(self) -> object:
        """Its columns."""


TableSource: TypeAlias = str | PathLike[str] | Frame
"""A table, or the path of its file."""
Population: TypeAlias = int | TableSource | None
"""The number of persons that a table is a sample of, a table of all of them, or its path."""


if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = LazyModule("narwhals")

pa: Any = LazyModule("pyarrow")
pc: Any = LazyModule("pyarrow.compute")

# pandas need not be installed, and pyarrow carries no types.
PandasSeries: TypeAlias = Any
PandasCategorical: TypeAlias = Any
ArrowArray: TypeAlias = Any
ArrowType: TypeAlias = Any

_VIEWS = {"string_view": "large_string", "binary_view": "large_binary"}
"""Types whose values may lie in the memory of another array, and what holds the same."""

_LISTS = {
    "is_list": "list_",
    "is_large_list": "large_list",
    "is_list_view": "list_view",
    "is_large_list_view": "large_list_view",
}
"""What tells that a type is one of lists, and what makes such a type."""

EXACT = 2.0**53
"""Up to here whole numbers are exact as floats."""

_IMMUTABLE = (str, bytes, int, float, complex, bool, type(None), np.generic)


def rebuild_polars(series: pl.Series) -> pl.Series:
    """Return a polars column built anew; numbers without nulls are not copied."""
    dtype = series.dtype
    if dtype == pl.Enum:
        return series.cast(_type_in_use(series))
    if not (dtype.is_nested() or dtype in (pl.String, pl.Binary)):
        # Gathered, nothing stands under nulls.
        return series.gather(np.arange(len(series))) if series.null_count() else series
    final = _type_in_use(series) if dtype.is_nested() else dtype
    array = categories_as_text(series).to_arrow(
        compat_level=pl.CompatLevel.oldest()
    )  # texts one after the other
    if dtype.is_nested() or array.null_count:
        array = _rebuild_array(array)
    return cast("pl.Series", pl.from_arrow(array)).cast(final).alias(series.name)


def categories_as_text(series: pl.Series) -> pl.Series:
    """Return a column with text in the place of categories, those within lists and structs too."""
    return series.cast(_text_for(series.dtype)) if series.dtype.is_nested() else series


def rebuild_arrow(chunks: ArrowArray) -> ArrowArray:
    """Return an Arrow array, or the chunks of a column, built anew as chunks."""
    final = _plain_type(chunks.type, views=True)
    if isinstance(chunks, pa.Array):
        chunks = pa.chunked_array([chunks])
    plain = chunks.cast(_plain_type(chunks.type, views=False)).unify_dictionaries().combine_chunks()
    several = plain.chunks if isinstance(plain, pa.ChunkedArray) else [plain]
    return pa.chunked_array([_rebuild_array(one).cast(final) for one in several], final)


def take_arrow(name: str, chunks: ArrowArray, rows: Ints | None) -> ArrowArray:
    """Return entries of an Arrow column built anew; None for all of them."""
    rows = np.arange(len(chunks)) if rows is None else rows
    try:
        # Arrow takes nothing from views of text.
        plain = chunks.cast(_plain_type(chunks.type, views=False)).unify_dictionaries()
        return rebuild_arrow(plain.take(pa.array(rows))).cast(_plain_type(chunks.type, views=True))
    except (pa.ArrowException, TypeError, AttributeError):  # they may quote a value
        raise DataError(
            f"column {name!r} of type {chunks.type} cannot be taken apart by Arrow; convert it "
            "to numbers, dates, text or lists, or leave it out"
        ) from None


def rebuild_pandas(column: PandasSeries, rows: Ints | None = None) -> PandasSeries:
    """Return entries of a pandas column built anew, with a fresh index; None for all of them.

    Categories are those that occur: ordered ones in their order, others sorted. Of some entries,
    objects and floats of NumPy, which are what others make of them, have the type of these alone.
    """
    pandas = nw.get_native_namespace(column)
    name, dtype = str(column.name), column.dtype
    fewer = rows is not None and len(rows) < len(column)
    rows = np.arange(len(column)) if rows is None else rows
    if isinstance(dtype, pandas.ArrowDtype):
        built = take_arrow(name, pa.chunked_array(column.array.__arrow_array__()), rows)
        return pandas.Series(pandas.arrays.ArrowExtensionArray(built), name=name)
    array = column.array.take(rows)
    if dtype == "category":
        return pandas.Series(_categories_in_use(array), name=name)
    if hasattr(dtype, "numpy_dtype") and pandas.api.types.is_extension_array_dtype(dtype):
        # What stood under a null before is still there.
        known = array.to_numpy(dtype=dtype.numpy_dtype, na_value=0, copy=True)
        return pandas.Series(type(array)(known, np.array(array.isna())), name=name)
    if dtype == "object":
        copied = np.fromiter((_copy_value(value, name) for value in array), object, len(array))
        built = pandas.Series(copied, dtype=object, name=name)
        return built.infer_objects() if fewer else built
    if fewer and dtype == "float64":
        numbers = array.to_numpy()
        whole = (np.abs(numbers) < EXACT) & (np.floor(numbers) == numbers)
        dtype = "int64" if len(numbers) and whole.all() else dtype
    return pandas.Series(array, dtype=dtype, name=name, copy=False)


def _text_for(dtype: Any) -> Any:
    """Return a type with text in the place of categories."""
    if dtype in (pl.Enum, pl.Categorical):
        return pl.String
    if dtype == pl.List:
        return pl.List(_text_for(dtype.inner))
    if dtype == pl.Array:
        return pl.Array(_text_for(dtype.inner), dtype.size)
    if dtype == pl.Struct:
        return pl.Struct({field.name: _text_for(field.dtype) for field in dtype.fields})
    return dtype


def _type_in_use(series: pl.Series) -> pl.DataType:
    """Return the type of a column, its enumerations without what does not occur."""
    dtype: Any = series.dtype
    if dtype == pl.Enum:
        found = set(series.unique().cast(pl.String))
        return pl.Enum([category for category in dtype.categories if category in found])
    if dtype == pl.List:
        return pl.List(_type_in_use(series.explode()))
    if dtype == pl.Array:
        return pl.Array(_type_in_use(series.explode()), dtype.size)
    if dtype == pl.Struct:
        return pl.Struct(
            {field.name: _type_in_use(series.struct.field(field.name)) for field in dtype.fields}
        )
    return cast("pl.DataType", dtype)


def _plain_type(kind: ArrowType, *, views: bool) -> ArrowType:
    """Return a type without metadata of its fields; with what holds the same in place of views."""

    def inner(field: ArrowType) -> ArrowType:
        return pa.field(field.name, _plain_type(field.type, views=views), field.nullable)

    if not views and str(kind) in _VIEWS:
        return getattr(pa, _VIEWS[str(kind)])()
    if pa.types.is_struct(kind):
        return pa.struct([inner(kind.field(i)) for i in range(kind.num_fields)])
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(inner(kind.value_field), kind.list_size)
    for is_kind, of in _LISTS.items():
        if getattr(pa.types, is_kind)(kind):
            return getattr(pa, of)(inner(kind.value_field))
    if pa.types.is_map(kind):
        return pa.map_(inner(kind.key_field), inner(kind.item_field), kind.keys_sorted)
    if pa.types.is_dictionary(kind):
        return pa.dictionary(
            kind.index_type, _plain_type(kind.value_type, views=views), kind.ordered
        )
    return kind


def _rebuild_array(array: ArrowArray) -> ArrowArray:
    """Return an array that shares no memory with what it was made of, nothing under its nulls."""
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        return kind.wrap_array(_rebuild_array(array.storage))
    if pa.types.is_dictionary(kind):
        return _dictionary(array)
    if pa.types.is_struct(kind):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        if not fields:
            return array
        values = [_rebuild_array(one) for one in array.flatten()]
        return pa.StructArray.from_arrays(values, fields=fields, mask=array.is_null())
    if pa.types.is_fixed_size_list(kind):
        return _fixed_lists(array)
    if pa.types.is_map(kind) or any(getattr(pa.types, is_kind)(kind) for is_kind in _LISTS):
        return _lists(array)
    return array.take(pa.array(np.arange(len(array))))


def _lists(array: ArrowArray) -> ArrowArray:
    """Return lists or maps without what stood under their nulls."""
    kind, mask = array.type, array.is_null()
    if pa.types.is_map(kind):
        return _maps(array)
    wide = pa.types.is_large_list(kind) or pa.types.is_large_list_view(kind)
    lengths = np.array(pc.fill_null(pc.list_value_length(array), 0))
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64 if wide else np.int32)
    offsets = [pa.array(starts)]
    if pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        offsets = [pa.array(starts[:-1]), pa.array(lengths.astype(starts.dtype))]
    return type(array).from_arrays(*offsets, _rebuild_array(array.flatten()), type=kind, mask=mask)


def _maps(array: ArrowArray) -> ArrowArray:
    before = np.array(array.offsets)
    lengths = np.diff(before) * np.array(array.is_valid())
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    places = np.arange(starts[-1]) + np.repeat(before[:-1] - starts[:-1], lengths)
    entries = [_rebuild_array(one.take(pa.array(places))) for one in (array.keys, array.items)]
    return pa.MapArray.from_arrays(
        pa.array(starts), *entries, type=array.type, mask=array.is_null()
    )


def _fixed_lists(array: ArrowArray) -> ArrowArray:
    known = np.array(array.is_valid())
    places = np.repeat(np.cumsum(known) - 1, array.type.list_size)
    places = places * array.type.list_size + np.tile(np.arange(array.type.list_size), len(array))
    hidden = np.repeat(~known, array.type.list_size)
    values = _rebuild_array(array.flatten().take(pa.array(places, mask=hidden)))
    return pa.FixedSizeListArray.from_arrays(values, type=array.type, mask=array.is_null())


def _dictionary(array: ArrowArray) -> ArrowArray:
    """Return codes of a dictionary of the values that occur, each once."""
    used = np.unique(np.array(array.indices.drop_null()))
    # A dictionary may hold a value twice, and null.
    values = _rebuild_array(array.dictionary.take(pa.array(used))).dictionary_encode()
    known = values.dictionary
    if not array.type.ordered:
        order = np.array(pc.array_sort_indices(known))
        known = known.take(pa.array(order))
    else:
        order = np.arange(len(known))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    of_used = pa.array(place).take(values.indices)
    codes = np.searchsorted(used, np.array(pc.fill_null(array.indices, 0)))
    codes = pa.array(codes, mask=np.array(array.is_null()))
    codes = of_used.take(codes).cast(array.type.index_type)
    return pa.DictionaryArray.from_arrays(codes, known, ordered=array.type.ordered)


def _categories_in_use(array: PandasCategorical) -> PandasCategorical:
    used = array.remove_unused_categories()
    if array.ordered:
        return used
    try:
        in_order = used.categories.sort_values()
    except TypeError:  # of several types
        in_order = sorted(used.categories, key=lambda one: (type(one).__name__, str(one)))
    return used.reorder_categories(in_order)


def _copy_value(value: Any, name: str) -> Any:
    if isinstance(value, _IMMUTABLE):
        return value
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 - what objects of others raise may quote them
        raise DataError(
            f"column {name!r} holds objects ({type(value).__name__}) that cannot be copied, and a "
            "release shares nothing with its input; convert the column to text, or leave it out"
        ) from None


if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = LazyModule("narwhals")


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
