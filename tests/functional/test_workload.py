"""Releases that a target guides: on Adult, and through the command line."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from effort import NIGHTLY
from kanonym.evaluation.pair.reading import read_pair
from kanonym.evaluation.utility.models.learning import features_of
from kanonym.evaluation.utility.models.prediction import TrainingData, accuracies

KNOWN = [
    *("age", "education", "marital-status", "native-country"),
    *("race", "sex", "workclass", "occupation"),
]
TARGET = "salary-class"
BOTH = [ka.Mondrian(), ka.Mondrian(target=TARGET)]
GUIDED = [[*BOTH, ka.Segmentation(target=TARGET)], BOTH]
"""What is compared, by the seed of the split."""


def scores(whole, held, released):
    """Return the accuracy, about held-out originals, of models that learned from released tables.

    whole: the table. held: (n,) bool, records that nobody learns from. released: what others are
    released as, by name; features are values drawn from what a release leaves open.
    """
    before = {name: whole[name] for name in [*KNOWN, TARGET]}
    found = {}
    for name, frame in released.items():
        after = {one: frame[one] for one in before}
        pair = read_pair(before, after, KNOWN, aligned=False)
        features = features_of([one for one in pair.columns if one.name != TARGET])
        truth = (whole[TARGET] == ">50K").to_numpy().astype(float)
        fold = np.where(held, 0, 1)
        asked = TrainingData(features.original(np.arange(len(whole))), truth, fold)
        taught = (frame[TARGET] == ">50K").to_numpy().astype(float)
        drawn = features.sample(np.arange(len(frame)), np.random.default_rng(0))
        lessons = {name: TrainingData(drawn, taught, np.ones(len(frame), np.int64))}
        found |= accuracies(lessons, asked, 1, 0, categorical=True)
    return found


def test_adult_teaches_more_where_the_target_guides(shared_data):
    """At k = 50 a model predicts others as after plain Mondrian or better, near the original's."""
    whole = ka.read_table(shared_data / "adult" / "adult.csv")
    for seed in (0, 1) if NIGHTLY else (1,):
        held = np.random.default_rng(seed).random(len(whole)) < 1 / 3
        train = whole.filter(~pl.Series(held))
        released = {
            str(algorithm.target or "plain") + algorithm.type: ka.anonymize(
                train, quasi_identifiers=KNOWN, others="insensitive", k=50, algorithm=algorithm
            ).frame
            for algorithm in GUIDED[seed]
        }
        found = scores(whole, held, {"original": train, **released})
        guided = found[f"{TARGET}mondrian"]
        assert guided >= found["plainmondrian"]
        assert guided >= found["original"] - 0.02
        assert found.get(f"{TARGET}segmentation", 1) >= found["original"] - 0.02


@pytest.fixture
def table(folder):
    """Write a table whose income hangs on the job, and return its file."""
    random = np.random.default_rng(0)
    job = random.choice(["clerk", "cook", "judge"], 300)
    high = random.random(300) < np.where(job == "judge", 0.8, 0.2)
    columns = {
        "age": random.integers(18, 80, 300),
        "job": job,
        "income": np.where(high, "high", "low"),
    }
    ka.write_table(pl.DataFrame(columns), folder / "people.csv")
    return "people.csv"


def test_the_command_line_takes_a_target(kanonym, table):
    """It implies Mondrian, goes with segmentation, and is told in the JSON."""
    asked = f"anonymize {table} -q age,job --others insensitive -k 5 -o out.csv --json"
    for name in ("mondrian", "segmentation"):
        chosen = "" if name == "mondrian" else f"--algorithm {name}"
        code, out, _ = kanonym(f"{asked} {chosen} --target income")
        found = json.loads(out)["algorithm"]
        assert code == 0
        assert found["type"] == name
        assert found["target"] == "income"
        assert found["task"] == "classification"
        assert 0 < found["impurity"] < 1


@pytest.mark.usefixtures("table")
def test_a_target_goes_to_the_algorithm_of_the_policy(kanonym, folder):
    """One that has a target keeps its place; another one gives way to Mondrian."""
    asked = "anonymize people.csv -p policy.yaml -o out.csv --json --target income"
    for own, chosen in {"segmentation": "segmentation", "mdav": "mondrian"}.items():
        (folder / "policy.yaml").write_text(
            "attributes: {age: {role: quasi-identifier}}\nothers: insensitive\n"
            f"models: [{{type: k-anonymity, k: 5}}]\nalgorithm: {{type: {own}}}\n"
        )
        code, out, _ = kanonym(asked)
        assert code == 0
        assert json.loads(out)["algorithm"]["type"] == chosen


def test_the_command_line_says_what_is_wrong_with_a_target(kanonym, table):
    """An unknown column with the nearest, a quasi-identifier, an algorithm without one."""
    asked = f"anonymize {table} -q age,job --others insensitive -k 5 -o out.csv"
    wrong = {
        "--target incme": "'incme' is an unknown column; did you mean 'income'?",
        "--target age": "'age' is a quasi-identifier",
        "--algorithm mdav --target income": "'target' is an unknown key of mdav",
    }
    for options, reason in wrong.items():
        code, _, error = kanonym(f"{asked} {options}")
        assert code == 3
        assert reason in " ".join(error.split())


def test_compare_shows_accuracy_against_k(kanonym, table, folder):
    """Releases with a target and without one, judged by a model, in a table and a chart."""
    code, out, _ = kanonym(
        f"compare {table} -q age,job --others insensitive --sweep k=2,20 "
        "--sweep algorithm.target=null,income --measure accuracy-income --chart c.html --json"
    )
    found = json.loads(out)
    assert code == 0
    assert found["measure"] == "accuracy-income"
    labels = [one["label"] for one in found["combinations"]]
    assert labels == ["k 2", "k 2, target income", "k 20", "k 20, target income"]
    values = [one["utility"]["accuracy-income"] for one in found["combinations"]]
    assert all(0.5 < value < 1 for value in values)
    best = max(values)
    assert any(
        one["frontier"] and one["utility"]["accuracy-income"] == best
        for one in found["combinations"]
    )
    assert "accuracy income" in (folder / "c.html").read_text()


def test_compare_refuses_a_measure_of_no_column(kanonym, table):
    """The nearest column is named."""
    asked = f"compare {table} -q age,job --others insensitive --sweep k=2"
    code, _, error = kanonym(f"{asked} --measure accuracy-incme")
    assert code == 3
    assert "'incme' is an unknown column; did you mean 'income'?" in " ".join(error.split())
    code, _, error = kanonym(f"{asked} --measure acuracy-income")
    assert code == 3
    assert "unknown measure" in error
