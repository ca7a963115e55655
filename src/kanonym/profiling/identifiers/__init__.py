"""Direct identifiers, by the names of columns and by the form of their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.loading import lazy_names

if TYPE_CHECKING:
    from kanonym.profiling.identifiers.detection import find_identifiers
    from kanonym.profiling.identifiers.free_text import MissingExtraError, find_in_text
    from kanonym.profiling.identifiers.sample import Finding

__all__ = ["Finding", "MissingExtraError", "find_identifiers", "find_in_text"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "kanonym.profiling.identifiers.sample": "Finding",
        "kanonym.profiling.identifiers.free_text": "MissingExtraError find_in_text",
        "kanonym.profiling.identifiers.detection": "find_identifiers",
    },
)
