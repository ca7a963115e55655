"""examples/loans.py: a workshop's story on 307,511 loans, and the answer to its exercise.

By day the story is told of a few loans; the figures of all of them are checked at night.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.cluster import KMeans

import kanonym as ka

pytestmark = pytest.mark.xdist_group("loans")  # they share releases that take long

EXAMPLE = Path(__file__).parents[2] / "examples" / "loans.py"
OUTLIER = 12840


@pytest.fixture(scope="module")
def example():
    """Return the names of the example."""
    return SimpleNamespace(**runpy.run_path(str(EXAMPLE)))


@pytest.fixture(scope="module")
def loans(example):
    """Return the generated table as the example reads it: four columns, a number for each loan."""
    return example.numbered(example.generated())


@pytest.fixture(scope="module")
def found(loans, example):
    """Return what the workshop finds."""
    return example.workshop(loans)


@pytest.fixture(scope="module")
def tried(loans, found, example):
    """Return the results of the exercise."""
    return list(example.exercise(loans, found))


@pytest.mark.nightly
def test_every_loan_is_alone_with_and_without_its_identifier(loans, found):
    """An identifier makes k 1, and dropping it is not enough."""
    assert loans["SK_ID_CURR"].n_unique() == len(loans) == 307_511
    assert (found.k_identified, found.k) == (1, 1)


@pytest.mark.nightly
def test_the_class_of_one_names_the_outlier(found):
    """One of four clusters holds one loan: that of row 12840, with an income of 117,000,000."""
    first = found.results[0]
    assert (first.k, first.classes, first.uniques) == (1, 4, 1)
    assert found.classes["count"].sum() == first.records == 307_511
    assert found.classes.row(0, named=True)["AMT_INCOME_TOTAL"] == 117_000_000
    assert found.outliers["row"].to_list() == [OUTLIER]
    assert found.outliers["AMT_INCOME_TOTAL"].to_list() == [117_000_000]
    assert len(found.loans) == 307_510
    assert OUTLIER + 100_000 not in found.loans["SK_ID_CURR"]


@pytest.mark.nightly
def test_without_the_outlier_four_clusters_are_large(found):
    """Leaving one loan out takes k from 1 to thousands; birth and employment lose what they did."""
    first, second = found.results[:2]
    assert (second.classes, second.uniques, second.records) == (4, 0, 307_510)
    assert second.k == pytest.approx(6867, rel=0.01)
    assert list(second.rmse.values()) == pytest.approx([81_612, 167_889, 4_248, 135_585], rel=1e-3)
    assert second.rmse["DAYS_BIRTH"] == pytest.approx(first.rmse["DAYS_BIRTH"], rel=1e-3)


@pytest.mark.nightly
def test_clusters_are_those_of_the_workshop(found):
    """scikit-learn, called as the workshop does it, loses in each column what our release loses."""
    rows = found.loans.select(pl.exclude("SK_ID_CURR")).to_numpy()
    clusters = KMeans(4, n_init=10, random_state=40).fit(rows)
    errors = rows - clusters.cluster_centers_[clusters.labels_]
    assert list(found.results[1].rmse.values()) == pytest.approx(
        np.sqrt((errors**2).mean(axis=0)), rel=1e-3
    )


@pytest.mark.nightly
def test_clusters_of_each_column_lose_half_and_protect_little(found):
    """Four clusters a column are 256 combinations: half the error, and classes of five loans."""
    _, whole, by_column, _ = found.results
    assert (by_column.classes, by_column.uniques) == (4**4, 0)
    assert by_column.k == pytest.approx(5, abs=2)
    assert by_column.mean / whole.mean == pytest.approx(0.515, abs=0.005)


@pytest.mark.nightly
def test_mdav_gives_the_k_that_is_asked_for(found):
    """MDAV with k = 500 makes classes of 500 loans, and one of the rest."""
    last = found.results[-1]
    assert (last.k, last.classes, last.uniques) == (500, 307_510 // 500, 0)
    assert list(last.rmse.values()) == pytest.approx([22_508, 25_070, 3_731, 19_355], rel=1e-3)
    assert last.mean == pytest.approx(17_666, rel=1e-3)


@pytest.mark.nightly
def test_errors_are_those_of_the_released_table(found, example):
    """RMSE and k of a release, computed from its rows with pandas, are the ones that are shown."""
    release = example.anonymize(found.loans, ka.MDAV(standardize=False), k=500)
    before = found.loans.to_pandas()[example.COLUMNS]
    after = release.frame.to_pandas()[example.COLUMNS]
    rmse = ((before - after) ** 2).mean() ** 0.5
    shown = found.results[-1]
    assert list(shown.rmse.values()) == pytest.approx(rmse.to_list())
    assert shown.lost == pytest.approx((rmse**2 / before.var(ddof=0)).mean())
    sizes = after.value_counts()
    assert (sizes.min(), len(sizes)) == (shown.k, shown.classes)


def test_the_outlier_among_a_tenth_of_the_loans_loses_its_income(loans, example):
    """In a class of 20 the outlier loses its income, and other columns less than in 4 clusters."""
    tenth = loans.filter((pl.int_range(pl.len()) % 10 == 0) | (pl.int_range(pl.len()) == OUTLIER))
    alone = example.measured("", tenth, example.anonymize(tenth, ka.algorithms.KMeans(4)))
    hidden = example.measured("", tenth, example.anonymize(tenth, ka.MDAV(), k=20))
    assert (alone.k, hidden.k, hidden.uniques) == (1, 20, 0)
    assert hidden.rmse["AMT_INCOME_TOTAL"] > alone.rmse["AMT_INCOME_TOTAL"]
    assert all(hidden.rmse[name] < alone.rmse[name] for name in example.COLUMNS[1:])


@pytest.mark.nightly
def test_no_release_of_the_outlier_keeps_its_income(found, tried):
    """With the outlier in a class of two, no released income comes near what k-means loses."""
    first, last = found.results[0], tried[-1]
    second_income = found.loans["AMT_INCOME_TOTAL"].max()
    least = ((117_000_000 - second_income) ** 2 / 2 / first.records) ** 0.5
    assert least > first.rmse["AMT_INCOME_TOTAL"]
    assert last.records == first.records
    assert last.rmse["AMT_INCOME_TOTAL"] > least
    assert last.beats(first) == "on average"


@pytest.mark.nightly
@pytest.mark.parametrize(("number", "most"), [(1, 9_200), (2, 100), (3, 520)])
def test_every_column_is_better_at_a_higher_k(number, most, found, tried):
    """What the workshop does without the outlier is beaten in k and in the RMSE of every column."""
    beaten = found.results[number]
    better = [one for one in tried if one.beats(beaten) == "every column"]
    assert max(one.k for one in better) == pytest.approx(most, rel=0.01)
    for one in better:
        assert one.records == beaten.records
        assert one.k > beaten.k
        assert one.uniques == 0
        assert all(one.rmse[name] < beaten.rmse[name] for name in beaten.rmse)


@pytest.mark.nightly
def test_weights_are_divided_out(found, example):
    """A column that counts more loses less, in its own unit."""
    plain = found.loans.head(5_000)
    heavier = plain.with_columns(pl.col("DAYS_BIRTH") * 1000)
    algorithm = ka.MDAV(standardize=False)
    light = example.measured("", plain, example.anonymize(plain, algorithm, k=50))
    release = example.anonymize(heavier, algorithm, k=50)
    heavy = example.measured("", plain, release, {"DAYS_BIRTH": 1000})
    means = release.frame["DAYS_BIRTH"] / 1000
    error = ((plain["DAYS_BIRTH"] - means) ** 2).mean() ** 0.5
    assert heavy.rmse["DAYS_BIRTH"] == pytest.approx(error)
    assert error < 0.5 * light.rmse["DAYS_BIRTH"]
    assert heavy.lost != pytest.approx(light.lost)
    assert heavy.k == light.k == 50


@pytest.mark.nightly
def test_what_beats_nothing_is_not_said_to(found, tried):
    """A lower loss alone is no answer: individual ranking without a model leaves unique loans."""
    ranked = next(one for one in tried if one.k == 1)
    assert ranked.uniques > 0.9 * ranked.records
    assert ranked.mean < min(one.mean for one in found.results)
    assert not any(ranked.beats(other) for other in found.results)


@pytest.mark.nightly  # by day, its story on generated loans is a page that runs
def test_script_tells_the_story_of_any_loans(tmp_path, monkeypatch, capsys, example):
    """A file with further columns and identifiers of its own is read; its outlier is named."""
    rng = np.random.default_rng(0)
    n = 2_000
    table = pd.DataFrame(
        {
            "TARGET": rng.integers(0, 2, n),
            "DAYS_EMPLOYED": -rng.integers(1, 9_000, n),
            "DAYS_BIRTH": -rng.integers(7_489, 25_229, n),
            "AMT_CREDIT": np.round(rng.lognormal(13, 0.7, n)),
            "AMT_INCOME_TOTAL": np.round(rng.lognormal(11.9, 0.4, n)),
            "SK_ID_CURR": rng.permutation(n),
        }
    )
    table.loc[77, "AMT_INCOME_TOTAL"] = 1e8
    table.to_csv(tmp_path / "loans.csv", index=False)
    monkeypatch.setattr(sys, "argv", ["loans.py", str(tmp_path / "loans.csv")])
    example.main()
    told = capsys.readouterr().out
    assert "2,000 loans: k is 1 with SK_ID_CURR, 1 without" in told
    assert "row 77: AMT_INCOME_TOTAL 100,000,000, " in told
    assert "2 every column" in told


def test_the_generated_loans_are_those_of_the_benches(shared_data, loans, example):
    """`generated` draws the table that the shared generator draws."""
    made = runpy.run_path(str(shared_data / "credit_like.py"))["make"]()
    assert loans.select(example.COLUMNS).equals(pl.from_pandas(made))


def test_script_refuses_a_table_without_its_columns(tmp_path, monkeypatch, example):
    """A missing column is named, beside those that are there."""
    (tmp_path / "loans.csv").write_text("AMT_CREDIT,age\n1,2\n", "utf-8")
    monkeypatch.setattr(sys, "argv", ["loans.py", str(tmp_path / "loans.csv")])
    with pytest.raises(SystemExit, match=r"no column AMT_INCOME_TOTAL, DAYS_BIRTH, .*AMT_CREDIT"):
        example.main()
