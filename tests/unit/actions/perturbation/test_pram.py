"""Laws of post-randomization."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.actions import Pram
from kanonym.actions.base import Context
from kanonym.data.errors import DataError, PolicyError, SchemaError

MATRIX = {
    "well": {"well": 0.7, "ill": 0.2, "dead": 0.1},
    "ill": {"well": 0.3, "ill": 0.7},
    "dead": {"dead": 0.6, "ill": 0.4},
}
COUNTS = {"well": 60_000, "ill": 30_000, "dead": 10_000}
STATES = pl.Series("state", [state for state, count in COUNTS.items() for _ in range(count)])


@st.composite
def cases(draw):
    """Draw a matrix of probabilities with zeros in it, and shares that may be 0."""
    m = draw(st.integers(1, 5))
    weights = st.lists(st.integers(0, 4), min_size=m, max_size=m).filter(any)
    rows = [draw(weights) for _ in range(m)]
    rows.append([1, *[0] * (m - 1), 1])  # a further one, and what may become of it: two at least
    matrix = {i: {j: w / sum(row) for j, w in enumerate(row)} for i, row in enumerate(rows)}
    matrix[0] = {0: 0.5, m: 0.5}
    counts = np.array([*draw(weights), draw(st.integers(0, 4))], float)
    return matrix, counts / counts.sum()


@given(cases(), st.floats(0, 1))
def test_invariant_matrices_keep_the_shares(case, diagonal):
    """Rows are probabilities, and the expected shares after one step are those before it."""
    matrix, shares = case
    for action in (Pram(matrix=matrix), Pram(diagonal=diagonal)):
        transition = action.transition(shares)
        assert transition.min() >= -1e-12
        assert transition.sum(axis=1) == pytest.approx(np.ones(len(shares)))
        assert shares @ transition == pytest.approx(shares)


def transitions(released, labels):
    """Return the shares with which each state was released as each other."""
    pairs = pl.DataFrame({"before": STATES, "after": released.cast(pl.String)})
    counted = pairs.group_by("before", "after").len()
    found = {(row["before"], row["after"]): row["len"] for row in counted.to_dicts()}
    return np.array([[found.get((a, b), 0) / COUNTS[a] for b in labels] for a in labels])


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["ill", "dead", "well"])])
@pytest.mark.parametrize(
    "parameters",
    [
        {"matrix": MATRIX},
        {"matrix": MATRIX, "invariant": False},
        {"diagonal": 0.8},
        {"diagonal": 0.8, "invariant": False},
    ],
)
def test_categories_are_released_with_the_stated_probabilities(dtype, parameters, context):
    """Each category becomes each other as often as `transition` says."""
    action = Pram(**parameters)
    released = action.apply(STATES.cast(dtype), context())
    assert (released.name, released.dtype) == ("state", dtype)
    labels = list(MATRIX) if "matrix" in parameters else sorted(MATRIX)
    shares = np.array([COUNTS[label] for label in labels]) / len(STATES)
    expected = action.transition(shares)
    found = transitions(released, labels)
    sizes = np.array([COUNTS[label] for label in labels])[:, None]
    assert (np.abs(found - expected) <= 5 * np.sqrt(expected * (1 - expected) / sizes)).all()


@pytest.mark.parametrize("parameters", [{"matrix": MATRIX}, {"diagonal": 0.3}])
def test_invariant_pram_keeps_expected_counts(parameters, context):
    """Over many releases, each category is released as often as it was there."""
    values = pl.Series("state", ["well"] * 60 + ["ill"] * 30 + ["dead"] * 10)
    one, action, n = context(), Pram(**parameters), 2000
    counts = np.array(
        [
            [(released == state).sum() for state in COUNTS]
            for released in (action.apply(values, one) for _ in range(n))
        ]
    )
    assert (np.abs(counts.mean(axis=0) - [60, 30, 10]) < 5 * 5 / math.sqrt(n)).all()


def test_without_invariance_the_diagonal_is_exact(context):
    """A value is left alone as often as the diagonal says, and else becomes any other."""
    action = Pram(diagonal=0.9, invariant=False)
    assert action.transition(np.full(3, 1 / 3)) == pytest.approx(
        np.array([[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]])
    )
    changed = action.apply(STATES, context()) != STATES
    assert changed.mean() == pytest.approx(0.1, abs=5 * math.sqrt(0.09 / len(STATES)))


@pytest.mark.parametrize("invariant", [True, False])
def test_a_diagonal_of_one_changes_nothing(invariant, context):
    """Who leaves every value alone releases the column as it was."""
    released = Pram(diagonal=1, invariant=invariant).apply(STATES, context())
    assert released.equals(STATES)


def test_nulls_stay_null_and_take_no_part(context):
    """A missing value stays missing, and nobody else's goes missing."""
    values = pl.Series("state", ["well", None, "ill", None] * 50)
    for action in (Pram(diagonal=0), Pram(diagonal=0, invariant=False), Pram(matrix=MATRIX)):
        released = action.apply(values, context())
        assert released.is_null().to_list() == values.is_null().to_list()
        empty = pl.Series("state", [None], pl.String)
        assert action.apply(empty, context()).to_list() == [None]


