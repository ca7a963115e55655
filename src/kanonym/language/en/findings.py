"""What takes the green off the banner, one sentence per kind of warning.

Facts: `columns`, and the counts of the warning by name.
"""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "finding.repeated-identifier": (
        "{values} values of “{columns}” occur in {records} records. If these are several records "
        "of one person, the figures below count records, not people."
    ),
    "finding.person-column": (
        "{columns}: {values} values in {records} records, which determine others: these look "
        "like several records of one person each, and k counts records, not people."
    ),
    "finding.repeated-persons": (
        "The records agree in {columns} as several records of one person do: {values} combinations "
        "in {records} records, of which {alone} are alone. k counts records, not people."
    ),
    "finding.unprotected-sensitive": (
        "No requirement protects {columns}: all records of a class may have the same value, which "
        "is then known for everybody in it."
    ),
    "finding.dominant-value": (
        "In {classes} of the classes, with {records} of the records, nearly all records share one "
        "value of “{columns}”, up to {share}: there it is as good as known."
    ),
    "finding.near-values": (
        "In {classes} of the classes, with {records} of the records, nearly all values of "
        "“{columns}” are close to each other: they are different, but each is known nearly."
    ),
    "finding.similar-values": (
        "In {classes} of the classes, with {records} of the records, nearly all values of "
        "“{columns}” begin with the same word or code: they are different, but what they have in "
        "common is known."
    ),
    "finding.identifying-amount": (
        "{columns}: released, although up to {records} records have a unique value. Whoever knows "
        "it finds the person."
    ),
    "finding.free-text": (
        "{columns}: free text is released. Names and whole stories may be written in it, also "
        "where identifiers that were found have been replaced: no requirement protects them."
    ),
    "finding.long-list": (
        "{columns}: {records} records have a label that lists more than ten values, up to "
        "{longest}. Every listed value is somebody’s; a range or a hierarchy shows fewer."
    ),
    "finding.items-apart": (
        "{columns}: items and quasi-identifiers are protected apart. Whoever knows both may find "
        "fewer records, or one; k-km-anonymity protects them together."
    ),
    "finding.trivial-model": (
        "Some requirements are always met ({models} of {requirements}): every record could have "
        "been released unchanged."
    ),
    "finding.drawn-values": (
        "Values of {columns} were drawn from labels: records with equal values are together by "
        "chance, and the figures below protect nobody. What counts is the table with the labels."
    ),
    "finding.not-private": (
        "A seed was given: whoever knows it can repeat what was drawn. This release is not "
        "differentially private."
    ),
    "finding.unrecorded": (
        "Not recorded in a ledger: each further release of the same table adds its ε. A ledger "
        "sums them."
    ),
    "finding.large-delta": (
        "δ is a chance of 1 in {one_in}, and {released} records were released: such a δ allows a "
        "mechanism to publish some records as they are. Use 1e-6 or less."
    ),
    "finding.foreign-labels": (
        "{columns}: released values that are not those of one level of the hierarchy, or a column "
        "that the policy does not release."
    ),
    "finding.date-intervals": (
        "{columns}: the times between the shifted dates of a person stay as they are and do not "
        "count. Persons who share these times with fewer than {k} of their class, themselves "
        "included: {persons}."
    ),
    "finding.unshifted-dates": (
        "{columns}: dates that do not shift with the other dates of the person. Where both are "
        "about one event, the difference tells the shift."
    ),
    "finding.copied-column": (
        "{columns}: the values repeat those of a column that is generalized or replaced, and are "
        "released as they are."
    ),
    "finding.batches-together": (
        "{columns}: this batch and earlier ones together leave fewer values open of persons who "
        "are in several than the requirements ask. Persons of whom one is left, which is then "
        "known: {known}."
    ),
    "finding.spellings": (
        "{columns}: {values} values, which read as {different}: others differ only in case, "
        "spaces, accents, signs that look alike or are not seen, punctuation at the end, or the "
        "form of a number or a date, or are words for a missing value. Counted as one, they do not "
        "satisfy the requirements."
    ),
    "finding.shifted-distribution": (
        "{columns}: the requirements hold beside the original table, and not beside the released "
        "one, from which records are suppressed."
    ),
    "finding.unread-parts": (
        "The file has more than its table, which is not verified: {parts} parts such as further "
        "sheets, comments or metadata."
    ),
    "finding.dependent-column": (
        "{columns}: released unchanged, although a quasi-identifier can be told from it, or it "
        "from one. Counted with the quasi-identifiers, up to {records} records are in classes of "
        "fewer than {k}."
    ),
    "finding.knowable-column": (
        "{columns}: released unchanged without a role of their own, although by their names others "
        "may know them. Counted with the quasi-identifiers, up to {records} records are in classes "
        "of fewer than {k}."
    ),
    "finding.no-records": "No record was released, so there was nothing to check.",
}
