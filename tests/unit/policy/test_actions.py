"""Actions in a policy: their forms, their faults, and what is never repeated."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
import yaml

import kanonym as ka
from kanonym.actions.base import Action
from kanonym.actions.registry import ACTIONS
from kanonym.policy.actions import (
    actions_of_text,
    build_action,
    build_actions,
    describe_actions,
    form_of,
)
from kanonym.policy.faults import FaultsFoundError

KEY = {"env": "STUDY_KEY"}
FORMS = [
    {"type": "keep", "first": 2},
    {"type": "redact", "text": ""},
    {"type": "round", "to": 100},
    {"type": "top-bottom", "quantiles": [0.05, 0.95], "per_class": True},
    {"type": "bin", "bounds": [18, 65]},
    {"type": "suppress", "values": ["mayor", 3]},
    {"type": "truncate-date", "to": "month"},
    {"type": "shift-date", "days": 10, "subject": "patient"},
    {"type": "mask-email"},
    {"type": "mask-phone"},
    {"type": "mask-iban"},
    {"type": "keyed-hash", "key": KEY, "length": 16},
    {"type": "surrogate", "order": "sequential", "mapping": "map.csv"},
    {"type": "ff1", "key": {"file": "key.txt"}, "alphabet": "0123456789abcdef"},
    {"type": "fake", "kind": "first-name", "locale": "de_DE"},
    {"type": "laplace-noise", "relative": 0.1},
    {"type": "gaussian-noise", "scale": 2, "keep_integers": True},
    {"type": "correlated-noise", "columns": ["income", "savings"], "share": 0.1},
    {"type": "rank-swap", "percent": 5},
    {"type": "swap"},
    {"type": "shuffle"},
    {"type": "pram", "matrix": {"a": {"a": 0.9, "b": 0.1}, "b": {"b": 1}}, "invariant": False},
    {"type": "randomized-response", "probability": 0.75, "values": ["yes", "no"]},
    {"type": "scrub-text", "language": "de", "columns": ["name"], "replace": "pseudonym"},
]


def fault(form):
    """Return the one fault of a form."""
    with pytest.raises(FaultsFoundError) as caught:
        build_action(form)
    (found,) = caught.value.faults
    return str(found)


def test_every_action_has_a_form_here():
    """No action is left out of the forms below."""
    assert [form["type"] for form in FORMS] == list(ACTIONS)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["type"])
def test_the_form_of_an_action_is_read_back(form, when):
    """What is written of an action, as JSON or YAML, says what was given and gives an equal one."""
    given = {**form, "when": when}
    built = build_action(given)
    written = form_of(built)
    assert given.items() <= {"when": "before", **written}.items()
    assert build_action(json.loads(json.dumps(written))) == built
    assert build_action(yaml.safe_load(yaml.safe_dump(written))) == built
    assert isinstance(built, ka.actions.After) == (when == "after")


def test_what_says_nothing_is_left_out_of_a_form():
    """Empty defaults are not written; other defaults, and empty values set on purpose, are."""
    assert form_of(ka.actions.Keep(first=2)) == {"type": "keep", "first": 2, "character": "*"}
    assert form_of(ka.actions.Redact(text="")) == {"type": "redact", "text": ""}


def test_a_form_holds_nothing_but_json():
    """Dates, tuples and paths are written as text and lists."""
    assert form_of(ka.actions.Suppress(values=[date(2020, 1, 31), 2]))["values"] == [
        "2020-01-31",
        2,
    ]
    assert form_of(ka.actions.Surrogate(mapping=Path("a.csv")))["mapping"] == "a.csv"
    assert form_of(ka.actions.KeyedHash(key={"file": Path("k")}))["key"] == {"file": "k"}


def test_a_name_alone_is_an_action_without_parameters():
    """`shuffle` is `{type: shuffle}`."""
    assert build_action("shuffle") == ka.actions.Shuffle() == build_action({"type": "shuffle"})


def test_built_actions_are_taken_as_they_are():
    """Objects and forms may stand in one list; After stays, around a form as well."""
    rounding = ka.actions.Round(to=10)
    assert build_actions([rounding, "shuffle"]) == (rounding, ka.actions.Shuffle())
    assert build_actions(ka.actions.After(rounding)) == (ka.actions.After(rounding),)
    assert build_action(ka.actions.After("swap")) == ka.actions.After(ka.actions.Swap())
    assert build_actions(None) == build_actions([]) == ()


def test_an_action_of_ones_own_is_taken_and_named():
    """Whatever inherits from `Action` is one, and its form is its name."""

    class Own(Action):
        """Leaves all as it is."""

        type, protects, exposes = "own", "Nothing.", "All."

        def apply(self, values, context):
            """Return the values."""
            del context
            return values

    own = Own()
    assert isinstance(own, Action)
    assert build_action(own) is own
    assert form_of(own) == {"type": "own"}


def test_files_are_relative_to_the_directory_of_the_policy():
    """Key and mapping files are sought beside the policy; absolute ones where they are."""
    beside = Path("/studies/one")
    hashed = build_action({"type": "keyed-hash", "key": {"file": "key.txt"}}, beside)
    assert hashed.key == {"file": "/studies/one/key.txt"}
    numbered = build_action({"type": "surrogate", "mapping": "../map.csv"}, beside)
    assert numbered.mapping == "/studies/one/../map.csv"
    absolute = build_action({"type": "surrogate", "mapping": "/maps/m.csv"}, beside)
    assert absolute.mapping == "/maps/m.csv"


def test_an_empty_path_is_refused_not_taken_for_the_directory():
    """No file is named by an empty text, whatever the directory."""
    with pytest.raises(FaultsFoundError, match="key: must be"):
        build_action({"type": "keyed-hash", "key": {"file": ""}}, Path("/studies"))
    with pytest.raises(FaultsFoundError, match="mapping: is ''; it must name a file"):
        build_action({"type": "surrogate", "mapping": ""}, Path("/studies"))


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"type": "rund"}, "type: 'rund' is an unknown type; did you mean 'round'?"),
        ("shufle", "type: 'shufle' is an unknown type; did you mean 'shuffle'?"),
        ({"to": 100}, "needs a type: {type: keep | redact"),
        ({"type": ["round"]}, "needs a type: {type: keep | redact"),
        (7, "needs a type"),
        (ka.actions.Shuffle, "needs a type"),
        ({"type": "round", "too": 5}, "too: 'too' is an unknown key of round; did you mean 'to'?"),
        ({"type": "round", "to": "5"}, "to: must be a valid number, not '5'"),
        ({"type": "round", "to": 0}, "to: is 0; it must be a number above 0"),
        ({"type": "round"}, "give one of to and digits"),
        ({"type": "truncate-date"}, "to: is missing: truncate-date needs it"),
        ({"type": "swap", "when": "afer"}, "when: 'afer' is an unknown value; did you mean 'aft"),
        ({"type": "swap", "when": True}, "when: True is an unknown value"),
    ],
)
def test_a_fault_says_where_it_is_and_what_was_meant(form, said):
    """Each fault has its place, its reason, and the nearest name."""
    assert fault(form).startswith(said)


def test_all_faults_are_found_together():
    """Wrong parameters, a wrong `when` and further actions of the list are told at once."""
    with pytest.raises(FaultsFoundError) as caught:
        build_actions([{"type": "round", "to": "x", "when": "never"}, "shufle"])
    places = [one.path for one in caught.value.faults]
    assert places == [(0, "when"), (0, "to"), (1, "type")]


@pytest.mark.parametrize("kind", ["keyed-hash", "ff1", "fake"])
@pytest.mark.parametrize(
    "key",
    ["hunter2-hunter2-hunter2", {"value": "hunter2-hunter2"}, ["hunter2"], {"env": ["hunter2"]}],
)
def test_no_fault_repeats_a_key(kind, key):
    """A key that stands in a policy is refused, and the message does not show it."""
    further = {"fake": {"kind": "name"}}.get(kind, {})
    said = fault({"type": kind, "key": key, **further})
    assert said.startswith("key: must be {env: NAME} or {file: path}")
    assert "hunter2" not in said


def test_a_text_describes_one_action_or_several():
    """On a command line, an action is a name, a form in YAML or JSON, or a list of them."""
    rounding = ka.actions.Round(to=100)
    assert actions_of_text("shuffle", "x") == (ka.actions.Shuffle(),)
    assert actions_of_text("{type: round, to: 100}", "x") == (rounding,)
    assert actions_of_text('{"type": "round", "to": 100}', "x") == (rounding,)
    assert actions_of_text("[{type: round, to: 100}, swap]", "x") == (rounding, ka.actions.Swap())
    with pytest.raises(ka.PolicyError, match=r"x: type: 'shufle'.*'shuffle'"):
        actions_of_text("shufle", "x")
    with pytest.raises(ka.PolicyError, match=r"x, line 1, column .*: not valid YAML"):
        actions_of_text("{type: round, to", "x")


def test_every_action_is_described():
    """All actions are described once, in their four kinds, each with all of its parameters."""
    kinds = describe_actions()
    assert list(kinds) == ["masking", "pseudonymization", "perturbation", "free text"]
    every = {one["type"]: one for several in kinds.values() for one in several}
    assert list(every) == list(ACTIONS)
    assert every["fake"]["parameters"] == "kind (needed), locale: en_US, key"
    assert every["swap"]["parameters"] == "none"
    assert all(one["protects"] and one["exposes"] for one in every.values())
