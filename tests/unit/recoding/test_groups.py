"""Groups of classes that share a released value: what they release, and what joins leave of it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.data import hierarchy
from kanonym.data.partition import Partition
from kanonym.data.table import encode
from kanonym.metrics.certainty import certainty_costs
from kanonym.recoding.recode import (
    ALLOWED,
    join_equal,
    joined_groups,
    recode,
    relabel_classes,
    renumber_groups,
)

RECODINGS = [one for one in ALLOWED["number"] if one != "balanced"]  # chosen for the whole table


@st.composite
def grouped(draw):
    """Draw records of two columns, a group of each record in each column, and some suppressed.

    Classes are the combinations of groups. Returns the columns, the groups of each
    record (negative for the suppressed), and the partition.
    """
    n = draw(st.integers(1, 20))
    columns = {
        name: draw(st.lists(st.integers(0, top), min_size=n, max_size=n))
        for name, top in (("a", 3), ("b", 50))
    }
    group = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    pairs = list(zip(draw(group), draw(group), strict=True))
    kept = [i == 0 or draw(st.integers(0, 5)) > 0 for i in range(n)]
    combinations = sorted({pair for pair, own in zip(pairs, kept, strict=True) if own})
    labels = [
        combinations.index(pair) if own else -1 for pair, own in zip(pairs, kept, strict=True)
    ]
    groups = renumber_groups(np.array(combinations, np.int32))
    partition = Partition(np.array(labels, np.int32), len(combinations), by_row=True, groups=groups)
    of_record = [groups[label].tolist() if label >= 0 else [-1, -1] for label in labels]
    return columns, of_record, partition


def encoded(columns, recoding):
    """Return the columns as a table, with a hierarchy where the recoding needs one."""
    source = hierarchy.intervals(width=[5, 10, 60], origin=0) if recoding == "hierarchy" else None
    series = [(pl.Series(name, values), source) for name, values in columns.items()]
    return encode(series, [], len(series[0][0]))


def recoded(table, partition, recoding):
    """Return the attributes recoded."""
    recodings = [recoding] * len(table.domains)
    return recode(table, partition, recodings, certainty_costs(table.domains, recodings))


def by_record(attribute, labels):
    """Return what every record releases of an attribute: values, bounds, loss."""
    columns = [column.gather(attribute.label_of_class).to_list() for column in attribute.columns]
    parts = [*columns, attribute.low.tolist(), attribute.high.tolist(), attribute.loss.tolist()]
    return [None if label < 0 else tuple(part[label] for part in parts) for label in labels]


@pytest.mark.parametrize("recoding", RECODINGS)
@settings(max_examples=examples(60))
@given(case=grouped())
def test_a_class_releases_what_its_groups_would_release_as_classes(recoding, case):
    """In each attribute, records get the value of a partition whose classes are its groups."""
    columns, of_record, partition = case
    table = encoded(columns, recoding)
    found = recoded(table, partition, recoding)
    for a, attribute in enumerate(found):
        own = np.array([groups[a] for groups in of_record], np.int32)
        alone = Partition(own, int(own.max()) + 1, by_row=True)
        expected = recoded(table, alone, recoding)[a]
        assert len(attribute.low) == len(attribute.loss) == partition.n_classes
        labels = partition.labels.tolist()
        assert by_record(attribute, labels) == by_record(expected, own.tolist())


def test_a_mean_is_that_of_the_groups_records():
    """Two classes of one group release the mean of both, whatever they are in other columns."""
    table = encoded({"a": [1, 2, 9], "b": [10, 20, 30]}, "mean")
    partition = Partition(
        np.array([0, 1, 2], np.int32), 3, by_row=True, groups=np.array([[0, 0], [0, 1], [1, 1]])
    )
    a, b = recoded(table, partition, "mean")
    assert a.columns[0].gather(a.label_of_class).to_list() == [1.5, 1.5, 9]
    assert b.columns[0].gather(b.label_of_class).to_list() == [10, 25, 25]


@pytest.mark.parametrize("recoding", RECODINGS)
@settings(max_examples=examples(80))
@given(case=grouped())
def test_joining_classes_of_equal_values_changes_no_value(recoding, case):
    """Classes that release the same are joined, and recoded again every record has its values."""
    columns, _, partition = case
    table = encoded(columns, recoding)
    before = recoded(table, partition, recoding)
    joined = join_equal(table, partition, before)
    after = recoded(table, joined, recoding)
    for one, other in zip(before, after, strict=True):
        values = [
            [column.gather(part.label_of_class).gather(labels[labels >= 0]).to_list()
             for column in part.columns]
            for part, labels in ((one, partition.labels), (other, joined.labels))
        ]  # fmt: skip
        assert values[0] == values[1]
    assert join_equal(table, joined, after) is joined


@settings(max_examples=examples(100))
@given(
    groups=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12),
    seed=st.integers(0, 1000),
)
def test_groups_that_meet_in_a_joined_class_are_one(groups, seed):
    """Two groups are one afterwards exactly where a chain of joined classes connects them."""
    given_groups = renumber_groups(np.array(groups, np.int32))
    drawn = np.random.default_rng(seed).integers(0, len(groups), len(groups))
    joined = np.unique(drawn, return_inverse=True)[1].astype(np.int32)
    found = joined_groups(given_groups, joined)
    for a in range(2):
        known = [{group} for group in range(int(given_groups[:, a].max()) + 1)]
        for i, one in enumerate(joined):
            for j, other in enumerate(joined):
                if one == other:
                    met = [part for part in known if part & {*given_groups[[i, j], a].tolist()}]
                    known = [part for part in known if part not in met] + [set().union(*met)]
        connected = [
            next(n for n, part in enumerate(known) if int(group) in part)
            for group in given_groups[:, a]
        ]
        own = found[joined, a].tolist()
        assert len({*zip(own, connected, strict=True)}) == len(set(own)) == len(set(connected))
        assert set(own) == set(range(len(set(own))))


def test_relabelling_leaves_groups_of_classes_that_stay_apart():
    """A join of two classes of one column's group leaves the other groups as they are."""
    table = encoded({"a": [1, 1, 5], "b": [2, 3, 7]}, "mean")
    groups = np.array([[0, 0], [0, 1], [1, 2]], np.int32)
    partition = Partition(np.array([0, 1, 2], np.int32), 3, by_row=True, groups=groups)
    joined = relabel_classes(table, partition, np.array([0, 0, 1], np.int32))
    assert joined.labels.tolist() == [0, 0, 1]
    assert joined.groups.tolist() == [[0, 0], [1, 1]]
