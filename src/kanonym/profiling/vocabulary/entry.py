"""One thing that words in names of columns hint at."""

from __future__ import annotations

from typing import NamedTuple

from kanonym.data.schema import Role


class Entry(NamedTuple):
    """Phrases that hint at one thing.

    Attributes
    ----------
    role
        The role that such an attribute has.
    what
        What the attribute is, in words; of identifiers the kind of the finding.
    sure
        Phrases that tell it on their own.
    vague
        Phrases that need values to confirm them: a `name` may be that of a product.
    alone
        Phrases that are sure where nothing else stands in the column's name, vague otherwise.

    """

    role: Role
    what: str
    sure: str
    vague: str = ""
    alone: str = ""
