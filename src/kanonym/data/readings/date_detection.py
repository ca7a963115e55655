"""How the dates, months and times of a column are written."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any

import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.readings.dates import NUMBER_OF_MONTH, DateReading
from kanonym.data.readings.reading import Cells

MOST = 0.95
FREE_YEARS = 20
"""Years of two digits in a row that no cell has, where centuries leave no doubt."""


_CLOCK = (
    r"(?:(?P<gap>[T ]|,? )(?P<hour>[0-9]{1,2}):[0-9]{2}(?P<second>:[0-9]{2})?"
    r"(?P<fraction>\.[0-9]{1,6})?(?P<half>\s?[AaPp]\.?[Mm]\.?)?"
    r"(?P<zone>Z|\s?(?:UTC|GMT|[-+][0-9]{2}:?[0-9]{2}))?)?"
)
_SHOWN = ("second", "fraction", "half")
"""Parts of a time of day that some have."""
_WEEKDAY = r"(?:(?P<weekday>\p{L}{2,}\.?)(?P<comma>,?\s+))?"
_DAY = r"(?P<day>[0-9]{1,2})(?:\.?º|er|st|nd|rd|th)?"
_MONTH = r"(?P<month>[0-9]{1,2})"
_NAME = r"(?P<name>\p{L}{3,}\.?)"
_LONG_YEAR = r"(?P<year>[0-9]{4})"
_YEAR = r"(?P<year>[0-9]{4}|[0-9]{2})"
_MARK, _AGAIN = r"(?P<mark>[./-])", r"(?P<again>[./-])"
_BETWEEN = r"(?:\.?\s?[-/]\s?|\.?\s+(?:(?:de|of)\s+)?|\.)"
_SHAPES = {
    "first": (rf"^{_WEEKDAY}(?P<first>[0-9]{{1,2}}){_MARK}{_MONTH}{_AGAIN}{_YEAR}{_CLOCK}$"),
    "year": rf"^{_LONG_YEAR}{_MARK}{_MONTH}{_AGAIN}(?P<day>[0-9]{{1,2}}){_CLOCK}$",
    "day name": (
        rf"(?i)^{_WEEKDAY}{_DAY}(?P<mark>{_BETWEEN}|){_NAME}(?P<again>,?{_BETWEEN}|){_YEAR}{_CLOCK}$"
    ),
    "name day": (
        rf"(?i)^{_WEEKDAY}{_NAME}(?P<mark>[\s/-]+){_DAY}(?P<again>,\s?|\s+|[-/]){_YEAR}{_CLOCK}$"
    ),
    "year name": (
        rf"(?i)^{_LONG_YEAR}(?P<mark>[\s/-]){_NAME}(?P<again>[\s/-])(?P<day>[0-9]{{1,2}}){_CLOCK}$"
    ),
    "year month": rf"^{_LONG_YEAR}(?P<mark>[/-]){_MONTH}$",
    "month year": rf"^{_MONTH}(?P<mark>[/.-]){_LONG_YEAR}$",
    "name year": rf"(?i)^{_NAME}(?P<mark>,?\s(?:de\s|of\s)?|[-/]){_LONG_YEAR}$",
    "year name alone": rf"(?i)^{_LONG_YEAR}(?P<mark>[\s/-]){_NAME}$",
    "week": rf"^{_LONG_YEAR}(?P<mark>-W)[0-5][0-9]-(?P<day>[1-7])$",
}
"""What dates look like; of a shape with `first`, day or month comes first."""
_TIME = (
    r"^(?P<hour>[0-9]{1,2})(?:(?P<mark>\s?[Hh]\s?|[:.])(?P<minute>[0-9]{2}))?(?P<second>:[0-9]{2})?"
    r"(?P<fraction>\.[0-9]{1,6})?(?P<half>\s?[AaPp]\.?[Mm]\.?)?(?P<behind>\s?(?:Uhr|h\.?))?$"
)


def detect_dates(cells: Cells) -> DateReading | None:
    """Return the style of the dates or months among cells; None where there are none."""
    best, most, shape = None, 0, ""
    sample = cells.sample()
    for name, pattern in _SHAPES.items():
        if not sample.str.contains(pattern).any():
            continue
        parts = cells.texts.str.extract_groups(pattern).struct.unnest()
        column = parts["mark"].is_not_null()
        if "name" in parts.columns:
            bare = parts["name"].str.to_lowercase().str.strip_suffix(".")
            column &= bare.is_in(list(NUMBER_OF_MONTH)).fill_null(value=False)
        if name == "month year" and not parts["month"].str.starts_with("0").any():
            column &= parts["mark"] != "."  # 3.2024 is a number as well
        if name == "year month" and _are_two_years(parts):
            continue
        column = column.fill_null(value=False)
        number = cells.number(column)
        if number > most:
            best, most, shape = (parts.filter(column), cells.filter(column)), number, name
    if best is None or 2 * most < cells.total:
        return None
    parts, own = best
    if parts["year"].str.len_chars().median() == 2:
        return _with_short_years(shape, parts, own, cells.total)
    if shape != "first":
        return _date_reading(_form_of(shape, parts, own))
    return _day_or_month_first(parts, own, cells.total)


def _are_two_years(parts: pl.DataFrame) -> bool:
    """Tell whether months are the years that follow, as in 2008-09, 2009-10 and 2010-11."""
    frame = parts.select(pl.col("year", "month").cast(pl.Int32)).drop_nulls()
    follows = (frame["year"] + 1) % 100 == frame["month"]
    return bool(follows.all()) and frame["year"].n_unique() > 1


def _day_or_month_first(
    parts: pl.DataFrame, own: Cells, total: int, years_from: int | None = None
) -> DateReading | None:
    """Return the style that shows which number is the day; total: cells of the column."""
    day_first, month_first = (
        _date_reading(_form_of(order, parts, own), years_from)
        for order in ("day first", "month first")
    )
    if day_first is None or month_first is None:
        return day_first or month_first
    days, months = day_first.read(own.texts), month_first.read(own.texts)
    first, second = own.number(days.is_not_null()), own.number(months.is_not_null())
    shows = first != second and (
        max(first, second) == own.total or min(first, second) < MOST * own.total
    )
    if shows or 2 * max(first, second) < total:
        return day_first if first > second else month_first
    doubtful = days.is_not_null() & months.is_not_null() & (days != months)
    if not doubtful.any() or parts["mark"].mode()[0] == ".":  # with points, days come first
        return day_first
    raise DataError(
        f"column {own.name!r}: its dates may be day, month, year ({day_first.form}) or month, day, "
        f"year ({month_first.form}), and no value shows which. Declare it in the policy: "
        f"type: date, format: {day_first.form!r} or {month_first.form!r}"
    )


def _with_short_years(
    shape: str, parts: pl.DataFrame, own: Cells, total: int
) -> DateReading | None:
    """Return the style of dates with years of two digits, where they leave no doubt."""
    if len(own.texts) < 2:
        return None
    years = parts["year"].filter(parts["year"].str.len_chars() == 2).cast(pl.Int32)
    present = dt.datetime.now(tz=dt.UTC).year
    start = present + 1 - 100
    if shape == "first":
        style = _day_or_month_first(parts, own, total, start)
    else:
        style = _date_reading(_form_of(shape, parts, own), start)
    if style is None or 2 * own.number(style.read(own.texts).is_not_null()) < total:
        return None
    if not _leave_no_doubt(set(years.to_list()), present % 100):
        raise DataError(
            f"column {own.name!r}: its dates have years of two digits, so that 54 may be 1954 or "
            "2054. Declare where the hundred years begin in the policy: type: date, format: "
            f"{style.form!r}, years_from: 1925; or write years with four digits, or say type: text"
        )
    return style


def _leave_no_doubt(used: set[int], present: int) -> bool:
    """Tell whether at least 20 years in a row are free, and the present year ends among them."""
    after = next((n for n in range(100) if (present + 1 + n) % 100 in used), 100)
    before = next((n for n in range(100) if (present - n) % 100 in used), 100)
    return bool(used) and after + before >= FREE_YEARS


def _form_of(shape: str, parts: pl.DataFrame, own: Cells) -> str:
    """Return the format of dates of a shape, as most of the cells have it; "" for none."""
    counted = parts.with_columns(n=own.counts)
    names = ["mark", "again"] if "again" in parts.columns else ["mark"]
    marks = _most_frequent(counted, names)
    if shape in ("first", "day first", "month first", "year") and marks[0] != marks[1]:
        return ""
    first, again = marks[0], marks[-1]
    year = "%Y" if parts["year"].str.len_chars().median() != 2 else "%y"
    if "name" in parts.columns:
        letters = parts["name"].str.count_matches(r"\p{L}")
        month = "%B" if (letters > 4).any() else "%b"
        day = _directive("d", parts, "day")
    elif shape == "month first":
        month, day = _directive("m", parts, "first"), _directive("d", parts, "month")
    else:
        month = _directive("m", parts, "month")
        day = _directive("d", parts, "first" if shape == "day first" else "day")
    date = {
        "day first": f"{day}{first}{month}{again}{year}",
        "month first": f"{month}{first}{day}{again}{year}",
        "year": f"{year}{first}{month}{again}{day}",
        "day name": f"{day}{first}{month}{again}{year}",
        "name day": f"{month}{first}{day}{again}{year}",
        "year name": f"{year}{first}{month}{again}{day}",
        "year month": f"{year}{first}{month}",
        "month year": f"{month}{first}{year}",
        "name year": f"{month}{first}{year}",
        "year name alone": f"{year}{first}{month}",
        "week": "%G-W%V-%u",
    }[shape]
    if "weekday" in parts.columns:
        weekday, comma = _most_frequent(
            counted.with_columns(pl.col("weekday").str.strip_suffix(".").str.len_chars() > 3),
            ["weekday", "comma"],
        )
        if comma is not None:
            date = f"{'%A' if weekday else '%a'}{comma}{date}"
    if "hour" not in parts.columns:
        return date
    gap, *shown = _most_frequent(
        counted.with_columns(pl.col(_SHOWN).is_not_null()), ["gap", *_SHOWN]
    )
    if gap is None:
        return date
    timed = counted.filter(pl.col("gap") == gap)
    (zone,) = _most_frequent(timed, ["zone"])
    return f"{date}{gap}{_clock(timed, tuple(shown))}{zone or ''}"


def _most_frequent(counted: pl.DataFrame, names: Sequence[str]) -> tuple[Any, ...]:
    """Return the values of some columns that most cells have together, the first of several."""
    grouped = counted.group_by(names, maintain_order=True).agg(pl.col("n").sum())
    return grouped.sort("n", descending=True, maintain_order=True).row(0)[:-1]


def _directive(letter: str, parts: pl.DataFrame, name: str) -> str:
    """Return a directive of a format, without a zero before where cells have none."""
    dropped = name in parts.columns and _drops_zeros(parts[name])
    return f"%-{letter}" if dropped else f"%{letter}"


def _drops_zeros(numbers: pl.Series) -> bool:
    return bool(numbers.str.contains("^[1-9]$").any())


def _clock(parts: pl.DataFrame, shown: tuple[bool, ...], mark: str = ":") -> str:
    """Return the format of times of day; shown: whether they have what `_SHOWN` names."""
    second, fraction, half = shown
    dropped = "-" if _drops_zeros(parts["hour"]) else ""
    seconds = (":%S" if second else "") + (".%f" if second and fraction else "")
    if not half:
        return f"%{dropped}H{mark}%M{seconds}"
    blank = " " if parts["half"].drop_nulls().str.contains(r"^\s").any() else ""
    return f"%{dropped}I{mark}%M{seconds}{blank}%p"


def detect_times(cells: Cells) -> DateReading | None:
    """Return the style of times of day among cells; None where there are none."""
    parts = cells.texts.str.extract_groups(_TIME).struct.unnest()
    column = parts["minute"].is_not_null() | parts["half"].is_not_null()
    shown_by = parts["half"].is_not_null() | (parts["behind"].str.strip_chars() == "Uhr")
    column &= parts["mark"].ne_missing(".") | shown_by.fill_null(value=False)
    column = column.fill_null(value=False)
    if 2 * cells.number(column) < cells.total:
        return None
    parts = parts.filter(column).with_columns(n=cells.counts.filter(column))
    if (parts["hour"] == "1").all() and not parts["half"].is_not_null().any():
        return None  # 1:10, 1:20, 1:40 are dilutions
    timed = parts.with_columns(pl.col("minute", *_SHOWN).is_not_null())
    minute, mark, behind, *shown = _most_frequent(timed, ["minute", "mark", "behind", *_SHOWN])
    form = _clock(parts, tuple(shown), mark or ":")
    return _date_reading((form if minute else form.replace(":%M", "")) + (behind or ""))


def _date_reading(form: str, years_from: int | None = None) -> DateReading | None:
    """Return the reading of a format; None of none."""
    if not form:
        return None
    short = re.search("%-?y", form) is not None
    return DateReading(form, years_from if short else None)
