"""Columns that are released as they are must not undo what was generalized."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.verification.findings.dependent_column import Doubt, are_dependent

N = 400
RANDOM = np.random.default_rng(3)
AGES = RANDOM.integers(20, 60, N)
TABLE = pl.DataFrame(
    {
        "age": AGES,
        "birth_year": 2026 - AGES,
        "adult_since": 2026 - AGES + RANDOM.integers(18, 20, N),
        "group": [f"{age // 7}" for age in AGES],
        "batch": RANDOM.choice(["north", "south", "east"], N),
        "disease": RANDOM.choice(["flu", "cold", "burn", "gout"], N),
    }
)


def released(*columns, table=TABLE, **more):
    """Return a release with these columns beside the age and the disease."""
    return ka.anonymize(
        table.select("age", "disease", *columns),
        quasi_identifiers=["age"],
        sensitive=["disease"],
        **{"k": 20, "l": 2, "others": "insensitive", "rows": "persons", **more},
    )


def dependent(found):
    """Return the counts of the warnings of dependent columns by column."""
    return {
        one.columns[0]: dict(one.counts) for one in found.findings if one.kind == "dependent-column"
    }


@pytest.mark.parametrize("column", ["birth_year", "adult_since", "group"])
def test_a_column_that_tells_a_quasi_identifier_is_warned_of(column):
    """The count is that of the records whose class is too small once the column is known."""
    release = released(column)
    sizes = Counter(release.frame.select("age", column).iter_rows())
    records = sum(n for n in sizes.values() if n < 20)
    assert dependent(release.verification) == {column: {"records": records, "k": 20}}


def test_without_k_the_smallest_class_counts():
    """Where no k is required, classes that get smaller than all of the release are warned of."""
    release = released("birth_year", k=None, l=4)
    smallest = min(Counter(release.frame["age"]).values())
    sizes = Counter(release.frame.select("age", "birth_year").iter_rows())
    records = sum(n for n in sizes.values() if n < smallest)
    assert records > 0
    assert dependent(release.verification) == {"birth_year": {"records": records, "k": smallest}}


def test_columns_that_do_not_depend_on_the_quasi_identifiers_are_not_warned_of():
    """An independent column makes classes smaller, too; the policy says that it is not known."""
    assert released("batch").verification.verdict == "satisfied"


def test_a_column_that_leaves_the_classes_whole_is_not_warned_of():
    """What is the same in a whole class tells nothing more than the label."""
    table = TABLE.with_columns(decade=pl.col("age") // 10)
    tens = ka.hierarchy.intervals(width=10, origin=20)
    release = released(
        "decade",
        table=table,
        algorithm={"type": "full-domain", "levels": {"age": 1}},
        hierarchies={"age": tens},
    )
    assert not dependent(release.verification)


def test_a_file_is_warned_of_when_the_original_is_given():
    """`verify` finds with the original table what `anonymize` found."""
    release = released("birth_year")
    found = ka.verify(
        release.frame, release.policy, original=TABLE.drop("adult_since", "group", "batch")
    )
    assert dependent(found) == dependent(release.verification) != {}


def test_columns_of_other_types_stand_beside():
    """Lists, structs and columns without a value are released, and not compared."""
    table = TABLE.with_columns(
        ages=pl.concat_list("age", "age"), pair=pl.struct("age", "group"), nothing=None
    )
    release = released("ages", "pair", "nothing", "birth_year", table=table)
    assert list(dependent(release.verification)) == ["birth_year"]


def test_a_batch_of_a_series_is_warned_of():
    """A batch, and the union of batches, have the warning of any other release."""
    policy = released("birth_year").policy
    table = TABLE.select("age", "disease", "birth_year")
    batch = ka.fit(table, policy).apply(table)
    assert dependent(batch.verification) == dependent(batch.union) != {}


def test_a_column_under_an_action_is_left_out():
    """What an action changes is the action's affair, which says what it does not protect."""
    roles = {
        "age": ka.QuasiIdentifier(),
        "birth_year": ka.Insensitive(action={"type": "round", "to": 10}),
    }
    release = ka.anonymize(
        TABLE.select(list(roles)), ka.Policy(attributes=roles, models=[ka.KAnonymity(20)])
    )
    assert not dependent(release.verification)


def told(left, right):
    """Return the share of doubt told of the column that is told more of, without chance."""

    def doubt(values):
        return -sum(n / N * log(n / N) for n in Counter(values).values())

    shared = doubt(left) + doubt(right) - doubt(zip(left, right, strict=True))
    return max(shared / doubt(left), shared / doubt(right))


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("values", [2, 7, 40])
def test_dependence_is_the_share_of_entropy_by_counting(noise, values):
    """Away from the threshold the answer is that of entropies which were counted one by one."""
    left = RANDOM.integers(0, values, N)
    right = np.where(RANDOM.random(N) < noise, RANDOM.integers(0, values, N), left).astype(str)
    share = told(left.tolist(), right.tolist())
    if abs(share - 0.8) > 0.1:
        columns = pl.Series(left.astype(str)), pl.Series(right)
        assert are_dependent(*map(Doubt.of, columns)) == (share > 0.8)


def test_values_of_single_records_are_no_dependence():
    """A number that each record has of its own tells every column, and means nothing."""
    rows = pl.Series([f"r{i}" for i in range(N)])
    assert not are_dependent(Doubt.of(rows), Doubt.of(TABLE["batch"]))
    assert not are_dependent(Doubt.of(rows), Doubt.of(TABLE["age"]))


def test_numbers_of_one_order_are_dependent():
    """A salary to the cent and one in thousands with some noise are nearly one scale."""
    salary = pl.Series(RANDOM.lognormal(10, 1, N))
    other = salary / 1000 * RANDOM.uniform(0.95, 1.05, N)
    assert are_dependent(Doubt.of(salary), Doubt.of(other))


@pytest.mark.parametrize("dtype", [pl.Date, pl.Datetime, pl.Duration("ms"), pl.Decimal(18, 2)])
def test_numbers_and_dates_of_any_type_are_compared(dtype):
    """A date and an amount in one order are dependent, whatever their types."""
    days = pl.Series(RANDOM.permutation(20_000)[:N])
    dates = days.cast(pl.Date)
    assert are_dependent(Doubt.of(dates), Doubt.of(days.cast(pl.Int32).cast(dtype)))
