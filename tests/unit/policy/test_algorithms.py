"""Algorithms in a policy: their forms, and what has to fit the rest of it."""

from __future__ import annotations

import json

import polars as pl
import pytest
import yaml

import kanonym as ka
from kanonym.algorithms.base import Algorithm
from kanonym.data import hierarchy
from kanonym.models import AverageRisk, DeltaPresence, KMap
from kanonym.policy import Policy
from kanonym.policy.algorithms import ALGORITHMS

ATTRIBUTES = {
    "age": ka.QuasiIdentifier(hierarchy.intervals(width=[5, 10])),
    "zip": ka.QuasiIdentifier(),
    "disease": ka.Sensitive(),
}
FORMS = [
    {"type": "mondrian", "strict": False, "split": "span"},
    {"type": "full-domain"},
    {"type": "full-domain", "metric": "precision", "search": "genetic", "steps": 100},
    {
        "type": "full-domain",
        "metric": {"type": "weighted", "parts": [{"metric": "loss"}, {"metric": "height"}]},
        "levels": {"age": 1, "zip": [0, 2]},
        "weights": {"age": 2.0},
        "seconds": 1.5,
    },
    {"type": "local-recoding", "metric": "precision", "levels": {"age": [0, 1]}, "steps": 9},
    {"type": "cell-suppression", "importance": ["zip", "age"], "subsets": 1, "nulls": "wildcard"},
    {"type": "mdav", "standardize": False},
]


def policy(algorithm, **parts):
    """Return a policy over three columns."""
    given = {"attributes": ATTRIBUTES, "models": [ka.KAnonymity(2)], **parts}
    return Policy(**given, algorithm=algorithm)


def fault(algorithm, **parts):
    """Return the one fault of a policy."""
    with pytest.raises(ka.PolicyError) as caught:
        policy(algorithm, **parts)
    return str(caught.value)


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_an_algorithm_is_read_back(form):
    """What a policy writes of its algorithm, as JSON or YAML, gives an equal policy."""
    asked = policy(form)
    assert isinstance(asked.algorithm, ALGORITHMS[form["type"]])
    assert Policy.from_text(json.dumps(asked.to_dict())) == asked
    assert Policy.from_text(yaml.safe_dump(asked.to_dict())) == asked


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_name_of_an_algorithm_is_enough(name):
    """A name alone is the algorithm with its defaults, whose form has nothing that says nothing."""
    asked = policy(name)
    assert asked.algorithm == ALGORITHMS[name]() == policy({"type": name}).algorithm
    assert isinstance(asked.algorithm, Algorithm)
    assert not [value for value in asked.to_dict()["algorithm"].values() if value in (None, {}, [])]


def test_any_object_that_is_an_algorithm_is_taken():
    """Who writes an algorithm of their own gives the object."""

    class Own(ka.Mondrian):
        """Mondrian by another name."""

    assert isinstance(policy(Own()).algorithm, Own)


def test_the_suppression_limit_may_stand_in_the_algorithm():
    """It is the policy's then; said in both places, it has to be the same."""
    assert policy({"type": "full-domain", "suppression_limit": 0.1}).suppression_limit == 0.1
    twice = {"type": "full-domain", "suppression_limit": 0.1}
    assert policy(twice, suppression_limit=0.1).suppression_limit == 0.1
    assert fault(twice, suppression_limit=0.2) == (
        "algorithm.suppression_limit: is 0.1, but the policy has another value; set it once"
    )


@pytest.mark.parametrize("limit", [-0.1, 1.01, float("nan"), "much"])
def test_a_limit_outside_of_its_range_is_refused(limit):
    """The key is named, and what it must be."""
    said = fault({"type": "full-domain", "suppression_limit": limit})
    assert said.startswith("suppression_limit: must be ")


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            {"levels": {"agee": 1}},
            "algorithm.levels: 'agee' is an unknown quasi-identifier; did you",
        ),
        (
            {"weights": {"disease": 1}},
            "algorithm.weights: 'disease' is sensitive; it must be a quasi",
        ),
        ({"levels": {"age": "one"}}, "algorithm.levels.age"),
        ({"levels": {"age": [2, 1]}}, "algorithm.levels: of age is (2, 1)"),
        ({"metric": "los"}, "algorithm.metric: 'los' is not a metric; did you mean 'loss'?"),
        ({"metric": {"type": "loss", "factor": 2}}, "algorithm.metric: loss: factor is 2"),
        ({"search": "best"}, "algorithm.search: "),
        ({"steps": 0}, "algorithm.steps: is 0; it must be an integer of at least 1"),
        (
            {"stepps": 5},
            "algorithm.stepps: 'stepps' is an unknown key of full-domain; did you mean",
        ),
        ({"type": "full-domian"}, "algorithm.type: 'full-domian' is an unknown type; did you mean"),
        (
            {"type": "cell-suppression", "importance": ["zipp"]},
            "algorithm.importance: 'zipp' is an",
        ),
        ({"type": "cell-suppression", "subsets": 0}, "algorithm.subsets: is 0; it must be"),
    ],
)
def test_a_wrong_parameter_is_named(form, expected):
    """The key is named, with the reason and what would be right."""
    said = fault({"type": "full-domain", **form})
    assert expected in said


