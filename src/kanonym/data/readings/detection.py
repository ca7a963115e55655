"""Detection of how the numbers and dates of a column are written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl

from kanonym.data import frames
from kanonym.data.errors import DataError
from kanonym.data.readings.bounds import sides_of, split_bounds
from kanonym.data.readings.date_detection import detect_dates, detect_times
from kanonym.data.readings.numbers import (
    CELL,
    NumberReading,
    ascii_digits,
    singulars,
    with_plain_marks,
)
from kanonym.data.readings.reading import Cells, OrderedReading, Reading, Style, is_missing

MANY_FRACTIONS = 50
_CLOCK = re.compile(r"\s?[AaPp]\.?[Mm]\.?$|T[0-9]")
"""What is no unit: 8.30 pm, 20240304T1015."""


def detect_numbers(cells: Cells) -> NumberReading | None:
    """Return the style of the numbers among cells; None where there are none."""
    texts, zero = _own_script(cells)
    bare, _ = split_bounds(with_plain_marks(texts))
    parts = bare.str.extract_groups(CELL).struct.unnest()
    if not parts["number"].is_not_null().any():
        return None
    parts = parts.with_columns(
        pl.col("prefix", "suffix").fill_null(""), n=cells.counts, text=bare
    ).drop_nulls("number")
    parts, plus = _without_lone_pluses(parts)
    if not len(parts):
        return None
    prefix, suffix = _unit(parts)
    own = parts.filter(
        (pl.col("prefix").str.strip_chars() == prefix.strip())
        & pl.col("suffix").str.strip_chars().is_in([suffix.strip(), *singulars(suffix.strip())])
    )
    if not suffix and not prefix and _are_codes(own):
        return None
    if _CLOCK.match(suffix) or (
        suffix.strip() == "Uhr" and own["number"].str.contains("[.,]").any()
    ):
        return None  # 20.30 Uhr is half past eight
    scored = [
        (int(own["n"].filter(values.is_not_null()).sum()), style, values)
        for style in _candidates(own, prefix, suffix, zero, plus=plus)
        if (values := style.read(_in_script(own["text"], zero))).is_not_null().any()
    ]
    if not scored:
        return None
    most = max(number for number, _, _ in scored)
    fits = [(style, values) for number, style, values in scored if number == most]
    first, values = fits[0]
    if _are_bounds(first.read(cells.texts)):
        return None
    for other, others in fits[1:]:
        both = values.is_not_null() & others.is_not_null()
        if 2 * most < cells.total:  # they are no column of numbers
            continue
        if (values.cast(pl.Float64) != others.cast(pl.Float64)).filter(both).any():
            raise DataError(
                f"column {cells.name!r}: the separator in its numbers may be that of thousands or "
                "of decimals, and no value shows which. Declare it in the policy: type: number, "
                f"format: {first.example!r} or {other.example!r}"
            )
    return first


def _without_lone_pluses(parts: pl.DataFrame) -> tuple[pl.DataFrame, bool]:
    """Return the cells that are numbers, and whether some have a plus as their sign."""
    is_plus = (pl.col("sign") == "+").fill_null(value=False)
    below = pl.any_horizontal(pl.col("open", "inner", "after").is_not_null())
    below |= pl.col("sign").is_not_null() & ~is_plus
    some, others = parts.select(is_plus.any(), below.any().alias("below")).row(0)
    return (parts, True) if some and others else (parts.filter(~is_plus), False)


def _are_bounds(values: pl.Series) -> bool:
    """Tell whether most distinct values are bounds, as `1+`, `2+` and `3+` are."""
    distinct = values.drop_nulls().unique()
    if not distinct.dtype.is_float():
        return False
    return 2 * int((sides_of(distinct.to_numpy())[1] != 0).sum()) >= len(distinct)


def _own_script(cells: Cells) -> tuple[pl.Series, str]:
    """Return texts with the digits of the most frequent script as those of ASCII, and its 0."""
    foreign = cells.texts.str.contains(r"[\p{Nd}--0-9]")
    if 2 * cells.number(foreign) <= cells.total:
        return cells.texts, "0"
    _, zero = ascii_digits(cells.texts.filter(foreign))
    return ascii_digits(cells.texts, zero)


def _in_script(texts: pl.Series, zero: str) -> pl.Series:
    if zero == "0":
        return texts
    return texts.str.replace_many([*"0123456789"], [chr(ord(zero) + digit) for digit in range(10)])


def _unit(parts: pl.DataFrame) -> tuple[str, str]:
    """Return what stands around most numbers, in its most frequent form with or without a blank."""
    bare = parts.with_columns(
        p=pl.col("prefix").str.strip_chars(), s=pl.col("suffix").str.strip_chars()
    )
    grouped = bare.group_by("p", "s", maintain_order=True).agg(pl.col("n").sum())
    ranked = grouped.sort("n", descending=True, maintain_order=True)
    prefix, suffix = ranked.row(0)[:2]
    for plural in ranked["s"].to_list():
        if suffix and suffix in singulars(plural):
            suffix = plural
    own = bare.filter((pl.col("p") == prefix) & (pl.col("s") == suffix))
    grouped = own.group_by("prefix", "suffix", maintain_order=True).agg(pl.col("n").sum())
    forms = grouped.sort("n", descending=True, maintain_order=True)
    before, behind = forms.row(0)[:2]
    return str(before), str(behind)


def _are_codes(parts: pl.DataFrame) -> bool:
    """Tell whether digits are codes: four or more, a leading zero among them; or IP addresses."""
    digits = parts.filter(pl.col("number").str.contains("^[0-9]+$"))
    zeros = digits["number"].str.contains("^0[0-9]{3}")
    if zeros.any() and digits["number"].str.len_chars().n_unique() == 1:
        return True
    fours = parts["number"].str.contains(r"^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$")
    return bool(parts["n"].filter(fours).sum() * 2 > parts["n"].sum())


def _candidates(
    parts: pl.DataFrame, prefix: str, suffix: str, zero: str, *, plus: bool
) -> list[NumberReading]:
    """Return the styles that the marks within numbers allow, simple ones first."""
    numbers = parts["number"]
    occurring = set(re.sub("[0-9]", "", "".join(numbers.unique().to_list())))
    found = []
    for decimal in ".,":
        if decimal not in occurring:
            continue
        lengths = numbers.str.extract(rf"\{decimal}([0-9]+)$", 1).drop_nulls().str.len_chars()
        whole = numbers.len() == len(lengths) and lengths.n_unique() == 1
        decimals = int(lengths[0]) if whole else 1
        is_plain = decimal == "." and not prefix and not suffix and zero == "0"
        for thousands in sorted({"", *occurring} - {decimal}):
            kept = 0 if is_plain and not thousands else decimals
            style = NumberReading(decimal, thousands, prefix, suffix, kept, zero=zero)
            found += [style, replace(style, indian=True)] if thousands else [style]
    for mark in sorted(occurring):
        if mark == "." and not prefix and not suffix and are_computed(numbers):
            continue
        # Numbers of one length, in several groups, may be those of telephones.
        same_length = numbers.str.replace_all("[^0-9]", "").str.len_chars().n_unique() == 1
        several = numbers.str.count_matches(mark, literal=True).max() != 1
        several &= numbers.str.contains(rf"^[0-9]{{2,}}{re.escape(mark)}").any()
        if same_length and several and mark not in ",'’" and not (prefix or suffix):
            continue
        other = "," if mark == "." else "."
        found.append(NumberReading(other, mark, prefix, suffix, zero=zero))
        found.append(NumberReading(other, mark, prefix, suffix, indian=True, zero=zero))
    if not occurring:
        found.append(NumberReading(".", "", prefix, suffix, zero=zero))
    return [replace(style, plus=plus) for style in found]


def are_computed(numbers: pl.Series) -> bool:
    """Tell whether fractions of three digits are those of a program, which drops a last 0."""
    parted = numbers.filter(numbers.str.contains(".", literal=True))
    return len(parted) >= MANY_FRACTIONS and not parted.str.ends_with("0").any()


ENOUGH = 20
"""Cells that must be read where others are exceptions."""
MOST = 0.95
HALF = 0.5
FEW_WORDS = 3
"""Different words, such as `refused`, that may be exceptions where half of the cells are read."""

_SAMPLE = 1000
_MANY = 10  # times the sample
_HOPELESS = 0.2
"""Share of a sample of cells: a column of which less is read is never half read."""


class Detection(NamedTuple):
    """Readings of columns of text, by name, and sentences about them.

    `notes` tell the readings; `cell_notes` tell single cells as well, for the custodian alone.
    """

    readings: dict[str, Reading]
    notes: tuple[str, ...]
    cell_notes: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences."""
        return (*self.notes, *self.cell_notes)


