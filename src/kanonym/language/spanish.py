"""Spanish."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

from kanonym.language.speech import Translator

CATALOGUE = gettext.translation("kanonym", Path(__file__).parent / "locale", ["es"])
"""What `just messages` compiles of `locale/es`; a sentence is found by its English."""


def conjunction(name: str) -> str:
    """Return the word for "and": `e` before the sound of an i."""
    return "e" if re.match(r"[ií]|h[ií](?![ae])", name, re.IGNORECASE) else "y"


def ordinal(number: int) -> str:
    """Write a rank: `2.º`."""
    return f"{number}.º"


SPANISH = Translator(
    code="es",
    decimal=",",
    thousands=".",
    locale="es-ES",
    conjunction=conjunction,
    ordinal=ordinal,
    catalogue=CATALOGUE,
)
