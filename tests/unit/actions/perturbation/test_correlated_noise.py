"""Laws of noise with the covariance of its columns."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from kanonym.actions import CorrelatedNoise
from kanonym.data.errors import DataError, PolicyError, SchemaError

N = 40_000


def people(n=N):
    """Return three columns of very different size, two of which go together, one against."""
    random = np.random.default_rng(4)
    age = random.normal(45, 12, n)
    income = 1e6 * age + random.normal(0, 1e7, n)
    share = -0.0001 * age + random.normal(0, 0.002, n)
    return pl.DataFrame({"income": income, "age": age, "share": share})


def noise_of(table, action, context):
    """Return the (n, d) noise of all columns of a table, added one after the other."""
    one = context(table)
    return np.array([(action.apply(column, one) - column).to_numpy() for column in table]).T


def test_noise_has_a_share_of_the_covariance(context):
    """The covariance of the noise is the share of the columns', so correlations stay."""
    table = people()
    noise = noise_of(table, CorrelatedNoise(table.columns, 0.2), context)
    spread = table.to_numpy().std(axis=0)
    expected = 0.2 * np.corrcoef(table.to_numpy().T)
    found = np.cov((noise / spread).T)
    assert found == pytest.approx(expected, abs=5 * 0.2 * math.sqrt(2 / N))
    released = table.to_numpy() + noise
    assert np.corrcoef(released.T) == pytest.approx(
        np.corrcoef(table.to_numpy().T), abs=5 / math.sqrt(N)
    )
    assert released.var(axis=0) == pytest.approx(1.2 * table.to_numpy().var(axis=0), rel=0.03)


def test_columns_that_are_multiples_get_multiples_of_the_noise(context):
    """Of two columns with correlation 1 one draw is added to both: there is no other direction."""
    first = np.random.default_rng(2).normal(0, 1, 500)
    table = pl.DataFrame({"x": first, "y": -3 * first})
    noise = noise_of(table, CorrelatedNoise(["x", "y"], 0.5), context)
    assert noise[:, 1] == pytest.approx(-3 * noise[:, 0], abs=1e-6)
    assert noise[:, 0].std() > 0.5


def test_a_constant_column_gets_no_noise(context):
    """What has no spread has no share of it, and leaves the others theirs."""
    table = people(300).with_columns(pl.lit(0.1).alias("fee"))
    noise = noise_of(table, CorrelatedNoise(table.columns, 0.2), context)
    assert (noise[:, 3] == 0).all()
    assert (noise[:, :3] != 0).all()


def test_the_draw_does_not_depend_on_order_or_on_earlier_draws(context):
    """Columns fit together in any order, from one generator or from children of one seed."""
    table = people(50)
    action = CorrelatedNoise(table.columns, 0.2)
    first, second = context(table), context(table)
    forward = [action.apply(table[name], first).to_list() for name in table.columns]
    second.random.random(7)
    other = CorrelatedNoise(table.columns[::-1], 0.2)
    backward = [other.apply(table[name], second).to_list() for name in table.columns[::-1]]
    assert forward == backward[::-1]
    child = first.random.spawn(3)[2]
    spawned = type(first)(child, first.column)
    assert action.apply(table["age"], spawned).to_list() == forward[1]
    other_seed = action.apply(table["age"], context(table, seed=1)).to_list()
    assert other_seed != forward[1]


def test_two_groups_have_draws_of_their_own(context):
    """Noise of one group says nothing about that of another in the same release."""
    table = people(5000)
    one = (CorrelatedNoise(["age", "share"], 0.2).apply(table["age"], context(table))) - table[
        "age"
    ]
    two = CorrelatedNoise(["age", "income"], 0.2).apply(table["income"], context(table))
    assert abs(np.corrcoef(one, two - table["income"])[0, 1]) < 0.1


def test_nulls_stay_null_and_take_no_part(context):
    """A record without one value gets noise in the others, and is not read for the covariance."""
    table = people(200)
    extreme = pl.DataFrame({"income": [None], "age": [1e9], "share": [0.5]})
    action = CorrelatedNoise(table.columns, 0.2)
    joined = pl.concat([table, extreme])
    alone = action.apply(table["age"], context(table))
    released = action.apply(joined["age"], context(joined))
    assert released[:200].to_list() == alone.to_list()
    assert abs(released[200] - 1e9) < 100
    assert action.apply(joined["income"], context(joined))[200] is None


def test_a_table_without_a_record_is_released_as_such(context):
    """No record needs no noise."""
    table = people(5).clear()
    released = CorrelatedNoise(["age", "share"], 0.2).apply(table["age"], context(table))
    assert (len(released), released.dtype) == (0, pl.Float64)


@pytest.mark.parametrize("columns", [[], ["age"], ["age", "age"], "age", ["age", 3]])
def test_a_group_is_two_or_more_columns(columns):
    """One column has no correlation, nor has a column with itself."""
    with pytest.raises(PolicyError, match="two or more different columns"):
        CorrelatedNoise(columns, 0.1)


def test_refusals_name_the_column(context):
    """Shares of nothing, unknown columns, text, strangers and single records are refused."""
    with pytest.raises(PolicyError, match="share is 0; it must be a number above 0"):
        CorrelatedNoise(["age", "share"], 0)
    table = people(5).with_columns(pl.lit("Rome").alias("city"))
    action = CorrelatedNoise(["age", "agee"], 0.1)
    with pytest.raises(DataError, match="no column 'agee'; the table has: income, age"):
        action.apply(table["age"], context(table))
    with pytest.raises(SchemaError, match="'income' is none of those that correlated-noise names"):
        action.apply(table["income"], context(table))
    with pytest.raises(SchemaError, match="column 'city' holds String, and correlated-noise needs"):
        CorrelatedNoise(["age", "city"], 0.1).apply(table["age"], context(table))
    single = table[:1]
    with pytest.raises(DataError, match=r"fewer than two records have a value in .*age, share"):
        CorrelatedNoise(["age", "share"], 0.1).apply(single["age"], context(single))
