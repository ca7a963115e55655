"""English."""

from __future__ import annotations

from kanonym.language.speech import Translator


def conjunction(_: str) -> str:
    """Return the word for "and"."""
    return "and"


def ordinal(number: int) -> str:
    """Write a rank: `2nd`, `11th`."""
    teens = number % 100 // 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


ENGLISH = Translator(
    code="en", decimal=".", thousands=",", locale="en-US", conjunction=conjunction, ordinal=ordinal
)
