"""Some fifty kinds of column with the label of each of their cells, and odd cells."""

from __future__ import annotations

import csv
import datetime as dt
import json
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

import pandas as pd
import polars as pl
import pyarrow as pa
import xlsxwriter

import kanonym as ka

UTC = dt.UTC
EAST, WEST = dt.timezone(dt.timedelta(hours=2)), dt.timezone(-dt.timedelta(hours=5, minutes=30))


class Kind(NamedTuple):
    """Three cells of a column, the label that each is released with, and how it is declared."""

    cells: tuple[Any, Any, Any]
    labels: tuple[str | None, str | None, str | None]
    attribute: ka.QuasiIdentifier


def listed(*cells, labels=None, **declared):
    """Return a kind whose values a mapping lists; labels: where they are not the texts of cells."""
    labels = tuple(None if one is None else str(one) for one in (labels or cells))
    leaves = [one for one in labels if one is not None]
    tree = ka.hierarchy.from_mapping({one: ["*"] for one in leaves})
    return Kind(cells, labels, ka.QuasiIdentifier(hierarchy=tree, **declared))


def ranged(*cells, labels, bounds, **declared):
    """Return a kind whose values lie in intervals with public ends."""
    tree = ka.hierarchy.intervals(bounds=bounds)
    return Kind(cells, labels, ka.QuasiIdentifier(hierarchy=tree, **declared))


def at(*parts, zone=None):
    """Return a date and time."""
    return dt.datetime(*parts, tzinfo=zone)