@pytest.mark.parametrize(
    ("values", "matrix"),
    [
        (pl.Series("x", [1, 2, None], dtype=pl.Int8), {1: {2: 1}, 2: {1: 1}}),
        (pl.Series("x", [1, 2, None], dtype=pl.Int8), {"1": {"2": 1}, "2": {"1": 1}}),
        (pl.Series("x", [1.0, 2.0, None]), {1: {2: 1}, 2: {1: 1}}),
        (pl.Series("x", [1.5, 2.0, None]), {1.5: {2.0: 1}, 2.0: {1.5: 1}}),
        (pl.Series("x", [True, False, None]), {True: {False: 1}, False: {True: 1}}),
        (pl.Series("x", [True, False, None]), {"true": {"false": 1}, "false": {"true": 1}}),
    ],
)
def test_a_matrix_names_values_as_they_are_or_as_text(values, matrix, context):
    """Numbers and truth values are named by themselves or by their text, and keep their type."""
    released = Pram(matrix=matrix, invariant=False).apply(values, context())
    assert released.dtype == values.dtype
    assert released.to_list() == [values[1], values[0], None]


@pytest.mark.parametrize("invariant", [True, False])
def test_a_lone_category_stays(invariant, context):
    """Where there is no other category, there is none to become."""
    values = pl.Series("x", ["a", "a"])
    assert Pram(diagonal=0, invariant=invariant).apply(values, context()).to_list() == ["a", "a"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "pram needs one of diagonal and matrix"),
        ({"diagonal": 0.5, "matrix": MATRIX}, "pram needs one of diagonal and matrix"),
        ({"diagonal": 1.1}, "diagonal is 1.1; it must be a number of at least 0 and at most 1"),
        ({"matrix": {"a": {"a": 0.9}}}, "probabilities of 'a' add up to 0.9, not to 1"),
        ({"matrix": {"a": {"b": 1}}}, "no row for 'b', into which another"),
        ({"matrix": {"a": {"a": 2}}}, r"matrix\['a'\]\['a'\] is 2; it must be a number"),
        ({"matrix": {"a": {"b": 1}, "b": {"a": 1}}}, "would undo it; let them, or set invariant"),
        ({"matrix": [[1.0]]}, "must give the probabilities of each category by name"),
    ],
)
def test_parameters_are_refused(parameters, message):
    """A matrix is square, of probabilities, and by name."""
    with pytest.raises(PolicyError, match=message):
        Pram(**parameters)


def test_columns_are_refused(context):
    """A value that the matrix does not name, or a name that the column cannot hold, is said."""
    action = Pram(matrix=MATRIX)
    with pytest.raises(DataError, match="column 'state', row 2: 'lost' is none of the values that"):
        action.apply(pl.Series("state", [None, "lost"]), context())
    with pytest.raises(PolicyError, match="'well' is no value of Int64, the column's type"):
        action.apply(pl.Series("state", [1]), context())
    with pytest.raises(PolicyError, match="names a category twice"):
        Pram(matrix={1: {1: 1}, "1": {1: 1}}).apply(pl.Series("x", [1]), context())
    with pytest.raises(SchemaError, match="column 'day' holds Date: pram accepts categories"):
        action.apply(pl.Series("day", [dt.date(2020, 1, 1)]), context())


@pytest.mark.parametrize(
    ("action", "share"),
    [
        (Pram(diagonal=0.8), 0.8 + 0.2 * (0.36 + 0.09 + 0.01)),
        (Pram(diagonal=0.8, invariant=False), 0.8),
        (Pram(matrix=MATRIX, invariant=False), 0.6 * 0.7 + 0.3 * 0.7 + 0.1 * 0.6),
    ],
    ids=["invariant", "not invariant", "matrix"],
)
def test_the_share_kept_is_that_of_the_matrix(action, share):
    """Of a column as large as this one, about that share is released as it was."""
    assert action.share_kept(STATES) == pytest.approx(share)
    released = action.apply(STATES, Context(np.random.default_rng(0), column=None))
    assert (released == STATES).mean() == pytest.approx(share, abs=0.005)


def test_without_released_values_the_share_of_an_invariant_matrix_is_unknown():
    """It would take the shares of the values, which are not released."""
    assert Pram(diagonal=0.8).share_kept(None) is None
    assert Pram(diagonal=0.8, invariant=False).share_kept(None) == 0.8
