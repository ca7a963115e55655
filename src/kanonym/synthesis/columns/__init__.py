"""The columns of a table that is imitated: their values, what lies between them, constraints."""

from __future__ import annotations

from kanonym.synthesis.columns.relations import Constraint

__all__ = ["Constraint"]