KINDS = {
    "whole": listed(7, 8, 9),
    "negative": listed(-1, 0, 1),
    "long": listed(2**53 + 2, 2**53 + 4, 2**60),
    "odd long": listed(2**53 + 1, 2**54 + 2, 17),
    "codes of 18 digits": listed(
        "900000000000207008", "900000000000207009", "900000000000207010", type="text"
    ),
    "fractions": listed(0.5, 1.25, 100.125),
    "whole floats": listed(1.0, 2.0, 3.0, labels=("1", "2", "3")),
    "tiny": listed(1e-7, 2.5e-7, 0.0, labels=("1e-07", "0.00000025", "0")),
    "huge": listed(1e22, 1e23, 1e300, labels=("1e22", "1e+23", "1e300")),
    "decimals": listed(Decimal("1.10"), Decimal("2.20"), Decimal("3.30")),
    "numbers as texts": listed("1", "2.0", " 3 ", labels=("1", "2", "3")),
    "numbers and null": listed(7, None, 9),
    "booleans": listed(*(True, False, None), labels=("true", "false", None)),
    "answers": listed("yes", "no", "unknown"),
    "bits": listed(0, 1, None),
    "zip": listed("01067", "10115", "99998"),
    "phone": listed("+49 351 1", "0351/2", "112"),
    "words": listed("flu", "cold", "gout"),
    "accents": listed("año", "Łódź", "größe"),
    "cases": listed("a", "A", "aa"),
    "blanks": listed(" left", "right ", "mid dle", labels=("left", "right", "mid dle")),
    "separators": listed("a;b", "a,b", "a\tb"),
    "quotes": listed('5"', "it's", '"'),
    "icd": listed("E11.0", "E11.9", "I10"),
    "bands": listed("18-24", "25-34", "65+"),
    "pressure": listed("120/80", "130/85", "140/90"),
    "uuid": listed(*(str(UUID(int=one)) for one in (1, 2, 3))),
    "null alone": listed("a", None, None),
    "dates": listed(dt.date(2024, 1, 5), dt.date(2024, 2, 5), dt.date(1899, 12, 30)),
    "midnights": listed(
        *(at(2024, 1, day) for day in (5, 6, 7)), labels=("2024-01-05", "2024-01-06", "2024-01-07")
    ),
    "times": listed(
        at(2024, 1, 5, 10, 30),
        at(2024, 1, 5, 23, 59, 59),
        at(2024, 1, 6),
        labels=("2024-01-05T10:30", "2024-01-05 23:59:59", "2024-01-06"),
    ),
    "instants": listed(
        at(2024, 1, 5, 10, 30, zone=UTC),
        at(2024, 1, 5, 10, 30, zone=EAST),
        at(2024, 1, 5, 10, 30, zone=WEST),
        labels=("2024-01-05T10:30Z", "2024-01-05T10:30+02:00", "2024-01-05T10:30:00-05:30"),
    ),
    "days of one zone": listed(
        *(at(2024, 6, day, zone=UTC) for day in (1, 2, 3)),
        labels=("2024-06-01T00:00Z", "2024-06-02T00:00Z", "2024-06-03T00:00Z"),
    ),
    "clock": listed(
        dt.time(8, 30), dt.time(0), dt.time(23, 59, 59), labels=("08:30", "00:00", "23:59:59")
    ),
    "german dates": listed("31.12.1954", "1.2.1960", "03.04.1970", type="date", format="%d.%m.%Y"),
    "euros": listed("1.234,50 €", "7,00 €", "0,99 €", type="number", format="1.234,50 €"),
    "ages": ranged(17, 18, 90, labels=("<18", "[18, 65)", ">=65"), bounds=[18, 65]),
    "sizes": ranged(1.5, 1.8, None, labels=("<1.6", ">=1.6", None), bounds=[1.6]),
    "ages as texts": ranged(
        "17", "64.9", "1e3", labels=("<18", "[18, 65)", ">=65"), bounds=[18, 65]
    ),
    "months by name": listed(
        *("3. März 1954", "1. Mai 1960", "2. Juni 1970"), type="date", format="%-d. %B %Y"
    ),
    "years of two digits": listed(
        *("08-MAY-56", "01-JAN-23", "02-FEB-24"), type="date", format="%d-%b-%y", years_from=1925
    ),
    "half days": listed("8:30 PM", "9:00 AM", "12:15 AM", type="time", format="%-I:%M %p"),
    "missing words": listed("a", "-9", "b", labels=("a", None, "b"), missing=["-9"]),
    "missing codes": ranged(
        17, -9, 70, labels=("<18", None, ">=65"), bounds=[18, 65], missing=[-9]
    ),
    "bounds": ranged(
        *("17", "refused", "90+"),
        labels=("<18", None, ">=65"),
        bounds=[18, 65],
        type="number",
        exceptions="null",
    ),
    "units": ranged(
        *("165 cm", "171.5 cm", "NA"),
        labels=("<170 cm", ">=170 cm", None),
        bounds=[170],
        type="number",
        format="165 cm",
    ),
    "decimal comma": ranged(
        "1,5",
        "1.234,5",
        "2.000",
        labels=("<1.000,0", "[1.000,0; 2.000,0)", ">=2.000,0"),
        bounds=[1000, 2000],
        type="number",
        format="1.234,5",
    ),
}
"""By name; the labels are those that a mapping lists, or an interval has."""

ODD = (
    *(None, "?", "soon", "", "  ", "NaN", "null", "N/A", "-", "007", "1,5", "1.5", "31.12.1954"),
    *(1.5, 7, -3, 2**53 + 1, 10**30, 10**400, 1e-9, float("nan"), float("inf"), True, False),
    *(dt.date(2024, 2, 1), dt.date(1, 1, 1), at(2024, 2, 1, 10, 30, 15, 123_456)),
    *(at(2024, 2, 1, 10, zone=UTC), at(9999, 12, 31, 23, zone=WEST), dt.time(8, 30)),
    *(dt.timedelta(hours=30), Decimal("1.10"), UUID(int=7), b"\xff", [1, "a"], {"a": 1}, 1j),
    *("2024-02-30", "2024-01-05T10:30+02:00", "25:10", "true", "=1+1", "a;b,c\td|e", 'quo"te\nnew'),
    *("ñ🙂\u200b", "\x00", "x" * 30_000, "*", "other", "1e400", "٣", "[18, 65)", "999 €"),
)
"""Cells that stand once in a column of another kind."""


def table_of(odd=(), copies=12):
    """Return by kind so many copies of its cells, and the odd cell at the end."""
    return {name: [*kind.cells * copies, *odd] for name, kind in KINDS.items()}


