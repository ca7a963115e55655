"""Why values are generalized and records suppressed."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
from kanonym.pipeline.reasons import reasons_of_records
from twins import risk as naive_reasons

RECORDS = st.lists(
    st.tuples(st.integers(20, 29), st.sampled_from("abc"), st.sampled_from("xyz")),
    min_size=6,
    max_size=24,
)


@given(RECORDS, st.sampled_from(["mondrian", "full-domain"]))
def test_reasons_are_those_that_loops_find(records, algorithm):
    """Every generalized value has the class, the failing model and the value of the twin."""
    table = pl.DataFrame(records, schema=["age", "town", "secret"], orient="row")
    try:
        release = ka.anonymize(
            table,
            quasi_identifiers=["age", "town"],
            sensitive=["secret"],
            k=2,
            l=2,
            algorithm=algorithm,
            hierarchies={"age": ka.hierarchy.intervals(width=[2, 6])},
        )
    except ka.InfeasibleError:
        return
    decision, secrets = release.decision, table["secret"].to_list()
    rows = range(len(records))
    found = reasons_of_records(decision, release.policy.models, rows)
    for row, reasons in zip(rows, found, strict=True):
        for one in reasons:
            values = table[one.attribute].to_list()
            size, failing, others = naive_reasons.reason(
                values, decision.labels.tolist(), secrets, row, (2, 2)
            )
            told = one.failure and (one.failure.model, one.failure.measured)
            assert (one.records, told, one.others) == (size, failing, others)
            assert one.value == str(values[row])


def test_values_that_are_released_as_they_are_have_no_reason():
    """A class that releases its only value of a column is not asked about that column."""
    table = pl.DataFrame({"age": [30, 30, 40, 41], "sex": ["f", "f", "m", "m"]})
    release = ka.anonymize(table, quasi_identifiers=["age", "sex"], k=2)
    exact, _, general, _ = reasons_of_records(release.decision, release.policy.models, range(4))
    assert exact == ()
    assert [(one.attribute, one.value, one.records) for one in general] == [("age", "40", 1)]
    assert general[0].failure.required == 2


@pytest.mark.parametrize(
    ("algorithm", "records", "at_levels"), [("full-domain", 2, True), ("mondrian", 1, False)]
)
def test_a_suppressed_record_has_its_class_at_the_levels_or_with_its_own_values(
    algorithm, records, at_levels
):
    """Full-domain tells the class at its levels; others the records with the very same values."""
    ages = [20, 21, 22, 23, 24, 60, 61]
    release = ka.anonymize(
        pl.DataFrame({"age": ages}),
        quasi_identifiers=["age"],
        k=3,
        algorithm=algorithm,
        suppression_limit=0.3,
        hierarchies={"age": ka.hierarchy.intervals(width=[10, 50])},
    )
    row = 6
    if release.decision.labels[row] >= 0:
        pytest.skip("the algorithm suppressed nobody")
    ((reason,),) = reasons_of_records(release.decision, release.policy.models, [row])
    assert (reason.attribute, reason.records, reason.at_levels) == (None, records, at_levels)
    assert reason.failure.counts_records
