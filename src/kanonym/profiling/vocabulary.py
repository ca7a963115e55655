"""Words in names of columns, and what they say of the column: the data of `vocabulary.toml`."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import NamedTuple

from kanonym.data.schema import Role


class Entry(NamedTuple):
    """Phrases that hint at one thing; the head of the file says what each field means."""

    role: Role
    what: str
    sure: str = ""
    vague: str = ""
    alone: str = ""
    stems: str = ""
    yields: bool = False


@functools.cache
def entries() -> tuple[Entry, ...]:
    """Return the entries of the dictionary, one for each role."""
    listed = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    both = listed.pop("both")
    for role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        listed[role] = [*listed[role], *both]
    return tuple(
        Entry(Role(role), **given) for role, several in listed.items() for given in several
    )