def detect(texts: pl.Series, missing: Sequence[str] = ()) -> Reading | None:
    """Return the reading of a column of texts; None where it is text.

    Examples
    --------
    >>> detect(pl.Series("born", ["31.12.1954", "1.2.1960"])).style.form
    '%-d.%-m.%Y'
    >>> detect(pl.Series("zip", ["01234", "45678"])) is None
    True
    """
    if texts.dtype != pl.String or not _is_hopeful(texts, missing):
        return None
    return _detect(Cells.of(texts, missing), tuple(missing))[0]


def detect_readings(
    frame: Any,
    names: Sequence[str] | None = None,
    *,
    lenient: bool = False,
    missing: Mapping[str, Sequence[str]] | None = None,
    bands: bool = True,
) -> Detection:
    """Find out how columns of text write numbers, dates, times and bands."""
    native = frames.to_eager(frame)
    found: dict[str, Reading] = {}
    notes: list[str] = []
    cell_notes: list[str] = []
    for name in frames.column_names(native) if names is None else names:
        try:
            column = frames.column(native, name)
        except DataError:  # lists and the like are no texts
            continue
        if column.dtype != pl.String:
            continue
        declared = tuple((missing or {}).get(name, ()))
        if not _is_hopeful(column, declared):
            continue
        cells = Cells.of(column, declared)
        try:
            reading, half = _detect(cells, declared, bands=bands)
        except DataError as error:
            if not lenient:
                raise
            notes.append(f"{error}. It is left as text")
            continue
        if reading is not None:
            found[name] = reading
            notes += _reading_note(cells, reading)
            cell_notes += _cell_notes(column, cells, reading)
        elif half is not None and not lenient:
            cell_notes.append(
                f"{_exception_note(column, cells, half)}. Too many cells are others: it "
                "is read as text"
            )
    return Detection(found, tuple(notes), tuple(cell_notes))


