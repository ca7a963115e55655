"""Frequency sets that nobody takes to one process: divided where they are."""

from __future__ import annotations

from kanonym.engines.sql.large.classes import ReleasedClasses
from kanonym.engines.sql.large.dividing import Divided, divided
from kanonym.engines.sql.large.releasing import released_query

__all__ = [
    "Divided",
    "ReleasedClasses",
    "divided",
    "released_query",
]
