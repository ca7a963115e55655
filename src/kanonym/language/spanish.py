"""Spanish."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

from kanonym.language.en import ENGLISH
from kanonym.language.speech import Sentences, Translator

CATALOGUE = gettext.translation("kanonym", Path(__file__).parent / "locale", ["es"])
"""What `just messages` compiles of `locale/es`; a sentence is found by its key and its English."""


def _sentences() -> Sentences:
    """Return every sentence of the English catalogue in Spanish."""
    single, plural = CATALOGUE.pgettext, CATALOGUE.npgettext
    return {
        key: single(key, entry)
        if isinstance(entry, str)
        else (plural(key, *entry, 1), plural(key, *entry, 2))
        for key, entry in ENGLISH.sentences.items()
    }


def conjunction(name: str) -> str:
    """Return the word for "and": `e` before the sound of an i."""
    return "e" if re.match(r"[ií]|h[ií](?![ae])", name, re.IGNORECASE) else "y"


def ordinal(number: int) -> str:
    """Write a rank: `2.º`."""
    return f"{number}.º"


SPANISH = Translator(
    code="es",
    sentences=_sentences(),
    decimal=",",
    thousands=".",
    locale="es-ES",
    conjunction=conjunction,
    ordinal=ordinal,
    catalogue=CATALOGUE,
)
