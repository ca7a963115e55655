"""Classes that records are added to, their names and bounds."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.base import TEXT, cell_texts
from kanonym.data import frames
from kanonym.data.errors import PolicyError
from kanonym.data.hierarchy.labels import parse_times
from kanonym.data.results import ShortRepr
from kanonym.data.table import value_codes
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.histograms import class_histograms
from kanonym.synthesis.columns.numbers import Grid, plain_numbers
from kanonym.synthesis.trees import LearnedByTrees
from kanonym.verification.released_classes import group_released

Numbers = NDArray[Any]


@dataclass(frozen=True, slots=True, repr=False)
class Domain(ShortRepr):
    """The values that can be drawn of one sensitive attribute.

    column: (n_rows,) what the table has.
    values: (m,) its different values, ascending, null last where there is one.
    reach: (n_classes,) int64: different values that each class can have.
    """

    column: pl.Series
    values: pl.Series
    reach: Ints
    grid: Grid | None


def domain_of(
    model: LearnedByTrees, column: pl.Series, known: Sequence[pl.Series], first: Ints
) -> Domain:
    """Return what can be drawn of a sensitive attribute.

    column: (n_rows,) of the table.
    known: (n_rows,) quasi-identifiers.
    first: (n_classes,) int64 first record of each class.
    """
    most = model.reach(column.name)
    values = column.unique().sort(nulls_last=True)
    present = values.drop_nulls()
    grid = Grid.of(plain_numbers(present)) if most > len(values) else None
    reach = np.full(len(first), most, np.int64)
    limits = model.limits(column.name, [one.gather(first) for one in known])
    if limits is not None:
        numbers = plain_numbers(present)
        reach = count_within(numbers, limits) if grid is None else _count_on_grid(grid, limits)
        reach += len(values) - len(present)
    return Domain(column, values, reach, grid)


def count_within(numbers: Numbers, limits: tuple[Numbers, Numbers]) -> Ints:
    """Return (n,) int64, how many of (m,) ascending numbers lie between each two limits."""
    below = np.searchsorted(numbers, limits[0], side="left")
    up_to = np.searchsorted(numbers, limits[1], side="right")
    found: Ints = np.maximum(up_to - below, 0)
    return found


def _count_on_grid(grid: Grid, limits: tuple[Numbers, Numbers]) -> Ints:
    """Return the same of the numbers of a grid."""
    unit = (grid.high - grid.low) / max(grid.size - 1, 1)
    width = np.asarray(grid.down(limits[1]) - grid.up(limits[0]), np.float64)
    found: Ints = np.maximum(np.rint(width / unit).astype(np.int64) + 1, 0)
    return found


@dataclass(frozen=True, slots=True, repr=False)
class Classes(ShortRepr):
    """Equivalence classes, numbered by their first record.

    labels: (n_rows,) int32 class of each record.
    first: (n_classes,) int64 first record of each class, ascending.
    sizes: (n_classes,) int64 records of each class.
    distinct: by sensitive attribute, (n_classes,) int64 different values; null is one of them.
    """

    labels: Int32s
    first: Ints
    sizes: Ints
    distinct: Mapping[str, Ints]

    def __len__(self) -> int:
        return len(self.sizes)


def classes_of(
    known: Sequence[pl.Series], sensitive: Mapping[str, pl.Series], n_rows: int
) -> Classes:
    """Group records by their quasi-identifiers and count the sensitive values of each class.

    known: (n_rows,) columns of quasi-identifiers; without one, all records are one class.
    sensitive: (n_rows,) columns of sensitive attributes.
    """
    groups = group_released(known, n_rows)
    order = np.argsort(groups.first, kind="stable")
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    labels = number[groups.labels]
    return Classes(
        labels=labels,
        first=groups.first[order],
        sizes=groups.sizes[order],
        distinct={
            name: distinct_values(labels, column, len(order)) for name, column in sensitive.items()
        },
    )


def distinct_values(labels: Int32s, column: pl.Series, n_classes: int) -> Ints:
    """Return (n_classes,) int64: how many different values the records of each class have."""
    codes, size = value_codes(column)
    offsets, _, _ = class_histograms(labels, codes, np.empty(0, np.int64), n_classes, size)
    return np.diff(offsets)


OWNER = "inject"


def named_classes(given: Any, known: Sequence[pl.Series], classes: Classes) -> Ints:
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
