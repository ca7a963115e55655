"""Dates that are none: of years that no calendar of a library has."""

from __future__ import annotations

from typing import cast

import polars as pl

from kanonym.data.errors import DataError

_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31 from 1970-01-01
_A_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def refuse_strange_years(series: pl.Series) -> None:
    """Refuse dates of years that neither Python nor the text form of a date knows."""
    # Years count from the physical number: the library ends the process on larger ones.
    a_day = 1 if series.dtype == pl.Date else _A_DAY[cast("pl.Datetime", series.dtype).time_unit]
    days = series.to_physical() // a_day
    strange = ((days < _FIRST_DAY) | (days > _LAST_DAY)).arg_true()
    if len(strange):
        raise DataError(
            f"column {series.name!r}, row {strange[0] + 1}: a date outside of the years 1 to "
            "9999; correct the cell, or leave it empty"
        )