def text_of(cell):
    """Return a cell as a text file has it."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, dt.date | dt.time):
        return cell.isoformat()
    return "" if cell is None else shown(cell)


def shown(cell):
    """Return the text of any cell; Python refuses to print the longest numbers."""
    return "1" + "0" * 400 if cell == 10**400 else str(cell)


def write_csv(table, path):
    """Write separated cells; null is an empty cell."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows([map(text_of, row) for row in zip(*table.values(), strict=True)])


def write_jsonl(table, path):
    """Write an object a line; what JSON has no type for is a text."""

    def records():
        for row in zip(*table.values(), strict=True):
            yield dict(zip(table, row, strict=True))

    lines = [json.dumps(one, default=text_of, ensure_ascii=False) for one in records()]
    path.write_text("\n".join(lines), encoding="utf-8")


def write_json(table, path):
    """Write an array of objects."""
    write_jsonl(table, path)
    path.write_text("[" + ",\n".join(path.read_text("utf-8").split("\n")) + "]", encoding="utf-8")


def write_excel(table, path):
    """Write cells with their own types; what Excel has no type for is a text."""
    book = xlsxwriter.Workbook(path, {"nan_inf_to_errors": True})
    sheet = book.add_worksheet()
    forms = [
        (dt.datetime, book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"})),
        (dt.date, book.add_format({"num_format": "yyyy-mm-dd"})),
        (dt.time, book.add_format({"num_format": "hh:mm:ss"})),
    ]
    for place, (name, cells) in enumerate(table.items()):
        sheet.write_string(0, place, name)
        for row, cell in enumerate(cells, 1):
            form = next((form for kind, form in forms if isinstance(cell, kind)), None)
            if cell is None or cell == "":
                continue
            if isinstance(cell, bool):
                sheet.write_boolean(row, place, cell)
            elif isinstance(cell, int | float) and not EXACT < abs(cell) < float("inf"):
                sheet.write_number(row, place, cell)  # NaN and infinity are errors there
            elif form and not getattr(cell, "tzinfo", None) and getattr(cell, "year", 1950) > 1900:
                sheet.write_datetime(row, place, cell, form)
            else:
                sheet.write_string(row, place, text_of(cell).replace("\x00", ""))
    book.close()


EXACT = 2**53
"""Beyond it whole numbers are written as texts into Excel."""


def as_pandas(table):
    """Return a frame of pandas with the types that it finds itself."""
    return pd.DataFrame({name: pd.Series(cells) for name, cells in table.items()})


def as_objects(table):
    """Return a frame of pandas without types."""
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in table.items()})


def as_categories(table):
    """Return a frame of pandas with categories; cells that cannot be looked up stay objects."""

    def column(cells):
        try:
            return pd.Series(pd.Categorical(pd.Series(cells)))
        except (TypeError, ValueError):
            return pd.Series(cells, dtype=object)

    return pd.DataFrame({name: column(cells) for name, cells in table.items()})


def as_nullable(table):
    """Return a frame of pandas with its nullable types."""
    return as_pandas(table).convert_dtypes()


def as_polars(table):
    """Return a frame of polars: of a type where all cells have one, of objects otherwise."""

    def column(name, cells):
        try:
            return pl.Series(name, cells, strict=True)
        except (TypeError, OverflowError, ValueError, pl.exceptions.PolarsError):
            return pl.Series(name, cells, dtype=pl.Object)

    return pl.DataFrame([column(*one) for one in table.items()])


def as_arrow(table):
    """Return a table of Arrow; it holds no odd cell where a column cannot have one."""

    def column(cells):
        try:
            return pa.array(cells)
        except (pa.ArrowException, TypeError, OverflowError, ValueError):
            return pa.array([*cells[:-1], None])

    return pa.table({name: column(cells) for name, cells in table.items()})


def write_parquet(table, path):
    """Write the table of Arrow."""
    pl.DataFrame(as_arrow(table)).write_parquet(path)


FILES = {
    "csv": write_csv,
    "jsonl": write_jsonl,
    "json": write_json,
    "xlsx": write_excel,
    "parquet": write_parquet,
}
FRAMES = (as_pandas, as_objects, as_categories, as_nullable, as_polars, as_arrow)
