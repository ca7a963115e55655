"""Free text: identifiers that are written in it are found and replaced."""

from __future__ import annotations

TYPES = frozenset({"scrub-text"})
"""The names of these actions in a policy."""
