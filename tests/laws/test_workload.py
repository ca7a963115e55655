"""What holds of every release that a target has guided, from the table to the frame."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from conftest import FRAMES
from kanonym.data.frames import to_polars

ALGORITHMS = {
    "mondrian": ka.Mondrian(target="income"),
    "segmentation": ka.Segmentation(target="income"),
}

FIVE = (ka.KAnonymity(5),)


def people(n=300, seed=0):
    """Return columns of n persons; their income hangs on job and age, with some nulls."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, n)
    job = random.choice(["clerk", "cook", "judge"], n)
    high = random.random(n) < 0.1 + 0.5 * (job == "judge") + 0.3 * (age > 40)
    income = np.where(high, "high", "low").tolist()
    for place in range(0, n, 29):
        income[place] = None
    return {
        "person": [f"p{i // 2}" for i in range(n)],
        "age": age.tolist(),
        "job": job.tolist(),
        "zip": random.integers(100, 200, n).tolist(),
        "illness": random.choice(["flu", "cold", "none"], n).tolist(),
        "income": income,
        "guess": [float(one) for one in np.round(40 + 20 * high + random.normal(0, 2, n), 2)],
    }


def policy(algorithm, models=FIVE, limit=0.0, **changed):
    """Return a policy about `people`."""
    attributes = {
        "person": ka.Identifier(),
        "age": ka.QuasiIdentifier(),
        "job": ka.QuasiIdentifier(),
        "zip": ka.QuasiIdentifier(),
        "illness": ka.Sensitive(),
        "income": ka.Insensitive(),
        "guess": ka.Identifier(),
        **changed,
    }
    return ka.Policy(
        attributes=attributes,
        models=list(models),
        algorithm=algorithm,
        suppression_limit=limit,
        keep_order=True,
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=ALGORITHMS)
def test_a_target_gives_the_same_release_on_every_frame_library(algorithm):
    """One table, one release, whatever holds it."""
    asked = policy(algorithm)
    releases = [to_polars(ka.anonymize(make(people()), asked).frame) for make in FRAMES.values()]
    expected = releases[0].rows()
    for other in releases[1:]:
        assert other.rows() == expected


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=ALGORITHMS)
def test_the_order_of_the_table_does_not_matter_with_a_target(algorithm):
    """Classes are the same, and hold the same records, in any order of them."""
    table = pl.DataFrame(people())
    known = ["age", "job", "zip"]
    first = ka.anonymize(table, policy(algorithm))
    mixed = table.sample(fraction=1, shuffle=True, seed=3)
    second = ka.anonymize(mixed, policy(algorithm))
    assert sorted(first.frame[known].rows()) == sorted(second.frame[known].rows())
    assert first.algorithm["impurity"] is not None
    if isinstance(algorithm, ka.Mondrian):
        assert sorted(map(repr, first.frame.rows())) == sorted(map(repr, second.frame.rows()))
        assert first.algorithm == second.algorithm


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize(
    "models",
    [
        [ka.KAnonymity(7)],
        [ka.KAnonymity(3, entity="person")],
        [ka.KAnonymity(2), ka.LDiversity("illness", l=2)],
        [ka.TCloseness("illness", t=0.3)],
        [ka.KAnonymity(4), ka.TCloseness("income", t=0.4)],
    ],
    ids=lambda models: " ".join(str(model.type) for model in models),
)
def test_every_model_is_satisfied_with_a_target(name, models):
    """Also where the target is what a model is about, or the identifier of persons."""
    for target in ("income", "guess", "illness", "person"):
        algorithm = type(ALGORITHMS[name])(target=target)
        release = ka.anonymize(
            pl.DataFrame(people()), policy(algorithm, models, income=ka.Sensitive())
        )
        assert release.verification.satisfied
        assert release.rows_out == 300
        assert release.algorithm["target"] == target
        assert 0 <= release.algorithm["impurity"] <= 1


def test_a_target_changes_nothing_but_the_classes():
    """Columns, their types and values of other roles are those of a release without one."""
    table = pl.DataFrame(people())
    plain = ka.anonymize(table, policy(ka.Mondrian()))
    guided = ka.anonymize(table, policy(ka.Mondrian(target="guess")))
    assert guided.frame.schema == plain.frame.schema
    assert guided.frame.columns == ["age", "job", "zip", "illness", "income"]
    assert guided.frame["income"].to_list() == table["income"].to_list()
    assert guided.algorithm["task"] == "regression"
    assert guided.verification.n_classes > 1


def test_what_a_model_predicts_guides_although_it_is_not_released():
    """An identifier that is dropped parts the classes by its values, where k allows it.

    30 of 80 persons guess otherwise, up to an age that no median is: nothing is drawn.
    """
    table = pl.DataFrame(
        {"age": [20 + i % 8 for i in range(80)], "zip": [i // 8 for i in range(80)]}
    )
    table = table.with_columns(guess=pl.when(pl.col("age") < 23).then(1.0).otherwise(2.0))
    spreads = []
    for target in ("guess", None):
        asked = ka.Policy(
            attributes={
                "age": ka.QuasiIdentifier(),
                "zip": ka.QuasiIdentifier(),
                "guess": ka.Identifier(),
            },
            models=[ka.KAnonymity(20)],
            algorithm=ka.Mondrian(target=target),
        )
        labels = pl.Series("class", ka.anonymize(table, asked).decision.labels)
        spreads.append(table.group_by(labels).agg(pl.n_unique("guess"))["guess"].max())
    assert spreads == [1, 2]


def test_actions_on_the_target_do_not_change_what_guides():
    """It is the input's values that guide, whatever is released in their place."""
    table = pl.DataFrame(people())
    plain = ka.anonymize(table, policy(ka.Mondrian(target="guess")))
    rounded = ka.Insensitive(action=[{"type": "round", "to": 1000}])
    acted = ka.anonymize(table, policy(ka.Mondrian(target="guess"), guess=rounded))
    assert acted.frame["guess"].n_unique() == 1
    assert acted.decision.labels.tolist() == plain.decision.labels.tolist()


def test_no_record_is_suppressed_for_a_target():
    """The limit is not spent: a suppressed record teaches nothing."""
    columns = people()
    columns["zip"][:3] = [10_000, 20_000, 30_000]
    table = pl.DataFrame(columns)
    spent = ka.anonymize(table, policy(ka.Mondrian(), limit=0.2))
    kept = ka.anonymize(table, policy(ka.Mondrian(target="income"), limit=0.2))
    assert spent.suppressed > 0
    assert kept.suppressed == 0
