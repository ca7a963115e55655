"""Labels of values in SPSS and Stata: nominal codes are read as their labels, and written as codes.

Codes are nominal where SPSS says so and at least half of those that occur have a label, or where
nothing is said and all of them have one. Codes of an ordinal or a scale variable stay numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from kanonym.data.files.binary.user_missing import missing_codes

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
    """Return the text of each code: its label, with the code if the label alone could be another.

    Letters stand for missing values of numbers in Stata: `.a`.
    """
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