def test_columns_that_are_quasi_identifiers_by_default_may_be_named():
    """Where all others are quasi-identifiers, levels may name any column."""
    asked = policy({"type": "full-domain", "levels": {"any": 1}}, others="quasi-identifier")
    assert asked.algorithm.levels == {"any": 1}


@pytest.mark.parametrize(
    ("name", "released"),
    [("full-domain", "levels"), ("local-recoding", "levels"), ("cell-suppression", "as")],
)
def test_a_recoding_that_cannot_be_applied_is_refused(name, released):
    """Of the policy or of an attribute: the message says what the algorithm releases instead."""
    assert f"recoding: is 'mean', but {name} releases" in fault(name, recoding="mean")
    roles = {**ATTRIBUTES, "age": ka.QuasiIdentifier(recoding="interval")}
    said = fault(name, attributes=roles)
    assert said.startswith(f"algorithm: {name} releases")
    assert released in said
    assert "the recoding of 'age' is 'interval'" in said


def test_labels_of_hierarchies_are_the_recoding_of_levels():
    """To say `hierarchy` where nothing else is possible is no fault."""
    roles = {**ATTRIBUTES, "age": ka.QuasiIdentifier(hierarchy.flat(), "hierarchy")}
    assert policy("full-domain", attributes=roles, recoding="hierarchy").recoding == "hierarchy"


def test_another_algorithm_takes_the_place_of_the_one_that_is_there():
    """A form of the same type changes its parameters; any other replaces it."""
    asked = policy({"type": "full-domain", "metric": "height", "steps": 5}, seed=3)
    changed = asked.with_algorithm({"type": "full-domain", "steps": 7})
    assert (changed.algorithm.metric.type, changed.algorithm.steps) == ("height", 7)
    assert changed.seed == 3
    assert asked.with_algorithm("mondrian").algorithm == ka.Mondrian()
    with pytest.raises(ka.PolicyError, match=r"algorithm\.steps: is 0"):
        asked.with_algorithm({"type": "full-domain", "steps": 0})


def test_a_population_table_lies_beside_the_policy(tmp_path, monkeypatch):
    """Its path starts in the policy's own folder, and is what the policy writes again."""
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "policy.yaml").write_text(
        "attributes: {age: {role: quasi-identifier}}\n"
        "models: [{type: k-map, k: 2, population: people.csv}]\n"
        "algorithm: full-domain\n",
        "utf-8",
    )
    monkeypatch.chdir(tmp_path)
    asked = Policy.from_file("study/policy.yaml")
    assert asked.population == "study/people.csv"
    assert asked.to_dict()["models"] == [
        {"type": "k-map", "k": 2, "population": "study/people.csv"}
    ]


def test_a_policy_has_one_population():
    """Two paths, or two tables in memory, are a fault; one that two models share is not."""
    people = pl.DataFrame({"age": [1], "zip": ["a"]})
    both = [KMap(2, people), DeltaPresence(0, 0.5, people)]
    assert policy("full-domain", models=both).population is people
    said = fault("full-domain", models=[KMap(2, "a.csv"), DeltaPresence(0, 0.5, "b.csv")])
    assert said == "models: name two population tables; a policy has one"


@pytest.mark.parametrize("name", ["mondrian", "cell-suppression"])
def test_a_population_needs_levels(name):
    """A population table is generalized as the release is, which takes levels."""
    said = fault(name, models=[KMap(2, "people.csv")])
    assert said.startswith(f"algorithm: is {name}, but k-map generalizes a population table")


def test_the_default_algorithm_is_checked_as_any_other():
    """A policy that names no algorithm learns that its models need another than the default."""
    with pytest.raises(ka.PolicyError, match="algorithm: is mondrian, but k-map"):
        Policy(attributes=ATTRIBUTES, models=[KMap(2, "people.csv")])
    assert Policy(attributes=ATTRIBUTES, models=[AverageRisk(0.2)]).algorithm == ka.Mondrian()
