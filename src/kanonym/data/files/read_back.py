"""Whether a written file holds the table: it is read back, and every value is compared.

The readers share nothing with the writers: pyarrow reads what polars wrote, and calamine what
xlsxwriter wrote. A text file has two kinds of readers, and both must see the classes that were
verified: one that takes cells as texts, and one that gives them types as `read_table` does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.files import statistical
from kanonym.data.files.text_cells import parse_temporal, typed_texts
from kanonym.data.loading import LazyModule

if TYPE_CHECKING:
    from kanonym.data.files import excel
else:
    excel = LazyModule("kanonym.data.files.excel")

pa: Any = LazyModule("pyarrow")
arrow_csv: Any = LazyModule("pyarrow.csv")
arrow_json: Any = LazyModule("pyarrow.json")
arrow_parquet: Any = LazyModule("pyarrow.parquet")

ArrowTable: TypeAlias = Any  # pyarrow carries no types
ArrowType: TypeAlias = Any

_NAMES = {
    "csv": "CSV",
    "tsv": "TSV",
    "jsonl": "JSON Lines",
    "json": "JSON",
    "excel": "Excel",
    "parquet": "Parquet",
    "feather": "Feather",
    "spss": "SPSS",
    "stata": "Stata",
    "sas": "SAS",
}
_BLOCK_BYTES = 1 << 26  # no record may be longer
_WAY_OUT = "write Parquet, or recode the column"


def check_written(data: bytes, kind: str, frame: pl.DataFrame, held: pl.DataFrame) -> None:
    """Compare a file with the table that it must hold."""
    form = _NAMES[kind]
    for given, written in zip(frame, held, strict=True):
        if written.dtype != given.dtype and not given.dtype.is_nested():
            row = _first_merged_row(given, written)
            if row is not None:
                raise DataError(
                    f"column {given.name!r}, row {row}: its value and another one are written "
                    f"identically in {form}; {_WAY_OUT}"
                )
    try:
        found = _READERS[kind](data, held)
    except (pa.ArrowException, pl.exceptions.PolarsError):  # their texts may quote values
        raise DataError(
            f"what was written cannot be read back from {form}; write Parquet"
        ) from None
    if found.columns != held.columns:
        both = zip(held.columns, found.columns, strict=False)
        odd = next((one for one, other in both if one != other), held.columns[-1])
        raise DataError(f"the name of column {odd!r} reads back differently from {form}; rename it")
    if len(found) != len(held):
        raise DataError(
            f"{len(held)} rows were written, and {len(found)} read back from {form}; write Parquet"
        )
    for before, after in zip(held, found, strict=True):
        row = _first_difference(before, after)
        if row is not None:
            raise DataError(
                f"column {before.name!r}, row {row}: the value reads back differently from {form}; "
                f"{_WAY_OUT}"
            )
    if kind in _TYPED:
        _check_typed(frame, held, _TYPED[kind], form)


def _check_typed(
    frame: pl.DataFrame, held: pl.DataFrame, read: Callable[[pl.Series], pl.Series], form: str
) -> None:
    """Refuse texts that differ, but are equal numbers, times or nulls to a reader with types."""
    for before, texts in zip(frame, held, strict=True):
        if texts.dtype not in (pl.String, pl.Categorical, pl.Enum):
            continue
        values = read(texts.cast(pl.String))
        if values.dtype == pl.String:
            continue
        row = _first_merged_row(texts, values)
        if row is not None:
            raise DataError(
                f"column {before.name!r}, row {row}: programs that read numbers and dates from "
                f"{form} take this text for the same value as another text, or for null; write "
                "Parquet, or give equal values equal texts"
            )


def _first_merged_row(before: pl.Series, after: pl.Series) -> int | None:
    """Return the first row whose value becomes another one's or null, counted from 1."""
    if before.null_count() == after.null_count() and before.n_unique() == after.n_unique():
        return None
    pairs = pl.DataFrame({"before": before, "after": after}).with_row_index("row")
    lost = pairs.filter(pl.col("before").is_null() != pl.col("after").is_null())
    distinct = pairs.unique(["before", "after"], maintain_order=True)
    merged = distinct.filter(pl.col("after").is_duplicated())
    rows = [*lost.get_column("row").head(1), *merged.get_column("row").head(1)]
    return int(min(rows)) + 1


def _first_difference(held: pl.Series, found: pl.Series) -> int | None:
    """Return the first row, counted from 1, in which two columns differ."""
    if held.dtype in (pl.Categorical, pl.Enum):
        held = held.cast(pl.String)
    try:
        found = found.cast(held.dtype)
        if held.dtype.is_nested():
            pairs = enumerate(zip(held.to_list(), found.to_list(), strict=True), 1)
            return next(
                (row for row, (one, other) in pairs if _comparable(one) != _comparable(other)), None
            )
        differs = held.ne_missing(found).arg_true()
    except pl.exceptions.PolarsError:
        return 1
    return int(differs[0]) + 1 if len(differs) else None


