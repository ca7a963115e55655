"""Free text: identifiers that are written in it are found and replaced."""

from __future__ import annotations

from kanonym.actions.base import Action
from kanonym.actions.free_text.scrub_text import ScrubText

ACTIONS: tuple[type[Action], ...] = (ScrubText,)
"""Every action on free text."""

TYPES = frozenset(one.type for one in ACTIONS)
"""Their names in a policy."""
