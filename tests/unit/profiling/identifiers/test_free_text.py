"""Free text, and what an analyzer finds in it."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import polars as pl
import pytest
from faker import Faker

from kanonym.data.errors import KanonymError
from kanonym.profiling.identifiers import MissingExtraError, find_identifiers, find_in_text


def texts(count=40):
    """Return invented texts."""
    faker = Faker()
    faker.seed_instance(1)
    return [faker.text(150) for _ in range(count)]


class Words:
    """An analyzer that takes each text with some word for an entity, and counts its calls."""

    def __init__(self, **entities):
        """Take words by the entity that they stand for, and the score of all."""
        self.score = entities.pop("score", 0.9)
        self.entities, self.languages = entities, []

    def analyze(self, text, language):
        """Return one result for each word that is in the text."""
        self.languages.append(language)
        return [
            SimpleNamespace(entity_type=entity, score=self.score)
            for entity, word in self.entities.items()
            if word in text
        ]


def test_long_different_texts_are_free_text():
    """Sentences that differ from row to row may say anything."""
    (finding,) = find_identifiers(pl.Series("v", texts()))
    assert (finding.kind, finding.by, finding.safe_harbor) == ("free text", "values", None)


def test_a_name_adds_to_the_evidence():
    """A column of remarks with long texts is free text by both."""
    assert find_identifiers(pl.Series("Bemerkung", texts()))[0].by == "both"


@pytest.mark.parametrize("name", ["v", "comment"])
def test_short_codes_are_no_free_text(name):
    """Answers of one word are none, whatever the column is called."""
    assert find_identifiers(pl.Series(name, ["good", "bad", "fair"] * 20)) == ()


def test_long_answers_to_choose_from_are_no_free_text():
    """Sentences that many rows share were not written for one of them."""
    assert find_identifiers(pl.Series("v", texts(6) * 20)) == ()


def test_kinds_in_texts_come_with_the_share_of_their_rows():
    """Each kind counts the rows whose text mentions it, the commonest first."""
    column = pl.Series("note", ["Ada called", "Ada, mail a@b.c", "Ada, mail d@e.f", "nobody"] * 2)
    found = find_in_text(column, analyzer=Words(PERSON="Ada", EMAIL_ADDRESS="mail"))
    assert [(one.kind, one.share) for one in found] == [
        ("name of a person", 0.75),
        ("e-mail address", 0.5),
    ]


def test_what_is_uncertain_or_no_identifier_is_left_out():
    """Scores under one half and dates count for nothing."""
    column = pl.Series("note", ["Ada came on Monday"] * 3)
    assert find_in_text(column, analyzer=Words(PERSON="Ada", score=0.4)) == ()
    assert find_in_text(column, analyzer=Words(DATE_TIME="Monday")) == ()


def test_the_language_is_handed_on():
    """The analyzer reads the texts in their language, each different one once."""
    analyzer = Words()
    find_in_text(
        pl.Series("note", ["Guten Tag", "Guten Tag", None]), language="de", analyzer=analyzer
    )
    assert analyzer.languages == ["de"]


@pytest.mark.parametrize("values", [[1, 2], [None, None], ["", "  "]])
def test_columns_without_texts_need_no_analyzer(values):
    """Numbers and nulls hold nothing to read."""
    assert find_in_text(pl.Series("note", values)) == ()


def test_without_presidio_the_error_says_what_to_install(monkeypatch):
    """The extra is named, in one of our errors."""
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(MissingExtraError, match=r'pip install "kanonym\[text\]"') as caught:
        find_in_text(pl.Series("note", ["Ada called"]))
    assert isinstance(caught.value, KanonymError)
    assert isinstance(caught.value, ImportError)


def presidio_with(monkeypatch, *models):
    """Take the place of Presidio and spaCy with these models; return what was asked of them."""
    asked = SimpleNamespace(configuration=None, lists=None)

    def provider(nlp_configuration):
        asked.configuration = nlp_configuration
        return SimpleNamespace(create_engine=lambda: "engine")

    def extract(suffix_list_urls):
        asked.lists = suffix_list_urls

    modules = {
        "spacy": SimpleNamespace(util=SimpleNamespace(is_package=models.__contains__)),
        "tldextract": SimpleNamespace(tldextract=SimpleNamespace(), TLDExtract=extract),
        "presidio_analyzer": SimpleNamespace(
            AnalyzerEngine=lambda nlp_engine, **_: Words(PERSON="Ada" if nlp_engine else "")
        ),
        "presidio_analyzer.nlp_engine": SimpleNamespace(NlpEngineProvider=provider),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return asked


def test_the_best_installed_model_is_used_and_nothing_is_fetched(monkeypatch):
    """Presidio gets an installed model by name, and no address of a list of domains."""
    asked = presidio_with(monkeypatch, "en_core_web_sm", "en_core_web_md")
    (finding,) = find_in_text(pl.Series("note", ["Ada called"]))
    assert finding.kind == "name of a person"
    assert asked.configuration["models"] == [{"lang_code": "en", "model_name": "en_core_web_md"}]
    assert asked.lists == ()


def test_a_missing_model_is_an_error_not_a_download(monkeypatch):
    """The error names the command that installs a model; Presidio is not started."""
    asked = presidio_with(monkeypatch, "de_core_news_sm")
    with pytest.raises(MissingExtraError, match="spacy download en_core_web_lg"):
        find_in_text(pl.Series("note", ["Ada called"]))
    assert asked.configuration is None
