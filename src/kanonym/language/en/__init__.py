"""English."""

from __future__ import annotations

from kanonym.language.en import (
    attacks,
    charts,
    comparisons,
    evidence,
    findings,
    linked,
    measures,
    models,
    page,
    private,
    profiles,
    terms,
    units,
    verdicts,
    workbench,
)
from kanonym.language.speech import Sentences, Translator

SENTENCES: Sentences = {
    **page.SENTENCES,
    **private.SENTENCES,
    **verdicts.SENTENCES,
    **findings.SENTENCES,
    **models.SENTENCES,
    **attacks.SENTENCES,
    **measures.SENTENCES,
    **units.SENTENCES,
    **evidence.SENTENCES,
    **terms.SENTENCES,
    **charts.SENTENCES,
    **comparisons.SENTENCES,
    **profiles.SENTENCES,
    **linked.SENTENCES,
    **workbench.SENTENCES,
}


def conjunction(_: str) -> str:
    """Return the word for "and"."""
    return "and"


def ordinal(number: int) -> str:
    """Write a rank: `2nd`, `11th`."""
    teens = number % 100 // 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


ENGLISH = Translator(
    code="en",
    sentences=SENTENCES,
    decimal=".",
    thousands=",",
    locale="en-US",
    conjunction=conjunction,
    ordinal=ordinal,
)
