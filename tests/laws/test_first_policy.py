"""Three ways to a first policy give one, and answers are in it."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.example_tables import patients
from kanonym.data.schema import Role
from kanonym.profiling import TableAnswers, profile, questions
from kanonym.profiling.questions import NO_ANSWERS
from kanonym.workbench.project.history import answers_of, form_of_answers, suggested_form

VISITS = pl.concat([patients(150).select("birth_date", "sex", "diagnosis")] * 2).with_columns(
    patient_id=pl.Series([f"P{i:05d}" for i in range(150)] * 2), site=pl.lit("north")
)
TABLES = {"persons": patients(300), "visits": VISITS}
ANSWERS = {
    "defaults": NO_ANSWERS,
    "others": TableAnswers(
        persons="unknown", known=("birth_date", "sex"), sensitive=(), unneeded=("diagnosis",), k=3
    ),
}


def stated(form):
    """Return a policy without the seeds, which only the workbench has."""
    return {name: one for name, one in form.items() if name not in ("seed", "private_seed")}


@pytest.mark.parametrize("name", TABLES)
def test_profile_recommend_and_start_give_one_first_policy(name, tmp_path):
    """The same table gives the same policy by each of the three ways."""
    table = TABLES[name]
    found = profile(table)
    policy = found.policy().to_dict()
    assert ka.recommend(table).policy.to_dict() == policy
    start = ka.Policy(**stated(suggested_form(found, tmp_path / "seed")))
    assert start.to_dict() == policy


@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("name", TABLES)
def test_the_workbench_makes_the_policy_that_the_terminal_makes(name, answers):
    """The same answers give the same policy, whose release satisfies it."""
    found = profile(TABLES[name])
    policy = found.with_answers(ANSWERS[answers]).policy()
    form = form_of_answers({"seed": 7}, found, ANSWERS[answers])
    assert form["seed"] == 7
    assert ka.Policy(**stated(form)).to_dict() == policy.to_dict()
    assert ka.anonymize(TABLES[name], policy).verification.satisfied


@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("name", TABLES)
def test_a_policy_answers_the_questions_as_it_was_answered(name, answers):
    """The answers that a policy stands for give its roles again."""
    found = profile(TABLES[name]).with_answers(ANSWERS[answers])
    again = profile(TABLES[name]).with_answers(answers_of(found.policy().to_dict()))
    assert [one.role for one in again.columns] == [one.role for one in found.columns]


@pytest.mark.parametrize("name", TABLES)
def test_defaults_are_what_is_suggested(name):
    """At most seven questions; the default of each changes nothing of the policy."""
    found = profile(TABLES[name])
    asked = list(questions(found, NO_ANSWERS))
    assert [one.name for one in asked][:4] == ["persons", "identifiers", "known", "sensitive"]
    assert len(asked) <= 7
    said = {one.name: one.read(", ".join(one.default)) for one in asked if one.default}
    answers = TableAnswers(**said)
    assert found.with_answers(answers).policy().to_dict() == found.policy().to_dict()


def test_a_column_that_nothing_protects_is_asked_about():
    """A column that was taken from a list counts as known until it is said to be harmless."""
    found = profile(TABLES["persons"])
    answers = TableAnswers(known=("birth_date", "sex", "postal_code"))
    asked = {one.name: one for one in questions(found, answers)}
    assert asked["harmless"].columns == ("occupation",)
    assert asked["harmless"].default == ()
    assert "occupation" in found.with_answers(answers).names(Role.QUASI_IDENTIFIER)
    harmless = TableAnswers(known=answers.known, harmless=("occupation",))
    assert found.with_answers(harmless).names(Role.INSENSITIVE) == ["occupation"]


def test_the_policy_says_why():
    """Each answer that changes something is a comment at its place."""
    text = profile(TABLES["persons"]).with_answers(ANSWERS["others"]).policy_text()
    for sentence in (
        "  # Answered: nobody needs it, so it is dropped.",
        "# Answered: it is not known who the persons are.",
        "# Answered: nothing in this table would hurt a person",
        "# k is that of whoever receives the table",
        "sensitive: none",
    ):
        assert sentence in text


@pytest.mark.parametrize(
    ("name", "typed", "answer"),
    [
        ("persons", "y", "yes"),
        ("persons", "national_number", "national_number"),
        ("known", "+diagnosis, -sex", ("postal_code", "birth_date", "occupation", "diagnosis")),
        ("known", "sex, postal_code", ("postal_code", "sex")),
        ("sensitive", "none", ()),
        ("sensitive", "  ", None),
        ("k", "public", 11),
        ("k", "8", 8),
    ],
)
def test_answers_are_read_as_they_are_typed(name, typed, answer):
    """Names replace or change the default; words and numbers are what they say."""
    asked = {one.name: one for one in questions(profile(TABLES["persons"]), NO_ANSWERS)}
    assert asked[name].read(typed) == answer


@pytest.mark.parametrize(
    ("name", "typed"),
    [("persons", "perhaps"), ("known", "colour"), ("known", "-diagnosis"), ("k", "0"), ("k", "x")],
)
def test_what_is_no_answer_is_refused(name, typed):
    """A word that no answer has is an error that names it."""
    asked = {one.name: one for one in questions(profile(TABLES["persons"]), NO_ANSWERS)}
    with pytest.raises(DataError, match=typed.lstrip("-")):
        asked[name].read(typed)


def test_answers_name_columns_of_the_table():
    """Any other name is an error."""
    with pytest.raises(SchemaError, match="'colour' is no column"):
        profile(TABLES["persons"]).with_answers(TableAnswers(known=("colour",)))
