"""Cut dates down to their year, quarter, month, week, day or hour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.cells import cell_times, in_original_type
from kanonym.data.errors import SchemaError
from kanonym.data.message import Message
from kanonym.models.base import check_choice

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

    Raises
    ------
    PolicyError
        `to` is none of the units.

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
