"""The sample in which identifiers are looked for, and what is found in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Bools, Ints
from kanonym.profiling.reasons import Reason
from kanonym.profiling.words import safe_harbor

By = Literal["name", "values", "both"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason to hold a column for a direct identifier."""

    kind: str
    reasons: tuple[Reason, ...]
    share: float
    by: By
    safe_harbor: str | None

    @property
    def evidence(self) -> str:
        """The reasons in English; no value of the table is in them."""
        return "; ".join(reason.to_text() for reason in self.reasons)


def finding_by_values(kind: str, share: float, *reasons: Reason) -> Finding:
    """Return a finding that the values gave."""
    return Finding(kind, reasons, share, "values", safe_harbor(kind))


def share_reason(kind: str, share: float, *terms: str) -> Reason:
    """Return a reason that a share of the values gives."""
    return Reason(kind, shares={"share": share}, terms=terms)


DISTINCT = 2_000
"""At most so many different values of a column are looked at."""

Form = Literal["text", "integer", "decimal", "other"]

_SALT = 6
# Values are thinned out to some times more than are needed, as their number is estimated.
_RESERVE = 3
# Whole numbers up to here are exact in floating point.
_EXACT = 2**53


@dataclass(frozen=True, repr=False)
class Sample(ShortRepr):
    """Different values of a column as text, with the number of rows that have each."""

    name: str
    form: Form
    values: tuple[str, ...]
    counts: Ints
    n_filled: int

    @classmethod
    def of(cls, column: pl.Series) -> Sample:
        """Take a sample of a column.

        Values are chosen by their hash, so that the sample depends neither on the order of rows nor
        on chance, and a chosen value brings all its rows along.
        """
        form = _form(column.dtype)
        filled = column.drop_nulls()
        if form == "other" or filled.is_empty():
            return cls(column.name, form, (), np.zeros(0, np.int64), len(filled))
        if column.dtype in {pl.Categorical, pl.Enum}:
            kept = filled  # categories are counted by their codes, quickly
        else:
            enough = _RESERVE * DISTINCT
            thin = 1 if len(filled) <= enough else max(1, _about_different(filled) // enough)
            kept = filled.filter(filled.hash(_SALT) % thin == 0) if thin > 1 else filled
        texts = _as_texts(kept.alias("value").value_counts(name="count"), form)
        counted = (
            texts.with_columns(hash=pl.col("value").hash(_SALT)).sort("hash", "value").collect()
        )
        values = counted["value"].head(DISTINCT).to_list()
        counts = counted["count"].head(DISTINCT).to_numpy().astype(np.int64)
        return cls(column.name, form, tuple(values), counts, len(filled))

    def matching(self, matches: Callable[[str], object]) -> Bools:
        """Return (len(values),) bool: of which values a condition is true."""
        return np.array([bool(matches(value)) for value in self.values], np.bool_)

    def share(self, matching: Bools) -> float:
        """Return the share of the rows that have one of some values, 0 to 1."""
        rows = int(self.counts.sum())
        return float(self.counts[matching].sum() / rows) if rows else 0.0

    @functools.cached_property
    def distinctness(self) -> float:
        """Different values per row, 0 to 1; an estimate from the sample's values."""
        rows = int(self.counts.sum())
        return len(self.values) / rows if rows else 0.0

    @functools.cached_property
    def has_few_values(self) -> bool:
        """Whether a long column has one or two values: mostly a flag, or of one or two persons."""
        return len(self.values) <= 2 and self.n_filled > 10


def _form(dtype: pl.DataType) -> Form:
    if isinstance(dtype, pl.String | pl.Categorical | pl.Enum):
        return "text"
    if dtype.is_integer():
        return "integer"
    return "decimal" if dtype.is_float() or dtype.is_decimal() else "other"


def _about_different(values: pl.Series) -> int:
    """Return about how many different values there are (HyperLogLog)."""
    return int(values.to_frame("value").select(pl.col("value").approx_n_unique()).item())


def _as_texts(counted: pl.DataFrame, form: Form) -> pl.LazyFrame:
    """Return different texts and their counts, without blank ones, NaN and infinity."""
    value = pl.col("value")
    if form == "decimal":
        counted = counted.with_columns(value.cast(pl.Float64)).filter(value.is_finite())
        numbers = counted["value"].to_numpy()
        if (numbers == np.floor(numbers)).all() and (np.abs(numbers) < _EXACT).all():
            counted = counted.with_columns(value.cast(pl.Int64))
    texts = counted.lazy().with_columns(value.cast(pl.String).str.strip_chars())
    return texts.filter(value != "").group_by("value").agg(pl.col("count").sum())
