"""Laws of sequential trees: what they keep, how many records a value comes from."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data.errors import PolicyError, SchemaError
from kanonym.synthesis import SequentialTrees, synthesize
from kanonym.synthesis.columns import Constraint


def pupils(n=600, seed=0):
    """Return persons of whom children have no income, and only adults a degree."""
    random = np.random.default_rng(seed)
    age = random.integers(0, 80, n)
    child = age < 15
    return pl.DataFrame(
        {
            "age": age,
            "degree": np.where(child, "none", random.choice(["none", "school", "college"], n)),
            "income": pl.select(
                pl.when(pl.Series(~child)).then(pl.Series(np.exp(random.normal(8, 1, n)).round(2)))
            ).to_series(),
            "town": [f"town {one}" for one in random.integers(0, 70, n)],
            "steps": random.integers(0, 400, n),
        }
    )


def learn(table, leaf=20, constraints=(), order=()):
    """Return what trees learn of a table."""
    rules = [Constraint.parse(one) for one in constraints]
    method = SequentialTrees(leaf, order)
    return method.fit(table.get_columns(), rules, np.random.default_rng(0))


def test_what_three_columns_show_together_is_kept():
    """Where a column says whether two others are equal, it does in every drawn record."""
    random = np.random.default_rng(0)
    a, b = random.integers(0, 2, (2, 500))
    table = pl.DataFrame({"a": a, "b": b, "same": a == b})
    made = synthesize(table).frame
    assert (made["same"] == (made["a"] == made["b"])).all()


def test_no_impossible_record_is_drawn():
    """No child has an income or a degree, and every adult an income, as in the table."""
    made = synthesize(pupils(), rows=2000).frame
    child = made["age"] < 15
    assert made["income"].is_null().equals(child, check_names=False)
    assert (made.filter(child)["degree"] == "none").all()


@pytest.mark.parametrize("leaf", [5, 20, 50])
def test_every_leaf_holds_so_many_records(leaf):
    """Of numbers, categories and gaps, no value is drawn from fewer records than asked."""
    table = pupils().with_columns(later=pl.col("steps") + pl.col("age"))
    learned = learn(table, leaf, ["later >= steps"])
    trees = [step.tree for step in learned.steps]
    trees += [step.gap[1] for step in learned.steps if step.gap is not None]
    assert len(trees) == len(table.columns) + 1
    for one in trees[1:]:
        leaves = one.tree.tree_.children_left < 0
        assert np.diff(one.starts)[leaves].min() >= leaf
        assert np.diff(one.starts)[~leaves].max(initial=0) == 0


@pytest.mark.parametrize("leaf", [1, 4])
def test_a_leaf_of_few_records_is_refused(leaf):
    """Smaller leaves would publish records of the table: the message says so."""
    with pytest.raises(PolicyError, match=f"leaf is {leaf}; it must be at least 5.*publishes"):
        SequentialTrees(leaf)


@pytest.mark.parametrize("leaf", [0, 5.5, True])
def test_a_leaf_is_a_whole_number(leaf):
    """Anything else is refused before the table is read."""
    with pytest.raises(PolicyError, match=r"leaf is .* it must be an integer"):
        SequentialTrees(leaf)


def test_columns_of_a_table_smaller_than_a_leaf_are_drawn_by_themselves():
    """No value goes with another one where a leaf would hold fewer records than asked."""
    learned = learn(pupils(19))
    assert all(len(step.tree.starts) == 2 for step in learned.steps)
    made = pl.DataFrame(learned.sample(400, np.random.default_rng(0)))
    assert made.filter(pl.col("age") < 15)["income"].null_count() < len(made)
    assert made.schema == pupils(19).schema


def test_the_rest_goes_with_what_is_given():
    """Given values stay, and the others are those of drawn records that have them."""
    learned = learn(pupils(3000), order=["town", "degree"])
    many = pl.DataFrame(learned.sample(60_000, np.random.default_rng(1)))
    for town, degree in (("town 3", "school"), ("town 8", "none")):
        given = [pl.Series("town", [town] * 4000), pl.Series("degree", [degree] * 4000)]
        found = pl.DataFrame(learned.complete(given, np.random.default_rng(2)))
        assert found.columns == pupils().columns
        assert found["town", "degree"].equals(pl.DataFrame(given))
        picked = many.filter(town=town, degree=degree)
        for share in (pl.col("age") < 15, pl.col("income").is_null(), pl.col("steps") < 200):
            own, other = (table.select(share.mean()).item() for table in (picked, found))
            assert own == pytest.approx(other, abs=0.02 + 2 / np.sqrt(len(picked)))


def test_probabilities_are_those_of_the_drawn_values():
    """The next column after given ones has its values, null last, as often as they are drawn."""
    table = pupils(2000).with_columns(
        degree=pl.when(pl.int_range(2000) % 5 > 0).then(pl.col("degree"))
    )
    learned = learn(table, order=["age", "degree"])
    given = [pl.Series("age", [8] * 10_000 + [40] * 10_000)]
    values, shares = learned.next_probabilities(given)
    assert values.to_list() == [*sorted(table["degree"].drop_nulls().unique()), None]
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert (shares > 0).all()
    drawn = learned.next_column(given, np.random.default_rng(0))
    for start in (0, 10_000):
        part = drawn.slice(start, 10_000)
        for value, share in zip(values, shares[start], strict=True):
            own = part.is_null() if value is None else part.eq_missing(value)
            assert own.mean() == pytest.approx(share, abs=0.06)


def test_what_goes_with_a_gap_goes_with_it_in_the_draw():
    """Trees of later columns see how far two constrained columns are apart."""
    random = np.random.default_rng(0)
    came = random.integers(0, 3000, 1000)
    stay = random.integers(0, 30, 1000)
    table = pl.DataFrame({"came": came, "left": came + stay, "long": stay > 14})
    made = synthesize(table, constraints=["left >= came"], rows=2000).frame
    assert ((made["left"] - made["came"] > 14) == made["long"]).mean() > 0.97


def test_a_measurement_does_not_return():
    """Of incomes that occur once, numbers in their range with their decimals are drawn."""
    table = pupils()
    made = synthesize(table).frame["income"].drop_nulls()
    assert made.is_in(table["income"].drop_nulls().implode()).mean() < 0.05
    assert made.is_between(table["income"].min(), table["income"].max()).all()
    assert made.round(2).equals(made)


def test_each_column_keeps_its_distribution():
    """Shares of categories, of many ones too, and of nulls are those of the table."""
    table = pupils(2000)
    made = synthesize(table, rows=4000).frame
    assert made["income"].is_null().mean() == pytest.approx(
        table["income"].is_null().mean(), abs=0.03
    )
    for name in ("degree", "town"):
        both = [
            one[name].value_counts(normalize=True).rename({"proportion": which})
            for one, which in ((table, "real"), (made, "made"))
        ]
        shares = both[0].join(both[1], on=name, how="left").fill_null(0)
        assert (shares["real"] - shares["made"]).abs().sum() < 0.2


def test_a_constraint_keeps_the_gap_between_its_columns():
    """A stay is as long as in the table, though the days of a leaf are weeks apart."""
    random = np.random.default_rng(0)
    came = random.integers(0, 3000, 500)
    table = pl.DataFrame({"came": came, "left": came + random.integers(1, 9, 500)})
    for order in ([], ["left"]):
        method = SequentialTrees(order=order)
        made = synthesize(table, method=method, constraints=["left > came"], rows=1000).frame
        stays = made["left"] - made["came"]
        assert stays.min() == 1
        assert stays.max() == 8
        assert stays.mean() == pytest.approx(4.5, abs=0.4)


def test_a_gap_needs_a_value_on_both_sides():
    """Where the column before is null, the next one is drawn by itself, null as often."""
    random = np.random.default_rng(0)
    came = pl.Series("came", random.integers(0, 100, 600)).cast(pl.Date)
    left = came.cast(pl.Int64) + pl.Series(random.integers(0, 5, 600))
    table = pl.DataFrame({"came": came, "left": left.cast(pl.Date)}).with_columns(
        came=pl.when(pl.int_range(600) % 4 > 0).then("came"),
        left=pl.when(pl.int_range(600) % 5 > 0).then("left"),
    )
    made = synthesize(table, constraints=["left >= came"], rows=2000).frame
    gaps = (made["left"] - made["came"]).dt.total_days().drop_nulls()
    assert gaps.is_between(0, 4).all()
    for name, share in (("came", 0.25), ("left", 0.2)):
        assert made[name].is_null().mean() == pytest.approx(share, abs=0.05)
    assert 0 < (made["came"].is_null() & made["left"].is_not_null()).mean() < 0.3


def test_columns_are_drawn_in_the_order_asked_for():
    """Named columns come first, the others in the order of the table."""
    learned = learn(pupils(), order=["town", "income"])
    assert [learned.scales[step.place].name for step in learned.steps] == [
        "town",
        "income",
        "age",
        "degree",
        "steps",
    ]
    assert [one.name for one in learned.sample(3, np.random.default_rng(0))] == pupils().columns


@pytest.mark.parametrize(
    ("order", "error", "message"),
    [
        (["aeg"], SchemaError, "order: 'aeg' is an unknown column; did you mean 'age'"),
        (["age", "age"], SchemaError, "order: 'age' is named twice"),
        ("age", PolicyError, "order is a list of columns, not 'age'"),
    ],
)
def test_an_order_names_columns_of_the_table(order, error, message):
    """Another name, one given twice, and a text are refused."""
    with pytest.raises(error, match=message):
        synthesize(pupils(), method=SequentialTrees(order=order))


def test_larger_leaves_say_less_of_single_records():
    """An intruder learns less about people in the table from leaves of 50 records than of 5."""
    random = np.random.default_rng(0)
    known = random.integers(0, 12, (1200, 4))
    table = pl.DataFrame(known, schema=["a", "b", "c", "d"]).with_columns(
        ill=random.choice(["flu", "cold", "asthma"], 1200)
    )
    risks = [
        synthesize(table, method=SequentialTrees(leaf), hold_out=0.5, sensitive=["ill"])
        .attacks["inference"]
        .risk
        for leaf in (5, 50)
    ]
    assert risks[0] > risks[1] + 0.05


def test_quasi_identifiers_are_drawn_first():
    """Unless another synthesizer is given, trees start with what intruders know."""
    table = pupils(200)
    made, same = (
        synthesize(table, quasi_identifiers=["steps"], method=method)
        for method in (None, SequentialTrees(order=["steps"]))
    )
    assert made.method == "trees"
    assert made.frame.equals(same.frame)
    assert ka.synthesis.SequentialTrees() == SequentialTrees(leaf=20)
