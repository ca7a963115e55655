"""Forms that follow the declarations: actions on columns, and models."""

from __future__ import annotations

import re

import pytest

from kanonym.actions.registry import ACTIONS
from kanonym.algorithms import Mondrian
from kanonym.data.errors import PolicyError
from kanonym.data.example_tables import patients
from kanonym.data.files import read_table, write_table
from kanonym.models import MODELS, KAnonymity
from kanonym.pipeline import anonymize, with_readings
from kanonym.policy import Policy
from kanonym.policy.algorithms import ALGORITHMS
from kanonym.workbench.forms import fields_of, with_ranges
from workbench_servers import Visitor, act, idle, running, state_of, text_of


@pytest.fixture(scope="module", name="visitor")
def fixture_visitor(tmp_path_factory):
    """Give somebody who opened a table of invented patients."""
    folder = tmp_path_factory.mktemp("actions")
    write_table(patients(60), folder / "patients.csv")
    with running(str(folder / "patients.csv"), folder=folder / "project") as (_, addresses):
        visitor = Visitor.enter(addresses[-1])
        visitor.at = visitor.place.rpartition("/")[0]
        visitor.folder = folder
        idle(visitor)
        yield visitor


def cells(answer):
    """Return the pairs of cells that the example shows."""
    found = re.search(r'class="cells pair".*?<tbody>(.*?)</tbody>', answer.text, re.DOTALL)
    return re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td></tr>", found[1]) if found else []


def test_every_action_has_a_form_and_says_what_it_does_not_protect(visitor):
    """Each registered action is listed, with its form and its two sentences; none by hand."""
    for name, kind in ACTIONS.items():
        page = visitor.get(f"{visitor.at}/actions?column=name&type={name}")
        assert page.status == 200
        assert kind.exposes in text_of(page).replace("&#39;", "'")


def test_an_unsaved_action_is_tried_on_cells_of_the_table(visitor):
    """The example shows what the form describes, before anything is saved."""
    before = state_of(visitor)
    form = {"column": "postal_code", "type": "keep", "first": "2", "character": "*"}
    page = act(visitor, "actions/try", **form)
    assert page.status == 200
    assert cells(page)
    assert all(now == was[:2] + "*" * (len(was) - 2) for was, now in cells(page))
    assert state_of(visitor) == before


def test_an_incomplete_form_says_what_is_missing(visitor):
    """A trial of an action that lacks its key tells that, and is no fault of the page."""
    page = act(visitor, "actions/try", column="name", type="keyed-hash")
    assert page.status == 200
    assert "key" in text_of(page)
    assert not cells(page)


def test_a_refused_action_keeps_what_was_typed(visitor):
    """The error stands above the form, which still has what the person wrote."""
    before = state_of(visitor)
    answer = act(visitor, "actions/save", column="postal_code", type="keep", first="-3")
    assert answer.status == 422
    assert 'name="first" value="-3"' in answer.text
    assert state_of(visitor) == before


def test_an_action_is_saved_changed_and_removed(visitor):
    """An identifier with an action is released; the action is changed in its place; undone."""
    page = text_of(act(visitor, "actions/save", column="name", type="redact", text="***"))
    assert "identifier that is released" in page
    act(visitor, "actions/save", column="name", type="redact", text="-", place="0")
    policy = (visitor.folder / "project" / "policy.yaml").read_text("utf-8")
    assert "action: {type: redact, text: '-'}" in policy
    act(visitor, "actions/remove", column="name", place="0")
    policy = (visitor.folder / "project" / "policy.yaml").read_text("utf-8")
    assert "action:" not in policy


