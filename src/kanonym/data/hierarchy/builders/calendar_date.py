"""Dates by day, week, month, quarter, year and decade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy.builders.base import Builder, Column, Level, Plan, values_per_level
from kanonym.data.hierarchy.labels import count_phrase, parse_times, quote_first
from kanonym.kernels.arrays import Ints

_when = pl.col("when")
_date = _when.dt
_year = _date.to_string("%Y")
# From each unit to a number that tells its spans apart, and to the text of a span.
_UNITS = {
    "day": (_date.date().to_physical(), _date.to_string("%Y-%m-%d")),
    "week": (_date.iso_year().cast(pl.Int64) * 100 + _date.week(), _date.to_string("%G-W%V")),
    "month": (_date.year().cast(pl.Int64) * 100 + _date.month(), _date.to_string("%Y-%m")),
    "quarter": (
        _date.year().cast(pl.Int64) * 10 + _date.quarter(),
        pl.format("{}-Q{}", _year, _date.quarter()).alias("when"),
    ),
    "year": (_date.year(), _year),
    "decade": (_date.year() // 10, pl.format("{}0s", _year.str.head(-1)).alias("when")),
}
UNITS = tuple(_UNITS)


@dataclass(frozen=True, slots=True)
class Dates(Builder):
    """Calendar units over a column of dates, or of dates and times.

    Labels: `2020-05-17`, `2020-W20` (ISO week), `2020-05`, `2020-Q2`, `2020`, `2020s`.
    Text counts as dates where every value is one in ISO form. A week may lie in two
    months and two years, so no unit above it nests.

    Parameters
    ----------
    levels
        Any of day, month, quarter, year, decade, from fine to coarse; or week, also after day.

    Raises
    ------
    HierarchyError
        Unknown units, units out of order, or a unit above week; when bound, values
        that are no dates.

    Examples
    --------
    >>> import polars as pl
    >>> from kanonym.data import hierarchy
    >>> births = pl.Series("birth", ["1984-03-08", "1984-03-01", "1984-02-29"])
    >>> hierarchy.dates(levels=["month", "year"]).bind(births).to_rows()[1]
    ['1984-03-01', '1984-03', '1984', '*']
    >>> hierarchy.dates(levels=["week", "month"])
    Traceback (most recent call last):
    kanonym.data.errors.HierarchyError: week does not nest in month: a week may lie in two; ...
    """

    kind: ClassVar[str] = "dates"

    levels: str | Sequence[str] = ("day", "month", "quarter", "year", "decade")

    def __post_init__(self) -> None:
        given = (self.levels,) if isinstance(self.levels, str) else self.levels
        levels = values_per_level("levels", given)
        unknown = [level for level in levels if level not in UNITS]
        if unknown:
            raise HierarchyError(f"levels are some of {', '.join(UNITS)}, not {unknown[0]!r}")
        places = [UNITS.index(level) for level in levels]
        if places != sorted(set(places)):
            raise HierarchyError(
                f"levels go from fine to coarse ({', '.join(UNITS)}), each once, not "
                f"{', '.join(levels)}"
            )
        if "week" in levels[:-1]:
            above = levels[levels.index("week") + 1]
            raise HierarchyError(
                f"week does not nest in {above}: a week may lie in two; leave one of them out"
            )
        object.__setattr__(self, "levels", levels)

    def plan(self, column: Column) -> Plan:
        """Return the values in the order of time, and one level a unit."""
        when = parse_dates(column.values)
        bad = column.values.filter(when.is_null())
        if len(bad):
            raise HierarchyError(
                f"column {column.name!r}: {count_phrase(len(bad), 'value')} no ISO date: "
                f"{quote_first(bad.to_list())}",
                values=bad.to_list(),
            )
        local = when.dt.replace_time_zone(None) if when.dtype == pl.Datetime else when
        frame = pl.DataFrame({"value": column.values, "when": local}).sort("when", "value")
        levels = [_level(frame.select("when"), unit) for unit in self.levels]
        return Plan(frame["value"].alias(column.name), levels)


def parse_dates(values: pl.Series) -> pl.Series:
    """Return dates or times; ISO texts are parsed, null where one is none."""
    if values.dtype in (pl.Date, pl.Datetime):
        return values
    if values.dtype not in (pl.String, pl.Categorical, pl.Enum):
        raise HierarchyError(f"column {values.name!r} holds {values.dtype}: dates needs dates")
    return parse_times(values.cast(pl.String))


def _level(when: pl.DataFrame, unit: str) -> Level:
    """Return the level of one calendar unit over the column `when`."""
    numbers, texts = _UNITS[unit]
    groups = when.select(numbers.cast(pl.Int64))["when"].to_numpy()

    def labels(starts: Ints, _: Ints) -> list[str]:
        return when[starts].select(texts)["when"].to_list()

    return Level(groups, labels)
