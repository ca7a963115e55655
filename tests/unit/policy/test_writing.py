"""Policies written for people: what is written reads back, and comments stay comments."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.policy.document import parse
from kanonym.policy.writing import WIDTH, policy_yaml

NAMES = st.text(min_size=1, max_size=8)
VALUES = st.one_of(st.integers(), st.booleans(), st.text(max_size=8), st.lists(st.integers()))


@settings(max_examples=examples(80))
@given(st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES)), st.text(max_size=300))
def test_the_text_reads_back_as_the_form(attributes, sentence):
    """Whatever names, values and comments hold, parsing gives the form that was written."""
    form = {"version": 1, "attributes": attributes or {"a": 1}, "models": [{"type": "m", "k": 5}]}
    comments = {("attributes", name): [sentence] for name in form["attributes"]}
    comments["models",] = [sentence]
    assert parse(policy_yaml(form, [sentence], comments), "text") == form


def test_comments_stand_above_what_they_are_about():
    """Each sentence starts a line of its own; long ones are wrapped and indented."""
    text = policy_yaml(
        {"attributes": {"age": 1, "sex": 2}}, [], {("attributes", "sex"): ["one", "two " * 40]}
    )
    lines = text.splitlines()
    assert lines[:4] == ["attributes:", "  age: 1", "  # one", f"  # {'two ' * 23}two"]
    assert lines[4].startswith("  #   two")
    assert lines[-1] == "  sex: 2"
    assert max(map(len, lines)) <= WIDTH + 2