def test_a_trial_writes_no_mapping(visitor):
    """Neither the example nor the count of violations writes the file of pseudonyms."""
    mapping = visitor.folder / "map.csv"
    form = {"column": "name", "type": "surrogate", "order": "random", "mapping": str(mapping)}
    assert cells(act(visitor, "actions/try", **form))
    act(visitor, "actions/save", **form)
    visitor.get(f"{visitor.at}/status")
    assert not mapping.exists()
    act(visitor, "history/undo")


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_model_has_a_form_and_counts_or_says_why_not(visitor, name):
    """A registered model is listed with its form; what cannot be counted gives its reason."""
    form = visitor.get(f"{visitor.at}/requirements?add={name}")
    assert form.status == 200
    assert MODELS[name].title
    assert f"Requirement: {MODELS[name].title}" in text_of(form)
    given = {"attribute": "diagnosis", "k": 2, "l": 2, "t": 0.5, "alpha": 0.5, "beta": 1}
    given |= {"delta": 1, "threshold": 0.5, "minimum": 0, "maximum": 1, "population": "1000"}
    answer = act(visitor, "requirements/save", type=name, **given)
    if answer.status == 422:
        assert f"Requirement: {MODELS[name].title}" in text_of(answer)
        return
    strip = text_of(visitor.get(f"{visitor.at}/status"))
    assert "records violate the requirements" in strip or "The policy is not complete" in strip
    assert "internal error" not in strip
    assert visitor.get(f"{visitor.at}/requirements").status == 200
    act(visitor, "history/undo")


def test_every_algorithm_is_offered_by_its_name_in_words(visitor):
    """The list of algorithms has words, whose values are the types of policies."""
    page = visitor.get(f"{visitor.at}/run").text
    for name, kind in ALGORITHMS.items():
        assert kind.title
        assert re.search(rf'value="{name}"[^>]*>{re.escape(kind.title)}<', page), name


def test_a_requirement_is_tried_before_it_is_saved(visitor):
    """The page says what would violate it, and what a release would lose; nothing is changed."""
    act(visitor, "columns/suggested")
    before = state_of(visitor)
    page = act(visitor, "requirements/try", type="k-anonymity", k="12")
    assert page.status == 200
    assert "60 of 60 records violate the requirements" in text_of(page)
    shown = re.search(r"A released value covers ([\d.]+) %", text_of(page))
    policy = Policy.from_file(visitor.folder / "project" / "policy.yaml")
    models = [KAnonymity(12), *(one for one in policy.models if one.type != "k-anonymity")]
    policy = policy.model_copy(update={"models": models, "algorithm": Mondrian()})
    table = read_table(visitor.folder / "patients.csv")
    policy, _notes = with_readings(policy, table, None)
    loss = anonymize(table, policy).utility.span_loss
    assert float(shown[1]) == round(100 * loss, 1)
    assert state_of(visitor) == before


@pytest.mark.parametrize(("k", "fault"), [("-4", "at least 1"), ("many", "no whole number")])
def test_a_trial_says_what_is_wrong_with_a_requirement(visitor, k, fault):
    """A number out of its range, or a word, is named beside the form, which stays as it was."""
    page = act(visitor, "requirements/try", type="k-anonymity", k=k)
    assert page.status == 200
    assert fault in text_of(page)
    assert f'name="k" value="{k}"' in page.text


@pytest.mark.parametrize("name", MODELS)
def test_a_slider_ends_where_the_model_does(name):
    """Outside of the range of a slider the model refuses a number; inside it takes it."""
    columns = {"attribute": ["s"], "entity": []}
    fields = with_ranges(fields_of(MODELS[name], {}, columns), MODELS[name])
    valid = {"k": 2, "l": 2, "attribute": "s", "alpha": 0.5, "t": 0.5, "m": 2}
    valid["population"] = 1000
    for one in (field for field in fields if field.slider):
        others = {field.name: valid.get(field.name, 0.5) for field in fields if field.required}
        least, most, step = one.slider
        with pytest.raises(PolicyError, match=one.name):
            MODELS[name](**{**others, one.name: type(valid.get(one.name, 0.5))(least - 1)})
        MODELS[name](**{**others, one.name: type(valid.get(one.name, 0.5))(least + step)})
        if one.most is not None:
            with pytest.raises(PolicyError, match=one.name):
                MODELS[name](**{**others, one.name: most + 1})
