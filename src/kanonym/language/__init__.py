"""The languages of reports, profiles and pages: English here, translations in `locale`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.errors import DataError
from kanonym.data.loading import LazyRegistry, lazy_names
from kanonym.language.english import ENGLISH
from kanonym.language.speech import Translator

if TYPE_CHECKING:
    from kanonym.language.spanish import SPANISH

__all__ = ["ENGLISH", "LANGUAGES", "SPANISH", "Translator", "translator"]

LANGUAGES: LazyRegistry[Translator] = LazyRegistry(
    "kanonym.language", {"en": "english:ENGLISH", "es": "spanish:SPANISH"}
)
"""Every language by its code: a further one has a folder in `locale`, and a module here."""


__getattr__, __dir__ = lazy_names(__name__, {"kanonym.language.spanish": "SPANISH"})


def translator(language: str) -> Translator:
    """Return how reports speak in a language.

    Examples
    --------
    >>> translator("es").count(30162)
    '30.162'

    """
    if language not in LANGUAGES:
        raise DataError(
            f"a report is written in one of the languages {', '.join(LANGUAGES)}, "
            f"not in {language!r}"
        )
    return LANGUAGES[language]
