"""Files that Spark reads and writes: which format a path has, and how text is cut into cells."""

from __future__ import annotations

from typing import Any

from kanonym.data.errors import DataError
from kanonym.engines.spark.faults import without_credentials

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
