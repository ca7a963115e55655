"""Where the table of a sheet begins and ends: titles above the header, notes below the records."""

from __future__ import annotations

from collections.abc import Sequence

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
