"""The workbench under differential privacy."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.run.private": (
        "Each run draws other records and spends ε anew. Do not run again for a nicer result."
    ),
    "wb.private.offer": (
        "Differential privacy stands alone, releases columns with a hierarchy that is known "
        "without the table, and draws their levels or takes them as named. The first button "
        "drops other requirements and what cannot be released, and draws levels with a tenth of "
        "ε. Undo brings all of it back."
    ),
    "wb.private.change": "Change the policy so",
    "wb.did.private": "Changed for differential privacy",
    "wb.export.private": (
        "This makes another release, with other records, and spends ε anew: a draw of "
        "differential privacy is not repeated. If both are published, their ε add up."
    ),
    "wb.export.holder": (
        "The public report and the public manifest may go along with the release. The other "
        "report, the manifest and this page have figures of the table that are not private: do "
        "not publish them."
    ),
    "wb.explore.private": (
        "Nothing is compared under differential privacy: a choice by what the table gives would "
        "tell of it. Choose the levels by what is known without the table, or give the "
        "requirement a search_epsilon, by which they are drawn."
    ),
    "wb.batches.private": (
        "No recoding is kept under differential privacy: a next batch is a release of its own, "
        "with an ε of its own."
    ),
    "wb.private": (
        "Differential privacy covers the release and its public files, nothing else on this page: "
        "all other figures depend on the records. They are for you alone. Do not choose settings "
        "by them."
    ),
    "wb.unrepeatable": (
        "This release was made without a seed, so the same one cannot be made again to look at "
        "its records. Its files are kept. Run again for another release."
    ),
    "wb.status.mechanism": "{model}: a promise of the draw; nothing to count",
    "wb.ledger": "Ledger",
    "wb.ledger.file": "File that adds up what all releases of this table have spent",
    "wb.ledger.note": (
        "Use the same file for every release of this table and of its later versions, on this "
        "page, on the command line and in Python. Each run spends from it before a record is "
        "drawn."
    ),
    "wb.ledger.spent": (
        "Spent so far, by this file: ε = {epsilon}, δ = {delta}. Releases: {releases}."
    ),
}
