"""CSV and its relatives: separated cells, one record a row, names in the first row.

- UTF-8, with or without byte order mark; rows end in LF, CRLF or CR.
- The separator is the one of comma, semicolon, tab and bar that cuts the header
  and the most of the first rows into the same number of cells; or a first line `sep=;` names it.
  Where a blank follows every separator, it belongs to the separator.
- Last columns without a name and without a value are none: programs write a separator
  at the end of each line.
- Cells may be quoted with `"`, doubled inside; quoted cells may hold newlines.
- An empty cell is null; a quoted empty cell is an empty text.
- Blank lines are skipped, except in a table of one column: there they are nulls.
- The first row must be a header. A first row that looks like a record is an error
  rather than a guess: taken as names, a person's values would be released. Of a file
  without a header, the caller names the columns.
- Last rows of empty cells or of totals are no records, see `last_rows`.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import logging
import re
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl
from polars import selectors

from kanonym.data.columns.values import has_seconds_in_offset, moment_texts
from kanonym.data.errors import DataError
from kanonym.data.files import text_cells, text_layout
from kanonym.data.files.disk import decode
from kanonym.data.loading import LazyModule
from kanonym.kernels.arrays import Ints

pa: Any = LazyModule("pyarrow")
arrow_csv: Any = LazyModule("pyarrow.csv")

ArrowTable: TypeAlias = Any  # pyarrow carries no types

_logger = logging.getLogger(__name__)

_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SAMPLE_BYTES = 1 << 20
_SAMPLE_ROWS = 100
_BLOCK_BYTES = 1 << 24  # no row may be longer
_LARGEST_BLOCK = (1 << 31) - 1
_LINE_END = re.compile(rb"\r\n|\r|\n")
_SEPARATOR_LINE = re.compile(rb'"?sep=([^\w\s"]|\t)"?[,;\t|]*(\r\n|\r|\n|$)', re.IGNORECASE)
"""How Excel is told the separator; a program may fill the line up with separators."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table of separated cells is laid out."""

    start: int
    lines_above: int
    separator: str
    blank: bool
    names: list[str]
    header: bool = True
    unnamed: int = 0

    @property
    def all_names(self) -> list[str]:
        """The names, and further ones for the columns behind them."""
        further = (f" {place}" for place in range(self.unnamed))  # no name begins with a blank
        return [*self.names, *further]

    def without_unnamed(self, table: pl.DataFrame, where: str) -> pl.DataFrame:
        """Return a table without the columns behind the names."""
        for place, name in enumerate(self.all_names[len(self.names) :], len(self.names) + 1):
            if not (table[name].is_null() | (table[name].cast(pl.String) == "")).all():
                raise text_layout.unnamed_column(place, where)
        return table.select(self.names)


def read(
    data: bytes,
    where: str,
    separator: str | None = None,
    texts: dict[str, pl.Series] | None = None,
    columns: Sequence[str] | None = None,
    decimals: dict[str, int] | None = None,
    rows: Ints | None = None,
) -> pl.DataFrame:
    """Read a table of separated cells; rows: of the records to read, where these are not all."""
    form = layout(data, where, separator, columns)
    data = _prepare(data, form, where)
    cells = _records(_parse_rows(data, form, where), form, where)
    tell = _logger.warning if rows is None else _logger.debug  # it was told of all records
    cells = cells if rows is None else cells.take(pa.array(rows))
    with ThreadPoolExecutor() as threads:
        typed = threads.map(text_cells.typed_cells, cells.columns)
        table = pl.DataFrame(dict(zip(form.names, typed, strict=True)))
    for name, column in zip(form.names, cells.columns, strict=True):
        shape = text_cells.number_shape(column, table[name])
        if shape.bare is not None:
            told = "%s: column %r has numbers that begin with their decimal point, such as %s"
            tell(told, where, name, shape.bare)
        if table[name].dtype.is_float() and table[name].null_count() > column.null_count:
            row = int((table[name].is_null() & pl.Series(column).is_not_null()).arg_max() or 0)
            missing = table[name].null_count() - column.null_count
            told = "%s: column %r: cells read as missing: %d; row %d has %r"
            tell(told, where, name, missing, row + 1, column[row].as_py())
        if decimals is not None and shape.decimals:
            decimals[name] = shape.decimals
    if texts is not None:
        for name, column in zip(form.names, cells.columns, strict=True):
            differing = text_cells.differing_texts(pl.Series(name, column), table[name])
            if differing is not None:
                texts[name] = differing
    if form.header:
        text_layout.refuse_missing_header(table, where)
    return table


