"""Laws of constraints: they hold in every record drawn, and gaps are those of the table."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.data.errors import DataError
from kanonym.synthesis import SequentialTrees
from kanonym.synthesis.columns import Constraint

ORDER = [Constraint.parse(text) for text in ("came <= seen", "left > seen", "came < left")]


ORDER_OF_TWO = [Constraint.parse("a < b")]


def fit(columns, constraints=(), order=()):
    """Return what trees learn of some columns."""
    return SequentialTrees(order=order).fit(columns, constraints, np.random.default_rng(0))


def stays(n, seed):
    """Return dates of arrival, of a visit that some lack, and of leaving; and how long it was."""
    random = np.random.default_rng(seed)
    came = random.integers(0, 365, n)
    seen = came + random.geometric(0.2, n) - 1
    left = seen + random.integers(1, 40, n)
    days = [date(2022, 1, 1) + timedelta(days=one) for one in range(500)]
    columns = [
        pl.Series(name, [days[one] for one in numbers])
        for name, numbers in (("came", came), ("seen", seen), ("left", left))
    ]
    columns[1] = columns[1].set(pl.Series(random.random(n) < 0.2), None)
    return [*columns, pl.Series("stay", np.where(left - seen > 20, "long", "short"))]


def broken(table, constraints):
    """Return how many records break a constraint."""
    signs = {"<": pl.Expr.__lt__, "<=": pl.Expr.__le__, ">": pl.Expr.__gt__, ">=": pl.Expr.__ge__}
    return sum(
        table.select((~signs[one.operator](pl.col(one.left), pl.col(one.right))).sum()).item()
        for one in constraints
    )


def gap(table, first, second):
    """Return the mean days from one date to another."""
    return table.select((pl.col(second) - pl.col(first)).dt.total_days().mean()).item()


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [2, 0, 3, 1], [1, 2, 0, 3]], ids=str)
def test_chains_hold_whatever_the_order_of_columns(order):
    """Three dates in a chain, one with nulls, never break it; gaps and ranges are the table's."""
    columns = [stays(3000, 1)[at] for at in order]
    table = pl.DataFrame(columns)
    drawn = pl.DataFrame(fit(columns, ORDER).sample(10_000, np.random.default_rng(1)))
    assert broken(drawn, ORDER) == 0
    assert drawn["seen"].null_count() / 10_000 == pytest.approx(0.2, abs=0.02)
    assert gap(drawn, "came", "seen") == pytest.approx(gap(table, "came", "seen"), rel=0.1)
    assert gap(drawn, "seen", "left") == pytest.approx(gap(table, "seen", "left"), rel=0.05)
    for name in ("came", "seen", "left"):
        assert table[name].min() <= drawn[name].min()
        assert drawn[name].max() <= table[name].max()
    # What goes with the gap goes with it in the draw, too.
    for kind in ("long", "short"):
        own, other = (
            gap(frame.filter(pl.col("stay") == kind), "seen", "left") for frame in (table, drawn)
        )
        assert other == pytest.approx(own, rel=0.12)


@pytest.mark.parametrize(
    "names",
    [["came"], ["seen"], ["left"], ["came", "left"], ["came", "seen"], ["left", "stay"]],
    ids=str,
)
def test_constraints_hold_beside_given_values(names):
    """Whichever columns are given, the others fit to them, and given cells stay."""
    columns = stays(3000, 1)
    table = pl.DataFrame(columns)
    drawn = pl.DataFrame(
        fit(columns, ORDER, names).complete(table[names].get_columns(), np.random.default_rng(1))
    )
    assert broken(drawn, ORDER) == 0
    assert drawn[names].equals(table[names])
    assert gap(drawn, "came", "left") == pytest.approx(gap(table, "came", "left"), rel=0.1)


def test_dates_beyond_all_known_ones_have_room():
    """Given dates years off are followed by others that fit, though no record has such ones."""
    model = fit(stays(500, 1), ORDER)
    far = pl.Series("came", [date(2030, 5, 1), date(1990, 1, 1)] * 50)
    drawn = pl.DataFrame(model.complete([far], np.random.default_rng(1)))
    assert broken(drawn, ORDER) == 0


def test_a_gap_that_nobody_has_is_filled_evenly():
    """Between two given dates closer than any in the table, what fits is drawn."""
    came = [date(2022, 1, 1) + timedelta(days=one) for one in range(300)]
    columns = [
        pl.Series("came", came),
        pl.Series("seen", [one + timedelta(days=20 + one.day % 3) for one in came]),
        pl.Series("left", [one + timedelta(days=60) for one in came]),
    ]
    given_ones = [columns[0], columns[0].dt.offset_by("3d").alias("left")]
    learned = fit(columns, ORDER, ["came", "left"])
    drawn = pl.DataFrame(learned.complete(given_ones, np.random.default_rng(1)))
    assert broken(drawn, ORDER) == 0
    assert set((drawn["seen"] - drawn["came"]).dt.total_days()) == {0, 1, 2}


