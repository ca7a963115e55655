"""Laws of cells as actions take them, and of what actions list, in every type of column."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.actions.base import Context, cell_texts

NOON = datetime(2020, 1, 1, 12, tzinfo=UTC)


def acted(values, action):
    """Return a column after an action, as a list."""
    column = values if isinstance(values, pl.Series) else pl.Series("x", values)
    return action.apply(column.alias("x"), Context(np.random.default_rng(1), None)).to_list()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([10**16, 7, 0], ["10000000000000000", "7", "0"]),
        ([1e16, 7.0, -0.0], ["10000000000000000", "7", "0"]),
        ([Decimal("7.00"), Decimal(70), Decimal("0.10")], ["7", "70", "0.1"]),
        ([0.1, None, 1e20, float("nan")], ["0.1", None, "100000000000000000000", None]),
    ],
)
def test_equal_numbers_have_equal_texts(values, expected):
    """A number reads alike as integer, as floating-point number and as decimal."""
    assert cell_texts(pl.Series("x", values, strict=False), "test").to_list() == expected


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        ([1e-7, 1e-5, 0.5, 1e16, 1e20], [1e-7, 1e-5, 0.5, 1e16, 1e20]),
        (pl.Series([0.1, 2.5], dtype=pl.Float32), [0.1, 2.5]),
        ([Decimal("1.50"), Decimal("2.00")], [1.5, 2]),
        ([7.0, 8.0], ["7.0", "8"]),
        ([7, 8], ["7", 8.0]),
        ([NOON], [NOON.astimezone(timezone(timedelta(hours=3)))]),
        ([datetime(1970, 1, 1)], [date(1970, 1, 1)]),
        ([date(1970, 1, 1), date(1980, 1, 1)], ["1970-01-01", date(1980, 1, 1)]),
        (["a", "b"], ["a", "b"]),
        ([True], [True]),
    ],
)
def test_listed_values_are_suppressed_however_they_are_written(values, listed):
    """No listed value stays because the policy writes it otherwise than the column does."""
    assert set(acted(values, ka.actions.Suppress(values=listed))) == {None}


def test_what_is_no_value_of_the_column_cannot_be_listed():
    """A word in a list for dates is refused, not ignored."""
    with pytest.raises(ka.SchemaError, match="not all values that suppress lists"):
        acted([date(1970, 1, 1)], ka.actions.Suppress(values=["never"]))


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (date(2020, 5, 5), date(9999, 12, 31)),
        (date(2020, 5, 5), date(1, 1, 1)),
        ("2020-05-05", "9999-12-31"),
    ],
)
def test_a_date_that_may_leave_the_calendar_is_refused(first, last):
    """What stands for no date is named by its row, whichever way it would be shifted."""
    with pytest.raises(ka.DataError, match=r"row 2: .* may fall outside of the calendar"):
        acted(pl.Series([first, last]), ka.actions.ShiftDate())


def test_numbers_at_the_ends_of_their_type_are_not_rounded_to_others():
    """Floats stay finite, the lowest integer and long decimals are refused."""
    assert acted([1e307, 1e10], ka.actions.Round(digits=2)) == [1e307, 1e10]
    assert acted([1e10], ka.actions.Round(digits=300)) == [1e10]
    for values, action in (
        ([-(2**63)], ka.actions.Round(to=1000)),
        ([Decimal("12345678901234567.89")], ka.actions.Round(digits=1)),
    ):
        with pytest.raises(ka.DataError, match="floating-point numbers"):
            acted(values, action)
    with pytest.raises(ka.PolicyError, match="at most 300"):
        ka.actions.Round(digits=400)


def test_the_percentage_that_is_advised_is_enough():
    """Ranks are counted without rounding errors, in the advice as well."""
    for n in (3, 7, 30):
        values = [float(i) for i in range(n)]
        with pytest.raises(ka.DataError, match="use at least") as refused:
            acted(values, ka.actions.RankSwap(0.001))
        advised = float(str(refused.value).rpartition(" ")[2])
        assert sorted(acted(values, ka.actions.RankSwap(advised))) == values


def test_a_full_or_damaged_mapping_is_refused(tmp_path):
    """A mapping without a number left, or with one of too many digits, stays as it is."""
    for line, said in (("a,9223372036854775807", "no number up to"), (f"a,{'9' * 5000}", "line 2")):
        file = tmp_path / "mapping.csv"
        file.write_text(f"value,pseudonym\n{line}\n", "utf-8")
        with pytest.raises(ka.DataError, match=said):
            acted(["a", "b"], ka.actions.Surrogate(mapping=file))
        assert file.read_text("utf-8").endswith(f"{line}\n")


def test_subjects_keep_their_shift_where_records_are_suppressed():
    """A released column is shorter than the table, and subjects go with their records."""
    n = 60
    frame = pl.DataFrame(
        {
            "id": [f"p{i % 20}" for i in range(n)],
            "age": [*range(20, 18 + n), 5000, 9000],
            "visit": [date(2020, 1, 1)] * n,
        }
    )
    shifted = ka.actions.After(ka.actions.ShiftDate(days=9, subject="id"))
    policy = ka.Policy(
        attributes={"age": ka.QuasiIdentifier(), "visit": ka.Insensitive(action=shifted)},
        others="insensitive",
        models=[ka.KAnonymity(4)],
        seed=5,
        suppression_limit=0.1,
    )
    release = ka.anonymize(frame, policy)
    assert release.suppressed > 0
    assert release.frame.group_by("id").agg(pl.col("visit").n_unique())["visit"].max() == 1
    assert release.frame["visit"].n_unique() > 3
