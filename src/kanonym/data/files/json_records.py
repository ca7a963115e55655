"""JSON files and JSON Lines: records and their values."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars import selectors

from kanonym.data.columns.values import moment_texts
from kanonym.data.errors import DataError
from kanonym.data.files.disk import decode
from kanonym.data.files.text_cells import (
    convert_decimals,
    keep_differing,
    parse_temporal,
    require_printable,
)
from kanonym.data.loading import LazyModule
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.json_members import (
    LAYOUT,
    PARENT,
    START,
    STOP,
    copy_cells,
    measure_cells,
    scan_objects,
)

pa: Any = LazyModule("pyarrow")

MOST_NODES = 1024
"""Objects of more orders of keys are not read: the search for one would take long."""


class ObjectTexts(NamedTuple):
    """The values of n objects.

    columns: by key the (n,) JSON text of each object's value, without blanks between what it nests;
    null where it has no such key.
    layout: (n,) int32, the place of each object's order in `layouts`.
    lines: (n,) int64, the line where each object begins, from 1.
    """

    columns: dict[str, pl.Series]
    layouts: tuple[tuple[str, ...], ...]
    layout: Int32s
    lines: Ints


def read_objects(text: str) -> ObjectTexts | None:
    """Read JSON objects that stand one behind the other, or in an array.

    Returns None where the text is no such JSON, an object has a key twice, a key has half of a
    surrogate pair, or there are more orders of keys, or objects within each other, than the
    kernel takes. Cost O(bytes).
    """
    data = np.frombuffer(text.encode() + b"\0", np.uint8)
    nodes = np.empty((MOST_NODES, LAYOUT + 1), np.int64)
    most = int(np.count_nonzero(data == ord(":")))
    spans, marks = np.empty((most, 2), np.int64), np.empty((most, 2), np.int32)
    objects = np.empty((int(np.count_nonzero(data == ord("{"))), 2), np.int64)
    counts = scan_objects(data, nodes, spans, marks, objects)
    n_members, n_objects, n_nodes, n_layouts = map(int, counts)
    if n_members < 0:
        return None
    spans, marks, objects = spans[:n_members], marks[:n_members], objects[:n_objects]
    orders: list[tuple[str, ...]] = [()]
    for node in nodes[1:n_nodes]:
        name = json.loads(data[node[START] : node[STOP]].tobytes())
        before = orders[node[PARENT]]
        if name in before or not is_text(name):
            return None
        orders.append((*before, name))
    names = list(dict.fromkeys(order[-1] for order in orders[1:]))
    places = {name: place for place, name in enumerate(names)}
    columns = np.array([places[order[-1]] if order else -1 for order in orders])
    ends = np.empty((len(names), n_objects), np.int64)
    ordered = [orders[0]] * n_layouts
    for node, order in zip(nodes[:n_nodes].tolist(), orders, strict=True):
        if node[LAYOUT] >= 0:
            ordered[node[LAYOUT]] = order
    layout = objects[:, 1].copy()
    measure_cells(marks, layout, np.array([*map(len, ordered)], np.int64), columns, ends)
    stops = np.cumsum(ends[:, -1]) if n_objects else np.zeros(len(names), np.int64)
    texts = np.empty(int(stops.max(initial=0)), np.uint8)
    starts = stops - (ends[:, -1] if n_objects else 0)
    copy_cells(data, spans, marks, columns, starts.copy(), texts)
    # A key may be written in several ways, with escapes and without.
    distinct = {order: place for place, order in enumerate(dict.fromkeys(ordered))}
    numbers = np.array([distinct[order] for order in ordered], np.int32)
    return ObjectTexts(
        {
            name: _column(name, texts[start:stop], own)
            for name, start, stop, own in zip(names, starts, stops, ends, strict=True)
        },
        tuple(distinct),
        numbers[layout],
        objects[:, 0].copy(),
    )


def is_text(decoded: str) -> bool:
    """Return whether a decoded JSON text can be written: no half of a surrogate pair is in it."""
    try:
        decoded.encode()
    except UnicodeEncodeError:
        return False
    return True


def _column(name: str, texts: NDArray[np.uint8], ends: Ints) -> pl.Series:
    """Return the texts that end at (n,) int64 places as a column; null for those of no bytes."""
    offsets = np.concatenate([np.zeros(1, np.int64), ends])
    mask = ends > offsets[:-1]
    known = None if mask.all() else pa.py_buffer(np.packbits(mask, bitorder="little"))
    parts = [known, pa.py_buffer(offsets), pa.py_buffer(texts)]
    array = pa.Array.from_buffers(pa.large_string(), len(ends), parts)
    column: pl.Series = pl.from_arrow(array)  # type: ignore[assignment]
    return column.alias(name)


_KINDS: dict[type, str] = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
}


def read(
    data: bytes, where: str, texts: dict[str, pl.Series] | None = None, rows: Ints | None = None
) -> pl.DataFrame:
    """Read JSON Lines or a JSON array of objects, whichever it is.

    texts: filled with the columns in which several cells read as one value, as they are written:
    `1`, `1.0` and `"1"`, null and a key that is not there. rows: as of `delimited.read`.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    unit = "line"
    if data[:4096].lstrip().startswith(b"["):
        unit = "record"
        data = "\n".join(_elements(decode(data, where), where, _DECODER)).encode()
        if not data:
            return pl.DataFrame()
    if rows is not None:
        lines = [line for line in data.split(b"\n") if line.strip()]
        data = b"\n".join(lines[row] for row in rows.tolist())
    try:
        frame = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    except pl.exceptions.PolarsError:  # its message may quote values
        raise DataError(_fault(data, where, unit)) from None
    first = {name: place for place, name in enumerate(json.loads(_first_line(data)))}
    names = sorted(frame.columns, key=lambda name: first.get(name, len(first)))
    moments = [parse_temporal(column) for column in frame.select(pl.col(pl.String))]
    frame = frame.select(names).with_columns(
        selectors.by_dtype(pl.Int128).cast(pl.String), *moments
    )
    if texts is not None:
        written = [json.loads(line, cls=_Written) for line in data.splitlines() if line.strip()]
        keep_differing(texts, ((_as_written(written, one.name), one) for one in frame))
    return frame


