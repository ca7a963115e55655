"""Laws of the sentences that a report says."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import pytest

from kanonym import reporting
from kanonym.evaluation.attacks import ATTACKS
from kanonym.evaluation.attacks.base import Aim
from kanonym.language import ENGLISH
from kanonym.models import MODELS as KINDS
from kanonym.reporting import account_wording, wording
from kanonym.verification.findings import FINDINGS

MODELS = [
    ("k-anonymity", None, 5, {}, "at least 4 others: each class has at least 5 records"),
    ("k-anonymity", None, 2, {}, "at least 1 other: each class has at least 2 records"),
    ("alpha-k-anonymity", "d", 0.5, {"k": 3}, "at least 3 records, and no value of “d”"),
    ("l-diversity", "d", 3, {"kind": "distinct"}, "“d” has at least 3 distinct values"),
    ("l-diversity", "d", 2.5, {"kind": "entropy"}, "as varied as 2.5 equally frequent values"),
    ("l-diversity", "d", 2, {"kind": "recursive", "l": 3}, "fewer records than 2 times"),
    ("t-closeness", "d", 0.2, {"distance": "equal"}, "a distance of at most 0.2,"),
    ("beta-likeness", "d", 1, {"kind": "basic"}, "more than 2 times as frequent"),
    ("delta-disclosure", "d", 1, {}, "less than 2 times as frequent"),
    ("average-risk", None, 0.2, {}, "at most 20\N{NO-BREAK SPACE}% as many classes as records"),
    ("sample-uniqueness", None, 0.05, {}, "At most 5\N{NO-BREAK SPACE}% of the records are alone"),
    ("population-uniqueness", None, 0.01, {"population": 300000}, "a random sample of 300,000"),
    ("k-map", None, 4, {}, "at least 4 people of the population"),
    ("delta-presence", None, 0.5, {"minimum": 0}, "a probability of at most 50"),
    ("delta-presence", None, 0.5, {"minimum": 0.1}, "probability of 10\N{NO-BREAK SPACE}% to 50"),
    ("made-up", None, 4, {}, "made-up is required with the value 4"),
    ("made-up", "d", 4, {}, "made-up on “d” is required with the value 4"),
]


@pytest.mark.parametrize(("type_", "attribute", "required", "given", "said"), MODELS)
def test_requirement_is_said_in_words(type_, attribute, required, given, said):
    """Each model has a sentence with its own numbers and its attribute."""
    sentence = wording.requirement_text(ENGLISH, type_, attribute, required, given)
    assert said in sentence
    assert (attribute is None) or (attribute in sentence)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.2, "20 %"),
        (0.0989, "9.9 %"),
        (0.0004, "under 0.1 %"),
        (0.9996, "over 99.9 %"),
    ],
)
def test_percent_is_never_rounded_to_none_or_all(share, text):
    """0 % and 100 % stand for exactly that."""
    assert ENGLISH.percent(share).replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (5, "5"),
        (30162.0, "30,162"),
        (0.31234567, "0.3123"),
        (float("inf"), "unbounded"),
        (None, "–"),
    ],
)
def test_value_is_short(number, text):
    """Values have four significant digits, integers none behind the point."""
    assert ENGLISH.value(number) == text


@pytest.mark.parametrize(
    ("listed", "text"),
    [
        ([], ""),
        (["age"], "age"),
        (["age", "sex", "zip"], "age, sex and zip"),
        (["age", "sex"], "age and sex"),
        ([f"q{i}" for i in range(300)], ", ".join(f"q{i}" for i in range(12)) + " and 288 more"),
    ],
)
def test_names_are_enumerated(listed, text):
    """Names are joined as in speech, and long lists are cut."""
    assert ENGLISH.names(listed) == text


def test_sensitive_attribute_without_a_model_is_a_limit():
    """A sensitive attribute that no model looks at is named first among the limits."""
    said = wording.limit_texts(
        ENGLISH, {"age": "quasi-identifier", "d": "sensitive", "e": "sensitive"}, ["e"]
    )
    assert said[0][0] == "Values shared by a class"
    assert "No requirement was set for d." in said[0][1]


def test_protected_sensitive_attributes_are_no_limit():
    """Where every sensitive attribute has a model, nothing is said about unprotected ones."""
    said = wording.limit_texts(ENGLISH, {"age": "quasi-identifier", "d": "sensitive"}, ["d"])
    assert "Values shared by a class" not in dict(said)


def test_insensitive_attributes_are_named_as_an_assumption():
    """What is released unchanged without protection is named."""
    said = dict(
        wording.limit_texts(ENGLISH, {"age": "quasi-identifier", "shoe": "insensitive"}, [])
    )
    assert "shoe" in said["Other knowledge"]


def test_price_counts_suppressed_records():
    """Suppressed records are counted against what was allowed."""
    said = wording.price_text(
        ENGLISH, rows_in=200, suppressed=3, limit=0.02, lost=0.1, by_column={"age": 0.1}
    )
    assert said[0].replace("\N{NO-BREAK SPACE}", " ") == (
        "3 of 200 records (1.5 %) were suppressed; 2 % were allowed."
    )


def test_a_lower_bound_of_the_squared_error_is_not_rounded_up():
    """The report says what microaggregation lost; without a bound it claims none."""
    error = {"squared_error": 0.056922}
    (said,) = account_wording.squared_error_text(ENGLISH, {**error, "lower_bound": 0.040999})
    assert "5.692 %" in said
    assert "less than 4.09 %" in said
    (said,) = account_wording.squared_error_text(ENGLISH, error)
    assert "less than" not in said


def test_violated_policy_is_not_to_be_published():
    """The answer to a violated policy says so in plain words."""
    said = wording.answer_text(
        ENGLISH,
        verdict="violated",
        findings=0,
        requirements=1,
        rows_in=9,
        rows_out=9,
        n_classes=3,
        smallest=1,
        highest=1.0,
        average=1 / 3,
    )
    assert "NOT satisfy" in said[0]
    assert "1 in 1 (certain)" in said[2]
    assert "1 in 3" in said[2]


@pytest.mark.parametrize(("rank", "text"), [(2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th")])
def test_ranks_are_written_as_spoken(rank, text):
    """Recursive diversity names its rank as in speech."""
    given = {"kind": "recursive", "l": rank}
    assert text in wording.requirement_text(ENGLISH, "l-diversity", "d", 2, given)


def test_parameters_within_parameters_stand_in_brackets():
    """Names of attributes stay as they are; truth is yes or no."""
    parts = {
        "type": "full-domain",
        "levels": {"postal_code": 2},
        "range": [1, 0.25],
        "optimal": True,
    }
    assert (
        ENGLISH.pairs(parts)
        == "type full-domain, levels (postal_code 2), range (1, 0.25), optimal yes"
    )


IN_OTHER_WORDS = {"unprotected-sensitive", "dominant-value"}
"""Findings of which the report on linked tables says what persons' rows add."""


def test_reports_name_no_kind():
    """Reports say of models, attacks and findings what these declare: none is named by its type."""
    answers = {"not-private", *get_args(Aim)}  # of the verdict and of data protection
    types = {*KINDS, *ATTACKS, *(kind.type for kind in FINDINGS)} - answers - IN_OTHER_WORDS
    named = {
        (one.name, node.value)
        for one in Path(reporting.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(one.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in types
    }
    assert named == set()