def read_cells(
    data: bytes, where: str, separator: str | None = None, columns: Sequence[str] | None = None
) -> pl.DataFrame:
    """Read a table of separated cells as the texts that stand in them; the rest as of `read`.

    The first row alone tells the layout, and no row is taken for a header or for totals by what
    stands in it: no record changes how others are read.
    """
    form = layout(data, where, separator, columns, sampled=1)
    data = _prepare(data, form, where)
    longest = min(max(_BLOCK_BYTES, len(data)), _LARGEST_BLOCK)
    return pl.DataFrame(_parse_rows(data, form, where, longest)).select(form.names)


def layout(
    data: bytes,
    where: str,
    separator: str | None = None,
    columns: Sequence[str] | None = None,
    *,
    sampled: int = _SAMPLE_ROWS,
) -> Layout:
    """Return how a table of separated cells is laid out, also for other readers of these rules."""
    start = _skip_blank_lines(data, len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
    line = _SEPARATOR_LINE.match(data, start)
    if line is not None:
        separator = separator or line[1].decode()
        start = _skip_blank_lines(data, line.end())
    sample = _sample(data, start, where)
    separator = separator or _detect_separator(sample, sampled)
    lines = sample[max(sample.find("\n"), sample.find("\r")) + 1 :]  # the header may have none
    if sampled == 1:
        lines = re.split("[\r\n]", sample, maxsplit=1)[0]
    blank = separator != "\t" and _is_followed_by_blanks(lines.rstrip("\r\n"), separator)
    rows = _rows(sample, separator, sampled, blank=blank)
    if not rows:
        raise DataError(f"{where} is empty")
    first = [cell.strip() for cell in rows[0]]
    names = list(columns or first)
    while len(names) > 1 and not names[-1]:
        names.pop()
    text_layout.check_names(names, where)
    header = columns is None or first[: len(names)] == names
    unnamed = _count_unnamed(rows, len(names), header=header)
    if not header and len(first) != len(names) + unnamed:
        raise DataError(
            f"{where} has {len(first)} columns, but {len(names)} are named; name each of them"
        )
    above = len(_LINE_END.findall(data, 0, start))
    return Layout(start, above, separator, blank, names, header, unnamed)


def write(frame: pl.DataFrame, target: Path | io.BytesIO, separator: str) -> pl.DataFrame:
    """Write a table of separated cells, quoted where they need it.

    Null is an empty cell, an empty text a quoted one. Returns the table in the types that
    were written.
    """
    held = text_cells.require_printable(frame, "CSV").with_columns(
        selectors.time().dt.to_string("iso"),
        *[
            moment_texts(one)
            for one in frame.select(selectors.datetime(time_zone="*"))
            if has_seconds_in_offset(one).any()
        ],
        selectors.by_dtype(pl.Int128, pl.UInt128).cast(pl.String),
        *[
            one
            for one in map(text_cells.convert_decimals, frame.select(selectors.decimal()))
            if one.dtype == pl.String
        ],
    )
    text_layout.refuse_names_like_values(held, "CSV")
    text_layout.refuse_lost_rows(held, "CSV")
    quoted = _are_all_behind_blanks(held)
    held.write_csv(
        target, separator=separator, quote_style="non_numeric" if quoted else "necessary"
    )
    return held


def _are_all_behind_blanks(table: pl.DataFrame) -> bool:
    """Tell whether all cells behind the first column begin with a blank, as if separators did."""
    blank = False
    for column in table.get_columns()[1:]:
        if not column.dtype.is_(pl.String) and column.null_count() < len(column):
            return False
        texts = column.cast(pl.String).drop_nulls()
        if not texts.str.starts_with(" ").all():
            return False
        blank = blank or bool(len(texts))
    return blank


def _parse_rows(
    data: bytes, form: Layout, where: str, block_bytes: int = _BLOCK_BYTES
) -> ArrowTable:
    """Return the cells below the header as texts."""
    names = form.all_names
    try:
        return arrow_csv.read_csv(
            pa.py_buffer(memoryview(data)[form.start :]),
            read_options=arrow_csv.ReadOptions(
                column_names=names, skip_rows_after_names=int(form.header), block_size=block_bytes
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=form.separator,
                newlines_in_values=b'"' in data,
                ignore_empty_lines=len(names) > 1,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError):  # its message would quote the row
        raise DataError(_fault(data, form, where)) from None


def _prepare(data: bytes, form: Layout, where: str) -> bytes:
    """Return the bytes as they can be parsed; refuse a quoted cell that has no end."""
    if form.blank:
        decode(data, where)  # its error counts the bytes of the file
        data = _without_blanks(data, form.separator)
    if data.count(b'"') % 2:
        deque(_numbered_rows(data, form.separator, where), maxlen=0)  # raises where one stays open
    elif len(data) < _SAMPLE_BYTES and not data.endswith((b"\n", b"\r")):
        data += b"\n"  # pyarrow skips no header that has no end
    return data


def _records(cells: ArrowTable, form: Layout, where: str) -> ArrowTable:
    """Return the columns that have names, without last rows that are no records."""
    if form.unnamed:
        cells = form.without_unnamed(pl.DataFrame(cells), where).to_arrow()
    last = cells.slice(max(cells.num_rows - 1, 0)).to_pylist()
    if last and text_layout.may_be_no_record(tuple(last[0].values())):
        records, why = text_layout.count_records(pl.DataFrame(cells))
        text_layout.warn_of_rows(where, cells.num_rows, records, why)
        return cells.slice(0, records)
    return cells


def _skip_blank_lines(data: bytes, start: int) -> int:
    while data[start : start + 1] in (b"\n", b"\r"):
        start += 1
    return start


def _sample(data: bytes, start: int, where: str) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        return decoder.decode(data[start : start + _SAMPLE_BYTES])
    except UnicodeDecodeError:
        return decode(data, where)  # raises, with the place


def _is_followed_by_blanks(sample: str, separator: str) -> bool:
    """Tell whether a blank stands behind each separator of some lines, but in empty cells."""
    outside = sample.split('"')[::2]
    mark = re.escape(separator)
    odd = re.compile(rf"{mark}(?![ {mark}\r\n])")
    outside[-1] += "\n"  # the last cell may be empty
    return f"{separator} " in sample and not any(odd.search(part) for part in outside)


def _without_blanks(data: bytes, separator: str) -> bytes:
    """Return separated cells without the blanks behind separators, outside of quotes."""
    parts = data.split(b'"')
    mark = separator.encode()
    parts[::2] = [re.sub(re.escape(mark) + b" +", mark, part) for part in parts[::2]]
    return b'"'.join(parts)


def _count_unnamed(rows: list[list[str]], width: int, *, header: bool) -> int:
    """Return how many empty cells stand behind the names: one number in all rows, or none."""
    records = [row for row in rows[header:] if row]
    widths = {len(row) for row in records} or {len(rows[0])}
    further = max(widths) - width
    if len(widths) > 1 or further <= 0:
        return 0
    empty = (header and len(rows[0]) > width) or not any(any(row[width:]) for row in records)
    return further if empty else 0


def _detect_separator(sample: str, sampled: int) -> str:
    """Return the separator under which the rows agree best with a header of several cells."""
    best, best_score = ",", (0.0, 1)
    for separator in _SEPARATORS:
        widths = [len(row) for row in _rows(sample, separator, sampled) if row]
        if widths and widths[0] > 1:
            score = (widths.count(widths[0]) / len(widths), widths[0])
            if score > best_score:
                best, best_score = separator, score
    return best


def _rows(sample: str, separator: str, sampled: int, *, blank: bool = False) -> list[list[str]]:
    text = io.StringIO(sample, newline="")
    reader = csv.reader(text, delimiter=separator, skipinitialspace=blank)
    rows: list[list[str]] = []
    with contextlib.suppress(csv.Error):  # a cell beyond the reader's limit ends the sample
        for row in islice(reader, sampled):
            rows.append(row)  # noqa: PERF402 - the rows before an error are kept
    if len(sample) >= _SAMPLE_BYTES // 4 and 1 < len(rows) < sampled:
        rows.pop()  # the sample may end inside it
    return rows


def _fault(data: bytes, form: Layout, where: str) -> str:
    """Say what is wrong with a file that could not be parsed: slowly, row by row."""
    width, header = len(form.all_names), form.header
    for line, row in _numbered_rows(data, form.separator, where):
        if line <= form.lines_above:
            continue
        if header:
            header = False  # it may lack the separator at its end
        elif len(row) != width and (row or width == 1):
            name = _SEPARATORS.get(form.separator, repr(form.separator))
            return (
                f"{where}, line {line}: {len(row)} cells where the header has {width} "
                f"(separator: {name}). Fix the row, or quote a cell that contains the separator"
            )
    return f"{where} cannot be read as CSV: a row is longer than {_BLOCK_BYTES >> 20} MB"


def _numbered_rows(data: bytes, separator: str, where: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the line where it starts; raise where a quoted cell has no end."""
    text = io.StringIO(decode(data, where), newline="")
    reader = csv.reader(text, delimiter=separator, strict=True)
    limit = csv.field_size_limit(sys.maxsize)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error:
        raise DataError(
            f"{where}, line {line}: a quoted cell is not closed, or goes on after its quote. "
            'Close it, or double a " inside a quoted cell'
        ) from None
    finally:
        csv.field_size_limit(limit)
