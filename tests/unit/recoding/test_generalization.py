"""Recoding by levels: what each class releases where an algorithm chose levels."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

from kanonym.data import hierarchy
from kanonym.data.partition import BLANK, Partition
from kanonym.data.table import encode
from kanonym.metrics.certainty import certainty_costs
from kanonym.metrics.release_loss import measure_utility
from kanonym.recoding.recode import join_equal, recode, relabel_classes

AGES = hierarchy.intervals(width=[10, 20], origin=0)


def encoded(values, labels, levels, source):
    """Return a table of one attribute, a partition with levels, and the column."""
    series = values if isinstance(values, pl.Series) else pl.Series("x", values)
    table = encode([(series, source)], [], len(series))
    given = np.array(levels, np.int32).reshape(-1, 1)
    partition = Partition(np.array(labels, np.int32), len(given), by_row=True, levels=given)
    return table, partition, series


def recoded(values, labels, levels, source=AGES):
    """Return one attribute recoded, given the class of each record and the level of each class."""
    table, partition, series = encoded(values, labels, levels, source)
    costs = certainty_costs(table.domains, ["hierarchy" if source else "interval"])
    (attribute,) = recode(table, partition, ["hierarchy"], costs, [series.dtype])
    return attribute


def released(*given, **named):
    """Return what each class releases."""
    attribute = recoded(*given, **named)
    return attribute.columns[0].gather(attribute.label_of_class).to_list()


def test_each_class_releases_the_label_at_its_level():
    """Levels may differ from class to class: a value, an interval, the root."""
    found = released([3, 3, 12, 18, 25, 41], [0, 0, 1, 1, 2, 2], [0, 1, 3])
    assert found == ["3", "[10, 20)", "*"]


def test_labels_do_not_depend_on_what_the_class_holds():
    """A class of equal values at a level releases the label of the level, not the value."""
    assert released([12, 12, 13, 25, 33], [0, 0, -1, 1, -1], [1, 2]) == ["[10, 20)", "[20, 40)"]


@pytest.mark.parametrize(
    "values",
    [
        pl.Series("x", [1, 2], dtype=pl.Int16),
        pl.Series("x", [0.5, 2.25]),
        pl.Series("x", [dt.date(2020, 1, 3), dt.date(2020, 1, 1)]),
        pl.Series("x", ["b", "a"], dtype=pl.Enum(["b", "a"])),
        pl.Series("x", ["b", "a"], dtype=pl.Categorical),
        pl.Series("x", [True, False]),
        pl.Series("x", ["b", "a"]),
    ],
)
@pytest.mark.parametrize("source", [None, hierarchy.flat()])
def test_values_that_are_not_generalized_keep_their_type(values, source):
    """At level 0 a column is what it was, and a suppressed cell is null."""
    column = recoded(values, [0, 1], [0, 0], source=source)
    assert column.columns[0].dtype == values.dtype
    assert column.columns[0].gather(column.label_of_class).equals(values)
    blanked = recoded(values, [0, 1], [0, BLANK], source=source)
    assert blanked.columns[0].dtype == values.dtype
    assert blanked.columns[0].gather(blanked.label_of_class).to_list() == [values[0], None]


def test_one_generalized_class_makes_the_column_text():
    """Numbers beside intervals are text, with the value as the hierarchy writes it."""
    assert released([3, 12, 18], [0, 1, 1], [0, 1]) == ["3", "[10, 20)"]


def test_null_is_released_as_null_below_the_root():
    """Null is a branch of its own at every level, and part of `*` at the root."""
    values = [None, 3, 12, 13, None, 30]
    assert released(values, [0, 1, 1, 1, 2, 2], [1, 2, 3]) == [None, "[0, 20)", "*"]


def test_a_label_loses_what_it_leaves_open():
    """A label over n of N values loses (n - 1) / (N - 1), a suppressed cell everything."""
    values = [1, 2, 3, 12, 13, 30]
    found = recoded(values, [0, 1, 1, 2, 2, 3], [0, 1, 1, BLANK])
    assert found.loss.tolist() == [0, 2 / 5, 1 / 5, 1]
    assert found.low.tolist() == [0, 0, 3, 0]
    assert found.high.tolist() == [0, 2, 4, 5]


def test_what_a_label_loses_counts_by_record():
    """The mean loss over records is the normalized certainty penalty of the release."""
    table, partition, _ = encoded([1, 2, 3, 12, 13, 30], [0, 0, 0, 1, 1, -1], [1, 0], AGES)
    attributes = recode(
        table, partition, ["hierarchy"], certainty_costs(table.domains, ["hierarchy"])
    )
    found = measure_utility(table, partition, attributes, np.array([3, 2]))
    assert found.ncp == {"x": pytest.approx((3 * 2 / 5 + 1) / 6)}


def joined(values, labels, levels, source):
    """Return labels and levels after classes that release equal values are joined."""
    table, partition, _ = encoded(values, labels, levels, source)
    attributes = recode(
        table, partition, ["hierarchy"], certainty_costs(table.domains, ["interval"])
    )
    found = join_equal(table, partition, attributes)
    assert (found is partition) == (found.n_classes == partition.n_classes)
    return found.labels.tolist(), found.levels[:, 0].tolist()


def test_a_null_and_a_suppressed_cell_are_one_class():
    """Nobody can tell a value that is missing from one that was suppressed."""
    assert joined([None, 7, 8], [0, 1, 2], [0, BLANK, 0], None) == ([1, 1, 0], [0, BLANK])


def test_equal_labels_of_two_levels_are_one_class():
    """Where a value and the group above it have one name, their classes are joined there."""
    tree = hierarchy.from_mapping({"a": ["a", "*"], "b": ["a", "*"], "c": ["c", "*"]})
    found = joined(["a", "a", "b", "c"], [0, 1, 1, 2], [0, 1, 1], tree)
    assert found == ([0, 0, 0, 1], [1, 1])


def test_joined_classes_meet_at_the_level_that_they_share():
    """A join of any classes goes up to the lowest label over all that they hold."""
    table, partition, _ = encoded([1, 2, 12, 30], [0, 0, 1, 2], [1, 0, 0], AGES)
    found = relabel_classes(table, partition, np.array([0, 0, 1], np.int32))
    assert found.labels.tolist() == [0, 0, 0, 1]
    assert found.levels[:, 0].tolist() == [2, 0]


def test_different_values_without_a_hierarchy_meet_in_a_suppressed_cell():
    """Where values are released or not at all, joined classes release what they agree on."""
    table, partition, _ = encoded([1, 2, 1], [0, 1, 2], [0, 0, 0], None)
    found = relabel_classes(table, partition, np.array([0, 0, 1], np.int32))
    assert found.levels[:, 0].tolist() == [BLANK, 0]


@pytest.mark.parametrize("values", [[], [None, None], [4, 4]])
def test_tables_without_variety_are_released(values):
    """No records, no values, one value: each has its column, and only suppression loses."""
    labels, levels = [0] * len(values), [[0]] * bool(values)
    series = pl.Series("x", values, dtype=pl.Int64)
    found = recoded(series, labels, levels, source=hierarchy.flat())
    assert found.columns[0].dtype == pl.Int64
    assert found.loss.tolist() == [0.0] * bool(values)
