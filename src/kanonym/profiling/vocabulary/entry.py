"""One thing that words in names of columns hint at."""

from __future__ import annotations

from typing import NamedTuple

from kanonym.data.schema import Role


class Entry(NamedTuple):
    """Phrases that hint at one thing."""

    role: Role
    what: str
    sure: str
    vague: str = ""
    alone: str = ""