def settle(
    reading: Reading, column: pl.Series, counts: pl.Series | None = None
) -> tuple[Reading, str | None]:
    """Return a reading with what a column shows of it, and a sentence about its exceptions.

    counts: how many cells each text is, where the column has distinct texts.
    """
    cells = Cells.of(column, reading.missing, counts)
    assert reading.style is not None  # noqa: S101 - a text has nothing to settle
    style, is_read = _settle_style(reading.style, cells)
    others = cells.texts.filter(~is_read)
    if not len(others):
        return replace(reading, style=style, exceptions=()), None
    if reading.exceptional == "refuse" or not _are_exceptions(cells, is_read):
        row = _first_row(column, cells, is_read)
        written = "" if style.form is None else f" written as {style.form!r}"
        raise DataError(
            f"column {column.name!r}, row {row + 1}: {column[row]!r} is no {style.kind}{written}; "
            "correct the cell, or the type of the attribute"
        )
    settled = replace(reading, style=style, exceptions=tuple(others.to_list()))
    return settled, _exceptions_sentence(column, cells, (style, is_read))


def settle_like(reading: Reading, column: pl.Series) -> Reading:
    """Return the settled reading of another table for a column, with the exceptions of both."""
    style = reading.style
    cells = Cells.of(column, reading.missing)
    if style is None or style.kind == "ordered":
        return reading
    others = cells.texts.filter(style.read(cells.texts).is_null()).to_list()
    if others and reading.exceptional == "refuse":
        row = column.str.strip_chars().is_in(others).arg_max() or 0
        raise DataError(f"column {column.name!r}, row {row + 1}: {column[row]!r} is an exception")
    return replace(reading, exceptions=tuple(dict.fromkeys([*(reading.exceptions or ()), *others])))


def _detect(
    cells: Cells, missing: tuple[str, ...], *, bands: bool = True
) -> tuple[Reading | None, tuple[Style, pl.Series] | None]:
    """Return the reading of cells; or the style that reads half of them, and which."""
    if not len(cells.texts):
        return None, None
    best: tuple[int, Style, pl.Series] | None = None
    for style in _styles(cells):
        if not bands and isinstance(style, OrderedReading):
            continue
        settled, is_read = _settle_style(style, cells)
        number = cells.number(is_read)
        if best is None or number > best[0]:
            best = number, settled, is_read
    if best is None:
        return None, None
    number, style, is_read = best
    if _are_exceptions(cells, is_read):
        others = tuple(cells.texts.filter(~is_read).to_list())
        return Reading(style, missing, exceptions=others), None
    return None, (style, is_read) if number >= HALF * cells.total else None


