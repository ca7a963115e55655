"""Actions on columns in the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.screen.actions": "Actions",
    "wb.actions.when.before": "before the algorithm, on the values of the table",
    "wb.actions.when.after": "after the algorithm, on the released values",
    "wb.actions.kind.masking": "Masking",
    "wb.actions.kind.pseudonymization": "Pseudonyms",
    "wb.actions.kind.perturbation": "Noise and exchange",
    "wb.actions.kind.free_text": "Free text",
    "wb.did.action": "{column}: action {action}",
    "wb.did.unaction": "{column}: action {action} removed",
}
