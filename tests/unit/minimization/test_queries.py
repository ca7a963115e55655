"""What a model is asked about records that hold values of others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from kanonym.minimization.model import Model, PredictionQuery, records_of


class Sum:
    """Adds up the columns, and counts how often it is asked."""

    asked = 0

    def predict(self, records):
        """Return a + 10 b + 100 c."""
        self.asked += 1
        return sum(10**i * np.asarray(records[name]) for i, name in enumerate("abc"))


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame, pa.table])
def test_several_sets_of_columns_are_asked_about_at_once(library):
    """Each set has the answers that it has by itself; the model is called once."""
    random = np.random.default_rng(0)
    values = random.integers(0, 10, (3, 8))
    records = records_of(library(dict(zip("abc", values, strict=True))))
    rows, others = np.arange(8), random.integers(0, 8, 8)
    sets = [["a", "b", "c"], ["a"], [], ["a", "c"]]
    model = Sum()
    found = PredictionQuery(Model(model), records).predict_generalized_records(rows, others, sets)
    assert model.asked == 1
    held = np.array([[name in one for name in "abc"] for one in sets])
    mixed = np.where(held[..., None], values[:, others], values)
    assert (found == (mixed * np.array([1, 10, 100])[:, None]).sum(axis=1)).all()


def test_replaced_columns_leave_all_else_of_a_pandas_table_as_it_was():
    """Index, order and types of columns, and metadata stay, whatever columns are put in."""
    table = pd.DataFrame(
        {"a": [1, 2], "b": pd.Categorical(["x", "y"]), "c": pd.array([1, None], "Int64")},
        index=[7, 7],
    ).rename_axis(columns="what")
    table.attrs["source"] = "clinic"
    records = records_of(table)
    rows = np.array([1, 0])
    found = records.with_values(records.take(rows, ["c"]), records.take(rows, ["a"])).native
    assert found.attrs == table.attrs
    expected = table.assign(a=[2, 1], c=pd.array([None, 1], "Int64"))
    pd.testing.assert_frame_equal(found, expected)
