"""Tables to files: written whole or not at all, and read back before they take their name."""

from __future__ import annotations

import gzip
import io
import os
import re
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import polars as pl
from polars import selectors

from kanonym.data.columns.values import refuse_strange_years
from kanonym.data.errors import DataError
from kanonym.data.files import columnar, delimited, statistical
from kanonym.data.files import json_records as records
from kanonym.data.files.disk import atomic_write, check_output, read_bytes, refuse_url, write_bytes
from kanonym.data.files.formats import FORMATS, Content, format_of, is_statistical
from kanonym.data.files.read_back import check_written
from kanonym.data.files.reading import with_place
from kanonym.data.files.text_cells import with_safe_cells
from kanonym.data.frames import to_polars
from kanonym.data.loading import LazyModule

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
    "parquet": columnar.write_parquet,
    "feather": columnar.write_feather,
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
