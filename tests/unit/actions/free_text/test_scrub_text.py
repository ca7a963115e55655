"""Scrubbing free text: what rules find, what the table knows, and what takes its place."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
from kanonym.actions.base import Context
from kanonym.actions.free_text.presidio import MissingExtraError
from kanonym.actions.free_text.rules import LANGUAGES, Mention, find_by_rules, merge_mentions
from kanonym.actions.free_text.scrub_text import ScrubText
from kanonym.data.errors import PolicyError

ENGLISH = [
    ("Seen on 3 May 2020 and on 04/17/2020.", "Seen on [date] and on [date]."),
    ("Mrs Quillfeather called 555-123-4567.", "Mrs [name] called [contact]."),
    ("Her son Robert Quillfeather came.", "Her son [name] came."),
    ("Mail a.b+c@clinic.example.org today", "Mail [contact] today"),
    ("Lives in Springfield with two cats.", "Lives in [place] with two cats."),
    ("At 12 Oak Hill Road, MRN 12345678.", "At [place], MRN [number]."),
    ("BP 120/80, 40 mg, 6 weeks, 37.5 degrees.", "BP 120/80, 40 mg, 6 weeks, 37.5 degrees."),
    ("See https://example.org/a?b=1 or @anna_b", "See [contact] or [contact]"),
]
SPANISH = [
    ("Ingresó el 3 de mayo de 2020.", "Ingresó el [date]."),
    ("La Sra. Quintanilla vive en San Sebastián.", "La Sra. [name] vive en [place]."),
    ("Calle de Alcalá 12, tel. 612 345 678", "[place], tel. [contact]"),
    ("Presión 120/80, 500 mg dos veces", "Presión 120/80, 500 mg dos veces"),
]
GERMAN = [
    ("Aufnahme am 3. Mai 2020, Kontrolle 17.06.20.", "Aufnahme am [date], Kontrolle [date]."),
    ("Frau Müller-Lüdenscheidt wohnt in Köln.", "Frau [name] wohnt in [place]."),
    ("Anschrift: Lindenstraße 4a, 50667 Köln.", "Anschrift: [place], [place]."),
    ("Blutdruck 120/80, Metformin 500 mg", "Blutdruck 120/80, Metformin 500 mg"),
]


def scrubbed(texts, table=None, **options):
    """Return texts as the action leaves them; table: the other columns."""
    column = None if table is None else pl.DataFrame(table).get_column
    context = Context(np.random.default_rng(0), column)
    return ScrubText(**options).apply(pl.Series("note", texts, pl.String), context).to_list()


@pytest.mark.parametrize(
    ("language", "given", "expected"),
    [
        *(("en", *one) for one in ENGLISH),
        *(("es", *one) for one in SPANISH),
        *(("de", *one) for one in GERMAN),
    ],
)
def test_rules_replace_what_identifies_and_leave_the_rest(language, given, expected):
    """Each mention becomes its kind; measurements and doses stay."""
    assert scrubbed([given], language=language) == [expected]


def test_null_stays_null():
    """A record without a text has none afterwards."""
    assert scrubbed([None, "Dr Who"]) == [None, "Dr [name]"]


def test_words_of_the_named_columns_are_found_without_a_title():
    """A surname alone is found where a column of the table has it, in whatever record."""
    table = {"name": ["Quillfeather, Zebedee", "Ada Przybylski"]}
    notes = ["Przybylski drove Quillfeather home.", "No change for PRZYBYLSKI."]
    expected = ["[name] drove [name] home.", "No change for [name]."]
    assert scrubbed(notes, table, columns=["name"]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("przybylski called, ada too.", "[name] called, [name] too."),
        ("Przybylski's pain; von Ada", "[name] pain; von [name]"),
        ("sent by von der ada", "sent by von der [name]"),
        ("an x-ray, will be read", "an x-ray, will be read"),
        ("Wu came, wu left; wung", "[name] came, wu left; wung"),
        ("adamant przybylskis", "adamant przybylskis"),
        ("Befund Przybylskis", "Befund [name]"),
    ],
)
def test_words_of_the_table_are_found_in_any_case(text, expected):
    """Small letters, genitives and two letters are found at word borders; ordinary words stay."""
    table = {"name": ["Ada von der Przybylski Wu Ray Will", "Bo"]}
    assert scrubbed([text, "Wu"], table, columns=["name"]) == [expected, "Wu"]


def test_names_that_many_texts_use_as_words_are_left_in_small_letters():
    """Long is a name with a capital letter; a word of many texts is none, except in its own."""
    names = ["Long", *["Quill"] * 9]
    texts = ["a long day, Long", *["a long day, quill and Long"] * 9]
    found = scrubbed(texts, {"name": names}, columns=["name"])
    assert found == ["a [name] day, [name]", *["a long day, [name] and [name]"] * 9]


def test_removal_leaves_no_double_blanks():
    """With `remove`, nothing stands where a mention was."""
    assert scrubbed(["Saw Mrs Smith today"], replace="remove") == ["Saw today"]


def test_pseudonyms_are_those_of_the_table():
    """The record's own name in its note becomes what the released column of names holds."""
    table = pl.DataFrame(
        {
            "name": ["Zebedee Quillfeather", "Ada Przybylski"],
            "note": ["Quillfeather feels well.", "Ada Przybylski met Zebedee Quillfeather."],
        }
    )
    note = {"type": "scrub-text", "columns": ["name"], "replace": "pseudonym"}
    released = ka.transform(table, {"name": "surrogate", "note": note}, seed=3)
    first, second = released["name"]
    assert released["note"].to_list() == [f"{first} feels well.", f"{second} met [name]."]


