"""Records as points: what a difference counts, and what is refused."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

from kanonym.algorithms.base import Problem
from kanonym.algorithms.microaggregation.mdav import ONA
from kanonym.algorithms.microaggregation.records import kinds_of, record_space
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.hierarchy import from_mapping
from kanonym.data.table import encode
from kanonym.kernels.microaggregation.mdav import NOMINAL, NUMBER, ORDERED
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import KAnonymity

TIMES = [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2), dt.datetime(2020, 3, 1, 12)]


def table(**columns):
    """Return an encoded table of these columns."""
    frame = pl.DataFrame(columns)
    return encode([(column, None) for column in frame], [], len(frame))


def partition(encoded):
    """Divide a table by an algorithm of numbers."""
    return ONA().partition(Problem(encoded, certainty_costs([], []), [KAnonymity(2)]))


def squared(encoded, *, standardize):
    """Return (n, n, d) what each attribute adds to the squared distance of two records."""
    rows, weights = record_space(encoded, encoded.tuple_of_row, standardize=standardize)
    gaps = np.abs(rows[:, None] - rows[None])
    gaps[:, :, kinds_of(encoded) == NOMINAL] = gaps[:, :, kinds_of(encoded) == NOMINAL] > 0
    return gaps * gaps * weights


def test_every_attribute_contributes_the_same_to_standardized_distances():
    """The mean squared difference of two records is 2 in each attribute, whatever its kind."""
    rng = np.random.default_rng(0)
    encoded = table(
        pay=rng.lognormal(8, 1, 60),
        day=[dt.date(2020, 1, 1) + dt.timedelta(int(days)) for days in rng.integers(0, 90, 60)],
        grade=pl.Series(rng.choice(["c", "b", "a"], 60), dtype=pl.Enum(["c", "b", "a"])),
        town=rng.choice(["x", "y", "z"], 60, p=[0.8, 0.15, 0.05]),
        ill=rng.random(60) < 0.1,
    )
    assert squared(encoded, standardize=True).mean(axis=(0, 1)) == pytest.approx([2.0] * 5)


def test_two_values_weigh_the_same_as_text_and_as_numbers():
    """Yes and no are as far apart as 1 and 0 are, where distances are standardized."""
    flags = [True] * 3 + [False] * 17
    encoded = table(text=["yes" if flag else "no" for flag in flags], number=np.array(flags, int))
    found = squared(encoded, standardize=True)
    assert found[..., 0] == pytest.approx(found[..., 1])


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(TIMES, dtype=pl.Datetime("ms")),
        pl.Series(TIMES, dtype=pl.Datetime("us")),
        pl.Series(TIMES, dtype=pl.Datetime("ns")),
        pl.Series([one - TIMES[0] for one in TIMES], dtype=pl.Duration("us")),
    ],
)
def test_raw_differences_of_times_count_in_days(column):
    """Beside a number, a difference of a day counts 1, in any unit that a column has."""
    found = squared(table(age=[3, 4, 50], time=column), standardize=False)
    year_of_age = found[0, 1, 0]
    assert found[0, :, 1] / year_of_age == pytest.approx([0, 1, 60.5**2])


@pytest.mark.parametrize(
    ("column", "difference"),
    [
        ([dt.date(2020, 1, 1), dt.date(2020, 1, 4)], 3.0),
        ([dt.time(6), dt.time(18)], 0.5),
        (pl.Series(["a", "c"], dtype=pl.Enum(["a", "b", "c"])), 1.0),
        (["a", "b"], 1.0),
        ([None, "b"], 1.0),
        ([1e-150, 3e-150], 2e-150),
        ([-1e150, 1e150], 2e150),
    ],
)
def test_raw_differences_count_as_they_are(column, difference):
    """Days, parts of a day, ranks among the values there are, 1 for other values, numbers."""
    found = np.sqrt(squared(table(age=[1.0, 2.0], other=column), standardize=False)[0, 1])
    assert found[1] / found[0] == pytest.approx(difference)


def test_ranks_are_those_of_the_categories_whatever_a_hierarchy_says():
    """Leaves of a hierarchy stand in its own order; ordered categories keep theirs."""
    grades = pl.Series("grade", ["low", "middle", "high"], dtype=pl.Enum(["low", "middle", "high"]))
    tree = from_mapping({"*": {"ends": ["high", "low"], "between": ["middle"]}})
    encoded = encode([(grades, tree)], [], 3)
    rows, _ = record_space(encoded, encoded.tuple_of_row, standardize=True)
    assert rows[:, 0].tolist() == [0, 1, 2]
    assert kinds_of(encoded).tolist() == [ORDERED]


def test_kinds_of_attributes():
    """Numbers and times are numbers, ordered categories ranks, all others codes."""
    encoded = table(
        a=[1.5],
        b=[dt.date(2020, 1, 1)],
        c=pl.Series(["x"], dtype=pl.Enum(["x"])),
        d=["x"],
        e=[True],
    )
    assert kinds_of(encoded).tolist() == [NUMBER, NUMBER, ORDERED, NOMINAL, NOMINAL]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["x", "y"], "nominal"),
        ([dt.date(2020, 1, 1), dt.date(2021, 1, 1)], "temporal"),
        (pl.Series(["x", "y"], dtype=pl.Enum(["x", "y"])), "ordered"),
        ([True, False], "nominal"),
    ],
)
def test_an_algorithm_of_numbers_refuses_other_values(values, kind):
    """Text, dates and categories are an error that names the column and what to do."""
    with pytest.raises(SchemaError, match=rf"attribute 'town' is {kind}.*such as mdav or mondrian"):
        ONA().partition(
            Problem(table(age=[1, 2], town=values), certainty_costs([], []), [KAnonymity(2)])
        )


@pytest.mark.parametrize("values", [[None, 1.0], [None, None]])
def test_an_algorithm_of_numbers_refuses_missing_values(values):
    """So is a row without a value, and a column that has none at all."""
    with pytest.raises(DataError, match=r"column 'pay', row 1: no value, and ona has no distance"):
        ONA().partition(
            Problem(table(age=[1, 2], pay=values), certainty_costs([], []), [KAnonymity(2)])
        )
