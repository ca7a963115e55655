"""Laws of detection: 0.5 for tables that cannot be told apart, 1 for those that can."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from kanonym.evaluation.utility.models import detection as module
from kanonym.evaluation.utility.models.detection import area_interval, detection
from margins import least_held


def people(n, seed, shift=0.0):
    """Return a sample of one population: numbers that hang together, dates and categories."""
    random = np.random.default_rng(seed)
    z = random.normal(size=n)
    days = random.integers(0, 900, n).tolist()
    return [
        pl.Series("age", (40 + 10 * z + shift).round().astype(np.int64)),
        pl.Series("income", z + random.normal(size=n)),
        pl.Series("since", [date(2020, 1, 1) + timedelta(days=day) for day in days]),
        pl.Series("town", random.choice(list("abcd"), n)),
        pl.Series("ill", z + random.normal(size=n) > 0),
    ]


def detected(real, other, seed=0, **options):
    """Return the area with its parts."""
    return detection(real, other, np.random.default_rng(seed), **options)


def test_samples_of_one_population_cannot_be_told_apart():
    """The area of such tables is 0.5 on average, and within its interval as often as it says."""
    found = [detected(people(100, seed), people(150, 99 + seed), seed) for seed in range(20)]
    of_one = ((1 / 100 + 1 / 150) / 12) ** 0.5  # the deviation of an area without a difference
    assert np.mean([one.value for one in found]) == pytest.approx(0.5, abs=5 * of_one / 20**0.5)
    assert sum(one.parts["low"] <= 0.5 <= one.parts["high"] for one in found) >= least_held(20)


def test_tables_without_anything_in_common_are_told_apart():
    """Where a column gives every record away the area is 1, and its interval ends there."""
    found = detected(people(300, 1), people(300, 2, shift=500))
    assert found.value == 1
    assert 0.95 < found.parts["low"] < found.parts["high"] == 1


def test_what_joins_columns_gives_records_away():
    """Columns shuffled by themselves keep their shares and are told apart nonetheless."""
    other = people(600, 2)
    other[0] = other[0].shuffle(seed=0)
    assert detected(people(600, 1), other).value > 0.6  # by other seeds 0.678 ± 0.014


@pytest.mark.parametrize("columns", [[0, 1, 2, 3, 4], [1]])
def test_a_table_of_copies_is_at_one_half(columns):
    """No record is told from its copy, as it would be if the label of one were learned by heart."""
    both = [people(300, 1)[i] for i in columns]
    assert detected(both, both).value == 0.5


def test_values_that_many_have_are_told_by_how_many():
    """Of two towns in other shares the area is what the shares say: 1/2 + (0.8 - 0.2) / 2."""
    towns = [pl.Series("town", ["a"] * 800 + ["b"] * 200)]
    others = [pl.Series("town", ["a"] * 200 + ["b"] * 800)]
    assert detected(towns, others).value == pytest.approx(0.8, abs=0.01)


def test_weights_say_what_the_others_imitate():
    """Records of one part are told from the whole table; without weight, the rest is not there."""
    real, other = people(500, 1), people(250, 2)
    in_a = (real[3] == "a").to_numpy()
    other = [column.filter(other[3] == "a") for column in other]
    part = detected(real, other, weights=in_a.astype(float))
    assert part == detected([column.filter(in_a) for column in real], other)
    assert (
        detected(real, other).value > 0.75 > part.value
    )  # by other seeds 0.86 ± 0.02, 0.45 ± 0.05


def test_a_weight_counts_like_so_many_records():
    """A part that counts three times as much is as hard to tell from three times as many."""
    real = [pl.Series("town", ["a"] * 500 + ["b"] * 500)]
    other = [pl.Series("town", ["a"] * 750 + ["b"] * 250)]
    weights = np.repeat([3.0, 1.0], 500)
    assert detected(real, other).value == pytest.approx(0.625, abs=0.02)
    weighted = detected(real, other, weights=weights).value
    assert weighted == pytest.approx(0.5, abs=0.05)  # by other seeds 0.486 ± 0.006


def test_missing_values_give_records_away():
    """A column that is null more often in one table is told by that."""
    n = 800
    real, other = people(n, 1), people(n, 2)
    for i in (1, 3):
        holes = np.random.default_rng(i).random(n) < 0.5
        gaps = [pl.Series(other[i].name, [None] * n, other[i].dtype)]
        changed = [*other[:i], other[i].zip_with(pl.Series(~holes), gaps[0]), *other[i + 1 :]]
        assert detected(real, changed).value > 0.66  # by other seeds 0.745 ± 0.015


def test_values_of_which_each_is_rare_give_nothing_away():
    """Texts that hardly two records share are no mark of their table: they could be in either."""
    random = np.random.default_rng(0)
    words = [f"word {i}" for i in random.permutation(1000)]
    real, other = [pl.Series("x", words[:500])], [pl.Series("x", words[500:])]
    assert detected(real, other).value == pytest.approx(0.5, abs=0.08)
    common = [f"c{i}" for i in range(254)]
    mixed = [[pl.Series("x", common * 4 + one[0].to_list())] for one in (real, other)]
    assert detected(*mixed).value == pytest.approx(0.5, abs=0.08)


def test_rare_values_of_one_table_are_told_from_frequent_ones_of_the_other():
    """A text that all records share gives them away, also where each of the others is rare."""
    real = [pl.Series("x", [f"word {i}" for i in range(100)])]
    assert detected(real, [pl.Series("x", ["the same"] * 100)]).value > 0.95


def test_types_of_both_tables_may_differ():
    """Integers and floats, texts and categories, dates and times of one value are the same."""
    real, other = people(150, 1), people(150, 2)
    casts = [pl.Float32, pl.Float64, pl.Datetime("us"), pl.Categorical, pl.Int8]
    changed = [column.cast(dtype) for column, dtype in zip(other, casts, strict=True)]
    assert detected(real, changed).value == pytest.approx(detected(real, other).value, abs=1e-12)
    labels = [pl.Series("age", ["[30, 40)"] * 150), *other[1:]]
    assert detected(real, labels).value == 1


def test_the_seed_decides(monkeypatch):
    """One seed gives one area; of large tables so many records are drawn."""
    real, other = people(120, 1), people(120, 2)
    found = detected(real, other)
    assert found == detected(real, other)
    assert found.value != detected(real, other, seed=1).value
    monkeypatch.setattr(module, "RECORDS", 50)
    drawn = detected(real, other).parts
    assert drawn["real"] == drawn["other"] == 50


def test_tables_that_give_nothing_say_why():
    """No column, or too few records for the folds, is said and is no error."""
    few = [pl.Series("x", [1.0] * 9)]
    many = [pl.Series("x", [1.0] * 50)]
    assert detected([], []).reason == "the tables have no column in common"
    assert detected(few, many).reason == "the real table has 9 records: too few for 5 folds"
    assert detected(many, few).reason == "the other table has 9 records: too few for 5 folds"
    assert detected(many, many).value == 0.5


def test_a_column_without_a_value_is_passed_over():
    """A column that is null everywhere tells nothing, and the others tell what they did."""
    real, other = people(100, 1), people(100, 2)
    empty = pl.Series("none", [None] * 100, pl.Float64)
    assert detected([*real, empty], [*other, empty]).value == detected(real, other).value
    assert detected([empty], [empty]).value == 0.5


def test_folds_that_nobody_is_dealt_to_count_for_nothing():
    """Where few different records fill some folds only, those are compared; without any, none."""
    real, other = [pl.Series("x", [1] * 8 + [2] * 8)], [pl.Series("x", [1] * 10 + [3] * 6)]
    assert detected(real, real).value == 0.5
    apart = detected(real, [pl.Series("x", [3] * 16)])
    assert apart.value is None
    assert "no fold has some of both" in apart.reason
    assert 0.0 <= detected(real, other).value <= 1.0


def test_the_area_is_that_of_scikit_learn():
    """Weights and ties included, the area is the one that scikit-learn computes."""
    random = np.random.default_rng(0)
    scores = random.integers(0, 12, 80).astype(float)
    labels = random.random(80) < 0.4
    weights = np.where(labels, 1.0, random.integers(1, 5, 80))
    mine = module._area(scores[labels], scores[~labels], weights[~labels])  # noqa: SLF001
    assert mine == pytest.approx(roc_auc_score(labels, scores, sample_weight=weights))


def test_the_interval_by_hand():
    """At 1/2 of equal tables Hanley and McNeil's variance is that of Mann and Whitney, nearly."""
    low, high = area_interval(0.5, 400, 400)
    exact = 1.96 * np.sqrt((400 + 400 + 1) / (12 * 400 * 400))
    assert low == pytest.approx(0.5 - exact, abs=1e-3)
    assert low + high == pytest.approx(1)
    assert area_interval(1.0, 30, 30)[0] < 1
    assert area_interval(1.0, 300, 300)[0] > area_interval(1.0, 30, 30)[0]