def test_given_values_without_room_are_refused():
    """Where nothing lies between two given values, the record and the columns are named."""
    table = pl.DataFrame({"a": [1, 2, 3], "b": [5, 6, 9], "c": [8, 8, 12]})
    order = [Constraint.parse("a < b"), Constraint.parse("b < c")]
    model = fit(table.get_columns(), order, ["a", "c"])
    with pytest.raises(DataError, match=r"row 2: .*'a', 'c' leave no room for column 'b'"):
        model.complete([pl.Series("a", [1, 4]), pl.Series("c", [8, 5])], np.random.default_rng(0))


def test_a_number_may_lie_within_one_of_a_whole_one_below():
    """A strict constraint asks the smallest step of measured columns, not one of whole ones."""
    random = np.random.default_rng(0)
    low = random.integers(0, 10, 1000)
    high = np.round(low + 0.01 + random.exponential(0.5, 1000), 2)
    columns = [pl.Series("low", low), pl.Series("high", high)]
    rule = [Constraint.parse("low < high")]
    drawn = pl.DataFrame(fit(columns, rule).complete([columns[0]], random))
    assert broken(drawn, rule) == 0
    near = (drawn["high"] - drawn["low"]) < 1
    assert near.mean() == pytest.approx(((high - low) < 1).mean(), abs=0.05)


def test_a_step_too_small_for_a_large_number_is_taken_nonetheless():
    """Where one decimal more makes no other float, a strict constraint asks the next float."""
    low, high = [16384.0, *[None] * 5], [*[None] * 5, 2048.310767588089]
    columns = [pl.Series("a", low), pl.Series("b", high)]
    drawn = pl.DataFrame(fit(columns, ORDER_OF_TWO).sample(3000, np.random.default_rng(0)))
    assert drawn.drop_nulls().height
    assert broken(drawn, ORDER_OF_TWO) == 0


def test_limits_follow_from_all_constraints_together():
    """What is left of a column is known also by way of a third one, and of others not at all."""
    table = pl.DataFrame({"a": [1, 2, 3], "b": [5, 6, 9], "c": [8, 8, 12], "d": [0, 1, 0]})
    model = fit(table.get_columns(), [Constraint.parse("a < b"), Constraint.parse("b < c")])
    low, _ = model.limits("c", [pl.Series("a", [1, 7])])
    assert low.tolist() == [3, 9]
    low, high = model.limits("b", [pl.Series("a", [1, None]), pl.Series("c", [8, 5])])
    assert (low[0], high.tolist()) == (2, [7, 4])
    assert model.limits("d", [pl.Series("a", [1])]) is None


NUMBERS = {
    "int": st.integers(-20, 20),
    "cents": st.integers(-2000, 2000).map(lambda one: one / 100),
    "float": st.floats(-1e6, 1e6).map(lambda one: one + 0.0),
}


@given(
    data=st.data(),
    kinds=st.tuples(*[st.sampled_from(sorted(NUMBERS))] * 3),
    signs=st.tuples(*[st.sampled_from(["<", "<="])] * 2),
    seed=st.integers(0, 99),
)
@settings(max_examples=examples(150), deadline=None)
def test_constraints_hold_for_any_numbers(data, kinds, signs, seed):
    """Integers, cents and floats in a chain, strict or not, with nulls, any of them given."""
    order = [Constraint("a", signs[0], "b"), Constraint("b", signs[1], "c")]
    n = data.draw(st.integers(1, 12))
    rows = []
    for _ in range(n):
        row = [data.draw(NUMBERS[kind]) for kind in kinds]
        if signs[0] == "<=" and signs[1] == "<=" and len(set(kinds)) == 1:
            row.sort()
        rows.append([None if data.draw(st.integers(0, 4)) == 0 else one for one in row])
    types = [pl.Int64 if kind == "int" else pl.Float64 for kind in kinds]
    table = pl.DataFrame(rows, schema=dict(zip("abc", types, strict=True)), orient="row")
    table = table.filter(
        ~pl.any_horizontal(
            [
                (pl.col("a") > pl.col("b")) | ((pl.col("a") == pl.col("b")) & (signs[0] == "<")),
                (pl.col("b") > pl.col("c")) | ((pl.col("b") == pl.col("c")) & (signs[1] == "<")),
            ]
        ).fill_null(value=False)
    )
    assume(len(table))
    model = fit(table.get_columns(), order)
    random = np.random.default_rng(seed)
    assert broken(pl.DataFrame(model.sample(30, random)), order) == 0
    names = data.draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True))
    held = pl.concat([table[names]] * 5)
    model = fit(table.get_columns(), order, names)
    drawn = pl.DataFrame(model.complete(held.get_columns(), random))
    assert broken(drawn, order) == 0
    assert drawn[names].equals(held)
