"""Frequency sets that nobody takes to one process: divided where they are."""

from __future__ import annotations

from kanonym.engines.sql.large.engine_partition import (
    EnginePartition,
    partition_on_engine,
    released_query,
)
from kanonym.engines.sql.large.fragments import ReleasedClasses

__all__ = ["EnginePartition", "ReleasedClasses", "partition_on_engine", "released_query"]
