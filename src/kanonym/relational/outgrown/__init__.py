"""Frequency sets that nobody takes to one process: divided where they are."""

from __future__ import annotations

from kanonym.relational.outgrown.classes import ReleasedClasses
from kanonym.relational.outgrown.dividing import Divided, divided
from kanonym.relational.outgrown.limits import require_divisible
from kanonym.relational.outgrown.outcome import outcome_of
from kanonym.relational.outgrown.releasing import released_query

__all__ = [
    "Divided",
    "ReleasedClasses",
    "divided",
    "outcome_of",
    "released_query",
    "require_divisible",
]
