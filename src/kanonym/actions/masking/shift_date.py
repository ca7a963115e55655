"""Move dates by a random number of days, all dates of one subject alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.cells import cell_texts, cell_times, in_original_type
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.message import Message
from kanonym.models.base import check_integer

DAY = 86_400_000
"""Milliseconds."""

MOST_DAYS = 1_000_000
"""A shift of more leaves the calendar in any case."""


@dataclass(frozen=True, slots=True)
class ShiftDate(Action):
    """One random number of days is added to all dates of a subject.

    Each whole number from -`days` to `days` is as likely as any other, 0 included. The
    spans between the dates of one subject stay exact; with a time zone, a day is 24 hours.
    Subjects draw in the order of their names, so that the order of records does not
    matter. A record without a subject has a shift of its own. Null stays null.

    Parameters
    ----------
    days
        The farthest shift, at least 1.
    subject
        The column that names the subject of each record. Without it, each record is
        shifted on its own.

    Raises
    ------
    PolicyError
        `days` is no whole number of at least 1, or `subject` names no column.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> visits = pl.DataFrame({
    ...     "patient": ["a", "b", "a"],
    ...     "visit": ["2020-01-01", "2020-01-01", "2020-01-31"],
    ... })
    >>> context = Context(np.random.default_rng(1), visits.get_column)
    >>> shifted = ShiftDate(subject="patient").apply(visits["visit"], context).str.to_date()
    >>> (shifted[2] - shifted[0]).days
    30

    """

    type: ClassVar[str] = "shift-date"
    by_value: ClassVar[bool] = True
    draws: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "The calendar date is hidden within twice the days of the shift."
    )
    exposes: ClassVar[str] = Message(
        "The intervals between the dates of one subject remain and can identify the subject; one "
        "known date reveals the shift, and with it all other dates. To shift two tables alike, "
        "shift them as one table."
    )

    days: int = 30
    subject: str | None = None

    def __post_init__(self) -> None:
        check_integer(self.type, "days", self.days, 1)
        if self.days > MOST_DAYS:
            raise PolicyError(f"{self.type}: days is {self.days}; it must be at most {MOST_DAYS}")
        if self.subject is not None and (not isinstance(self.subject, str) or not self.subject):
            raise PolicyError(
                f"{self.type}: subject is {self.subject!r}; it must be the name of a column"
            )

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the shifted dates; see `Action.apply`. Cost: the subjects are sorted."""
        when = cell_times(values, self.type)
        shifts = self._shifts(len(values), context)
        precise = when.cast(pl.Datetime("ms", getattr(when.dtype, "time_zone", None)))
        farthest = pl.duration(days=self.days)
        low, high = (1678, 2261) if getattr(when.dtype, "time_unit", "") == "ns" else (1, 9999)
        years = precise.to_frame("day").select(
            low=(pl.col("day") - farthest).dt.year() < low,
            high=(pl.col("day") + farthest).dt.year() > high,
        )
        beyond = (years["low"] | years["high"]).arg_true()
        if len(beyond):
            raise DataError(
                f"column {values.name!r}, row {beyond[0] + 1}: {values[beyond[0]]} may fall "
                f"outside of the calendar when it is shifted; {self.type} needs dates: suppress "
                f"placeholders for missing dates first"
            )
        moved = when + pl.Series(shifts * DAY).cast(pl.Duration("ms"))
        return in_original_type(moved.cast(when.dtype).alias(values.name), values)

    def _shifts(self, n: int, context: Context) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return (n,) the days by which each record is shifted."""
        own = context.random.integers(-self.days, self.days, n, endpoint=True)
        if self.subject is None:
            return own
        subjects = cell_texts(context.other_column(self.subject), self.type)
        names = subjects.drop_nulls().unique().sort()
        drawn = context.random.integers(-self.days, self.days, len(names), endpoint=True)
        shared = subjects.replace_strict(names, drawn, default=None, return_dtype=pl.Int64)
        return np.where(subjects.is_null(), own, shared.fill_null(0).to_numpy())
