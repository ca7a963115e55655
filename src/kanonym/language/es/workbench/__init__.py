"""Sentences of the workbench, in Spanish."""

from __future__ import annotations

from kanonym.language.es.workbench import (
    actions,
    batches,
    choices,
    explore,
    hierarchies,
    pages,
    private,
)
from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    **pages.SENTENCES,
    **actions.SENTENCES,
    **batches.SENTENCES,
    **choices.SENTENCES,
    **explore.SENTENCES,
    **hierarchies.SENTENCES,
    **private.SENTENCES,
}
