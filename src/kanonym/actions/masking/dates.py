"""Actions on dates: shifted by person, or truncated to a unit."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from kanonym.actions.base import Action, Context, cell_texts, cell_times, in_original_type
from kanonym.actions.pseudonymization.keyed_pseudonyms import check_source, read_key
from kanonym.data.errors import DataError, Message, PolicyError, SchemaError
from kanonym.models.base import check_choice, check_integer

DAY = 86_400_000
"""Milliseconds."""

MOST_DAYS = 1_000_000
"""A shift of more leaves the calendar in any case."""


@dataclass(frozen=True, slots=True)
class ShiftDate(Action):
    """One number of days is added to all dates of a subject: drawn, or derived with a key.

    Each whole number from -`days` to `days` is as likely as any other, 0 included. A subject has
    one shift in all columns and tables of a policy, which must name the same `days`,
    `multiple_of` and key for it. With a key, the shift is the same in every run, too, and there is
    no list of shifts to lose: HMAC-SHA-256 of the subject gives it. The spans between the dates
    of one subject stay exact; with a time zone, a day is 24 hours. Subjects draw in the order of
    their names, so that the order of records does not matter. A record without a subject has a
    shift of its own, for all of its dates. Null stays null.

    Parameters
    ----------
    days
        The farthest shift, at least 1.
    subject
        The column that names the subject of each record. Without it, each record is
        shifted on its own; in linked tables, the person is the subject.
    key
        `{env: NAME}` or `{file: path}`, at least 16 bytes; None draws the shifts.
    multiple_of
        Shift by multiples of so many days: 7 keeps the weekday.

    Raises
    ------
    PolicyError
        `days` is no whole number of at least 1, `multiple_of` is larger, or `subject` names no
        column; when applied with a key, there is no subject, or no such key.

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
    remembers: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "The calendar date is hidden within twice the days of the shift."
    )
    exposes: ClassVar[str] = Message(
        "The intervals between the dates of one subject remain and can identify the subject; one "
        "known date reveals the shift, and with it all other dates. Dates near the first or the "
        "last day of the table tell the direction; a public event shows in the mean of many "
        "shifts. Tables of several policies are shifted alike only with a key."
    )

    days: int = 30
    subject: str | None = None
    key: Any = None  # checked here alone: an error about its type would repeat it
    multiple_of: int = 1

    def __post_init__(self) -> None:
        check_integer(self.type, "days", self.days, 1)
        if self.days > MOST_DAYS:
            raise PolicyError(f"{self.type}: days is {self.days}; it must be at most {MOST_DAYS}")
        if self.subject is not None and (not isinstance(self.subject, str) or not self.subject):
            raise PolicyError(
                f"{self.type}: subject is {self.subject!r}; it must be the name of a column"
            )
        check_integer(self.type, "multiple_of", self.multiple_of, 1)
        if self.multiple_of > self.days:
            raise PolicyError(
                f"{self.type}: multiple_of is {self.multiple_of}; it must be at most days "
                f"({self.days}), or nothing is shifted"
            )
        if self.key is not None:
            check_source(self.type, self.key)

    @property
    def draws(self) -> bool:
        """Whether the shifts are drawn: a key gives them otherwise."""
        return self.key is None

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

    @property
    def bounds(self) -> tuple[int, int, str]:
        """What all shifts of one subject must agree in."""
        return self.days, self.multiple_of, str(self.key)

    def _shifts(self, n: int, context: Context) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return (n,) the days by which each record is shifted."""
        own = self._of_records(n, context)
        if self.subject is None:
            if self.key is not None:
                raise PolicyError(
                    f"{self.type}: key needs subject, the column that names whose date it is"
                )
            return own
        subjects = cell_texts(context.other_column(self.subject), self.type)
        names = subjects.drop_nulls().unique().sort()
        if self.key is None:
            known = context.drawn_for(self.subject, self.type, self.days, self.multiple_of).values
            new = [name for name in names if name not in known]
            known.update(zip(new, self._draw(len(new), context.random).tolist(), strict=True))
            shifts = np.array([known[name] for name in names], np.int64)
        else:
            shifts = self._derive(names, read_key(self.type, self.key))
        shared = subjects.replace_strict(names, shifts, default=None, return_dtype=pl.Int64)
        return np.where(subjects.is_null(), own, shared.fill_null(0).to_numpy())

    def _of_records(self, n: int, context: Context) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return (n,) a shift of each record, the same one for all of its dates."""
        if context.of_records is None or n == 0:
            return self._draw(n, context.random)
        rows = np.arange(n) if context.rows is None else context.rows
        random = context.of_records(self.days, self.multiple_of)
        return self._draw(int(rows.max()) + 1, random)[rows]

    def _draw(
        self, n: int, random: np.random.Generator
    ) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return (n,) shifts from a generator."""
        most = self.days // self.multiple_of
        return random.integers(-most, most, n, endpoint=True) * self.multiple_of

    def _derive(self, names: pl.Series, key: bytes) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return (n,) the shift of each subject under a key."""
        most = self.days // self.multiple_of
        shifts = [
            int.from_bytes(hmac.digest(key, b"shift-date\0" + name.encode(), "sha256")[:8], "big")
            % (2 * most + 1)
            - most
            for name in names
        ]
        return np.array(shifts, np.int64) * self.multiple_of


Unit = Literal["year", "quarter", "month", "week", "day", "hour"]
_EVERY = {"year": "1y", "quarter": "1q", "month": "1mo", "week": "1w", "day": "1d", "hour": "1h"}


@dataclass(frozen=True, slots=True)
class TruncateDate(Action):
    """The first day (or hour) of the year, quarter, month, week, day or hour of each date.

    Dates stay dates, times stay times, ISO texts stay ISO texts. A week starts on Monday.
    Times with a time zone are cut in their zone. Null stays null.

    Parameters
    ----------
    to
        The unit that stays.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> births = pl.Series("birth", ["1984-03-08", "1984-12-31", None])
    >>> context = Context(np.random.default_rng(0), column=None)
    >>> TruncateDate("quarter").apply(births, context).to_list()
    ['1984-01-01', '1984-10-01', None]
    """

    type: ClassVar[str] = "truncate-date"
    per_value: ClassVar[bool] = True
    by_value: ClassVar[bool] = True
    protects: ClassVar[str] = Message("The exact date is hidden among all dates of its unit.")
    exposes: ClassVar[str] = Message(
        "The unit remains, and may contain a single record: this action does not count records."
    )

    to: Unit

    def __post_init__(self) -> None:
        check_choice(self.type, "to", self.to, tuple(_EVERY))

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the cut dates; see `Action.apply`. Cost O(n)."""
        del context  # looks at its own column only
        if values.dtype == pl.Date and self.to == "hour":
            raise SchemaError(
                f"column {values.name!r} holds dates without a time of day: {self.type} to a unit "
                "from day to year"
            )
        when = cell_times(values, self.type)
        return in_original_type(when.dt.truncate(_EVERY[self.to]), values)