def _comparable(value: Any) -> Any:
    """Return a list or struct as it compares: NaN is null."""
    if isinstance(value, list):
        return [_comparable(one) for one in value]
    if isinstance(value, dict):
        return {name: _comparable(one) for name, one in value.items()}
    return None if isinstance(value, float) and math.isnan(value) else value


def _read_delimited(data: bytes, held: pl.DataFrame, separator: str) -> pl.DataFrame:
    """Return the cells of a text file, each text converted to the type of its column."""
    table = arrow_csv.read_csv(
        pa.py_buffer(data),
        read_options=arrow_csv.ReadOptions(autogenerate_column_names=True, block_size=_BLOCK_BYTES),
        parse_options=arrow_csv.ParseOptions(
            delimiter=separator, newlines_in_values=b'"' in data, ignore_empty_lines=held.width > 1
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types={f"f{place}": pa.large_string() for place in range(held.width)},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    names = [column[0].as_py() or "" for column in table.columns]
    columns = [
        _convert_texts(texts, one) for texts, one in zip(table.slice(1).columns, held, strict=True)
    ]
    return pl.DataFrame([one.alias(name) for one, name in zip(columns, names, strict=True)])


def _convert_texts(texts: ArrowTable, held: pl.Series) -> pl.Series:
    """Return texts in the type of a column; null where they are of another one."""
    if held.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        return pl.Series(texts, dtype=pl.String)
    try:
        return pl.Series(texts.cast(_arrow_type(held.dtype)))
    except pa.ArrowInvalid:  # cell by cell, to find the first
        return pl.Series([_cell(text, _arrow_type(held.dtype)) for text in texts])


def _cell(text: Any, dtype: ArrowType) -> Any:
    try:
        return text.cast(dtype).as_py()
    except pa.ArrowInvalid:
        return None


def _arrow_type(dtype: pl.DataType) -> ArrowType:
    return pl.Series([], dtype=dtype).to_arrow(compat_level=pl.CompatLevel.oldest()).type


def _read_lines(data: bytes, held: pl.DataFrame) -> pl.DataFrame:
    """Return the records of JSON Lines."""
    if not data:
        return held.clear()
    schema = pa.schema([(one.name, _json_type(one.dtype)) for one in held])
    table = arrow_json.read_json(
        pa.py_buffer(data),
        read_options=arrow_json.ReadOptions(block_size=_BLOCK_BYTES),
        parse_options=arrow_json.ParseOptions(
            explicit_schema=schema, newlines_in_values=False, unexpected_field_behavior="error"
        ),
    )
    return pl.DataFrame(table)


def _json_type(dtype: Any) -> ArrowType:
    if isinstance(dtype, pl.Struct):
        return pa.struct([(field.name, _json_type(field.dtype)) for field in dtype.fields])
    if isinstance(dtype, pl.List):
        return pa.list_(_json_type(dtype.inner))
    return pa.string() if dtype == pl.String else _arrow_type(dtype)


def _read_array(data: bytes, held: pl.DataFrame) -> pl.DataFrame:
    """Return the records of an array, which stand one per line."""
    if not (data.startswith(b"[") and data.endswith(b"]")):
        raise pa.ArrowInvalid("no array")
    return _read_lines(data[1:-1].replace(b"},\n{", b"}\n{"), held)


def _read_sheet(data: bytes, _: pl.DataFrame) -> pl.DataFrame:
    names, frame = excel.load(data, "the workbook")
    frame.columns = names
    return frame


def _read_statistical(data: bytes, held: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Return the table; no other library reads these files, so the reader is the writer's."""
    frame = statistical.read_written(data, "the file", kind)
    return frame.with_columns(
        frame[column.name].cast(column.dtype)
        for column in held
        if column.name in frame.columns and frame[column.name].dtype.is_numeric()
    )


_READERS: dict[str, Callable[[bytes, pl.DataFrame], pl.DataFrame]] = {
    "csv": lambda data, held: _read_delimited(data, held, ","),
    "tsv": lambda data, held: _read_delimited(data, held, "\t"),
    "jsonl": _read_lines,
    "json": _read_array,
    "excel": _read_sheet,
    "parquet": lambda data, _: pl.DataFrame(arrow_parquet.read_table(pa.BufferReader(data))),
    **{
        kind: partial(_read_statistical, kind=kind)  # one function for three formats
        for kind in statistical.WRITTEN
    },
    "feather": lambda data, _: pl.DataFrame(pa.ipc.open_file(pa.BufferReader(data)).read_all()),
}
_TYPED = {"csv": typed_texts, "tsv": typed_texts, "jsonl": parse_temporal, "json": parse_temporal}
