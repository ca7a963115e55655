"""The languages of reports, profiles and pages: English here, translations in `locale`."""

from __future__ import annotations

from kanonym.data.errors import DataError
from kanonym.language.en import ENGLISH
from kanonym.language.spanish import SPANISH
from kanonym.language.speech import Translator

__all__ = ["ENGLISH", "LANGUAGES", "SPANISH", "Translator", "translator"]

LANGUAGES: dict[str, Translator] = {language.code: language for language in (ENGLISH, SPANISH)}
"""Every language by its code: a further one has a folder in `locale`, and a module here."""


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