def values_of_json(column: pl.Series) -> pl.Series:
    """Return the values of a column of JSON, given as texts as they are written.

    Null stands for a key that is not there.
    """
    name = json.dumps(column.name)
    given = [text for text in column.unique() if text is not None and text != "null"]
    if not given:
        return pl.Series(column.name, [None] * len(column), dtype=pl.Null)
    lines = "\n".join(f"{{{name}: {text}}}" for text in given).encode()
    values = read(lines, f"column {column.name!r}").to_series()
    places = column.replace_strict(given, range(len(given)), default=None, return_dtype=pl.UInt32)
    return values.gather(places).alias(column.name)


class _Number(str):
    """A number as it is written."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class _Written(json.JSONDecoder):
    """Keeps numbers as they are written."""

    def __init__(self) -> None:
        super().__init__(parse_int=_Number, parse_float=_Number, parse_constant=_Number)


def _as_written(records: Sequence[dict[str, Any]], name: str) -> pl.Series:
    """Return the cells of a column as texts; an empty one of a key that is not there."""
    return pl.Series([repr(record[name]) if name in record else "" for record in records])


def read_cells(data: bytes, where: str, names: Iterable[str]) -> pl.DataFrame:
    """Read the values of some keys as they stand in each record, whatever others hold.

    No record tells which columns there are: a key that is none of `names` is left out.
    """
    text = decode(data.removeprefix(b"\xef\xbb\xbf"), where)
    lines: Iterable[str] = (line for line in text.split("\n") if line.strip())
    unit = "line"
    if text[:4096].lstrip().startswith("["):
        lines, unit = _elements(text, where, _LENIENT), "record"
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for number, line in enumerate(lines, 1):
        try:
            record = _LENIENT.decode(line)
        except json.JSONDecodeError as error:
            raise DataError(_malformed_error(where, number, error.colno, error.msg)) from None
        if not isinstance(record, dict):
            raise DataError(_no_object_error(where, f"{unit} {number}"))
        for name, column in columns.items():
            column.append(record.get(name))
    return pl.DataFrame(
        [pl.Series(name, column, dtype=pl.Object) for name, column in columns.items()]
    )


def write_lines(frame: pl.DataFrame, target: Path | io.BytesIO) -> pl.DataFrame:
    """Write one object per line, and return the table in the types that were written."""
    held = _expressible_frame(frame)
    held.write_ndjson(target)
    return held


def write_array(frame: pl.DataFrame, target: Path | io.BytesIO) -> pl.DataFrame:
    """Write an array of objects, one per line; return the table in the types that were written."""
    held = _expressible_frame(frame)
    lines = io.BytesIO()
    held.write_ndjson(lines)
    # A line break within a text is written as \\n: these are the ends of records.
    text = b"[" + lines.getvalue().removesuffix(b"\n").replace(b"\n", b",\n") + b"]"
    if isinstance(target, Path):
        target.write_bytes(text)
    else:
        target.write(text)
    return held


def _expressible_frame(frame: pl.DataFrame) -> pl.DataFrame:
    for column in frame.select(selectors.float()):
        if column.is_infinite().any():
            raise DataError(
                f"column {column.name!r} holds an infinite number, which JSON cannot; "
                "write CSV or Parquet"
            )
    frame = require_printable(frame, "JSON", nested=True)
    return frame.with_columns(
        selectors.by_dtype(pl.Int128, pl.UInt128).cast(pl.String),
        (selectors.date() | selectors.time()).dt.to_string("iso:strict"),
        *map(moment_texts, frame.select(selectors.datetime())),
        selectors.categorical().cast(pl.String),
        selectors.enum().cast(pl.String),
        *[convert_decimals(column) for column in frame.select(selectors.decimal())],
        *[
            pl.col(name).cast(_with_texts(dtype))
            for name, dtype in frame.schema.items()
            if dtype.is_nested()
        ],
    )


def _with_texts(dtype: Any) -> Any:
    """Return a type of lists or structs in which dates, times and categories are texts."""
    if isinstance(dtype, pl.Struct):
        return pl.Struct({field.name: _with_texts(field.dtype) for field in dtype.fields})
    if isinstance(dtype, pl.List | pl.Array):
        return pl.List(_with_texts(dtype.inner))
    plain = dtype.is_integer() or dtype.is_float() or dtype in (pl.Boolean, pl.Null)
    return dtype if plain else pl.String()


def _first_line(data: bytes) -> bytes:
    return data.lstrip().partition(b"\n")[0]


def _elements(text: str, where: str, decoder: json.JSONDecoder) -> Iterator[str]:
    """Yield the objects of an array, each on a line of its own."""
    place = _next(text, text.index("[") + 1)
    mark = text[place : place + 1]
    count = 0
    try:
        while mark != "]":
            count += 1
            record, end = decoder.raw_decode(text, place)
            if not isinstance(record, dict):
                raise DataError(_no_object_error(where, f"record {count}"))
            yield text[place:end].replace("\n", " ").replace("\r", " ")
            mark, place = _mark_after(text, _next(text, end))
    except json.JSONDecodeError as error:
        raise DataError(_malformed_error(where, error.lineno, error.colno, error.msg)) from None
    except _NoJsonError as error:
        raise DataError(f"{where}, record {count}: {error}") from None


def _mark_after(text: str, place: int) -> tuple[str, int]:
    """Return the mark behind an element, and the place of what follows it."""
    mark, following = text[place : place + 1], _next(text, place + 1)
    if mark not in (",", "]"):
        raise json.JSONDecodeError("Expecting ',' or ']'", text, place)
    if mark == "]" and following < len(text):
        raise json.JSONDecodeError("Extra data", text, following)
    return mark, following


def _fault(data: bytes, where: str, unit: str) -> str:
    """Say what is wrong with lines that polars refused: slowly, one by one."""
    kinds: dict[str, str] = {}
    for number, line in enumerate(decode(data, where).split("\n"), 1):
        if not line.strip():
            continue
        place = f"{unit} {number}"
        try:
            record = _DECODER.decode(line)
        except json.JSONDecodeError as error:
            return _malformed_error(where, number, error.colno, error.msg)
        except _NoJsonError as error:
            return f"{where}, {place}: {error}"
        if not isinstance(record, dict):
            return _no_object_error(where, place)
        for name, value in record.items():
            kind = _KINDS.get(type(value))
            if kind and kinds.setdefault(name, kind) != kind:
                return f"{where}, {place}: column {name!r} is {kind} here and {kinds[name]} before"
    return f"{where} cannot be read as JSON: the records do not fit together"


def _malformed_error(where: str, line: int, character: int, reason: str) -> str:
    return f"{where}, line {line}, character {character}: {reason}"


def _no_object_error(where: str, place: str) -> str:
    return f"{where}, {place} is not an object of names and values"


def _next(text: str, place: int) -> int:
    match = _BLANK.match(text, place)
    return match.end() if match else place


class _NoJsonError(Exception):
    """A constant that Python's parser takes although JSON has none such."""


def _refuse_constant(constant: str) -> NoReturn:
    raise _NoJsonError(f"{constant} is not JSON; write null")


_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_DIGITS = 400  # longer integers have no float
_LENIENT = json.JSONDecoder(
    parse_int=lambda text: int(text) if len(text) < _DIGITS else float(text), strict=False
)
