"""Notebooks and further batches in the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.job.fit": "Keeping the recoding",
    "wb.job.batch": "Releasing the next batch",
}
