"""Files that Spark reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl
from pyspark.sql import SparkSession

from kanonym.data.errors import DataError
from kanonym.data.files import delimited, typed_texts
from kanonym.data.files.text_layout import refuse_missing_header, unnamed_column
from kanonym.engines.spark.columns import functions_of, quote_name
from kanonym.engines.spark.session import translate_errors, without_credentials

_FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".orc": "orc",
    ".delta": "delta",
}

_CELLS = {
    "header": True,
    "quote": '"',
    "escape": '"',  # a quote inside of a cell is doubled
    "encoding": "UTF-8",
    "ignoreLeadingWhiteSpace": False,
    "ignoreTrailingWhiteSpace": False,
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    "timeZone": "UTC",
}

OPTIONS: dict[str, dict[str, Any]] = {
    "csv": {**_CELLS, "sep": ","},
    "tsv": {**_CELLS, "sep": "\t"},
    "json": {**_CELLS, "ignoreNullFields": False},
    "jsonl": {**_CELLS, "ignoreNullFields": False},
}
"""How the text formats are written and read again."""


def format_of(path: str, default: str) -> str:
    """Return the format of a path by its extension; Parquet, Spark's own, without one.

    default: the format that was given, which has precedence.
    """
    if default:
        kinds = sorted(set(_FORMATS.values()))
        if default not in kinds:
            raise DataError(f"no format {default!r}; Spark reads {', '.join(kinds)}")
        return default
    name = path.rstrip("/").rpartition("/")[2].rstrip("*?").removesuffix(".gz").lower()
    stem, dot, extension = name.rpartition(".")
    if not (dot and stem) and f".{extension}" not in _FORMATS:
        return "parquet"
    kind = _FORMATS.get(f".{extension}")
    if kind is None:
        raise DataError(
            f"{without_credentials(path)}: Spark has no format for .{extension}; it has "
            f"{', '.join(_FORMATS)}"
        )
    return kind


def check_writable(kind: str, place: str) -> None:
    """Refuse a format that is only read.

    Spark renames columns of ORC files whose names hold a backtick, and a Delta table is a
    history, which may keep what was replaced.
    """
    if kind in ("delta", "orc"):
        raise DataError(
            f"{without_credentials(place)}: {kind} tables are read only; write Parquet, or "
            "release.frame yourself"
        )


Frame: TypeAlias = Any  # pyspark carries no types

_SAMPLE = 100
_NULL = "\x00"  # stands for an empty cell without quotes, which differs from one with quotes


def read_files(session: SparkSession, path: str, given: str | None) -> tuple[Frame, bool]:
    """Return the DataFrame of files, and whether its columns are text without types."""
    local = Path(path)
    if local.exists():
        path = str(local.resolve())
    is_delta = given is None and (local / "_delta_log").is_dir()
    kind = "delta" if is_delta else format_of(path, given or "")
    where = without_credentials(path)
    with translate_errors(f"read {where}"):
        if kind in ("csv", "tsv"):
            return _read_cells(session, path, where, "\t" if kind == "tsv" else None), True
        if kind in ("json", "jsonl"):
            return _read_records(session, path), False
        return session.read.format(kind).load(path), False


def _read_cells(session: SparkSession, path: str, where: str, separator: str | None) -> Frame:
    lines = session.read.text(path)
    head = [row[0] for row in lines.limit(_SAMPLE).collect()]
    if not any(head):
        raise DataError(f"{where} is empty")
    form = delimited.layout("\n".join(head).encode(), where, separator)
    if form.unnamed:
        raise unnamed_column(len(form.names) + 1, where)
    several, broken, blank = _scan_lines(lines)
    if broken:
        raise DataError(
            f"{where} is not UTF-8. Save it as UTF-8 first "
            "(for example: iconv -f WINDOWS-1252 -t UTF-8)"
        )
    options = {
        **OPTIONS["csv"],
        "sep": form.separator,
        "ignoreLeadingWhiteSpace": form.blank,
        "nullValue": _NULL,
        "emptyValue": "",
        "enforceSchema": False,  # each file has the same header
        "mode": "FAILFAST",
        "columnPruning": False,  # a row with cells too many is seen whichever are asked for
        "multiLine": several,
    }
    frame = session.read.options(**options).csv(path)
    if [name.strip() for name in frame.columns] != form.names:
        # Spark has renamed columns of one name, or takes a header for what is none.
        raise DataError(f"{where}: Spark reads the header differently; rename the columns")
    frame = frame.toDF(*form.names)
    if len(frame.columns) == 1 and blank:
        raise DataError(
            f"{where} has blank lines, and one column: Spark skips them. Write empty cells as "
            '"", or the table as Parquet'
        )
    sample = pl.from_arrow(frame.limit(_SAMPLE).toArrow())
    if isinstance(sample, pl.DataFrame):
        refuse_missing_header(pl.DataFrame([typed_texts(one) for one in sample]), where)
    return frame


def _scan_lines(lines: Frame) -> tuple[bool, bool, bool]:
    """Tell of lines of text: a quoted cell goes over several, one is no UTF-8, one is blank."""
    sql, value = functions_of(lines), lines["value"]
    quotes = sql.length(value) - sql.length(sql.regexp_replace(value, '"', ""))
    found = lines.select(
        sql.max(quotes % 2 == 1), sql.max(~sql.is_valid_utf8(value)), sql.max(value == "")
    ).collect()[0]
    return bool(found[0]), bool(found[1]), bool(found[2])


def _read_records(session: SparkSession, path: str) -> Frame:
    head = [row[0] for row in session.read.text(path).limit(_SAMPLE).collect()]
    first = next((line for line in head if line.strip()), "").removeprefix("\ufeff").lstrip()
    options = {"mode": "FAILFAST", "multiLine": first.startswith("[")}
    frame = session.read.options(**options).json(path)
    try:
        record = json.loads(first)
    except ValueError:  # an array over several lines: Spark's order of names, by their letters
        return frame
    record = record[0] if isinstance(record, list) and record else record
    names = list(record) if isinstance(record, dict) else []
    known = [name for name in names if name in frame.columns]
    return frame.select([quote_name(one) for one in dict.fromkeys([*known, *frame.columns])])
