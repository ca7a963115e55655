"""Sheets of workbooks: where the table is, and its cells."""

from __future__ import annotations

import contextlib
import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree

import polars as pl

from kanonym.data.errors import DataError

HEAD = 50  # rows in which the header is looked for
_NARROW = 3  # columns from which on a row of one cell is no record


def header_of(rows: Sequence[tuple[str | None, ...]], where: str, *, named: bool = False) -> int:
    """Return the place of the header, or of the first record, among the first rows, from 0.

    named: whether the caller names the columns, so that the first row may have empty cells.
    """
    first = next(place for place, row in enumerate(rows) if _count_filled(row))
    width = max(place for place, cell in enumerate(rows[first], 1) if cell and cell.strip())
    if any(_count_filled(row[width:]) for row in rows[first:]):
        width = len(rows[first])
    if named or _count_filled(rows[first]) == width:
        return first
    for place in range(first + 1, len(rows)):
        row = rows[place]
        names = [cell for cell in row if cell and cell.strip()]
        if len(names) == len(row) == len(set(names)) and not any(map(_is_number, names)):
            raise DataError(
                f"{where}: row {first + 1} is not a header, because not every column has a name in "
                f"it. The table seems to begin in row {place + 1}: read it with --header-row "
                f"{place + 1} (header_row={place + 1} in Python), or delete the rows above it"
            )
    return first  # the error about names says which one is missing


def refuse_notes(table: pl.DataFrame, header: int, where: str) -> None:
    """Refuse a sheet that ends in notes: an empty row, and then rows of a single cell.

    header: the place of the header, from 0.
    """
    if table.width < _NARROW or not table.height:
        return
    filled = table.select(pl.sum_horizontal(pl.all().is_not_null().cast(pl.Int64))).to_series()
    cells = filled.to_list()
    place = len(cells)
    while place and cells[place - 1] <= 1:
        place -= 1
    tail = cells[place:]
    if not place or not tail or tail[0] != 0 or 1 not in tail or min(cells[:place]) <= 1:
        return
    note = header + 2 + place + tail.index(1)
    raise DataError(
        f"{where}: row {note} seems to be a note below the table, which ends in row "
        f"{header + 1 + place}. Delete the rows below the table"
    )


def _count_filled(row: tuple[str | None, ...]) -> int:
    return sum(1 for cell in row if cell and cell.strip())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


LONGEST = 1_000_000  # bytes; no spreadsheet program holds a longer text in a cell
_PACKED = 100
"""Times by which a part is larger than in its file; those of tables are some 10 times larger."""
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError)
_REFERENCE = re.compile(rb' r="([A-Z]+)([0-9]+)"')


def long_text_error(place: str) -> DataError:
    """Return the error that a cell holds a text which is too long."""
    return DataError(
        f"{place} holds a text of more than {LONGEST:,} bytes, which no spreadsheet program "
        "writes; shorten it, or give the table as CSV"
    )


def refuse_long_texts(data: bytes, where: str) -> None:
    """Refuse a small workbook with a text so long that unpacking it would fill the memory."""
    with contextlib.suppress(*_DAMAGED), zipfile.ZipFile(io.BytesIO(data)) as book:
        for part in book.infolist():
            if part.file_size > max(_PACKED * part.compress_size, LONGEST):
                _refuse_long_text(book, part, where)


def _refuse_long_text(book: zipfile.ZipFile, part: zipfile.ZipInfo, where: str) -> None:
    """Refuse a part of a workbook with a long text; the message has its cell, if it has one."""
    length, before, strings = 0, b"", 0
    with book.open(part) as file:
        while chunk := file.read(LONGEST):
            first, *others = chunk.split(b"<")
            length += len(first)
            if length > LONGEST:
                cells = _REFERENCE.findall(before) or _cells_of_string(book, strings - 1)
                place = part.filename
                if cells:
                    place = f"row {int(cells[-1][1])}, column {_column(cells[-1][0].decode()) + 1}"
                raise long_text_error(f"{where}: {place}")
            if others:
                before, length = chunk, len(others[-1])
                strings += sum(one.startswith((b"si>", b"si ")) for one in others)


def _cells_of_string(book: zipfile.ZipFile, number: int) -> list[tuple[bytes, bytes]]:
    """Return the cell of a shared text, as far as it stands in the first megabyte of a sheet."""
    pattern = rb' r="([A-Z]+)([0-9]+)"[^>]* t="s"[^>]*><v>%d</v>' % number
    for name in book.namelist():
        if name.startswith("xl/worksheets/"):
            with book.open(name) as file:
                if cells := re.findall(pattern, file.read(LONGEST)):
                    return cells[:1]
    return []


_OTHER_PARTS = {
    "xl/comments": "comments",
    "xl/threadedComments": "comments",
    "xl/media/": "pictures",
    "xl/charts/": "charts",
    "xl/pivotCache/": "pivot caches",
    "xl/embeddings/": "embedded files",
    "xl/externalLinks/": "external links",
    "xl/vbaProject": "macros",
    "customXml/": "custom XML",
    "docProps/custom.xml": "custom properties",
}
_KINDS = {"s": "text", "str": "text", "inlineStr": "text", "b": "boolean", "e": "error"}
_PLACE = re.compile(r"([A-Z]+)([0-9]+)")
_MOST = 1 << 28
"""Bytes of a sheet that are read for its cells."""


