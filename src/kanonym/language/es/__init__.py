"""Spanish."""

from __future__ import annotations

import re

from kanonym.language.es import (
    actions,
    attacks,
    charts,
    comparisons,
    evidence,
    findings,
    linked,
    measures,
    messages,
    models,
    page,
    private,
    profiles,
    remarks,
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


def conjunction(name: str) -> str:
    """Return the word for "and": `e` before the sound of an i."""
    return "e" if re.match(r"[ií]|h[ií](?![ae])", name, re.IGNORECASE) else "y"


def ordinal(number: int) -> str:
    """Write a rank: `2.º`."""
    return f"{number}.º"


SPANISH = Translator(
    code="es",
    sentences=SENTENCES,
    decimal=",",
    thousands=".",
    locale="es-ES",
    conjunction=conjunction,
    ordinal=ordinal,
    messages={**messages.MESSAGES, **actions.MESSAGES, **remarks.MESSAGES},
)
