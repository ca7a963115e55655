"""How the cells of columns are read: as values, as missing, or as exceptions."""

from __future__ import annotations

from typing import Any, Literal

import polars as pl

from kanonym.data import frames
from kanonym.data.columns.value_texts import text_of
from kanonym.data.errors import DataError
from kanonym.data.readings import Reading, detect_readings, settle_readings
from kanonym.data.schema import readings_of as declared_readings
from kanonym.policy import Policy
from kanonym.workbench.work.facts import ReadCell

SHOWN = 2
"""Texts of a column that are shown with their values."""


def readings_of(frame: Any, policy: Policy) -> dict[str, tuple[ReadCell, ...]]:
    """Return by column some of its cells and what each is read as, exceptions among them."""
    native = frames.to_eager(frame)
    declared = declared_readings(policy.attributes)
    found: dict[str, tuple[ReadCell, ...]] = {}
    for name in frames.column_names(native):
        typed = getattr(policy.attributes.get(name), "type", None)
        try:
            texts = frames.column(native, name)
            if texts.dtype != pl.String or typed == "text":
                continue
            if name in declared and declared[name].style is not None:
                reading = settle_readings(native, {name: declared[name]})[name]
            else:
                words = {name: declared[name].missing} if name in declared else None
                detected = detect_readings(native, [name], missing=words).readings
                if name not in detected:
                    continue
                reading = detected[name]
        except DataError as error:
            found[name] = (ReadCell("fault", "", str(error)),)
            continue
        found[name] = tuple(_cells(texts, reading))
    return found


def _cells(texts: pl.Series, reading: Reading) -> list[ReadCell]:
    """Return some cells of a column and what each is read as."""
    values = reading.read(texts)
    exceptions = texts.str.strip_chars().is_in(list(reading.exceptions or ()))
    written = texts.is_not_null() & (texts.str.strip_chars() != "")
    both = pl.DataFrame({"text": texts, "value": text_of(values)})
    bounds = pl.Series([text for _, text in getattr(reading.style, "bounds", ())], dtype=pl.String)
    is_bound = texts.str.strip_chars().is_in(bounds.implode())
    shown = both.filter(values.is_not_null() & ~is_bound).unique("text", maintain_order=True)
    cells = [ReadCell("value", *row) for row in shown.head(SHOWN).iter_rows()]
    cells += [ReadCell("bound", text) for text in bounds.head(SHOWN)]
    others: tuple[tuple[Literal["missing", "exception"], pl.Series], ...] = (
        ("missing", written & values.is_null() & ~exceptions),
        ("exception", exceptions),
    )
    for kind, among in others:
        column = among.fill_null(value=False)
        if column.any():
            row = int(column.arg_max() or 0)
            cells.append(ReadCell(kind, str(texts[row]), "", row + 1, int(column.sum())))
    return cells
