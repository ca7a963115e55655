"""Which reading a column of texts has: found where all cells agree and leave no doubt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from kanonym.data import frames
from kanonym.data.errors import DataError
from kanonym.data.readings.dates import DateReading
from kanonym.data.readings.numbers import AFFIX, THOUSANDS, NumberReading

if TYPE_CHECKING:
    from kanonym.data.readings import Reading

_TIME = r"(?:([T ])([0-9]{1,2}):[0-9]{2}(:[0-9]{2})?)?"
_YEAR_LAST = rf"^([0-9]{{1,2}})([./-])([0-9]{{1,2}})([./-])([0-9]{{4}}){_TIME}$"
_YEAR_FIRST = rf"^([0-9]{{4}})([./])([0-9]{{1,2}})([./])([0-9]{{1,2}}){_TIME}$"
_SHORT_YEAR = r"^([0-9]{1,2})([./-])([0-9]{1,2})([./-])([0-9]{2})$"
_SAMPLE = 1000


def detect(texts: pl.Series) -> Reading | None:
    """Return the reading of a column of texts; None where it is text.

    Parameters
    ----------
    texts
        A column.

    Raises
    ------
    DataError
        All cells are dates, or numbers, of which two readings are possible.

    Examples
    --------
    >>> detect(pl.Series("born", ["31.12.1954", "1.2.1960"])).form
    '%-d.%-m.%Y'
    >>> detect(pl.Series("zip", ["01234", "45678"])) is None
    True

    """
    if texts.dtype != pl.String:
        return None
    cells = texts.drop_nulls().unique().str.strip_chars()
    cells = cells.filter(cells != "")
    if not len(cells):
        return None
    head = cells.head(_SAMPLE)
    for pattern, find in (
        (_YEAR_LAST, _year_last),
        (_YEAR_FIRST, _year_first),
        (_SHORT_YEAR, _short_year),
    ):
        if head.str.contains(pattern).all() and cells.str.contains(pattern).all():
            return find(cells, texts.name, pattern)
    return _number(cells, texts.name)


class Detection(NamedTuple):
    """Readings of columns of text, by name, and a sentence for each."""

    readings: dict[str, Reading]
    notes: tuple[str, ...]


def detect_readings(
    frame: Any, names: Sequence[str] | None = None, *, lenient: bool = False
) -> Detection:
    """Find out how columns of text write dates and numbers.

    Parameters
    ----------
    frame
        Any table of this process.
    names
        Which columns; None for all.
    lenient
        Whether a column of which two readings are possible stays text, with a note.

    Raises
    ------
    DataError
        Two readings are possible, without `lenient`.

    """
    native = frames.to_eager(frame)
    found: dict[str, Reading] = {}
    notes = []
    for name in frames.column_names(native) if names is None else names:
        try:
            column = frames.column(native, name)
        except DataError:  # lists and the like are no texts
            continue
        try:
            reading = detect(column)
        except DataError as error:
            if not lenient:
                raise
            notes.append(f"{error}. It is left as text")
            continue
        if reading is not None:
            found[name] = reading
            notes.append(_note(name, reading))
    return Detection(found, tuple(notes))


def _note(name: str, reading: Reading) -> str:
    kind = "dates" if isinstance(reading, DateReading) else "numbers"
    return (
        f"column {name!r} is read as {kind} written as {reading.form} (detected); "
        "type: text in the policy leaves it as it is"
    )


def _groups(cells: pl.Series, pattern: str) -> pl.DataFrame:
    return cells.str.extract_groups(pattern).struct.unnest()


def _form(parts: pl.DataFrame, order: tuple[str, str, str], places: tuple[str, str, str]) -> str:
    """Return the format of dates whose parts stand in an order; "" where cells do not agree."""
    marks = parts.select("2", "4").unique()
    if len(marks) != 1 or marks["2"][0] != marks["4"][0]:
        return ""
    mark = str(marks["2"][0])
    directives = []
    for part, place in zip(order, places, strict=True):
        below_ten = parts[place].str.strip_chars_start("0").str.len_chars() == 1
        short = part != "Y" and (parts[place].filter(below_ten).str.len_chars() == 1).any()
        directives.append(f"%-{part}" if short else f"%{part}")
    times = parts.select("6", hour=pl.col("7").is_not_null(), second=pl.col("8").is_not_null())
    if len(times.unique()) != 1:
        return ""
    time = ""
    if times["hour"][0]:
        time = f"{times['6'][0]}%H:%M" + (":%S" if times["second"][0] else "")
    return mark.join(directives) + time


def _reading_of_form(cells: pl.Series, form: str) -> DateReading | None:
    if not form:
        return None
    reading = DateReading(form)
    return None if reading.read(cells).null_count() else reading


def _year_last(cells: pl.Series, name: str, pattern: str) -> Reading | None:
    parts = _groups(cells, pattern)
    day_first = _reading_of_form(cells, _form(parts, ("d", "m", "Y"), ("1", "3", "5")))
    month_first = _reading_of_form(cells, _form(parts, ("m", "d", "Y"), ("1", "3", "5")))
    if day_first is None or month_first is None:
        return day_first or month_first
    # Every first and second number is at most 12. With points, days come first everywhere.
    same = (parts["1"].cast(pl.Int64) == parts["3"].cast(pl.Int64)).all()
    if same or parts["2"][0] == ".":
        return day_first
    raise DataError(
        f"column {name!r}: its dates may be day, month, year ({day_first.form}) or month, day, "
        f"year ({month_first.form}), and no value shows which. Declare it in the policy: "
        f"type: date, format: {day_first.form!r} or {month_first.form!r}"
    )


def _year_first(cells: pl.Series, name: str, pattern: str) -> Reading | None:
    del name  # year, month, day: there is one reading
    return _reading_of_form(cells, _form(_groups(cells, pattern), ("Y", "m", "d"), ("1", "3", "5")))


def _short_year(cells: pl.Series, name: str, pattern: str) -> Reading | None:
    parts = _groups(cells, pattern)
    low = pl.min_horizontal(pl.col("1").cast(pl.Int64), pl.col("3").cast(pl.Int64))
    high = pl.max_horizontal(pl.col("1").cast(pl.Int64), pl.col("3").cast(pl.Int64))
    dates = parts.select(
        (low.is_between(1, 12) & high.is_between(1, 31) & (pl.col("2") == pl.col("4"))).all()
    ).item()
    if not dates or len(cells) < 2:
        return None
    raise DataError(
        f"column {name!r}: its dates have years of two digits, so that 54 may be 1954 or 2054. "
        "Write years with four digits, or declare the column in the policy: type: text"
    )


def _number(cells: pl.Series, name: str) -> Reading | None:
    shape = rf"^({AFFIX}\s?)?-?([0-9](?:[0-9{THOUSANDS}]*[0-9])?)(\s?{AFFIX})?$"
    if not (cells.head(_SAMPLE).str.contains(shape).all() and cells.str.contains(shape).all()):
        return None
    parts = _groups(cells, shape)
    affixes = parts.select(pl.col("1", "3").fill_null("")).unique()
    if len(affixes) != 1:
        return None
    prefix, suffix = affixes.row(0)
    numbers = parts["2"]
    fits = [
        one
        for one in _candidates(numbers, prefix, suffix)
        if cells.str.contains(one.pattern).all() and not one.read(cells).null_count()
    ]
    if not fits:
        return None
    if len(fits) > 1:
        raise DataError(
            f"column {name!r}: the separator in its numbers may be that of thousands or of "
            f"decimals, and no value shows which. Declare it in the policy: type: number, format: "
            f"{fits[0].form!r} or {fits[1].form!r}"
        )
    return fits[0]


def _candidates(numbers: pl.Series, prefix: str, suffix: str) -> list[NumberReading]:
    """Return the styles that use every mark that occurs."""
    occurring = set(re.sub("[0-9]", "", "".join(numbers.to_list())))
    affix = bool(prefix or suffix)
    if len(occurring) > 2:
        return []
    found = []
    for decimal in ".,":
        rest = occurring - {decimal}
        thousands = next(iter(rest), "")
        if decimal not in occurring or len(rest) > 1 or thousands == decimal:
            continue
        lengths = numbers.str.extract(rf"\{decimal}([0-9]+)$", 1).drop_nulls().str.len_chars()
        if not len(lengths):
            continue
        whole = numbers.len() == len(lengths) and lengths.n_unique() == 1
        decimals = int(lengths[0]) if whole else 1
        found.append(NumberReading(decimal, thousands, prefix, suffix, decimals))
    if len(occurring) == 1:
        mark = next(iter(occurring))
        # Numbers of one length, in several groups, may be those of telephones.
        same_length = numbers.str.replace_all("[^0-9]", "").str.len_chars().n_unique() == 1
        several = numbers.str.count_matches(mark, literal=True).max() != 1
        if affix or (mark in ".,'’" and not (same_length and several and mark == ".")):
            other = "," if mark == "." else "."
            found.append(NumberReading(other, mark, prefix, suffix))
    if not occurring and affix:
        found.append(NumberReading(".", "", prefix, suffix))
    return found
