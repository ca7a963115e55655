"""Engines: what holds a table, counts it, recodes it and writes the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kanonym.data.readings import Reading
from kanonym.engines.base import Engine
from kanonym.engines.database import scan_database
from kanonym.engines.duckdb import scan_duckdb
from kanonym.engines.local import LocalEngine
from kanonym.engines.spark import scan_spark

__all__ = [
    "Engine",
    "LocalEngine",
    "engine_of",
    "is_local",
    "scan_database",
    "scan_duckdb",
    "scan_spark",
]

_ENGINES = ("kanonym", "duckdb", "_duckdb", "pyspark")
"""Packages whose tables are not in this process."""


def is_local(frame: Any) -> bool:
    """Whether a table is in this process; imports no engine."""
    return type(frame).__module__.partition(".")[0] not in _ENGINES


def engine_of(
    frame: Any, readings: Mapping[str, Reading] | None = None, *, released: bool = False
) -> Engine:
    """Return a table with what counts, recodes and writes it.

    Parameters
    ----------
    frame
        A table that `anonymize` takes.
    readings
        How columns of texts of a table on an engine write dates and numbers.
    released
        Whether such columns may hold labels.

    Raises
    ------
    DataError
        It is no table, or its engine is not installed.
    """
    if is_local(frame):
        return LocalEngine(frame)
    from kanonym.engines.sql.engine import SqlEngine  # noqa: PLC0415 - sqlglot may be absent
    from kanonym.engines.sql.store import Source  # noqa: PLC0415 - as above

    if type(frame).__module__.startswith("pyspark"):
        frame = scan_spark(frame)
    elif not isinstance(frame, Source):
        frame = scan_duckdb(frame)
    frame = frame.as_released() if released else frame
    return SqlEngine(replace(frame, readings=readings or {}))
