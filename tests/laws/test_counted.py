"""Laws of frequency sets: a table counted elsewhere is the table."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym import Policy, QuasiIdentifier, Sensitive, hierarchy
from kanonym.data.table import encode
from kanonym.engines.decision import run_task
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task

VALUES = {
    "age": st.one_of(st.none(), st.integers(20, 29)),
    "pay": st.one_of(st.none(), st.sampled_from([-0.0, 0.0, 1.5, float("nan")])),
    "town": st.one_of(st.none(), st.sampled_from(["Bonn", "Köln", 'a"b;c', ""])),
    "ill": st.sampled_from(["flu", "cold", "gout"]),
}
TABLES = st.lists(st.tuples(*VALUES.values()), min_size=8, max_size=60)
ATTRIBUTES = {
    "age": QuasiIdentifier(hierarchy=hierarchy.intervals(width=[2, 4])),
    "pay": QuasiIdentifier(),
    "town": QuasiIdentifier(),
    "ill": Sensitive(),
}
ALGORITHMS = {
    "mondrian": {"type": "mondrian"},
    "relaxed": {"type": "mondrian", "strict": False},
    "segmentation": {"type": "segmentation"},
    "full-domain": {"type": "full-domain"},
    "k-member": {"type": "k-member"},
}
TYPES = [pl.Int64, pl.Float64, pl.String, pl.String]


def frequency_set(rows):
    """Return the columns of a table, and those of its frequency set with the counts."""
    frame = pl.DataFrame(rows, dict(zip(VALUES, TYPES, strict=True)), orient="row")
    counted = frame.group_by(list(VALUES), maintain_order=False).len()
    clean = [one.drop("len") if "len" in one.columns else one for one in (frame, counted)]
    whole, few = (one.with_columns(pl.col("pay").fill_nan(None)) for one in clean)
    return whole, few, counted["len"].cast(pl.Int64).to_numpy()


@given(TABLES)
@settings(max_examples=examples(40))
def test_the_frequency_set_is_encoded_as_the_table(rows):
    """The frequency set gives the domains, tuples and weights that the table gives."""
    whole, few, counts = frequency_set(rows)

    def encoded(table, counts=None):
        known = [(table["age"], hierarchy.intervals(width=[2, 4])), (table["town"], None)]
        hidden = [(table["ill"], None, False)]
        return encode(known, hidden, len(table), counts=counts)

    one, other = encoded(whole), encoded(few, counts)
    assert other.n_rows == len(whole)
    for name in ("codes", "sensitive_codes", "weights"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for left, right in zip(one.domains, other.domains, strict=True):
        assert left.values.to_list() == right.values.to_list()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(TABLES)
@settings(max_examples=examples(15))
def test_the_frequency_set_is_divided_as_the_table(algorithm, rows):
    """Each algorithm makes the same classes of a frequency set as of its table."""
    whole, few, counts = frequency_set(rows)
    asked = Policy(
        attributes=ATTRIBUTES,
        models=[{"type": "k-anonymity", "k": 3}],
        algorithm=ALGORITHMS[algorithm],
    )

    def released(table, counts=None):
        schema = asked.schema_for(table.columns)
        task = Task.of(asked, schema)
        done = run_task(task, table.get_column, len(table), Stopwatch(), counts)
        labels = done.labels
        sizes = np.ones(len(labels), np.int64)
        if counts is not None and len(labels) == len(counts):
            sizes = counts
        columns = {
            one.name: one.columns[0].gather(one.label_of_class[labels]) for one in done.recoded
        }
        frame = pl.DataFrame({**columns, "n": sizes}).group_by(list(columns)).agg(pl.col("n").sum())
        return frame.sort(list(columns), nulls_last=True)

    assert released(whole).equals(released(few, counts))
