"""Laws of what a report takes over from the reasons of a profile."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import polars as pl
import pytest

from kanonym import profiling
from kanonym.language import ENGLISH, SPANISH
from kanonym.profiling.identifiers.check_digits import SCHEMES
from kanonym.profiling.identifiers.formats import FORMATS
from kanonym.profiling.reasons import EVIDENCE, PUBLISHABLE, TERMS, Reason
from kanonym.profiling.words import entries
from kanonym.reporting.known.evidence import evidence_of, publishable_reason

FOLDER = Path(profiling.__file__).parent
KEYS = {*EVIDENCE, *(f"{key}.report" for key in PUBLISHABLE)}
PUBLIC = {"share", "what"}
"""Facts of a sentence that a report may say: shares, which are rounded, and terms."""


def given_kinds():
    """Return every kind of reason that profiling gives."""
    kinds = {"counts-records", "counts-groups", "latitudes", "longitudes"}  # made of parts
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            if called and node.func.id in ("Reason", "share_reason"):
                kinds |= {one.value for one in node.args[:1] if isinstance(one, ast.Constant)}
    return kinds


def facts(key):
    """Return the facts that the sentence of a kind names."""
    kind = key.removesuffix(".report")
    entry = EVIDENCE[kind] if key == kind else PUBLISHABLE[kind]
    texts = (entry, entry.many)
    parts = (part for text in texts for part in string.Formatter().parse(text))
    return {name for _, name, _, _ in parts if name}


def test_the_catalogue_has_every_reason_and_no_other():
    """A reason that profiling learns to give needs a sentence."""
    assert {key.removesuffix(".report") for key in KEYS} == given_kinds()


@pytest.mark.parametrize("key", sorted(KEYS))
def test_reports_say_no_count(key):
    """A sentence with a count has one for reports without it, or none is said there."""
    if key.endswith(".report"):
        assert facts(key) <= PUBLIC
        assert facts(key.removesuffix(".report")) - PUBLIC
    elif f"{key}.report" not in KEYS and facts(key) - PUBLIC:
        assert not publishable_reason(Reason(key, dict.fromkeys(facts(key) - PUBLIC, 7)), ENGLISH)


def test_terms_of_columns_are_those_of_the_catalogue():
    """Whatever a name says or values are is said in the language of the report, too."""
    named = {entry.what for entry in entries()}
    titles = {one.title for one in SCHEMES} | {one.plural for one in FORMATS}
    assert (named | titles) - {"names of accounts"} == set(TERMS)


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (
            Reason("tells", {"values": 1072}, {"share": 0.9782}),
            "its values distinguish 98 % of the pairs of records",
        ),
        (Reason("most-frequent", {"values": 17}, {"share": 0.4321}), "its most frequent value is"),
        (Reason("alone", {"records": 1}), ""),
        (Reason("trouble", detail="it holds text in row 17"), "it cannot be recoded as it is"),
        (Reason("a-kind-of-tomorrow"), ""),
        (Reason("shuffled", shares={"share": 9.1e-07}), "with their digits shuffled, 0 %"),
    ],
)
def test_shares_are_rounded_and_counts_are_left_out(reason, said):
    """What is left names no figure of fewer persons than a class has."""
    told = publishable_reason(reason, ENGLISH, 0.02)
    assert told.startswith(said)
    assert bool(told) == bool(said)
    assert "17" not in told


def test_one_record_more_changes_no_sentence():
    """Profiles of tables that differ by a few records are published alike."""
    sentences = {
        publishable_reason(Reason("tells", {"values": n}, {"share": 1 - 1 / n}), ENGLISH, 0.02)
        for n in (3001, 3002, 3007)
    }
    assert len(sentences) == 1


def test_the_evidence_is_said_in_the_language_of_the_report():
    """Reasons and terms are translated, names of columns are not."""
    table = pl.DataFrame({"age": [20, 21, 22, 23] * 3, "sex": ["f", "m"] * 6})
    found = evidence_of(profiling.profile(table), dict.fromkeys(table.columns, "x"), SPANISH)
    assert found.reasons["age"] == (
        "el nombre sugiere: edad",
        "sus valores distinguen el 82 % de los pares de registros",
    )


@pytest.mark.parametrize(
    ("share", "text"),
    [(1.0, "100 %"), (0.99999, "99.99 %"), (0.9782, "97.82 %"), (1e-7, "0.01 %"), (0.0, "0 %")],
)
def test_only_all_and_none_are_100_and_0_percent(share, text):
    """A profile rounds no share to what it is not."""
    assert ENGLISH.exact_percent(share) == text
