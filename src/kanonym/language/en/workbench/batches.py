"""Notebooks and further batches in the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.job.fit": "Keeping the recoding",
    "wb.job.batch": "Releasing the next batch",
    "wb.export.notebook": "Download as a notebook",
    "wb.batches": "Next batches",
    "wb.batches.note": (
        "If more records of the same kind come later, do not anonymize them anew: two releases by "
        "different classes can be compared. Keep the recoding of this release and apply it to "
        "each batch; each is checked by itself and together with all before it."
    ),
    "wb.batches.keep": "Keep this recoding",
    "wb.batches.not": "The recoding of this release cannot be kept.",
    "wb.batches.kept": "The recoding is in {place}; it counts this release as its first batch.",
    "wb.batches.path": "Table of the next batch",
    "wb.batches.do": "Release this batch",
    "wb.batches.done": (
        "Batch {number}: {rows_out} of {rows_in} records released into {place}. Checked together "
        "with all before it: {rows} records."
    ),
}
