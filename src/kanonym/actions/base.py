"""Base class of actions, and the cells they read and write."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError, SchemaError
from kanonym.data.hierarchy.builders.interval import numbers_of
from kanonym.data.hierarchy.labels import parse_times
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Bools, Int32s, Ints

TEXT = (pl.String, pl.Categorical, pl.Enum)
_WITH_TEXT = (*TEXT, pl.Boolean, pl.Date, pl.Time, pl.Null)
_DATE_LENGTH = len("2020-05-17")


def cell_texts(values: pl.Series, action: str) -> pl.Series:
    """Return the text of every cell, the same one for the same value in any table.

    A whole number reads alike as integer and as floating-point number, a time alike in any
    unit and, in UTC, in any time zone. NaN is null.
    """
    kind = values.dtype
    if kind.is_float():
        return _float_texts(values.fill_nan(None))
    if kind.is_decimal():
        plain = values.cast(pl.String)
        bare = plain.str.strip_chars_end("0").str.strip_suffix(".")
        return bare.zip_with(plain.str.contains(".", literal=True).fill_null(value=False), plain)
    if isinstance(kind, pl.Datetime):
        if kind.time_zone is None:
            return values.dt.to_string("%Y-%m-%dT%H:%M:%S%.f")
        return values.dt.convert_time_zone("UTC").dt.to_string("%Y-%m-%dT%H:%M:%S%.fZ")
    if kind == pl.Duration:
        return values.dt.to_string("iso")
    if not (kind.is_numeric() or kind in _WITH_TEXT):
        raise SchemaError(
            f"column {values.name!r} holds {kind}, and {action} needs values with a text: write "
            "it as text or as numbers"
        )
    return values.cast(pl.String)


def _float_texts(values: pl.Series) -> pl.Series:
    """Return the shortest text of each number, of whole ones all digits and no sign of zero."""
    whole = (values == values.floor()) & values.is_finite()
    fits = (whole & (values.abs() < 2.0**63)).fill_null(value=False)
    plain = values.cast(pl.String)
    column = values.set(~fits, None).cast(pl.Int64).cast(pl.String).zip_with(fits, plain)
    large = (whole & ~fits).fill_null(value=False)
    if not large.any():
        return column
    digits = pl.Series([format(int(one), "d") for one in values.filter(large)], dtype=pl.String)
    return column.scatter(large.arg_true(), digits)


def rewrite_texts(given: pl.Series, change: Callable[[str], str]) -> pl.Series:
    """Return a column of text with every text changed, each distinct one once; null stays."""
    distinct = given.drop_nulls().unique()
    new = pl.Series([change(text) for text in distinct], dtype=pl.String)
    return given.replace_strict(distinct, new, default=None, return_dtype=pl.String)


def present_numbers(values: pl.Series, action: str) -> tuple[Bools, NDArray[Any]]:
    """Return which cells hold a number, (n,) bool, and the numbers as int64 or float64.

    NaN is null.
    """
    if not (values.dtype.is_numeric() or values.dtype == pl.Null):
        raise SchemaError(
            f"column {values.name!r} holds {values.dtype}, and {action} needs numbers: write it "
            "as numbers, or choose another action"
        )
    if values.dtype.is_float():
        infinite = values.is_infinite().arg_true()
        if len(infinite):
            raise DataError(
                f"column {values.name!r}, row {infinite[0] + 1}: {action} cannot process "
                f"{values[infinite[0]]}; replace it, or leave the cell empty for a missing value"
            )
        values = values.fill_nan(None)
    column = values.is_not_null()
    return column.to_numpy(), numbers_of(values.filter(column))


def with_numbers(values: pl.Series, held: Bools, numbers: NDArray[Any]) -> pl.Series:
    """Return a column with new numbers in the cells that hold one, null in the others.

    It keeps its type where every number fits: integers that are no longer whole become
    64-bit floating-point numbers, integers that grew too large 64-bit integers.
    """
    filled = np.zeros(len(values), numbers.dtype)
    filled[held] = numbers
    plain = pl.Series(values.name, filled).to_frame()
    column = plain.select(pl.when(pl.Series(held)).then(values.name).alias(values.name)).to_series()
    if values.dtype.is_integer() and numbers.dtype != np.int64:
        return column
    typed = column.cast(values.dtype, strict=False)
    return typed if typed.null_count() == column.null_count() else column


def cell_times(values: pl.Series, action: str) -> pl.Series:
    """Return dates, or dates and times; texts must be ISO ones."""
    if values.dtype in (pl.Date, pl.Datetime):
        return values
    if values.dtype not in (*TEXT, pl.Null):
        raise SchemaError(
            f"column {values.name!r} holds {values.dtype}, and {action} needs dates: write it as "
            "dates, or choose another action"
        )
    given = values.cast(pl.String)
    when = parse_times(given)
    wrong = (when.is_null() & given.is_not_null()).arg_true()
    if len(wrong):
        raise DataError(
            f"column {values.name!r}, row {wrong[0] + 1}: {given[wrong[0]]!r} is not an ISO date, "
            f"and "
            f"{action} needs them; write dates as 2020-12-31"
        )
    return when


def in_original_type(when: pl.Series, values: pl.Series) -> pl.Series:
    """Return changed times as `values` holds them: as dates, times, or ISO texts with or without.

    A text without a time of day stays one without.
    """
    if values.dtype in (pl.Date, pl.Datetime):
        return when
    short = values.cast(pl.String).str.strip_chars().str.len_chars() <= _DATE_LENGTH
    days = when.dt.to_string("%Y-%m-%d")
    return days.zip_with(short, when.dt.to_string("%Y-%m-%dT%H:%M:%S%.f")).alias(values.name)


@dataclass(frozen=True, slots=True, repr=False)
class Drawn(ShortRepr):
    """What was drawn for values, and for the values of which columns."""

    values: dict[str, Any] = field(default_factory=dict, repr=False)
    columns: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True, repr=False)
class Context(ShortRepr):
    """What an action may look at besides its own column.

    classes: (n_rows,) int32 equivalence class of each record, from 0; None before there are any.
    rows: (n_rows,) int64, which records of the table the values are; None for all of them.
    """

    random: np.random.Generator
    column: Callable[[str], pl.Series]
    classes: Int32s | None = None
    rows: Ints | None = None
    pseudonyms: Callable[[str], pl.Series | None] = field(default=lambda _: None, repr=False)
    drawn: dict[Hashable, Drawn] = field(default_factory=dict, repr=False)
    of_records: Callable[..., np.random.Generator] | None = None

    def drawn_for(self, column: str, *bounds: Hashable) -> Drawn:
        """Return what was drawn so far within some bounds, which a column now shares."""
        drawn = self.drawn.setdefault(bounds, Drawn())
        drawn.columns.add(column)
        return drawn

    def other_column(self, name: str) -> pl.Series:
        """Return another column, in the records of the values."""
        column = self.column(name)
        return column if self.rows is None else column.gather(self.rows)


@runtime_checkable
class Action(Protocol):
    """Who changes the values of one attribute.

    An action inherits from this class: what differs from the defaults says so. A parameter out of
    its range is refused by a PolicyError.

    type: The name that a policy gives it.
    protects, exposes: One sentence each: what it protects, and what it does not.
    """

    __slots__ = ()

    type: ClassVar[str]
    protects: ClassVar[str]
    exposes: ClassVar[str]

    @property
    def draws(self) -> bool:
        """Whether it draws random numbers: who knows the seed can draw them again."""
        return False

    @property
    def remembers(self) -> bool:
        """Whether what it draws for a value holds in all columns of a policy."""
        return False

    @property
    def perturbs(self) -> bool:
        """Whether it gives records values that are not theirs: they are no pseudonyms then."""
        return False

    @property
    def by_value(self) -> bool:
        """Whether it needs numbers or dates: texts that people wrote as such are read first."""
        return False

    @property
    def keeps_values(self) -> bool:
        """Whether it releases values of the column, declared categories or null alone."""
        return False

    @property
    def per_value(self) -> bool:
        """Whether equal values get the same, whatever the other records are."""
        return False

    @property
    def tells_share(self) -> bool:
        """Whether it tells the share of values that it leaves alone."""
        return False

    def share_kept(self, released: pl.Series | None) -> float | None:  # noqa: ARG002
        """Return the share of values that it leaves alone, where it tells one."""
        return None

    def rehearsed(self) -> Action:
        """Return the action for a trial: it changes values alike, and writes no file."""
        return self

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the changed values, as many and of the same name."""
        ...


@dataclass(frozen=True, slots=True)
class After:
    """An action on the released values instead of the input values.

    The changed values are verified: if it splits classes, the release is refused.
    """

    action: Action
