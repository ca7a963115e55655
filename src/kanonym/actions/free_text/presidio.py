"""Presidio, with a language model that is installed: nothing is downloaded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from kanonym.actions.free_text.rules import Kind, Mention
from kanonym.data.errors import KanonymError

MODELS = {
    "en": ("en_core_web_lg", "en_core_web_trf", "en_core_web_md", "en_core_web_sm"),
    "es": ("es_core_news_lg", "es_dep_news_trf", "es_core_news_md", "es_core_news_sm"),
    "de": ("de_core_news_lg", "de_dep_news_trf", "de_core_news_md", "de_core_news_sm"),
}
"""spaCy's models of each language, best first; the first that is installed is used."""

LEAST_SCORE = 0.5
"""What Presidio is less sure of is not taken as found."""

_LANGUAGES = {"en": "an English", "es": "a Spanish", "de": "a German"}

_KINDS: dict[str, Kind] = {
    "PERSON": "name",
    "LOCATION": "place",
    "DATE_TIME": "date",
    "EMAIL_ADDRESS": "contact",
    "PHONE_NUMBER": "contact",
    "URL": "contact",
    "IP_ADDRESS": "contact",
    "MAC_ADDRESS": "contact",
    "IBAN_CODE": "contact",
}
"""What Presidio calls it, and what it is here; everything else that it finds is a number."""


class MissingExtraError(KanonymError, ImportError):
    """A package is needed that is not among kanonym's own requirements."""


class Analyzer(Protocol):
    """What is used of Presidio's `AnalyzerEngine`."""

    def analyze(self, text: str, language: str) -> Iterable[Any]:
        """Return results with `entity_type`, `score`, `start` and `end`."""


def find_by_presidio(analyzer: Analyzer, text: str, language: str) -> list[Mention]:
    """Return what Presidio finds in a text; mentions may overlap."""
    return [
        Mention(one.start, one.end, _KINDS.get(one.entity_type, "number"))
        for one in analyzer.analyze(text=text, language=language)
        if one.score >= LEAST_SCORE and one.entity_type != "NRP"
    ]


def load_presidio(language: str = "en") -> Analyzer:
    """Return Presidio's analyzer with an installed model of a language; nothing is downloaded.

    Presidio by itself would download a missing model, and a list of internet domains for
    addresses; it gets an installed model, and the list that comes with its library.
    """
    models = MODELS[language]
    install = f"`python -m spacy download {models[0]}`"
    try:
        import spacy  # noqa: PLC0415 - an extra, and slow to load
        import tldextract  # noqa: PLC0415
        from presidio_analyzer import AnalyzerEngine  # noqa: PLC0415
        from presidio_analyzer.nlp_engine import NlpEngineProvider  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(
            "finding identifiers in free text needs Presidio, which is not installed: "
            f'pip install "kanonym[text]", and a language model: {install}'
        ) from error
    installed = [name for name in models if spacy.util.is_package(name)]
    if not installed:
        raise MissingExtraError(
            f"finding identifiers in free text needs {_LANGUAGES[language]} language model of "
            f"spaCy, and none is installed. kanonym downloads nothing by itself: run {install}, "
            f"or install one of {', '.join(models)}"
        )
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())
    configuration = {
        "nlp_engine_name": "spacy",
        "models": [{"lang_code": language, "model_name": installed[0]}],
    }
    provider = NlpEngineProvider(nlp_configuration=configuration)
    engine: Analyzer = AnalyzerEngine(
        nlp_engine=provider.create_engine(), supported_languages=[language]
    )
    return engine
