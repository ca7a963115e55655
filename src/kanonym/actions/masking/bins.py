"""Replace numbers by the interval in which they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.cells import present_numbers
from kanonym.data.errors import DataError, HierarchyError, PolicyError
from kanonym.data.hierarchy.builders.base import Column, neighbour_runs
from kanonym.data.hierarchy.builders.interval import Intervals
from kanonym.data.message import Message


@dataclass(frozen=True, slots=True)
class Bin(Action):
    """Replace numbers by half-open intervals as text, `[20, 30)`; null stays null.

    Intervals read as those of an interval hierarchy: with `bounds`, numbers outside are
    `<18` and `>=65`.

    Parameters
    ----------
    width
        The width of every interval.
    origin
        Where an interval starts when `width` is given.
    bounds
        Instead: ascending numbers at which intervals end.

    Raises
    ------
    PolicyError
        Not exactly one of `width` and `bounds` is given, or it is out of range.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> ages = pl.Series("age", [20, 29, 71, None])
    >>> context = Context(np.random.default_rng(0), column=None)
    >>> Bin(width=10).apply(ages, context).to_list()
    ['[20, 30)', '[20, 30)', '[70, 80)', None]
    >>> Bin(bounds=[25, 65]).apply(ages, context).to_list()
    ['<25', '[25, 65)', '>=65', None]

    """

    type: ClassVar[str] = "bin"
    per_value: ClassVar[bool] = True
    by_value: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "The exact number is hidden among all numbers of its interval."
    )
    exposes: ClassVar[str] = Message(
        "The interval remains, and may contain a single record: this action does not count records."
    )

    width: float | None = None
    origin: float | None = None
    bounds: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if (self.width is None) == (self.bounds is None):
            raise PolicyError(f"{self.type}: give one of width and bounds")
        if self.bounds is not None:
            object.__setattr__(self, "bounds", tuple(self.bounds))
        try:
            self._intervals()
        except HierarchyError as error:
            raise PolicyError(f"{self.type}: {error}") from None

    def _intervals(self) -> Intervals:
        return Intervals(width=self.width, origin=self.origin, bounds=self.bounds)

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the intervals; see `Action.apply`. Cost: the distinct numbers are sorted."""
        del context  # looks at its own column only
        present_numbers(values, self.type)  # for what it refuses
        given = values.fill_nan(None) if values.dtype.is_float() else values
        column = Column.of(given, None)
        if not len(column.values):
            return given.cast(pl.String)
        try:
            (level,) = self._intervals().plan(column).levels
        except HierarchyError as error:
            raise DataError(f"{self.type}: {error}") from None
        starts, group = neighbour_runs(level.groups)
        names = level.labels(starts, np.append(starts[1:], len(group)))
        labels = pl.Series(names, dtype=pl.String).gather(group)
        return given.replace_strict(column.values, labels, default=None, return_dtype=pl.String)
