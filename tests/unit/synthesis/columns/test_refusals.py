"""What cannot be imitated is refused, and it is said why."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.synthesis import SequentialTrees
from kanonym.synthesis.columns import Constraint
from normal_tables import people

NAMES = pl.Series("remark", [f"came by bus {one}" for one in range(12)] + ["none"] * 8)


def fit(columns, constraints=(), order=()):
    """Return what trees learn of some columns."""
    return SequentialTrees(order=order).fit(columns, constraints, np.random.default_rng(0))


@pytest.mark.parametrize(
    "dtype",
    [pl.String, pl.Categorical, pl.Enum(NAMES.unique().sort())],
    ids=["text", "categorical", "enum"],
)
def test_free_text_is_refused(dtype):
    """Text of which more than half of the values differ is none that could be drawn anew."""
    with pytest.raises(SchemaError, match=r"'remark' is free text: 65% of its 20 values.*Drop it"):
        fit([NAMES.cast(dtype)])


@pytest.mark.parametrize(
    "dtype", [pl.Int64, pl.UInt64, pl.Int128, pl.Datetime("ns"), pl.Duration("us")], ids=str
)
def test_numbers_too_far_apart_to_be_drawn_are_no_copies(dtype):
    """Identifiers of 64 bits are refused: only those of real records could be drawn."""
    wide = [one * 10**17 + one**3 for one in range(1, 31)]
    with pytest.raises(SchemaError, match=r"'key' cannot be imitated: 30 of its 30 values .*Drop"):
        fit([pl.Series("key", wide).cast(dtype)])
    assert fit([pl.Series("key", wide * 2).cast(dtype)]).reach("key") == 30


def test_short_and_repeated_text_is_category():
    """Below twenty records, and where values repeat, text is taken for categories."""
    for column in (NAMES.head(19), NAMES.head(10).extend(NAMES.head(10))):
        assert fit([column]).reach("remark") == column.n_unique()


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ([pl.Series("x", [[1], [2]])], SchemaError, r"'x' holds List\(Int64\)"),
        (
            [pl.Series("x", [1.0, float("-inf")])],
            DataError,
            "column 'x', row 2: -inf is not a finite number",
        ),
    ],
    ids=range(2),
)
def test_tables_that_cannot_be_imitated_are_refused(columns, error, message):
    """Lists and infinite numbers are nothing to imitate."""
    with pytest.raises(error, match=message):
        fit(columns)


DAYS = pl.DataFrame(
    {"came": [1, 2, None, 4, 9], "went": [1, 3, 5, 3, 7], "name": ["a", "b", "c", "d", "e"]}
).get_columns()


@pytest.mark.parametrize(
    ("constraints", "error", "message"),
    [
        (["name <= went"], SchemaError, "'name' holds String and 'went' Int64, which have no"),
        (
            ["went >= came"],
            DataError,
            "row 4 breaks the constraint went >= came of columns 'went' and 'came', and 1 more",
        ),
        (["came < went"], DataError, "row 1 breaks the constraint came < went"),
    ],
    ids=range(3),
)
def test_constraints_that_do_not_hold_are_refused(constraints, error, message):
    """Columns, types and records that do not fit to a constraint are named."""
    with pytest.raises(error, match=message):
        fit(DAYS, [Constraint.parse(text) for text in constraints])


def test_times_of_different_types_have_no_order():
    """A date and a time of day in milliseconds are to be made one type first."""
    columns = [pl.Series("a", [1]).cast(pl.Date), pl.Series("b", [2]).cast(pl.Datetime("ms"))]
    with pytest.raises(SchemaError, match="make numbers, or times of one type, of both"):
        fit(columns, [Constraint("a", "<", "b")])


def test_constraints_in_a_circle_are_refused():
    """Columns that could only be equal, or not even that, are none to be drawn in turn."""
    columns = people(50, 1)
    same = [columns[2].alias("a"), columns[2].alias("b"), columns[2].alias("c")]
    circle = [Constraint.parse(text) for text in ("a <= b", "b <= c", "c <= a")]
    with pytest.raises(PolicyError, match="a <= b forms a cycle"):
        fit(same, circle)


def test_numbers_too_large_for_gaps_are_refused():
    """Whole numbers whose difference would overflow are not compared by it."""
    columns = [pl.Series("a", [-(2**63), 0]), pl.Series("b", [2**63 - 1, 5])]
    with pytest.raises(SchemaError, match=r"'a' holds whole numbers beyond 2\*\*62"):
        fit(columns, [Constraint("a", "<", "b")])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("discharge >= admission", ("discharge", ">=", "admission")),
        ("a<b", ("a", "<", "b")),
        (" first day ≤ last day ", ("first day", "<=", "last day")),
        ('"a<b" > "say ""c"""', ("a<b", ">", 'say "c"')),
    ],
)
def test_a_constraint_is_read_from_text(text, parts):
    """Names, also quoted ones, and an operator are found, and written as they are read."""
    found = Constraint.parse(text)
    assert (found.left, found.operator, found.right) == parts
    assert Constraint.parse(str(found)) == found


@pytest.mark.parametrize("text", ["", "a", "a == b", "a <", "< b", "a < b < c", 'a < "b', 3])
def test_nonsense_is_no_constraint(text):
    """Anything but two names and an operator between them is refused, with an example."""
    with pytest.raises(PolicyError, match="is not a constraint: write two columns"):
        Constraint.parse(text)


def test_a_column_has_no_order_to_itself():
    """Both sides of a constraint differ, and the operator is one of four."""
    with pytest.raises(PolicyError, match="'a' stands on both sides"):
        Constraint.parse("a <= a")
    with pytest.raises(PolicyError, match="'!=' is not an operator"):
        Constraint("a", "!=", "b")
