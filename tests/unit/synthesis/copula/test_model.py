"""Laws of the model of a whole table: what is drawn looks like what was fitted."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from copula_tables import CORRELATION, cramers_v, cut, latent, people, total_variation
from kanonym.synthesis.copula import fit
from margins import most_apart, most_varied, slack


def sampled(columns, n=20_000, seed=0):
    """Return a table drawn from the model of some columns."""
    return pl.DataFrame(fit(columns).sample(n, np.random.default_rng(seed)))


def test_shares_of_values_are_imitated():
    """Each value of a column that repeats comes as often as in the table, but for chance."""
    columns = people(4000, 1)
    drawn = sampled(columns)
    for column in columns[2:]:
        most = most_varied(len(drawn), column.n_unique())
        assert total_variation(column, drawn[column.name]) < most


def test_distributions_of_measured_columns_are_imitated():
    """Of a column measured finely, the distribution function is off by chance alone."""
    columns = people(4000, 1)
    drawn = sampled(columns)
    for column in columns[:2]:
        at = column.sort().to_numpy()
        own = np.arange(len(at)) / len(at)
        other = np.searchsorted(drawn[column.name].sort().to_numpy(), at) / 20_000
        # Between two neighbours of the 4,000 values the model draws any.
        assert np.abs(own - other).max() < most_apart(20_000) + 1 / 4000


def test_nulls_are_imitated_together():
    """Columns are null as often as in the table, and both at once as often."""
    random = np.random.default_rng(3)
    z = latent(5000, 3)
    sick = random.random(5000) < 0.2
    columns = [
        pl.Series("x", z[:, 0]).set(pl.Series(sick), None),
        pl.Series("y", cut(z[:, 1], -1, 0, 1)).set(pl.Series(sick & (z[:, 2] < 1)), None),
        pl.Series("z", z[:, 2]),
    ]
    table, drawn = pl.DataFrame(columns), sampled(columns)
    for null in (
        pl.col("x").is_null(),
        pl.col("y").is_null(),
        pl.col("x").is_null() & pl.col("y").is_null(),
    ):
        shares = [frame.select(null.mean()).item() for frame in (table, drawn)]
        assert shares[0] == pytest.approx(shares[1], abs=slack(20_000, shares[0]))
    # Values that are missing here and there do not weaken the association of the others.
    held = [frame.drop_nulls(["x", "y"]) for frame in (table, drawn)]
    found = [frame.select(pl.corr("x", "y", method="spearman")).item() for frame in held]
    assert found[0] == pytest.approx(found[1], abs=0.03)


def test_rank_correlations_are_recovered():
    """Spearman's correlations of numbers are those of the table, coarse ones included."""
    columns = [column.cast(pl.Float64) for column in people(20_000, 2) if column.name != "town"]
    drawn = sampled(columns)
    own, other = (np.corrcoef(np.array([c.rank() for c in table])) for table in (columns, drawn))
    assert other == pytest.approx(own, abs=0.025)


def test_pearsons_correlations_are_recovered():
    """Of normal columns, the linear correlations of the draw are those of the table."""
    z = latent(20_000, 4)
    drawn = sampled([pl.Series(f"x{i}", z[:, i]) for i in range(6)]).to_numpy()
    assert np.corrcoef(drawn.T) == pytest.approx(CORRELATION, abs=0.03)


def test_coarse_columns_do_not_weaken_correlations():
    """Two columns cut from one copula into two and three values keep their association."""
    for seed, strength in enumerate((0.9, 0.5, -0.7)):
        z = latent(20_000, seed, np.array([[1, strength], [strength, 1]]))
        columns = [
            pl.Series("x", cut(z[:, 0], 0.8)),
            pl.Series("y", cut(z[:, 1], -0.5, 1.0)),
        ]
        own, other = (
            np.corrcoef(table["x"], table["y"])[0, 1]
            for table in (pl.DataFrame(columns), sampled(columns))
        )
        assert own == pytest.approx(other, abs=0.02)


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.4])
def test_strongly_associated_categories_stay_so(noise):
    """Two nominal columns of which one nearly determines the other keep Cramér's V."""
    random = np.random.default_rng(5)
    town = random.choice(9, 6000, p=np.arange(1, 10) / 45)
    code = np.where(random.random(6000) < noise, random.integers(0, 9, 6000), town)
    shuffled = random.permutation(9)
    columns = [
        pl.Series("town", [f"t{shuffled[one]}" for one in town]),
        pl.Series("code", [f"c{one}" for one in code]),
    ]
    drawn = sampled(columns)
    own, other = (cramers_v(one["town"], one["code"]) for one in (pl.DataFrame(columns), drawn))
    assert own - 0.25 < other < own + 0.05


