"""Classes by their values: which ones of a table somebody names."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.cells import TEXT, cell_texts
from kanonym.data import frames
from kanonym.data.errors import PolicyError
from kanonym.data.hierarchy.leaves import parse_times
from kanonym.synthesis.injection.classes import Classes

OWNER = "inject"


def named_classes(given: Any, known: Sequence[pl.Series], classes: Classes) -> NDArray[np.int64]:
    """Return the numbers of the classes that are named, ascending, each once.

    known: (n_rows,) columns of quasi-identifiers.
    """
    names = [column.name for column in known]
    read = _texts_of_frame if frames.is_frame(given) else _texts_of_mappings
    frame = read(given, known)
    if not frame.height:
        raise PolicyError(f"{OWNER}: classes names none; leave it out to mean all that fall short")
    held = pl.DataFrame(
        [cell_texts(column.gather(classes.first), OWNER).alias(column.name) for column in known]
    ).with_row_index(_NUMBER)
    found = frame.join(held, on=names, how="left", nulls_equal=True, maintain_order="left")
    missing = found[_NUMBER].is_null().arg_true()
    if len(missing):
        raise PolicyError(_not_found_message(frame, held.drop(_NUMBER), int(missing[0])))
    return np.unique(found[_NUMBER].cast(pl.Int64).to_numpy())


_NUMBER = ""  # no column has this name


def _texts_of_frame(given: Any, known: Sequence[pl.Series]) -> pl.DataFrame:
    """Return the texts of quasi-identifiers that a table names, a row a class."""
    table = frames.to_eager(given)
    held = frames.column_names(table)
    missing = [column.name for column in known if column.name not in held]
    if missing:
        raise PolicyError(
            f"{OWNER}: the table of classes has no column {missing[0]!r}; every class is named by "
            f"all quasi-identifiers. It has: {', '.join(held)}"
        )
    read = [frames.column(table, column.name) for column in known]
    return pl.DataFrame(
        [
            (_parse_values(one, own.dtype) if one.dtype in TEXT else cell_texts(one, OWNER)).alias(
                own.name
            )
            for one, own in zip(read, known, strict=True)
        ]
    )


def _texts_of_mappings(given: Any, known: Sequence[pl.Series]) -> pl.DataFrame:
    """Return the texts of quasi-identifiers that mappings name, a row a mapping."""
    if isinstance(given, Mapping | str) or not isinstance(given, Sequence):
        raise PolicyError(
            f"{OWNER}: classes is a list of mappings from quasi-identifier to value, or a table "
            "of these columns"
        )
    names = [column.name for column in known]
    for place, one in enumerate(given, 1):
        if not isinstance(one, Mapping):
            raise PolicyError(f"{OWNER}: class {place} maps no quasi-identifier to its value")
        absent = [name for name in names if name not in one]
        stray = [name for name in one if name not in names]
        if absent or stray:
            said = f"does not say its {absent[0]!r}" if absent else f"names {stray[0]!r}"
            raise PolicyError(
                f"{OWNER}: class {place} of {len(given)} {said}; every class is named by all "
                f"quasi-identifiers: {', '.join(names)}"
            )
    return pl.DataFrame(
        [
            pl.Series(
                column.name, [_text(one[column.name], column.dtype) for one in given], pl.String
            )
            for column in known
        ]
    )


def _text(value: Any, dtype: pl.DataType) -> str | None:
    """Return the text of one value as it reads in a column of this type."""
    if value is None or value != value:  # noqa: PLR0124 - NaN is null
        return None
    try:
        column = pl.Series([value])
        if isinstance(value, str):
            found = _parse_values(column, dtype)
        else:
            moment = isinstance(value, date) and dtype.is_temporal()
            found = cell_texts(column.cast(dtype, strict=False) if moment else column, OWNER)
    except (TypeError, ValueError, pl.exceptions.PolarsError):
        return _NO_VALUE
    text: str | None = found[0]
    return _NO_VALUE if text is None else text


_NO_VALUE = "\x00"
"""Stands for what is no value of the column's type."""


def _parse_values(given: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return texts as values of a type read: `7` and `7.0` alike in a column of numbers."""
    plain = given.cast(pl.String)
    if dtype in TEXT:
        return plain
    bare = plain.str.strip_chars()
    values = parse_times(bare) if dtype in (pl.Date, pl.Datetime) else bare
    column = cell_texts(values.cast(dtype, strict=False), OWNER)
    unread = column.is_null() & plain.is_not_null()
    return column.set(unread, _NO_VALUE)


def _not_found_message(asked: pl.DataFrame, held: pl.DataFrame, place: int) -> str:
    """Say that a class is not in the table, and how near the nearest one comes."""
    said = f"{OWNER}: class {place + 1} of {asked.height} is not in the table: "
    values = asked.row(place)
    for name, value in zip(asked.columns, values, strict=True):
        if not held[name].eq_missing(pl.Series([value], dtype=pl.String)).any():
            shown = "no value of its type" if value == _NO_VALUE else repr(value)
            near = difflib.get_close_matches(str(value), held[name].drop_nulls().unique().sort(), 1)
            hint = "; a similar value occurs: look at its spelling" if near else ""
            return f"{said}no record has {shown} as {name!r}{hint}"
    agree = held.select(
        pl.col(name).eq_missing(pl.lit(value, pl.String))
        for name, value in zip(asked.columns, values, strict=True)
    )
    best = agree.row(int(agree.sum_horizontal().arg_max() or 0))
    other = [name for name, same in zip(asked.columns, best, strict=True) if not same]
    return (
        f"{said}each of its values occurs, but no record has all of them; the nearest class "
        f"differs in {', '.join(map(repr, other))}"
    )
