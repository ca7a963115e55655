"""The types of tables that calls take."""

from __future__ import annotations

from os import PathLike
from typing import Protocol, TypeAlias


class Frame(Protocol):
    """A pandas or polars DataFrame, a polars LazyFrame, a pyarrow Table, or a table on an engine.

    Also a narwhals wrapper around one of them. What else has columns is refused when it is read.
    """

    @property
    def columns(self) -> object:
        """Its columns."""


Population: TypeAlias = int | str | PathLike[str] | Frame | None
"""The number of persons that a table is a sample of, a table of all of them, or its path."""
