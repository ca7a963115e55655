"""The file of a fitted recoding: JSON that people can read, refused once it was changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from kanonym.data import files
from kanonym.data.errors import DataError
from kanonym.data.files.disk import decode, read_bytes
from kanonym.data.hierarchy.labels import parse_values, value_texts

KIND = "fitted recoding"
VERSION = 2

_PLAIN = (
    *("Int8", "Int16", "Int32", "Int64", "Int128", "UInt8", "UInt16", "UInt32", "UInt64"),
    *("Float32", "Float64", "Boolean", "String", "Categorical", "Date", "Time", "Null"),
)
_PARAMETERS: dict[str, Callable[[Any], list[Any]]] = {
    "Enum": lambda dtype: [dtype.categories.to_list()],
    "Datetime": lambda dtype: [dtype.time_unit, dtype.time_zone],
    "Duration": lambda dtype: [dtype.time_unit],
    "Decimal": lambda dtype: [dtype.precision, dtype.scale],
}
_BY_TEXT = (pl.Date, pl.Datetime, pl.Time, pl.Decimal)


def save(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write what a file is, its content, and the SHA-256 of both, whole or not at all."""
    # Through JSON and back: what is hashed is what will be read.
    plain = json.loads(json.dumps({"kanonym": KIND, "version": VERSION, **content}))
    files.write_text(path, _lay_out({**plain, "sha256": _digest(plain)}, 0) + "\n")


def load(path: str | Path) -> dict[str, Any]:
    """Return the content of a file; `DataError` if kanonym did not write it so."""
    text = decode(read_bytes(path), str(path))
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("kanonym") != KIND:
        raise DataError(f"{path} is not a recoding that `kanonym fit` has written")
    if content.get("version") != VERSION:
        raise DataError(
            f"{path} is of version {content.get('version')!r}; this kanonym reads {VERSION}: "
            "use the kanonym that wrote it, or fit again"
        )
    if content.pop("sha256", None) != _digest(content):
        raise DataError(
            f"{path} was changed since kanonym wrote it: its SHA-256 is another one. "
            "Take it from a copy, or fit again"
        )
    return content


def _digest(content: Mapping[str, Any]) -> str:
    compact = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(compact.encode()).hexdigest()


def _lay_out(value: Any, depth: int) -> str:
    """Return JSON with a line for each part of the first levels, and for each class or row."""
    text = partial(json.dumps, ensure_ascii=False)
    if depth < 4 and isinstance(value, dict) and value:
        parts, ends = [f"{text(n)}: {_lay_out(one, depth + 1)}" for n, one in value.items()], "{}"
    elif depth < 4 and isinstance(value, list) and value and isinstance(value[0], dict | list):
        parts, ends = [text(one) for one in value], "[]"
    else:
        return text(value)
    inner = f",\n{' ' * (depth + 1)}".join(parts)
    return f"{ends[0]}\n{' ' * (depth + 1)}{inner}\n{' ' * depth}{ends[1]}"


def type_form(dtype: pl.DataType) -> Any:
    """Return a column type as JSON holds it: its name, or a mapping from it to parameters."""
    name = type(dtype).__name__
    return {name: _PARAMETERS[name](dtype)} if name in _PARAMETERS else name


def type_of(form: Any) -> pl.DataType:
    """Return the column type of a form; `ValueError` if there is none."""
    name, given = form, list[Any]()
    if isinstance(form, dict) and len(form) == 1:
        ((name, given),) = form.items()
    if name not in (_PARAMETERS if given else _PLAIN):
        raise ValueError(f"no column type: {form!r}")
    dtype: pl.DataType = getattr(pl, name)(*given)
    return dtype


def to_json(values: pl.Series) -> list[Any]:
    """Return values as JSON holds them: times as ISO text, durations as whole numbers."""
    if values.dtype == pl.Duration:
        return values.to_physical().to_list()
    return (value_texts(values) if values.dtype in _BY_TEXT else values).to_list()


def from_json(name: str, values: Sequence[Any], dtype: pl.DataType) -> pl.Series:
    """Return the values of a type that `to_json` made."""
    if dtype in _BY_TEXT:
        return parse_values(pl.Series(name, values, dtype=pl.String), dtype)
    return pl.Series(name, values, dtype=dtype)


def table_form(columns: Sequence[pl.Series]) -> dict[str, Any]:
    """Return the JSON form of columns: their types, and a line a row."""
    rows = zip(*(to_json(column) for column in columns), strict=True)
    return {
        "columns": {column.name: type_form(column.dtype) for column in columns},
        "rows": [list(row) for row in rows],
    }


def table_of(form: Mapping[str, Any]) -> list[pl.Series]:
    """Return the columns that `table_form` wrote."""
    types = {name: type_of(one) for name, one in form["columns"].items()}
    columns = list(zip(*form["rows"], strict=True)) or [()] * len(types)
    return [
        from_json(name, column, dtype)
        for (name, dtype), column in zip(types.items(), columns, strict=True)
    ]
