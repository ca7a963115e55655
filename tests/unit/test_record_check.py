"""The check that frameworks of data tests take, by itself and in pandera."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

from kanonym.pipeline import record_check

RELEASED = {
    "age": [30, 30, 40, 40, None, None, 50],
    "ill": ["flu", "gout", "flu", "flu", "flu", "gout", "gout"],
}
SATISFIED = [True, True, False, False, True, True, False]
FORM = {
    "version": 1,
    "attributes": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
    "models": [
        {"type": "k-anonymity", "k": 2},
        {"type": "l-diversity", "attribute": "ill", "l": 2},
    ],
}


def test_the_records_of_violating_classes_fail():
    """Of polars and pandas, eager and lazy, with null as a value and an index of its own."""
    check = record_check(FORM)
    assert check(pl.DataFrame(RELEASED))["satisfied"].to_list() == SATISFIED
    assert check(pl.LazyFrame(RELEASED)).collect()["satisfied"].to_list() == SATISFIED
    frame = pd.DataFrame(RELEASED, index=[7, 6, 5, 4, 3, 2, 1])
    answer = check(frame)
    assert answer.index.tolist() == frame.index.tolist()
    assert answer.tolist() == SATISFIED


def test_all_records_fail_where_the_whole_table_does():
    """A model of the whole table names no class; where all models hold, no record fails."""
    uniques = FORM | {"models": [{"type": "sample-uniqueness", "threshold": 0.1}]}
    answer = record_check(uniques)(pl.DataFrame(RELEASED))
    assert not answer["satisfied"].any()
    loose = FORM | {"models": [{"type": "k-anonymity", "k": 1}]}
    assert record_check(loose)(pl.DataFrame(RELEASED))["satisfied"].all()


@pytest.mark.filterwarnings("ignore:PySpark")
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_schema_of_pandera_fails_with_the_classes(library):
    """Its failure cases are the records of the violating classes, and no others."""
    pandera = pytest.importorskip(f"pandera.{library}", reason="pandera is absent")
    schema = pandera.DataFrameSchema(checks=pandera.Check(record_check(FORM), name="satisfies"))
    frame = (pd if library == "pandas" else pl).DataFrame(RELEASED)
    with pytest.raises(pandera.errors.SchemaError, match="satisfies") as caught:
        schema.validate(frame)
    failing = caught.value.failure_cases
    assert len(failing) == (3 if library == "polars" else 6)  # of pandas, a row a cell
    good = frame[:2]
    assert schema.validate(good).equals(good)
