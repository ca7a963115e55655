"""Actions on columns in the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.screen.actions": "Actions",
    "wb.actions.lead": (
        "An action changes the values of one column, cell by cell: it masks, rounds, adds noise, "
        "or gives pseudonyms. No action gives k-anonymity by itself: the requirements are checked "
        "after all actions."
    ),
    "wb.actions.dropped": (
        "This column is an identifier without an action: it is not released. With an action it is "
        "released, changed."
    ),
    "wb.actions.released": (
        "This column is an identifier that is released, as its actions leave it."
    ),
    "wb.actions.none": "This column has no action.",
    "wb.actions.protects": "Protects",
    "wb.actions.exposes": "Does not protect",
    "wb.actions.add": "Add an action",
    "wb.actions.form": "Action: {action}",
    "wb.actions.when": "when",
    "wb.actions.when.before": "before the algorithm, on the values of the table",
    "wb.actions.when.after": "after the algorithm, on the released values",
    "wb.actions.kind.masking": "Masking",
    "wb.actions.kind.pseudonymization": "Pseudonyms",
    "wb.actions.kind.perturbation": "Noise and exchange",
    "wb.actions.kind.free_text": "Free text",
    "wb.actions.example": "Example: cells of this table",
    "wb.actions.try": "Show an example",
    "wb.actions.was": "in the table",
    "wb.actions.is": "after the actions",
    "wb.actions.changed": "{changed} of {rows} cells are changed.",
    "wb.actions.sampled": "The first {values} distinct values were tried.",
    "wb.actions.late": (
        "Actions on released values are not in this example: Results shows them once a release "
        "was made."
    ),
    "wb.did.action": "{column}: action {action}",
    "wb.did.unaction": "{column}: action {action} removed",
}
