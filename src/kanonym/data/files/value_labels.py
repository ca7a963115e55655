"""Value labels and user-defined missing values of statistical files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import polars as pl

from kanonym.data.errors import DataError

CHOICES = ("null", "keep")
"""What becomes of user-missing codes."""

_EXACT = 2**53


def check_choice(given: str) -> None:
    """Refuse a choice that is none."""
    if given not in CHOICES:
        raise DataError(f"user_missing is {given!r}; it is one of {', '.join(CHOICES)}")


def without_codes(column: pl.Series, described: Any, *, keep: bool) -> tuple[pl.Series, int, bool]:
    """Return a column, how many of its cells have a user-missing code, and whether they are kept.

    column: as pyreadstat reads it with such codes; described: its metadata.
    """
    letters = described.missing_user_values.get(column.name) or []
    if column.dtype == pl.Object or (letters and column.dtype == pl.String):
        return _without_letter_codes(column, keep=keep)
    ranges = (described.missing_ranges or {}).get(column.name) or []
    if not ranges or not (column.dtype.is_numeric() or column.dtype == pl.String):
        return column, 0, False
    missing = _is_within(column, ranges)
    count = int(missing.sum())
    if not count:
        return column, 0, False
    if keep and column.dtype == pl.String:
        return column, count, True
    if keep and _is_whole(column):
        return column.cast(pl.Int64).cast(pl.String), count, True
    return column.set(missing, None), count, False


def missing_codes(codes: Collection[str], described: Any, name: str) -> set[str]:
    """Return which codes of a column, as texts, are user-missing."""
    column = pl.Series(name, sorted(codes), dtype=pl.String)
    letters = {f".{letter}" for letter in described.missing_user_values.get(name) or []}
    ranges = (described.missing_ranges or {}).get(name) or []
    if ranges and not isinstance(ranges[0]["lo"], str):
        within = _is_within(column.cast(pl.Float64, strict=False), ranges)
    else:
        within = _is_within(column, ranges)
    return {*column.filter(within)} | (letters & {*codes})


def cells_without_codes(column: pl.Series, described: Any, *, keep: bool) -> pl.Series:
    """Return a column of which each cell with a user-missing code is null, or the code.

    column, described: as of `without_codes`.
    """
    letters = described.missing_user_values.get(column.name) or []
    if column.dtype == pl.Object or (letters and column.dtype == pl.String):
        cells = [
            (f".{cell}" if keep else None) if isinstance(cell, str) else cell for cell in column
        ]
        return pl.Series(column.name, cells, dtype=pl.Object)
    ranges = (described.missing_ranges or {}).get(column.name) or []
    if column.dtype == pl.String:
        column = column.set(column == "", None)
    elif not column.dtype.is_numeric():
        return column
    return column if keep or not ranges else column.set(_is_within(column, ranges), None)


def declare_missing(
    column: pl.Series, described: Any, kind: str
) -> tuple[pl.Series, list[dict[str, Any]], list[str]]:
    """Return a column of codes as a file holds it, with its missing ranges and missing letters.

    Only what is released is declared. Texts that are no codes, and codes whose missing ones the
    format cannot declare, stay texts.

    column: of a release, with codes of the file that is described; kind: the format to write.
    """
    ranges = (described.missing_ranges or {}).get(column.name) or []
    letters = described.missing_user_values.get(column.name) or []
    if kind == "spss" and ranges:
        if column.dtype == pl.String and not isinstance(ranges[0]["lo"], str):
            codes = column.cast(pl.Int64, strict=False)
            if codes.null_count() > column.null_count():
                return column, [], []
            column = codes
        return column, [one for one in ranges if _is_within(column, [one]).any()], []
    if kind == "stata" and letters and column.dtype == pl.String:
        known = {f".{letter}": letter for letter in letters}
        cells = [_code(text, known) for text in column]
        if all(cell is not None or text is None for cell, text in zip(cells, column, strict=True)):
            found = [letter for letter in letters if letter in set(cells)]
            return pl.Series(column.name, cells, dtype=pl.Object), [], found
    return column, [], []


def label_keys(column: pl.Series) -> Collection[Any]:
    """Return the codes of a column as dictionaries of labels have them."""
    return set(column.to_list()) - {None}


def _without_letter_codes(column: pl.Series, *, keep: bool) -> tuple[pl.Series, int, bool]:
    """Return a column in which numbers, or dates, and letters stand together."""
    cells = column.to_list()
    count = sum(isinstance(cell, str) for cell in cells)
    plain = pl.Series(
        column.name, [None if isinstance(cell, str) else cell for cell in cells], strict=False
    )
    if plain.dtype == pl.Null:
        plain = plain.cast(pl.Float64)
    if not (keep and count and plain.dtype.is_numeric() and _is_whole(plain)):
        return plain, count, False
    texts = plain.cast(pl.Int64).cast(pl.String).to_list()
    kept = [
        f".{cell}" if isinstance(cell, str) else text
        for cell, text in zip(cells, texts, strict=True)
    ]
    return pl.Series(column.name, kept, dtype=pl.String), count, True


def _is_within(column: pl.Series, ranges: list[Mapping[str, Any]]) -> pl.Series:
    """Return which cells lie in ranges."""
    missing = pl.zeros(len(column), pl.Boolean, eager=True)
    for one in ranges:
        missing |= column.is_between(one["lo"], one["hi"]).fill_null(value=False)
    return missing


def _is_whole(column: pl.Series) -> bool:
    return bool((column.floor() == column).all() and (column.abs() < _EXACT).all())


def _code(text: str | None, letters: Mapping[str, str]) -> int | str | None:
    """Return the number or the letter that a text stands for, None if for none."""
    if text is None or text in letters:
        return None if text is None else letters[text]
    return int(text) if text.removeprefix("-").isdecimal() else None


Labels = Mapping[Any, str]


def label_values(column: pl.Series, described: Any) -> pl.Series:
    """Return nominal codes as categories of their labels; of others only kept missing codes.

    column: of whole numbers or of texts; described: the metadata of pyreadstat.
    """
    labels = described.variable_value_labels.get(column.name) or {}
    if not labels or column.dtype not in (pl.Int64, pl.String):
        return column
    codes = column.cast(pl.String)
    present = set(codes.drop_nulls().unique())
    missing = missing_codes(present, described, column.name)
    texts = _texts(labels)
    nominal = _is_nominal(
        described.variable_measure.get(column.name), present - missing, texts.keys()
    )
    shown = texts if nominal else {code: texts[code] for code in missing if code in texts}
    if not shown:
        return column
    labelled = codes.replace(shown)
    return labelled.cast(pl.Categorical) if nominal else labelled


def label_cells(column: pl.Series, described: Any) -> pl.Series:
    """Return the labels of a column that SPSS calls nominal, cell by cell; other cells as they are.

    column, described: as of `label_values`; the column may be of any type.
    """
    name = column.name
    labels = described.variable_value_labels.get(name) or {}
    if not labels or described.variable_measure.get(name) != "nominal":
        return column
    texts = _texts(labels)
    cells = [texts.get(_code_text(cell), cell) for cell in column]
    return pl.Series(name, cells, dtype=pl.Object)


def codes_of(column: pl.Series, labels: Labels) -> pl.Series | None:
    """Return the codes of a column of labels, as texts; None if a value is neither."""
    if column.dtype != pl.String:
        return None
    codes = {text: code for code, text in _texts(labels).items()}
    numeric = _is_numeric(labels)
    for text in column.drop_nulls().unique():
        if text not in codes and not (numeric and text.removeprefix("-").isdecimal()):
            return None
    return column.replace(codes)


def as_numbers(codes: pl.Series, labels: Labels) -> pl.Series:
    """Return codes that are texts as the numbers that they stand for, if all labels have such."""
    return codes.cast(pl.Int64) if _is_numeric(labels) else codes


def _is_nominal(measure: str | None, values: set[str], labelled: Any) -> bool:
    known = len(values & labelled)
    if measure == "nominal":
        return known > 0 and len(values) <= 2 * known
    return measure not in ("ordinal", "scale") and known > 0 and known == len(values)


def _texts(labels: Labels) -> dict[str, str]:
    """Return the text of each code: its label, with the code where labels alone repeat."""
    numeric = _is_numeric(labels)
    often = Counter(label.strip() for label in labels.values())
    texts = {}
    for code, label in labels.items():
        key = f".{code}" if numeric and isinstance(code, str) else _code_text(code)
        text = label.strip()
        if often[text] > 1 or (text != key and text.removeprefix("-").isdecimal()):
            text = f"{key} {text}"
        if text:
            texts[key] = text
    return texts


def _code_text(code: Any) -> str:
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)


def _is_numeric(labels: Labels) -> bool:
    return any(not isinstance(code, str) for code in labels)
