"""Columns as other libraries take them, numbers and texts, and their tables as columns again."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from kanonym.data import frames
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.results.short_repr import ShortRepr
from kanonym.policy.faults import unknown_name
from kanonym.synthesis.copula import Constraint
from kanonym.synthesis.copula.numbers import Grid, plain_numbers
from kanonym.synthesis.copula.relations import relate_columns
from kanonym.synthesis.copula.scales import scale_of

EXACT = 2.0**53
"""Whole numbers below are exact in a float."""


@dataclass(frozen=True, slots=True, repr=False)
class PlainTable(ShortRepr):
    """A table as numbers and texts."""

    columns: tuple[pl.Series, ...]

    @property
    def numbers(self) -> list[str]:
        """Columns of numbers and times that hold a value; times are numbers of their unit."""
        return [one.name for one in self._columns_with_values() if _is_number(one)]

    @property
    def categories(self) -> list[str]:
        """All other columns that hold a value."""
        return [one.name for one in self._columns_with_values() if not _is_number(one)]

    def frame(self) -> Any:
        """Return a pandas frame: integers, floats with NaN, and texts with None."""
        return pl.DataFrame([_to_plain(one) for one in self._columns_with_values()]).to_pandas()

    def restore(self, drawn: Any, *, observed: bool) -> list[pl.Series]:
        """Return a pandas frame with the columns of `frame` in the types of the table.

        drawn: (n,) rows.
        """
        held = {one.name for one in self._columns_with_values()}
        return [
            _restore_column(frames.column(drawn, one.name), one, observed=observed)
            if one.name in held
            else pl.Series(one.name, [None] * len(drawn), one.dtype)
            for one in self.columns
        ]

    def _columns_with_values(self) -> list[pl.Series]:
        return [one for one in self.columns if one.null_count() < len(one)]


def check_imitable(columns: Sequence[pl.Series], constraints: Sequence[Constraint]) -> None:
    """Refuse what no synthesizer may learn, in the words of our own."""
    scales = [scale_of(column)[0] for column in columns]
    known = [column.name for column in columns]
    for constraint in constraints:
        for name in (constraint.left, constraint.right):
            if name not in known:
                raise SchemaError(unknown_name("column", name, known))
    relate_columns(columns, scales, constraints)


@contextlib.contextmanager
def silence_library(what: str) -> Iterator[None]:
    """Keep what a library prints and warns to itself, and name it where it fails."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            yield
        except Exception as fault:
            raise DataError(
                f"{what} failed on this table with a {type(fault).__name__}; take another "
                "synthesizer, or see the cause with --debug"
            ) from fault


@contextlib.contextmanager
def seed_generators(seed: int) -> Iterator[None]:
    """Seed the generators that libraries share, and give them back as they were.

    seed: below 2**32.
    """
    torch = sys.modules.get("torch")
    before = np.random.get_state()  # noqa: NPY002 - it is the one that libraries draw from
    ours = None if torch is None else torch.random.get_rng_state()
    np.random.seed(seed)  # noqa: NPY002
    if torch is not None:
        torch.manual_seed(seed)
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
        if torch is not None:
            torch.random.set_rng_state(ours)


def _is_number(column: pl.Series) -> bool:
    return column.dtype.is_numeric() or column.dtype.is_temporal()


def _to_plain(column: pl.Series) -> pl.Series:
    if not _is_number(column):
        return column.cast(pl.String)
    whole = column.dtype.is_temporal() or column.dtype.is_integer()
    if column.dtype.is_temporal():
        column = column.to_physical()
    narrow = whole and not column.null_count() and column.dtype != pl.UInt64
    return column.cast(pl.Int64 if narrow and column.dtype != pl.Int128 else pl.Float64)


def _restore_column(drawn: pl.Series, like: pl.Series, *, observed: bool) -> pl.Series:
    """Return drawn numbers or texts in the type of a column."""
    if not _is_number(like):
        if like.dtype == pl.Boolean:
            return drawn.cast(pl.String).str.to_lowercase() == "true"
        return drawn.cast(pl.String).cast(like.dtype).alias(like.name)
    there = drawn.is_not_null()
    numbers = drawn.filter(there).cast(pl.Float64).to_numpy()
    whole = like.dtype.is_temporal() or like.dtype.is_integer()
    if observed:
        values = plain_numbers(like.drop_nulls().unique().sort())
        numbers = Grid.of(values, single=like.dtype == pl.Float32).nearest(numbers)
    elif whole:
        low, high = _limits(like)
        numbers = np.clip(np.rint(numbers), low, high).astype(np.int64)
    found = np.zeros(len(drawn), numbers.dtype)
    found[there.to_numpy()] = numbers
    typed = pl.Series(like.name, found).cast(like.dtype)
    return pl.select(pl.when(there).then(typed).alias(like.name)).to_series()


def _limits(like: pl.Series) -> tuple[float, float]:
    """Return the smallest and largest whole number of a type that a float has exactly."""
    if not like.dtype.is_integer():
        return -EXACT, EXACT
    low, high = like.lower_bound().item(), like.upper_bound().item()
    return max(float(low), -EXACT), min(float(high), EXACT)
