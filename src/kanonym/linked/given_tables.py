"""Tables as people give them, pandas, polars, pyarrow or Spark, and released ones alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from kanonym.data import frames
from kanonym.data.errors import DataError
from kanonym.engines.spark import collect_frame, create_frame
from kanonym.linked.policies.linked_policy import LinkedPolicy


def polars_tables(tables: Mapping[str, Any], policy: LinkedPolicy) -> dict[str, pl.DataFrame]:
    """Return the tables that a policy names, as polars.

    Raises
    ------
    DataError
        One is no table of this process.

    """
    return {
        name: frame if isinstance(frame, pl.DataFrame) else _fetched(frame, name)
        for name, frame in tables.items()
        if name in policy.tables
    }


def _fetched(frame: Any, name: str) -> pl.DataFrame:
    if _is_of_spark(frame):
        return collect_frame(frame)
    if not frames.is_frame(frame) and not isinstance(frame, frames.FetchableTable):
        raise DataError(
            f"{name} is no pandas, polars, pyarrow or Spark table, but a "
            f"{type(frame).__module__.partition('.')[0]} {type(frame).__name__}: linked tables are "
            "read into memory. Convert it, such as by pl() in DuckDB"
        )
    return frames.to_polars(frames.to_eager(frame))


def like_given(released: Mapping[str, pl.DataFrame], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return released tables of the types of the tables that came in."""
    return {name: _like(frame, given[name]) for name, frame in released.items()}


def _like(released: pl.DataFrame, given: Any) -> Any:
    if isinstance(given, pl.DataFrame | frames.FetchableTable):
        return released
    if _is_of_spark(given):
        return create_frame(released, given)
    rows = np.zeros(released.height, np.int64)  # every column is new
    return frames.assemble(frames.to_eager(given), rows, released.get_columns(), like=given)


def _is_of_spark(frame: Any) -> bool:
    return type(frame).__module__.startswith("pyspark")
