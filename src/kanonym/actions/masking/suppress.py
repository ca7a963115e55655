"""Leave cells empty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.cells import cell_texts
from kanonym.data.errors import PolicyError, SchemaError, shown_value
from kanonym.data.hierarchy.leaves import plain_text
from kanonym.data.message import Message
from kanonym.models.base import check_integer


@dataclass(frozen=True, slots=True)
class Suppress(Action):
    """Null in place of all values, of some values, or of rare ones; types stay as they are.

    Parameters
    ----------
    values
        Suppress these values only. A value that the column does not hold is not missed.
    fewer_than
        Instead: suppress the values that fewer records than this share.

    Raises
    ------
    PolicyError
        Both are given, `values` is empty, or `fewer_than` is below 2.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> jobs = pl.Series("job", ["nurse", "nurse", "mayor", None])
    >>> context = Context(np.random.default_rng(0), column=None)
    >>> Suppress(fewer_than=2).apply(jobs, context).to_list()
    ['nurse', 'nurse', None, None]
    >>> Suppress().apply(jobs, context).to_list()
    [None, None, None, None]

    """

    type: ClassVar[str] = "suppress"
    keeps_values: ClassVar[bool] = True
    protects: ClassVar[str] = Message("A suppressed value is not in the release at all.")
    exposes: ClassVar[str] = Message(
        "Values that are not suppressed remain unchanged, and an empty cell can itself reveal that "
        "its value is one of the suppressed ones."
    )

    values: Sequence[Any] | None = None
    fewer_than: int | None = None

    def __post_init__(self) -> None:
        if self.values is not None:
            if self.fewer_than is not None:
                raise PolicyError(f"{self.type}: give one of values and fewer_than, or none")
            if isinstance(self.values, str) or not self.values:
                raise PolicyError(
                    f"{self.type}: values is {shown_value(self.values)}; it must be a list of at "
                    "least one"
                )
            object.__setattr__(self, "values", tuple(self.values))
        if self.fewer_than is not None:
            check_integer(self.type, "fewer_than", self.fewer_than, 2)

    @property
    def per_value(self) -> bool:
        """Whether a value alone says what becomes of it: `fewer_than` counts records."""
        return self.fewer_than is None

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the column with cells emptied; see `Action.apply`. Cost O(n)."""
        del context  # looks at its own column only
        column = pl.col(values.name)
        frame = values.to_frame()
        if self.values is not None:
            listed = self._is_listed(values).fill_null(value=False)
            return frame.select(pl.when(~listed).then(column))[values.name]
        if self.fewer_than is not None:
            common = pl.len().over(column) >= self.fewer_than
            return frame.select(pl.when(common).then(column))[values.name]
        return pl.Series(values.name, [None] * len(values), dtype=values.dtype)

    def _is_listed(self, values: pl.Series) -> pl.Series:
        """Return which cells hold one of the listed values, compared as what the column holds."""
        kind, wanted = values.dtype, self.values or ()
        try:
            if kind.is_float() or kind.is_decimal():
                numbers = [float(value) for value in wanted]
                if kind == pl.Float32:
                    return values.is_in(pl.Series(numbers).cast(pl.Float32).to_list())
                return values.cast(pl.Float64).is_in(numbers)
            if isinstance(kind, pl.Date | pl.Datetime):
                zone = getattr(kind, "time_zone", None)
                times = pl.Series([_moment(value, zone) for value in wanted])
                return values.cast(times.dtype).is_in(times.implode())
        except (ValueError, TypeError, OverflowError):
            raise SchemaError(
                f"column {values.name!r} holds {kind}, and not all values that {self.type} lists "
                "can be read as such; list values of the column"
            ) from None
        return cell_texts(values, self.type).is_in([_text(value) for value in wanted])


def _moment(value: object, zone: str | None) -> datetime:
    """Return a date, a time or an ISO text of a policy as a time in a zone, or in none."""
    when = datetime.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(when, datetime):
        if not isinstance(when, date):
            raise TypeError(value)
        when = datetime(when.year, when.month, when.day)  # noqa: DTZ001 - its zone comes below
    if zone is None:
        return when if when.tzinfo is None else when.astimezone(UTC).replace(tzinfo=None)
    return when.replace(tzinfo=ZoneInfo(zone)) if when.tzinfo is None else when


def _text(value: object) -> str | None:
    """Return a value of a policy as cells read it."""
    whole = isinstance(value, float) and value.is_integer()
    return plain_text(int(value) if whole else value)  # type: ignore[call-overload]
