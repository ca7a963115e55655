"""Frequency sets that nobody takes to one process: divided where they are."""

from __future__ import annotations

from kanonym.engines.sql.large.classes import ReleasedClasses
from kanonym.engines.sql.large.engine_partition import EnginePartition, partition_on_engine
from kanonym.engines.sql.large.large_release import released_query

__all__ = [
    "EnginePartition",
    "ReleasedClasses",
    "partition_on_engine",
    "released_query",
]
