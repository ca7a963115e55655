"""Tables to files: written whole or not at all, and read back before they take their name."""

from __future__ import annotations

import gzip
import io
import math
import os
import re
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl
from polars import selectors

from kanonym.data.columns.values import refuse_strange_years
from kanonym.data.errors import DataError
from kanonym.data.files import delimited, statistical
from kanonym.data.files import json_records as records
from kanonym.data.files.disk import atomic_write, check_output, read_bytes, refuse_url, write_bytes
from kanonym.data.files.formats import (
    FORMATS,
    Content,
    format_of,
    is_statistical,
    write_feather,
    write_parquet,
)
from kanonym.data.files.reading import with_place
from kanonym.data.files.text_cells import parse_temporal, typed_texts, with_safe_cells
from kanonym.data.frames import to_polars
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


if TYPE_CHECKING:
    from kanonym.data.files import excel
else:
    excel = LazyModule("kanonym.data.files.excel")

SAS_TABLE = ".sas7bdat"
Write: TypeAlias = Callable[[pl.DataFrame, Path | io.BytesIO], pl.DataFrame]
_WRITERS: dict[str, Write] = {
    "csv": lambda frame, target: delimited.write(frame, target, ","),
    "tsv": lambda frame, target: delimited.write(frame, target, "\t"),
    "jsonl": records.write_lines,
    "json": records.write_array,
    "parquet": write_parquet,
    "feather": write_feather,
    "excel": lambda frame, target: excel.write(frame, target),  # noqa: PLW0108 - loads it late
    **{
        kind: partial(statistical.write, kind=kind)  # with the arguments of the others
        for kind in statistical.WRITTEN
    },
}


def write_table(
    frame: object,
    path: str | Path,
    format: str | None = None,  # noqa: A002 - as read_table
    *,
    read_back: bool = True,
    like: str | Path | None = None,
    coded: Collection[str] = (),
    catalog: str | Path | None = None,
    safe_cells: bool = False,
    beside: Callable[[Content], None] | None = None,
) -> Content:
    """Write a table to a file, whole or not at all.

    Before the file is renamed, it is read back by another reader, and every value is compared with
    the table's. NaN is written as null, and -0.0 as 0.0, because verification counts them as one.

    Parameters
    ----------
    frame
        Any table that `anonymize` takes.
    path
        The file, replaced if it exists, or `-` for standard output (CSV unless
        `format` says otherwise).
    format
        One of the values of `FORMATS`; None goes by the extension.
    read_back
        False leaves out the comparison, for tables that another check covers.
    like
        The input of a release. Where both are files of SPSS, Stata or SAS, columns get the
        labels and measures that they have there.
    coded
        The columns that hold values of `like`: no others get its labels of values and its
        missing ranges, because a number that was made anew may equal a code by chance.
        `Release.coded_columns` names them.
    catalog
        The `.sas7bcat` with the labels of values of a `.sas7bdat`; None takes the one of the
        same name beside it, if there is one.
    safe_cells
        Of CSV and TSV: put an apostrophe before texts and names that a spreadsheet program
        would run as formulas.
    beside
        Writes what belongs to the file, before the file takes its place: if it fails, no table is
        written.

    Returns
    -------
    Content
        The file's name, and the SHA-256 of the bytes that were written.

    Raises
    ------
    DataError
        The table has no columns; the format is unknown, or cannot hold a column
        (lists in CSV, infinite numbers in JSON, empty texts in Excel, a year beyond 9999);
        a header that would be taken for a record; a value reads back as another one; the
        folder does not exist; the disk is full or the file may not be written. Nothing is
        left behind then, and a file that was there before is unchanged.
    """
    kind = check_table_output(path, format)
    table = _canonical_frame(to_polars(frame))  # with a column: no format can hold a table of none
    where = "standard output" if str(path) == "-" else str(path)
    packed = str(path).lower().endswith(".gz")
    write = _WRITERS[kind]
    if catalog and (kind not in ("spss", "stata") or Path(str(like)).suffix.lower() != SAS_TABLE):
        raise DataError(f"a catalog is for a {SAS_TABLE} input that is written as .sav or .dta")
    if like is not None and kind in statistical.WRITTEN:
        write = partial(statistical.write, kind=kind, like=_labelled_source(like, coded, catalog))
    if safe_cells:
        if kind not in ("csv", "tsv"):
            raise DataError(f"{where} is {kind}: safe cells are for CSV and TSV; leave them out")
        table = with_safe_cells(table)
    try:
        _refuse_years(table, kind)
        if str(path) == "-" or packed:
            buffer = io.BytesIO()
            held = write(table, buffer)
            data = buffer.getvalue()
            data = gzip.compress(data, mtime=0) if packed else data
            if read_back:
                check_written(gzip.decompress(data) if packed else data, kind, table, held)
            content = Content.from_bytes(path, data)
            if beside is not None:
                beside(content)
            write_bytes(path, data)
            return content
        with atomic_write(path) as temporary:
            held = write(table, temporary)
            data = temporary.read_bytes()
            if read_back:
                check_written(data, kind, table, held)
            content = Content.from_bytes(path, data)
            if beside is not None:
                beside(content)
            return content
    except pl.exceptions.PolarsError as error:
        # Its text may quote values: of the disk's errors the number, of others the kind is told.
        number = re.search(r"os error ([0-9]+)", str(error))
        reason = os.strerror(int(number[1])) if number else type(error).__name__
        raise DataError(f"{where} cannot be written as {kind}: {reason}") from None
    except DataError as error:
        raise with_place(error, where) from error.__cause__


def _refuse_years(frame: pl.DataFrame, kind: str) -> None:
    """Refuse years that a format cannot hold; Parquet and Feather hold any, as a number."""
    if kind not in ("parquet", "feather"):
        for column in frame.select(selectors.date() | selectors.datetime()):
            refuse_strange_years(column)


def check_table_output(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - as read_table
) -> str:
    """Refuse an output that `write_table` could never write, before any work is done."""
    refuse_url(path)
    kind = format_of(path, format)
    if kind is None and str(path) != "-":
        raise DataError(
            f"{path} has no extension; name the format or use one of {', '.join(FORMATS)}"
        )
    if str(path).lower().endswith(".xls"):
        raise DataError(f"{path}: the old Excel format is only read; write .xlsx")
    if kind in statistical.WRITTEN and str(path).lower().endswith((".zsav", ".por", ".sas7bdat")):
        raise DataError(f"{path}: this format is only read; write {statistical.WRITTEN[kind]}")
    check_output(path)
    return kind or "csv"


def _labelled_source(
    like: str | Path, coded: Collection[str], catalog: str | Path | None
) -> statistical.LabelledSource | None:
    """Return a file of SPSS, Stata or SAS with what describes it; None of anything else."""
    source = Path(like)
    if not (is_statistical(source) and source.is_file()):
        return None
    beside = source.with_suffix(".sas7bcat")
    if catalog is None and source.suffix.lower() == SAS_TABLE and beside.is_file():
        catalog = beside
    labels = None if catalog is None else read_bytes(str(catalog))
    return statistical.LabelledSource(read_bytes(str(source)), coded, labels)


def _canonical_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the table with one form of each number: NaN is null, and -0.0 is 0.0."""
    return frame.with_columns(
        pl.when(pl.col(name) == 0)
        .then(pl.lit(0, dtype))
        .otherwise(pl.col(name).fill_nan(None))
        .alias(name)
        for name, dtype in frame.schema.items()
        if dtype.is_float()
    )
