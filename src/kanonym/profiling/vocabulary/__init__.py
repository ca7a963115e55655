"""Words in names of columns, and what they say of the column: the dictionary of `name_hints`.

Phrases are written without the gaps between their words, in plain letters and small: `first
name` stands as `firstname`. English comes first, then German, French, Spanish, Italian,
Portuguese, Dutch, and a few words of other languages.
"""

from __future__ import annotations

from kanonym.profiling.vocabulary.attributes import INSENSITIVE, QUASI_IDENTIFIERS, SENSITIVE
from kanonym.profiling.vocabulary.entry import Entry
from kanonym.profiling.vocabulary.identifiers import IDENTIFIERS

__all__ = ["ENTRIES", "IDENTIFIERS", "Entry"]

ENTRIES: tuple[Entry, ...] = IDENTIFIERS + QUASI_IDENTIFIERS + SENSITIVE + INSENSITIVE