@dataclass(frozen=True)
class SheetCells:
    """What a sheet has beside the values of its cells."""

    marks: Mapping[tuple[int, int], str]
    rows: Mapping[int, str]
    first_column: int
    unread: list[str] = field(default_factory=list)

    def texts(self, frame: pl.DataFrame, header: int) -> Iterator[tuple[pl.Series, pl.Series]]:
        """Yield each column of a table as texts with what tells cells apart, and as it is.

        header: the row of the names, from 0.
        """
        for place, column in enumerate(frame, self.first_column):
            marks = [
                f"{self.marks.get((row, place), '')}{self.rows.get(row, '')}"
                for row in range(header + 1, header + 1 + len(column))
            ]
            values = column.cast(pl.String, strict=False).fill_null("null")
            yield values + ": " + pl.Series(marks), column


def sheet_cells(data: bytes, sheet: str) -> SheetCells | None:
    """Return the cells of a sheet; None of a workbook that is no readable .xlsx."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _read(archive, sheet)
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError, ValueError, StopIteration):
        return None


def _read(archive: zipfile.ZipFile, sheet: str) -> SheetCells:
    path, unread = _parts(archive, sheet)
    marks: dict[tuple[int, int], str] = {}
    rows: dict[int, str] = {}
    row_number = -1
    for row in _children(_parse(archive, path), "row"):
        row_number = int(row.get("r", row_number + 2)) - 1
        if told := _row_text(row):
            rows[row_number] = told
        column = -1
        for cell in _children(row, "c"):
            match = _PLACE.fullmatch(cell.get("r", ""))
            column = _column(match[1]) if match else column + 1
            if told := _cell_text(cell):
                marks[row_number, column] = told
    first = min((column for _, column in marks), default=0)
    for at, number in _comments(archive, path).items():
        marks[at] = f"{marks.get(at, '')} with comment {number}"
    return SheetCells(marks, rows, first, unread)


def _parts(archive: zipfile.ZipFile, sheet: str) -> tuple[str, list[str]]:
    """Return the place of a sheet in its workbook, and what else there is."""
    targets = _relations(archive, "xl/workbook.xml")
    path, others = "", []
    for child in _children(_parse(archive, "xl/workbook.xml"), "sheet"):
        if child.get("name") == sheet:
            key = next(value for name, value in child.attrib.items() if name.endswith("}id"))
            path = targets[key][1]
        else:
            hidden = "" if child.get("state", "visible") == "visible" else " (hidden)"
            others.append(f"sheet {child.get('name')!r}{hidden}")
    names = archive.namelist()
    others += dict.fromkeys(
        kind for start, kind in _OTHER_PARTS.items() if any(one.startswith(start) for one in names)
    )
    return path, others


def _row_text(row: ElementTree.Element) -> str:
    told = [row.get("hidden", ""), row.get("outlineLevel", "")]
    told.append(row.get("s", "") if row.get("customFormat") in ("1", "true") else "")
    plain = all(one in ("", "0", "false") for one in told)
    return "" if plain else f" in a row (hidden, level, format) {told}"


def _cell_text(cell: ElementTree.Element) -> str:
    parts = {one.tag.rpartition("}")[2] for one in cell}
    if not parts & {"v", "is"}:
        return ""
    style, formula = cell.get("s", "0"), " of a formula" if "f" in parts else ""
    form = "" if style == "0" else f" in format {style}"
    return f"{_KINDS.get(cell.get('t', 'n'), 'number')}{form}{formula}"


def _comments(archive: zipfile.ZipFile, path: str) -> dict[tuple[int, int], int]:
    """Return a number for the comment of each cell that has one; equal ones have the same."""
    numbers: dict[str, int] = {}
    found: dict[tuple[int, int], int] = {}
    for kind, target in _relations(archive, path).values():
        for element in _children(_parse(archive, target), "comment") if "/comments" in kind else ():
            if place := _PLACE.fullmatch(element.get("ref", "")):
                at = int(place[2]) - 1, _column(place[1])
                found[at] = numbers.setdefault("".join(element.itertext()), len(numbers) + 1)
    return found


def _parse(archive: zipfile.ZipFile, path: str) -> ElementTree.Element:
    if archive.getinfo(path).file_size > _MOST:
        raise ValueError(f"{path} is too large")
    return ElementTree.fromstring(archive.read(path))  # noqa: S314 - expat here refuses entities that grow


def _children(parent: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    return (element for element in parent.iter() if element.tag.rpartition("}")[2] == name)


def _relations(archive: zipfile.ZipFile, path: str) -> dict[str, tuple[str, str]]:
    """Return kind and place of what a part of the workbook refers to, by its key."""
    folder, name = posixpath.split(path)
    place = f"{folder}/_rels/{name}.rels"
    if place not in archive.namelist():
        return {}
    return {
        child.get("Id", ""): (
            child.get("Type", ""),
            posixpath.normpath(posixpath.join("/", folder, child.get("Target", ""))).lstrip("/"),
        )
        for child in _children(_parse(archive, place), "Relationship")
    }


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1