def _settle_style(style: Style, cells: Cells) -> tuple[Style, pl.Series]:
    """Return a style with what cells show of it, and which of them it reads."""
    own = style.settle(cells.texts, cells.counts)
    return own, own.in_order(own.read(cells.texts)).is_not_null()


def _are_exceptions(cells: Cells, is_read: pl.Series) -> bool:
    """Tell whether the cells that are not read are few enough; true where all are read."""
    number, total = cells.number(is_read), cells.total
    if number == total:
        return True
    if number < ENOUGH or number < HALF * total:
        return False
    if number >= MOST * total:
        return True
    others = cells.texts.filter(~is_read)
    return len(others) <= FEW_WORDS and not others.str.contains(r"\p{Nd}").any()


def _is_hopeful(column: pl.Series, missing: Sequence[str]) -> bool:
    """Tell whether a sample of the cells is read at all: of most columns of text none is."""
    step = len(column) // _SAMPLE
    if step < _MANY:
        return True
    cells = Cells.of(column.gather_every(step), missing)
    if 2 * cells.total < _SAMPLE:  # most are missing
        return True
    try:
        read = [cells.number(_settle_style(style, cells)[1]) for style in _styles(cells)]
    except DataError:  # it can be read in two ways
        return True
    return max(read, default=0) >= _HOPELESS * cells.total


def _first_row(column: pl.Series, cells: Cells, is_read: pl.Series) -> int:
    others = cells.texts.filter(~is_read)
    return int(column.str.strip_chars().is_in(others.implode()).arg_max() or 0)


def _exception_note(column: pl.Series, cells: Cells, found: tuple[Style, pl.Series]) -> str:
    style, is_read = found
    row = _first_row(column, cells, is_read)
    return (
        f"column {column.name!r}: {cells.number(is_read):,} of {cells.total:,} cells are "
        f"{style.noun}; row {row + 1:,} has '{column[row]}'"
    )


def _exceptions_sentence(column: pl.Series, cells: Cells, found: tuple[Style, pl.Series]) -> str:
    return (
        f"{_exception_note(column, cells, found)}. Such cells are exceptions, each a value of its "
        "own outside of all ranges (exceptions: in the policy)"
    )


def _reading_note(cells: Cells, reading: Reading) -> list[str]:
    """Return the sentence about how a column is read."""
    style = reading.style
    if style is None:
        return []
    written = "" if style.is_plain or style.form is None else f" written as {style.form}"
    sentence = (
        f"column {cells.name!r} is read as {style.noun}{written} (detected); type: text in the "
        "policy leaves it as it is"
    )
    return [sentence]


def _cell_notes(column: pl.Series, cells: Cells, reading: Reading) -> list[str]:
    """Return sentences about missing values, bounds and exceptions of a column."""
    notes = []
    style = reading.style
    if reading.exceptions and style is not None:
        is_read = ~cells.texts.is_in(list(reading.exceptions))
        notes.append(_exceptions_sentence(column, cells, (style, is_read)))
    missing = is_missing(column, reading.missing, words=True)
    words = column.filter(missing & column.is_not_null() & (column.str.strip_chars() != ""))
    if len(words):
        row = int((missing & column.is_not_null()).arg_max() or 0)
        notes.append(
            f"column {column.name!r}: {_cells(len(words))} read as missing; row {row + 1:,} "
            f"has '{column[row]}'"
        )
    bounds = getattr(style, "bounds", ())
    if bounds:
        texts = ", ".join(text for _, text in bounds[:2])
        notes.append(f"column {column.name!r}: {texts} is read as an open end of its order")
    return notes


def _cells(number: int) -> str:
    return "1 cell is" if number == 1 else f"{number:,} cells are"


def _styles(cells: Cells) -> list[Style]:
    """Return the styles that some cells have; two readings of the same cells are refused."""
    found: list[Style | None] = [detect_numbers(cells), detect_dates(cells), detect_times(cells)]
    ordered = OrderedReading().settle(cells.texts, cells.counts)
    found.append(ordered if ordered.order else None)
    return [style for style in found if style is not None]
