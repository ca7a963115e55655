"""The workbench under differential privacy."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.did.private": "Changed for differential privacy",
    "wb.export.private": (
        "This makes another release, with other records, and spends ε anew: a draw of "
        "differential privacy is not repeated. If both are published, their ε add up."
    ),
    "wb.explore.private": (
        "Nothing is compared under differential privacy: a choice by what the table gives would "
        "tell of it. Choose the levels by what is known without the table, or give the "
        "requirement a search_epsilon, by which they are drawn."
    ),
    "wb.unrepeatable": (
        "This release was made without a seed, so the same one cannot be made again to look at "
        "its records. Its files are kept. Run again for another release."
    ),
    "wb.status.mechanism": "{model}: a promise of the draw; nothing to count",
}
