"""Laws of tables of two columns, and of risk by subsets of the quasi-identifiers."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.example_tables import patients
from kanonym.evaluation.contingency import contingency

KNOWN = ["sex", "birth_date", "postal_code"]


@pytest.fixture(scope="module", name="table")
def fixture_table():
    """Give invented patients."""
    return patients(300)


def released(table, **options):
    """Return a release of the patients."""
    columns = {"quasi_identifiers": KNOWN, "sensitive": ["diagnosis"], "others": "identifier"}
    return ka.anonymize(table, **columns, algorithm="mondrian", **options)


@pytest.mark.parametrize(
    ("first", "second"), [("sex", "diagnosis"), ("birth_date", "sex"), ("postal_code", "diagnosis")]
)
def test_both_tables_have_all_released_records(table, first, second):
    """Before are the records of the table by their values; after are as many, spread."""
    found = contingency(table, released(table, k=5), first, second)
    assert found.before.shape == found.after.shape == (len(found.rows), len(found.columns))
    assert found.before.sum() == pytest.approx(table.height)
    assert found.after.sum() == pytest.approx(table.height)
    assert 0 <= found.moved <= 1


def test_what_is_released_as_it_is_did_not_move(table):
    """With k = 1 nothing is generalized, and both tables are those of the library's group-by."""
    found = contingency(table, released(table, k=1), "sex", "diagnosis")
    assert found.moved == 0
    named = [name for name in found.columns if name not in (None, "…")]
    for row, sex in enumerate(found.rows):
        for name in named:
            held = table.filter((pl.col("sex") == sex) & (pl.col("diagnosis") == name)).height
            assert found.before[row, found.columns.index(name)] == held


def test_a_column_that_is_not_in_both_tables_is_refused(table):
    """The name of an identifier is no column of the release."""
    with pytest.raises(ka.SchemaError, match="not in both"):
        contingency(table, released(table, k=5), "sex", "name")


def test_each_subset_is_counted_as_by_a_group_by(table):
    """K and the records alone are those of the groups by these columns, of every subset once."""
    found = ka.risk(table, quasi_identifiers=KNOWN, largest=0).subsets()
    assert len({one.columns for one in found}) == len(found) == 7
    for one in found:
        sizes = table.group_by(one.columns).len()["len"]
        assert (one.k, one.uniques) == (sizes.min(), (sizes == 1).sum())


def test_of_many_columns_subsets_of_three_are_counted():
    """Of seven quasi-identifiers there are 7 + 21 + 35 subsets of at most three; of 150, 150."""
    table = pl.DataFrame({f"c{place}": [0, 1, place % 2] for place in range(7)})
    found = ka.risk(table, quasi_identifiers=table.columns, largest=0).subsets()
    assert len(found) == 63
    assert max(len(one.columns) for one in found) == 3
    wide = pl.DataFrame({f"c{place}": [0, 1, place % 2] for place in range(150)})
    assert len(ka.risk(wide, quasi_identifiers=wide.columns, largest=0).subsets()) == 150


def test_a_table_without_records_has_subsets_without_classes():
    """Nothing is in a class, and nothing alone."""
    table = pl.DataFrame({"a": pl.Series([], dtype=pl.Int64), "b": pl.Series([], dtype=pl.Int64)})
    found = ka.risk(table, quasi_identifiers=["a", "b"], largest=0).subsets()
    assert {(one.k, one.uniques) for one in found} == {(0, 0)}