def test_a_column_without_pseudonyms_is_refused():
    """Where no action makes pseudonyms, the raw value would be the pseudonym."""
    table = pl.DataFrame({"name": ["Ada"], "note": ["Ada came"]})
    note = {"type": "scrub-text", "columns": ["name"], "replace": "pseudonym"}
    with pytest.raises(PolicyError, match="column 'name' has no action that makes pseudonyms"):
        ka.transform(table, {"note": note}, seed=0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"language": "fr"}, "language is 'fr'"),
        ({"replace": "hash"}, "replace is 'hash'"),
        ({"detector": "magic"}, "detector is 'magic'"),
        ({"columns": [1]}, "must be column names"),
        ({"replace": "pseudonym"}, "set columns"),
    ],
)
def test_wrong_parameters_are_named(options, said):
    """Each wrong parameter is an error that says what it may be."""
    with pytest.raises(PolicyError, match=said):
        ScrubText(**options)


def test_presidio_that_is_not_installed_is_named(monkeypatch):
    """The error says what to install; nothing is downloaded."""
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*es_core_news_lg"):
        scrubbed(["Hola"], detector="presidio", language="es")


def test_presidio_adds_to_the_rules(monkeypatch):
    """What either finds is replaced; what Presidio is unsure of is not."""

    def analyze(text, language):
        assert language == "en"
        start = text.index("Zebedee")
        yield SimpleNamespace(entity_type="PERSON", score=0.9, start=start, end=start + 7)
        yield SimpleNamespace(entity_type="PERSON", score=0.1, start=0, end=2)

    monkeypatch.setattr(
        "kanonym.actions.free_text.scrub_text.load_presidio",
        lambda _: SimpleNamespace(analyze=analyze),
    )
    assert scrubbed(["Zebedee came on 2020-05-03"], detector="presidio") == [
        "[name] came on [date]"
    ]


@given(st.text(max_size=300), st.sampled_from(LANGUAGES))
def test_mentions_lie_in_the_text_and_do_not_overlap(text, language):
    """Whatever the text, mentions are parts of it, in order, one after the other."""
    mentions = merge_mentions(find_by_rules(text, language))
    places = [place for one in mentions for place in (one.start, one.end)]
    assert places == sorted(places)
    assert all(0 <= one.start < one.end <= len(text) for one in mentions)


def test_overlapping_mentions_become_one():
    """The one that came first gives the kind; all of both is covered."""
    found = [Mention(4, 9, "date"), Mention(0, 5, "name"), Mention(9, 12, "place")]
    assert merge_mentions(found) == [Mention(0, 9, "date"), Mention(9, 12, "place")]


def test_long_texts_of_one_kind_end_soon():
    """No rule needs more than a moment for digits, letters or blanks without end."""
    for piece in ("1", "a", "A", "Aa ", " ", "1-", "a@", "+1 ", "Calle de la "):
        list(find_by_rules(piece * 2_000, "es"))
