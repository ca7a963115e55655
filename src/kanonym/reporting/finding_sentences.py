"""The sentence of each kind of finding."""

from __future__ import annotations

from collections.abc import Mapping

from kanonym.data.errors import gettext as _

FINDINGS: Mapping[str, str] = {
    "repeated-identifier": _(
        "{values} values of “{columns}” occur in {records} records. If these are several records "
        "of one person, the figures below count records, not people."
    ),
    "person-column": _(
        "{columns}: {values} values in {records} records, which determine others: these look like "
        "several records of one person each, and k counts records, not people."
    ),
    "repeated-persons": _(
        "The records agree in {columns} as several records of one person do: {values} combinations "
        "in {records} records, of which {alone} are alone. k counts records, not people."
    ),
    "unprotected-sensitive": _(
        "No requirement protects {columns}: all records of a class may have the same value, which "
        "is then known for everybody in it."
    ),
    "dominant-value": _(
        "In {classes} of the classes, with {records} of the records, nearly all records share one "
        "value of “{columns}”, up to {share}: there it is as good as known."
    ),
    "near-values": _(
        "In {classes} of the classes, with {records} of the records, nearly all values of "
        "“{columns}” are close to each other: they are different, but each is known nearly."
    ),
    "similar-values": _(
        "In {classes} of the classes, with {records} of the records, nearly all values of "
        "“{columns}” begin with the same word or code: they are different, but what they have in "
        "common is known."
    ),
    "identifying-amount": _(
        "{columns}: released, although up to {records} records have a unique value. Whoever knows "
        "it finds the person."
    ),
    "free-text": _(
        "{columns}: free text is released. Names and whole stories may be written in it, also "
        "where identifiers that were found have been replaced: no requirement protects them."
    ),
    "long-list": _(
        "{columns}: {records} records have a label that lists more than ten values, up to "
        "{longest}. Every listed value is somebody’s; a range or a hierarchy shows fewer."
    ),
    "items-apart": _(
        "{columns}: items and quasi-identifiers are protected apart. Whoever knows both may find "
        "fewer records, or one; k-km-anonymity protects them together."
    ),
    "trivial-model": _(
        "Some requirements are always met ({models} of {requirements}): every record could have "
        "been released unchanged."
    ),
    "drawn-values": _(
        "Values of {columns} were drawn from labels: records with equal values are together by "
        "chance, and the figures below protect nobody. What counts is the table with the labels."
    ),
    "not-private": _(
        "A seed was given: whoever knows it can repeat what was drawn. This release is not "
        "differentially private."
    ),
    "unrecorded": _(
        "Not recorded in a ledger: each further release of the same table adds its ε. A ledger "
        "sums them."
    ),
    "large-delta": _(
        "δ is a chance of 1 in {one_in}, and {released} records were released: such a δ allows a "
        "mechanism to publish some records as they are. Use 1e-6 or less."
    ),
    "foreign-labels": _(
        "{columns}: released values that are not those of one level of the hierarchy, or a column "
        "that the policy does not release."
    ),
    "date-intervals": _(
        "{columns}: the times between the shifted dates of a person stay as they are and do not "
        "count. Persons who share these times with fewer than {k} of their class, themselves "
        "included: {persons}."
    ),
    "unshifted-dates": _(
        "{columns}: dates that do not shift with the other dates of the person. Where both are "
        "about one event, the difference tells the shift."
    ),
    "copied-column": _(
        "{columns}: the values repeat those of a column that is generalized or replaced, and are "
        "released as they are."
    ),
    "batches-together": _(
        "{columns}: this batch and earlier ones together leave fewer values open of persons who "
        "are in several than the requirements ask. Persons of whom one is left, which is then "
        "known: {known}."
    ),
    "spellings": _(
        "{columns}: {values} values, which read as {different}: others differ only in case, "
        "spaces, accents, signs that look alike or are not seen, punctuation at the end, or the "
        "form of a number or a date, or are words for a missing value. Counted as one, they do not "
        "satisfy the requirements."
    ),
    "shifted-distribution": _(
        "{columns}: the requirements hold beside the original table, and not beside the released "
        "one, from which records are suppressed."
    ),
    "unread-parts": _(
        "The file has more than its table, which is not verified: {parts} parts such as further "
        "sheets, comments or metadata."
    ),
    "dependent-column": _(
        "{columns}: released unchanged, although a quasi-identifier can be told from it, or it "
        "from one. Counted with the quasi-identifiers, up to {records} records are in classes of "
        "fewer than {k}."
    ),
    "knowable-column": _(
        "{columns}: released unchanged without a role of their own, although by their names others "
        "may know them. Counted with the quasi-identifiers, up to {records} records are in classes "
        "of fewer than {k}."
    ),
    "no-records": _("No record was released, so there was nothing to check."),
}
