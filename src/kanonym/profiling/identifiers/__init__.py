"""Direct identifiers, by the names of columns and by the form of their values."""

from __future__ import annotations

from kanonym.profiling.identifiers.detection import find_identifiers
from kanonym.profiling.identifiers.finding import Finding
from kanonym.profiling.identifiers.free_text import MissingExtraError, find_in_text

__all__ = ["Finding", "MissingExtraError", "find_identifiers", "find_in_text"]
