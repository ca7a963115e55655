"""Laws of the catalogues: the same keys, the same facts, and no sentence of another language."""

from __future__ import annotations

import ast
import html
import importlib
import io
import pickle
import pkgutil
import re
import string
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import kanonym
from kanonym import metrics
from kanonym.data.errors import DataError, Message
from kanonym.evaluation import risk, utility
from kanonym.evaluation.attacks import ATTACKS
from kanonym.evaluation.risk.presets import PRESETS
from kanonym.language import ENGLISH, LANGUAGES, SPANISH, translator
from kanonym.metrics.information_loss import METRICS
from kanonym.metrics.measured_value import Meaning
from kanonym.reporting import render, render_comparison, render_frontier
from kanonym.reporting.known.attacks import PARTS, UNIT_NAMES
from report_parts import COMPARISON, KNOWN, NODES

FOLDER = Path(kanonym.__file__).parent / "language/locale/es/LC_MESSAGES"
CATALOGUE = read_po(io.BytesIO((FOLDER / "kanonym.po").read_bytes()))
SCRIPT = Path(__file__).parents[3] / "scripts/messages.py"
SAME = 12
"""Shorter texts, such as RMSE or no, may be the same in both languages."""


def texts(entry):
    """Return the templates of an entry."""
    return entry if isinstance(entry, tuple) else (entry,)


def facts(entry):
    """Return the facts that an entry names."""
    parts = (part for text in texts(entry) for part in string.Formatter().parse(text))
    return {name for _, name, _, _ in parts if name}


def test_translations_name_the_same_facts():
    """No number and no name is lost in translation."""
    assert all(facts(one.id) == facts(one.string) for one in CATALOGUE if one.id)


@pytest.fixture(scope="module")
def messages():
    """Return the templates of the messages in the sources; each is written out where it is said."""
    calls = [
        node
        for path in Path(kanonym.__file__).parent.rglob("*.py")
        if path.name != "message.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Message"
    ]
    assert all(isinstance(call.args[0], ast.Constant) for call in calls)
    return [call.args[0].value for call in calls]


