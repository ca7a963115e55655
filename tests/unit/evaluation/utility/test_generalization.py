"""What releases by local recoding leave open, by hand; full-domain ones are a law elsewhere."""

from __future__ import annotations

import math

import polars as pl
import pytest

import kanonym as ka
from kanonym.evaluation.pair.reading import read_pair
from kanonym.evaluation.utility.generalization import MEASURES, measures
from kanonym.metrics.information_loss import METRICS

COLOURS = ka.hierarchy.from_mapping(
    {"*": {"warm": ["red", "orange"], "cold": ["blue", "green"], "grey": ["grey"]}}
)


def measured(original, released, hierarchies=None, **options):
    """Return all measures of two tables whose columns are quasi-identifiers."""
    tables = [
        {name: pl.Series(name, values) for name, values in table.items()}
        for table in (original, released)
    ]
    return measures(read_pair(*tables, list(original), hierarchies, **options))


@pytest.fixture
def colours():
    """Return the measures of five colours, of which one stays, two widen and one is suppressed."""
    before = {"c": ["red", "red", "orange", "blue", "green"]}
    after = {"c": ["red", "warm", "warm", "*"]}
    return measured(before, after, {"c": COLOURS})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gcp", (0 + 1 / 4 + 1 / 4 + 1 + 1) / 5),
        ("loss", (1 + 2 + 2 + 5 + 5 - 5) / (25 - 5)),
        ("loss-arithmetic", (1 + 2 + 2 + 5 + 5 - 5) / (25 - 5)),
        ("average-class-size", 5 / (3 + 1)),
        ("discernibility", 1 + 4 + 1 + 5),
        ("ambiguity", 1 + 2 + 2 + 5 + 5),
        ("precision", (0 + 1 + 1 + 2 + 2) / (5 * 2)),
        ("height", (0 + 1 + 1 + 2) / 4),
        ("non-uniform-entropy", math.log2(2) + 2 * math.log2(3) + 2 * math.log2(5) - 2),
        ("kl-divergence", (2 + math.log2(2) * 2 + math.log2(5) * 2 - 2) / 5),
    ],
)
def test_labels_of_several_levels_are_charged_one_by_one(colours, name, value):
    """Each record for its own label, the suppressed one for the whole domain."""
    assert colours[name].value == pytest.approx(value, abs=1e-9)


def test_normalized_entropy_is_a_share_of_the_bits_there_are(colours):
    """Bits that are lost over those that one label for all would lose."""
    whole = 5 * math.log2(5) - 2
    found = colours["normalized-entropy"].value
    assert found == pytest.approx(colours["non-uniform-entropy"].value / whole, abs=1e-9)


def test_intervals_that_overlap_leave_open_what_the_original_holds_in_them():
    """Without a hierarchy the distinct original values are the domain."""
    found = measured({"a": [1, 2, 3, 9]}, {"a": ["[1, 3]", "[1, 3]", "[2, 9]", "[2, 9]"]})
    assert found["gcp"].value == pytest.approx((2 + 2 + 7 + 7) / 8 / 4)
    assert found["ambiguity"].value == 3 * 4
    assert found["loss"].value == pytest.approx((12 - 4) / (16 - 4), abs=1e-9)
    assert found["non-uniform-entropy"].value == pytest.approx(4 * math.log2(3), abs=1e-9)
    # Each class is spread over three values: 4 · (0 - log2(2/4/3)/4) less the original's 2 bits.
    assert found["kl-divergence"].value == pytest.approx(math.log2(6) - 2)


def test_a_table_as_it_was_loses_nothing():
    """Every measure that starts at 0 is there where each record is its own class."""
    table = {"a": [1, 2, 3], "c": ["red", "orange", "blue"]}
    found = measured(table, table, {"a": ka.hierarchy.intervals(width=2), "c": COLOURS})
    ones = {"average-class-size": 1, "discernibility": 3, "ambiguity": 3}
    for name, one in found.items():
        assert one.value == pytest.approx(ones.get(name, 0)), name


def test_what_has_no_levels_has_no_precision_and_no_height():
    """They say why; the others are measured."""
    found = measured({"a": [1, 2]}, {"a": ["[1, 2]", "[1, 2]"]})
    for name in ("precision", "height"):
        assert found[name].value is None
        assert "a is not released as labels of a hierarchy" in found[name].reason
    assert found["loss"].value == 1


def test_a_mean_needs_rows_to_be_charged():
    """What a number stands for that no record has is known of aligned tables alone."""
    tables = {"a": [1, 2, 6, 9]}, {"a": [3.0, 3.0, 3.0, 9.0]}
    unknown = measured(*tables)
    assert unknown["gcp"].value is None
    assert "aligned" in unknown["gcp"].reason
    assert unknown["discernibility"].value == 9 + 1
    assert measured(*tables, aligned=True)["gcp"].value == pytest.approx(3 * 5 / 8 / 4)


@pytest.mark.parametrize("original", [{}, {"a": []}])
def test_no_quasi_identifier_and_no_record_are_said(original):
    """Tables that give no number raise nothing."""
    tables = {name: pl.Series(name, values, dtype=pl.Int64) for name, values in original.items()}
    for one in measures(read_pair(tables, tables, list(original))).values():
        assert one.value is None
        assert one.reason


def test_every_metric_of_the_search_is_measured_and_says_the_same_of_itself():
    """Names, ranges, units and sources are those of the metrics; weighted sums are theirs."""
    named = {one.meaning.name: one.meaning for one in MEASURES}
    assert set(named) == {"span-loss", "gcp", *METRICS} - {"weighted"}
    for name, metric in METRICS.items():
        if name != "weighted":
            meaning = named[name]
            assert (meaning.low, meaning.high) == (metric.low, metric.high)
            assert (meaning.unit, meaning.source) == (metric.unit, metric.source)
