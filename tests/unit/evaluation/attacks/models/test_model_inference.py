"""Laws of attribute inference by a model that was trained on the release."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.models.model_inference import ModelInference
from kanonym.evaluation.attacks.result import AttackResult
from kanonym.evaluation.pair.drawing import draw_categories, draw_numbers
from kanonym.evaluation.pair.reading import read_pair
from margins import SURE
from scenes import HIDDEN, KNOWN, people, released, scene, shuffled


def predicted(release, table=None, control=None, sensitive=HIDDEN, **parameters) -> AttackResult:
    """Return the outcome on everybody of `people`, beside others."""
    table = people(300) if table is None else table
    control = people(300, 1) if control is None else control
    sight = scene(table, release, KNOWN, sensitive, control=control)
    return ModelInference(**parameters).run(sight, np.random.default_rng(0))


@pytest.mark.parametrize("secret", HIDDEN)
def test_the_original_published_unchanged_is_found(secret):
    """The model learns by heart: its gain is near that of looking persons up."""
    table, control = people(300), people(300, 1)
    lookup = ka.attack(
        table,
        shuffled(table),
        control=control,
        quasi_identifiers=KNOWN,
        sensitive=[secret],
        attacks=["inference"],
    )["inference"]
    found = predicted(shuffled(table), sensitive=[secret])
    assert lookup.risk > 0.4
    assert found.risk > lookup.risk - 0.1


def test_values_of_many_categories_are_learned_by_heart():
    """Who is unique by a text of hundreds of values is found by it."""
    random = np.random.default_rng(0)
    table, control = (
        pl.DataFrame(
            {
                "street": [f"street {i}" for i in random.permutation(400)],
                "ill": random.choice(list("abcd"), 400),
            }
        )
        for _ in range(2)
    )
    sight = scene(table, shuffled(table), ["street"], ["ill"], control=control)
    found = ModelInference().run(sight, random)
    assert found.targets.rate == 1
    assert found.control.rate < 0.4


def test_other_peoples_records_teach_nothing_of_anybody():
    """Of a table of strangers members are predicted as others are, whatever is learned."""
    found = predicted(people(300, 2), sensitive=["cost"])
    assert found.targets.rate > found.baseline.rate
    assert replace(found, confidence=SURE).interval[0] == 0


def test_rapid_is_told_beside_that_of_the_control():
    """Of a category that hangs together with what is known, everybody is at risk by RAPID."""
    table, control = (
        people(300, seed).with_columns(
            disease=pl.when(pl.col("age") < 50).then(pl.lit("flu")).otherwise(pl.lit("gout"))
        )
        for seed in (0, 1)
    )
    found = predicted(released(table, 5), table, control, sensitive=["disease"])
    # By other seeds 0.95 ± 0.03 and 0.93 ± 0.035; in all of the table 0.5 for either disease.
    assert found.parts["disease: RAPID"] > 0.75
    assert found.parts["disease: RAPID of the control"] > 0.75
    assert replace(found, confidence=SURE).interval[0] == 0


def test_what_is_suppressed_teaches_the_commonest_value():
    """Of a release that tells persons apart by nothing, all are predicted the same."""
    table = people(200)
    release = table.with_columns(pl.lit("*").alias(name) for name in KNOWN)
    sight = scene(table, release, KNOWN, ["disease"], control=table)
    found = ModelInference().run(sight, np.random.default_rng(0))
    assert found.risk == 0
    assert found.control == found.targets


def test_the_order_of_the_release_does_not_matter():
    """A shuffled release teaches the same."""
    release = released(people(300), 3)
    first, second = (predicted(one) for one in (release, shuffled(release)))
    assert first == second


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"control": None}, "give a control table"),
        ({"known": []}, "the intruder knows no quasi-identifier"),
        ({"sensitive": []}, "no sensitive attribute is in both tables"),
        ({"sensitive": ["name"]}, "'name' has 400 categories, more than 250: group them"),
    ],
)
def test_what_cannot_be_predicted_is_told(change, reason):
    """Without a control, something known or something to predict there is no attempt."""
    names = pl.Series("name", [f"n{i}" for i in range(400)])
    table = people(400).with_columns(names)
    asked = {"control": table, "known": KNOWN, "sensitive": ["disease"]} | change
    sight = scene(table, table, asked["known"], asked["sensitive"], control=asked["control"])
    found = ModelInference().run(sight, np.random.default_rng(0))
    assert not found.targets.attempts
    assert found.reason.startswith(reason)


def test_parameters_are_checked():
    """A threshold is a share, and the secret a name."""
    with pytest.raises(PolicyError, match="threshold"):
        ModelInference(threshold=1.5)
    with pytest.raises(PolicyError, match="attribute"):
        ModelInference(secret="")


def test_values_are_drawn_from_what_a_cell_leaves_open():
    """Of an interval all of it, of a set its members alone, of a label each category."""
    before = {
        "age": pl.Series("age", [20, 24, 31, 35, 39, None]),
        "town": pl.Series("town", ["Ulm", "Bonn", "Kiel", "Ulm", "Bonn", None]),
    }
    after = {
        "age": pl.Series("age", ["[20, 24]", "[20, 24]", "{31, 39}", "35", "*", None]),
        "town": pl.Series("town", ["{Bonn, Ulm}", "{Bonn, Ulm}", "Kiel", "Ulm", "*", None]),
    }
    pair = read_pair(before, after, ["age", "town"])
    random = np.random.default_rng(0)
    ages, towns = (
        np.array([draw(pair.column(name), np.arange(6), random) for _ in range(200)]).T
        for name, draw in (("age", draw_numbers), ("town", draw_categories))
    )
    assert 20 <= ages[0].min() < 21
    assert 23 < ages[0].max() <= 24
    assert set(ages[2]) == {31, 39}
    assert set(ages[3]) == {35}
    assert ages[4].min() < 22
    assert ages[4].max() > 37
    texts = pair.column("town").categories.to_list()
    drawn = [{texts[int(code)] for code in one} for one in towns]
    assert drawn == [{"Bonn", "Ulm"}, {"Bonn", "Ulm"}, {"Kiel"}, {"Ulm"}, set(texts), {None}]