def measures():
    """Return every measure of risk and utility that the package defines."""
    kinds = [kind for name, kind in METRICS.items() if name != "weighted"]  # a price of losses
    found = {kind.type: kind for kind in kinds}
    modules = [
        importlib.import_module(module.name)
        for package in (metrics, risk, utility)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    for module in modules:
        for one in vars(module).values():
            several = one.values() if isinstance(one, dict) else one
            several = several if isinstance(several, tuple | type({}.values())) else [one]
            found |= {each.name: each for each in several if isinstance(each, Meaning)}
    return found


def test_every_measure_declares_its_name_and_its_unit():
    """No figure stands without a unit, and no name is that of the JSON contract."""
    found = measures()
    assert len(found) > 80
    assert [name for name, one in found.items() if not (one.title and one.counted)] == []


def test_every_unit_of_a_part_is_used():
    """The catalogue has the units that parts of attacks name, and no other."""
    assert {unit for unit, _ in PARTS.values()} == set(UNIT_NAMES)


@pytest.mark.parametrize(
    ("number", "text"),
    [(9.353e-08, "under 0.0001"), (-4e-16, "0 to −0.0001"), (0.00012, "0.00012"), (0.0, "0")],
)
def test_values_are_written_as_people_read_them(number, text):
    """No reader is shown a power of ten."""
    assert ENGLISH.value(number) == text


def fragments(template):
    """Return the fixed words of a template that are long enough to be of one language."""
    words = [fixed for fixed, *_ in string.Formatter().parse(template)]
    return [text.strip(" .,;:()") for text in words if len(text.strip(" .,;:()")) > SAME]


def english_in(text):
    """Return the fixed words of English sentences that stand in a Spanish text."""
    spanish = " ".join(part for one in CATALOGUE if one.id for part in texts(one.string))
    return [
        fragment
        for one in CATALOGUE
        if one.id
        for template in texts(one.id)
        for fragment in fragments(template)
        if fragment in text and fragment not in spanish
        if re.search(rf"\b{re.escape(fragment)}\b", text)
    ]


@pytest.mark.parametrize("format_", ["html", "markdown"])
def test_spanish_report_has_no_english_sentence(summary_of, format_):
    """No fixed words of the English catalogue stand in the Spanish report, charts included."""
    columns = {"age": [20 + i % 30 for i in range(60)], "town": ["Bern", "Chur", "Thun"] * 20}
    labels = [i % 3 * 2 + i % 30 // 15 for i in range(60)]
    text = render(summary_of(columns, labels, language="es", title=None, **KNOWN), format_)
    text = " ".join(html.unescape(text).split())
    if format_ == "html":
        assert '<html lang="es">' in text
    assert english_in(text) == []


@pytest.mark.parametrize(
    "drawn", [partial(render_comparison, COMPARISON), partial(render_frontier, NODES)]
)
def test_pages_of_charts_have_no_sentence_of_another_language(drawn):
    """The comparison and the lattice are told in Spanish, recommendation and legends included."""
    english, spanish = (drawn("html", code).decode() for code in ("en", "es"))
    assert '<html lang="es">' in spanish
    text, other = (" ".join(html.unescape(page).split()) for page in (spanish, english))
    assert english_in(text) == []
    assert len(english_in(other)) > 5


def test_reasons_and_presets_are_translated(summary_of):
    """A Spanish report has no reason and no preset in English."""
    columns = {"age": [20, 21] * 6, "town": ["Bern"] * 12}
    page = html.unescape(render(summary_of(columns, [0, 1] * 6, language="es", **KNOWN), "html"))
    title = PRESETS["hipaa-cell-size"].title
    assert title not in page
    assert SPANISH.translate(title) in page
    assert "there is no second release" not in page


def test_messages_are_translated(messages):
    """Every message of the library is in the Spanish catalogue, and names the same facts."""
    for english in messages:
        spanish = SPANISH.catalogue.gettext(english)
        assert spanish != english or not fragments(english)
        assert facts(english) == facts(spanish), english


def test_a_message_survives_a_copy():
    """A message that another process returns can still be translated."""
    told = Message("{target!r} has the same value everywhere", target="{age}")
    copied = pickle.loads(pickle.dumps(told))  # noqa: S301 - our own
    assert (copied, SPANISH.translate(copied)) == (
        "'{age}' has the same value everywhere",
        "'{age}' tiene el mismo valor en todas partes",
    )


@pytest.mark.parametrize(
    ("code", "number", "text"),
    [("en", 1234567.0, "1,234,567"), ("es", 1234567.0, "1.234.567"), ("es", 0.3125, "0,3125")],
)
def test_numbers_have_the_separators_of_the_language(code, number, text):
    """Spanish has a decimal comma, and points between thousands."""
    assert LANGUAGES[code].value(number) == text


def test_charts_have_the_separators_of_the_language(summary_of):
    """Axes count as the sentences do."""
    columns = {"age": [20 + i % 2 for i in range(6000)]}
    labels = [i % 2 for i in range(6000)]
    spanish = render(summary_of(columns, labels, language="es"), "html")
    assert ">2.000</text>" in spanish
    assert ">2,000</text>" in render(summary_of(columns, labels), "html")


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["edad", "sexo"], "edad y sexo"),
        (["edad", "ingresos"], "edad e ingresos"),
        (["edad", "hijos"], "edad e hijos"),
        (["agua", "hielo"], "agua y hielo"),
    ],
)
def test_spanish_and_minds_the_sound(names, text):
    """The word for "and" is e before the sound of an i."""
    assert SPANISH.names(names) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.2, "20 %"), (0.0097, "0.97 %"), (0.000012, "0.0012 %"), (1e-17, "0 %"), (0.0, "0 %")],
)
def test_small_chances_keep_two_digits(share, text):
    """Chance is not hidden behind "under 0.1 %", and rounding errors are no chance."""
    assert ENGLISH.precise_percent(share).replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.38, "38.0 %"), (0.4581, "45.8 %"), (0.0, "0.0 %"), (0.0001, "under 0.1 %"), (1, "100.0 %")],
)
def test_columns_of_shares_have_one_decimal(share, text):
    """Numbers below each other are even, and what is nearly nothing is not 0."""
    assert ENGLISH.tenths(share).replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.127, "about 13"), (0.0001, "under 1"), (0.0, "0"), (1.0, "100"), (0.999, "over 99")],
)
def test_shares_are_told_of_a_hundred(share, text):
    """A reader without statistics counts persons; nobody and everybody are exact."""
    assert ENGLISH.per_hundred(share) == text


@pytest.mark.parametrize("name", list(ATTACKS))
def test_every_attack_says_what_it_knows(name):
    """No attack of the registry is without a plain reading on the first page."""
    assert ATTACKS[name].title
    assert ATTACKS[name].question
    assert {"right", "chance"} <= facts(ATTACKS[name].result_sentence)


def test_no_entry_is_missing_unused_or_untranslated():
    """What sources and templates say is in the catalogue and translated, and nothing else is."""
    check = [sys.executable, str(SCRIPT), "--check"]
    found = subprocess.run(check, capture_output=True, text=True, check=False)
    assert (found.stdout, found.returncode) == ("", 0)


def test_unknown_language_is_refused():
    """The error names the languages that there are."""
    with pytest.raises(DataError, match="one of the languages en, es, not in 'fr'"):
        translator("fr")
