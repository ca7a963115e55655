"""Free text, and the identifiers that are written in it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from kanonym.actions.free_text.presidio import (
    LEAST_SCORE,
    Analyzer,
    MissingExtraError,
    load_presidio,
)
from kanonym.profiling.identifiers.sample import Finding, Sample, finding_by_values, share_reason
from kanonym.profiling.reasons import Reason

WORDS = 6
LETTERS = 30
"""Free text has at least so many words and characters in the average of its different values;"""
DIFFERENT = 0.3
"""and so many different values a row, unless the column's name says that it is text."""
TEXTS = 300
"""At most so many texts are analysed; Presidio takes milliseconds for each."""
__all__ = ["MissingExtraError", "find_free_text", "find_in_text"]

_LEAST_TEXTS = 5

ENTITIES = {
    "PERSON": "name of a person",
    "EMAIL_ADDRESS": "e-mail address",
    "PHONE_NUMBER": "phone number",
    "URL": "web address",
    "IP_ADDRESS": "IP address",
    "MAC_ADDRESS": "MAC address",
    "CREDIT_CARD": "card number",
    "IBAN_CODE": "IBAN",
    "US_BANK_NUMBER": "account number",
    "CRYPTO": "account number",
    "US_SSN": "social security number",
    "US_PASSPORT": "passport number",
    "US_DRIVER_LICENSE": "licence number",
    "MEDICAL_LICENSE": "licence number",
    "US_ITIN": "national number",
    "UK_NHS": "national number",
    "UK_NINO": "national number",
    "ES_NIF": "national number",
    "ES_NIE": "national number",
    "IT_FISCAL_CODE": "national number",
    "PL_PESEL": "national number",
    "FI_PERSONAL_IDENTITY_CODE": "national number",
    "IN_AADHAAR": "national number",
    "SG_NRIC_FIN": "national number",
    "AU_TFN": "national number",
    "AU_MEDICARE": "insurance number",
}
"""What Presidio calls it, and which kind of identifier it is. Places, dates and nationalities
are left out: they are quasi-identifiers."""


def find_free_text(sample: Sample, hinted: frozenset[str]) -> tuple[Finding, ...]:
    """Return whether the values are sentences, in which anything may be written."""
    if sample.form != "text" or len(sample.values) < _LEAST_TEXTS:
        return ()
    words = np.array([len(value.split()) for value in sample.values])
    letters = np.array([len(value) for value in sample.values])
    if words.mean() < WORDS or letters.mean() < LETTERS:
        return ()
    if sample.distinctness < DIFFERENT and "free text" not in hinted:
        return ()
    share = sample.share((words >= WORDS // 2) & (letters >= LETTERS // 2))
    reason = Reason("free-text", {"words": round(words.mean())})
    return (finding_by_values("free text", share, reason),)


def find_in_text(
    column: pl.Series, *, language: str = "en", analyzer: Analyzer | None = None
) -> tuple[Finding, ...]:
    """Return the kinds of identifier that are written in the texts of a column.

    column: (n,) texts; null and blank ones are left out.

    Notes
    -----
    What Presidio overlooks is not found: texts without a finding are not free of identifiers.
    """
    sample = Sample.of(column)
    if sample.form != "text" or not sample.values:
        return ()
    engine = analyzer if analyzer is not None else load_presidio()
    rows: Counter[str] = Counter()
    texts = list(zip(sample.values, sample.counts.tolist(), strict=True))[:TEXTS]
    for text, count in texts:
        results = engine.analyze(text=text, language=language)
        kinds = {
            ENTITIES.get(result.entity_type) for result in results if result.score >= LEAST_SCORE
        }
        rows.update({kind: count for kind in kinds if kind is not None})
    total = sum(count for _, count in texts)
    return tuple(
        finding_by_values(kind, count / total, share_reason("mentions", count / total))
        for kind, count in sorted(rows.items(), key=lambda item: (-item[1], item[0]))
    )