def test_a_category_goes_with_its_numbers():
    """The mean of a number in each category, in whatever order these come, is imitated."""
    z = latent(10_000, 6, np.array([[1, 0.7], [0.7, 1]]))
    words = np.array(["fig", "ash", "elm", "oak", "yew"])
    columns = [
        pl.Series("word", words[cut(z[:, 0], -1, -0.2, 0.4, 1.2)]),
        pl.Series("x", z[:, 1]),
    ]
    own, other = (
        frame.group_by("word").agg(pl.col("x").mean()).sort("word")["x"].to_numpy()
        for frame in (pl.DataFrame(columns), sampled(columns))
    )
    assert other == pytest.approx(own, abs=0.06)


def test_what_is_independent_stays_independent():
    """A category of many values finds no order that makes it go with a number by chance."""
    random = np.random.default_rng(7)
    columns = [
        pl.Series("word", random.integers(0, 400, 2000).astype(str)),
        pl.Series("x", random.normal(size=2000)),
        pl.Series("y", random.integers(0, 5, 2000)),
    ]
    model = fit(columns)
    drawn = pl.DataFrame(model.sample(50_000, random))
    means = drawn.group_by("word").agg(pl.col("x").mean(), pl.len()).filter(pl.col("len") > 50)
    # Records of a category: about 125, whose mean of x has a standard deviation of 0.09.
    assert float(means["x"].std()) < 0.15


def test_nobody_tells_a_draw_from_further_real_records():
    """A boosted classifier finds no difference to a fresh table of the same family: AUC ≤ 0.55."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import cross_val_predict
    from threadpoolctl import threadpool_limits

    drawn = fit(people(4000, 8)).sample(4000, np.random.default_rng(8))
    real = people(4000, 9)
    both = pl.concat([pl.DataFrame(real), pl.DataFrame(drawn)])
    town = both["town"].rank("dense").cast(pl.Float64)
    features = both.with_columns(town, pl.col("consent").cast(pl.Float64)).to_numpy()
    is_drawn = np.repeat([0, 1], 4000)
    model = HistGradientBoostingClassifier(random_state=0)
    with threadpool_limits(1):
        scores = cross_val_predict(model, features, is_drawn, cv=5, method="predict_proba")[:, 1]
    assert roc_auc_score(is_drawn, scores) <= 0.55


def test_one_seed_one_draw():
    """The same generator state gives the same records, another one others."""
    model = fit(people(500, 1))
    first, again, other = (
        pl.DataFrame(model.sample(50, np.random.default_rng(seed))) for seed in (1, 1, 2)
    )
    assert first.equals(again)
    assert not first.equals(other)


def test_the_order_of_records_does_not_matter():
    """The same records in another order give the same model."""
    columns = people(800, 1)
    order = np.random.default_rng(0).permutation(800)
    first, second = (
        pl.DataFrame(fit(table).sample(100, np.random.default_rng(0)))
        for table in (columns, [column.gather(order) for column in columns])
    )
    assert first.equals(second)


def test_the_order_of_columns_stays():
    """Columns come back in the order of the table, under their names."""
    columns = people(50, 1)
    model = fit(columns)
    assert model.names == tuple(column.name for column in columns)
    for drawn in (
        model.sample(3, np.random.default_rng(0)),
        model.complete([columns[4].head(3), columns[0].head(3)], np.random.default_rng(0)),
    ):
        assert [column.name for column in drawn] == list(model.names)


def test_no_record_can_be_asked_for():
    """Zero records are columns of the right types without a value."""
    columns = people(100, 1)
    model = fit(columns)
    empty = pl.DataFrame(columns).clear()
    assert pl.DataFrame(model.sample(0, np.random.default_rng(0))).equals(empty)
    given = [columns[2].clear()]
    assert pl.DataFrame(model.complete(given, np.random.default_rng(0))).equals(empty)
    values, shares = model.probabilities("town", given)
    assert shares.shape == (0, len(values))


def test_one_record_is_all_that_its_table_says():
    """Of one record, nothing else can be drawn."""
    columns = [column.head(1) for column in people(5, 1)]
    drawn = pl.DataFrame(fit(columns).sample(4, np.random.default_rng(0)))
    assert drawn.equals(pl.concat([pl.DataFrame(columns)] * 4))


def test_constant_and_empty_columns_stay_so():
    """A column of one value keeps it, with its nulls; one without a value has none."""
    columns = [
        pl.Series("constant", [3] * 200),
        pl.Series("sometimes", ["x", None] * 100),
        pl.Series("never", [None] * 200, pl.Int32),
        pl.Series("nothing", [None] * 200),
        pl.Series("number", range(200)),
    ]
    model = fit(columns)
    drawn = pl.DataFrame(model.sample(1000, np.random.default_rng(0)))
    assert drawn.schema == pl.DataFrame(columns).schema
    assert drawn["constant"].unique().to_list() == [3]
    assert set(drawn["sometimes"].unique()) == {"x", None}
    assert drawn["never"].null_count() == drawn["nothing"].null_count() == 1000
    assert [model.reach(name) for name in model.names] == [1, 2, 1, 1, 200]
