"""Laws of records that are completed: given values stay, the others go with them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from copula_tables import cut, latent, people
from kanonym.data.errors import DataError, SchemaError
from kanonym.synthesis.copula import fit


@pytest.fixture(scope="module")
def coarse():
    """Return the model of four strongly associated columns of few values, one with nulls."""
    strong = np.array(
        [[1, 0.8, 0.5, -0.6], [0.8, 1, 0.6, -0.3], [0.5, 0.6, 1, -0.2], [-0.6, -0.3, -0.2, 1]]
    )
    z = latent(20_000, 1, strong)
    some = pl.Series(latent(20_000, 2)[:, 0] + z[:, 0] > 1.2)
    return fit(
        [
            pl.Series("a", cut(z[:, 0], 0.5)),
            pl.Series("b", np.array(["p", "q", "r"])[cut(z[:, 1], -0.8, 0.9)]),
            pl.Series("c", cut(z[:, 2], -1, 0, 1)).set(some, None),
            pl.Series("d", cut(z[:, 3], -1.2, -0.2, 0.5, 1.5)),
        ]
    )


@pytest.fixture(scope="module")
def many(coarse):
    """Return a large table of that model, to pick the records from that have given values."""
    return pl.DataFrame(coarse.sample(600_000, np.random.default_rng(9)))


GIVEN = [
    {"a": 1, "b": "q"},
    {"a": 0, "b": "r"},
    {"b": "p", "c": 3},
    {"b": "r", "c": None},
    {"a": 1, "b": "p", "c": 1},
]


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_the_rest_goes_with_what_is_given(coarse, many, given):
    """Completed columns are distributed as in those of many drawn records that have the values."""
    columns = [pl.Series(name, [value] * 20_000) for name, value in given.items()]
    columns = [column.cast(many.schema[column.name]) for column in columns]
    completed = pl.DataFrame(coarse.complete(columns, np.random.default_rng(1)))
    picked = many.filter(pl.col(name).eq_missing(value) for name, value in given.items())
    assert len(picked) > 300
    for name in {"a", "b", "c", "d"} - set(given):
        shares = [
            {row[0]: row[1] for row in frame[name].value_counts(normalize=True).rows()}
            for frame in (picked, completed)
        ]
        apart = [
            abs(shares[0].get(value, 0) - shares[1].get(value, 0))
            for value in set(shares[0]) | set(shares[1])
        ]
        assert sum(apart) / 2 < 0.01 + 1 / np.sqrt(len(picked))
        values, told = coarse.probabilities(name, [column.head(2) for column in columns])
        assert told.shape == (2, len(values))
        assert told.sum(axis=1) == pytest.approx(1.0)
        of_picked = [shares[0].get(value, 0.0) for value in values]
        assert np.abs(told[0] - of_picked).sum() / 2 < 0.01 + 1 / np.sqrt(len(picked))
        assert told[0] == pytest.approx(told[1])


def test_probabilities_go_with_their_records(coarse):
    """Each record has its own probabilities, wherever it stands among the others."""
    given = [pl.Series("a", [0, 1, 0, 1]), pl.Series("b", ["p", "r", "p", "q"])]
    _, shares = coarse.probabilities("d", given)
    assert shares[0] == pytest.approx(shares[2])
    for at in (1, 3):
        alone = coarse.probabilities("d", [column.slice(at, 1) for column in given])[1][0]
        assert shares[at] == pytest.approx(alone, abs=0.02)


def test_given_values_stay_exactly():
    """Every given cell comes back as it was, nulls and numbers that nobody has included."""
    columns = people(2000, 1)
    columns[2] = columns[2].set(columns[0] > 1500, None)
    model = fit(columns)
    given = [
        pl.Series("age", [None, 28, 40, 96, None, 44]),
        pl.Series("income", [1000.01, None, 3.0, 1e6, 990.0, 1234.5678]),
        pl.Series("town", ["Delft", "Aalst", None, "Ghent", None, "Breda"]),
    ]
    drawn = model.complete(given, np.random.default_rng(0))
    table = pl.DataFrame(drawn)
    for column in given:
        assert table[column.name].equals(column)
        assert table[column.name].dtype == column.dtype
    assert table.drop("age", "income", "town").null_count().sum_horizontal().item() == 0


def test_all_columns_can_be_given():
    """Where nothing is left to draw, the given records come back."""
    columns = people(300, 1)
    drawn = fit(columns).complete(columns, np.random.default_rng(0))
    assert pl.DataFrame(drawn).equals(pl.DataFrame(columns))


def test_a_number_between_known_ones_lies_between_them():
    """What goes with a number that nobody has lies between what goes with its neighbours."""
    z = latent(20_000, 3, np.array([[1, 0.9], [0.9, 1]]))
    model = fit([pl.Series("x", 10 * cut(z[:, 0], -1, 0, 1)), pl.Series("y", z[:, 1])])

    def mean(x):
        given = [pl.Series("x", [x] * 4000)]
        return float(model.complete(given, np.random.default_rng(0))[1].mean())

    means = [mean(x) for x in (-50, 0, 5, 10, 15, 20, 30, 400.5)]
    assert means[1:-1] == sorted(means[1:-1])
    # Beyond all known ones, the last one it is.
    assert means[0] == means[1]
    assert means[-1] == means[-2]


def test_a_null_where_the_table_has_none_says_nothing():
    """A cell left empty in a column without nulls leaves the others as they are by themselves."""
    z = latent(20_000, 3, np.array([[1, 0.9], [0.9, 1]]))
    model = fit([pl.Series("x", cut(z[:, 0], 0)), pl.Series("y", z[:, 1])])
    given = [pl.Series("x", [None] * 10_000, pl.Int64)]
    drawn = model.complete(given, np.random.default_rng(0))[1]
    assert float(drawn.mean()) == pytest.approx(0.0, abs=0.04)
    assert float(drawn.std()) == pytest.approx(1.0, abs=0.04)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([], SchemaError, "no column is given"),
        ([pl.Series("Income", [1.0])], SchemaError, r"did you mean 'income'\?"),
        ([pl.Series("age", ["young"])], SchemaError, "'age' holds Int64, and the given one String"),
        (
            [pl.Series("town", ["Delft", None, "Paris"])],
            DataError,
            "column 'town', row 3: 'Paris' is not among the 4 values",
        ),
        ([pl.Series("age", [1]), pl.Series("town", [])], DataError, "'age' 1, 'town' 0"),
        ([pl.Series("age", [1]), pl.Series("age", [2])], SchemaError, "'age' occurs twice"),
    ],
    ids=range(6),
)
def test_what_cannot_be_given_is_refused(given, error, message):
    """Columns and categories that the table does not have are refused by name."""
    model = fit(people(100, 1))
    with pytest.raises(error, match=message):
        model.complete(given, np.random.default_rng(0))
    with pytest.raises(error, match=message):
        model.probabilities("consent", given)


def test_a_value_of_a_column_without_any_is_refused():
    """A column that is null throughout says nothing of how a value would go with the others."""
    model = fit([pl.Series("x", [None, None], pl.Int64), pl.Series("y", [1, 2])])
    with pytest.raises(DataError, match="column 'x', row 2: the column has no value at all"):
        model.complete([pl.Series("x", [None, 5])], np.random.default_rng(0))


def test_the_column_asked_for_is_not_given():
    """The probabilities of a given column are no question."""
    columns = people(100, 1)
    model = fit(columns)
    with pytest.raises(SchemaError, match="'age' is itself given"):
        model.probabilities("age", [columns[2]])
    with pytest.raises(SchemaError, match=r"'ages' \(did you mean 'age'\?\)"):
        model.reach("ages")
