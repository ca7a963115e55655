"""Free text, and the identifiers that are written in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
import polars as pl

from kanonym.data.errors import KanonymError
from kanonym.profiling.identifiers.finding import Finding, finding_by_values, share_reason
from kanonym.profiling.identifiers.sample import Sample
from kanonym.profiling.reasons import Reason

WORDS = 6
LETTERS = 30
"""Free text has at least so many words and characters in the average of its different values;"""
DIFFERENT = 0.3
"""and so many different values a row, unless the column's name says that it is text."""
TEXTS = 300
"""At most so many texts are analysed; Presidio takes milliseconds for each."""
LEAST_SCORE = 0.5

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


MODELS = ("en_core_web_lg", "en_core_web_trf", "en_core_web_md", "en_core_web_sm")
"""spaCy's English models, best first; the first that is installed is used."""

_INSTALL = f"`python -m spacy download {MODELS[0]}`"


class MissingExtraError(KanonymError, ImportError):
    """A package is needed that is not among kanonym's own requirements."""


class Analyzer(Protocol):
    """What is used of Presidio's `AnalyzerEngine`."""

    def analyze(self, text: str, language: str) -> Iterable[Any]:
        """Return results with `entity_type` and `score`."""


def find_free_text(sample: Sample, hinted: frozenset[str]) -> tuple[Finding, ...]:
    """Return whether the values are sentences, in which anything may be written.

    Parameters
    ----------
    sample
        Values of a column.
    hinted
        Kinds that the column's name hints at.

    """
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

    Parameters
    ----------
    column
        (n,) texts; null and blank ones are left out.
    language
        Of the texts, as Presidio names it; its analyzer must have a model of it.
    analyzer
        Presidio's analyzer, configured; None makes one with the best English model of spaCy
        that is installed (`MODELS`).

    Returns
    -------
    tuple of Finding
        One a kind, by falling share of the rows whose text mentions it with a score of
        `LEAST_SCORE` or more. At most `TEXTS` different texts are read, chosen by their hash.

    Raises
    ------
    MissingExtraError
        No analyzer is given, and Presidio or a language model is not installed. Nothing is
        downloaded.

    Notes
    -----
    What Presidio overlooks is not found: texts without a finding are not free of identifiers.

    """
    sample = Sample.of(column)
    if sample.form != "text" or not sample.values:
        return ()
    engine = analyzer if analyzer is not None else _presidio()
    rows: Counter[str] = Counter()
    texts = list(zip(sample.values, sample.counts.tolist(), strict=True))[:TEXTS]
    for text, count in texts:
        results = engine.analyze(text=text, language=language)
        kinds = {ENTITIES.get(found.entity_type) for found in results if found.score >= LEAST_SCORE}
        rows.update({kind: count for kind in kinds if kind is not None})
    total = sum(count for _, count in texts)
    return tuple(
        finding_by_values(kind, count / total, share_reason("mentions", count / total))
        for kind, count in sorted(rows.items(), key=lambda item: (-item[1], item[0]))
    )


def _presidio() -> Analyzer:
    """Return Presidio's analyzer with an installed English model; nothing is downloaded.

    Presidio by itself would download a missing model, and a list of internet domains for
    addresses; it gets an installed model, and the list that comes with its library.
    """
    try:
        import spacy  # noqa: PLC0415 - an extra, and slow to load
        import tldextract  # noqa: PLC0415
        from presidio_analyzer import AnalyzerEngine  # noqa: PLC0415
        from presidio_analyzer.nlp_engine import NlpEngineProvider  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(
            "finding identifiers in free text needs Presidio, which is not installed: "
            f'pip install "kanonym[text]", and a language model: {_INSTALL}'
        ) from error
    installed = [name for name in MODELS if spacy.util.is_package(name)]
    if not installed:
        raise MissingExtraError(
            "finding identifiers in free text needs an English language model of spaCy, and none "
            f"is installed. kanonym downloads nothing by itself: run {_INSTALL}, or install one "
            f"of {', '.join(MODELS)}"
        )
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())
    models = [{"lang_code": "en", "model_name": installed[0]}]
    configuration = {"nlp_engine_name": "spacy", "models": models}
    provider = NlpEngineProvider(nlp_configuration=configuration)
    engine: Analyzer = AnalyzerEngine(nlp_engine=provider.create_engine())
    return engine
