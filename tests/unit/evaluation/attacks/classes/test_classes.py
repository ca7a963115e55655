"""Laws of released classes by some columns."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given, settings

from attack_tables import KNOWN, people, released, scene
from effort import examples
from kanonym.evaluation.attacks.matching.classes import classes_by
from linkage_tables import everybody, linkages
from utility_pairs import categorical, kept, numeric, pair


def opened(tables, record, names):
    """Return what a released record leaves open in some columns."""
    found = []
    for name in names:
        column = tables.column(name)
        if hasattr(column, "low"):
            ends = column.low[record], column.high[record], column.suppressed[record]
            found.append(str(ends))
        else:
            found.append(column.labels[record])
    return tuple(found)


@given(linkages())
@settings(max_examples=examples(60))
def test_records_of_a_class_leave_the_same_open(tables):
    """Two records are in one class exactly where all columns leave the same values open."""
    for names in (tables.quasi_identifiers, tables.quasi_identifiers[:1]):
        found = classes_by(tables, names)
        keys = [opened(tables, record, names) for record in range(tables.n_released)]
        assert len(set(keys)) == len(set(zip(keys, found.of_record.tolist(), strict=True)))
        assert len(set(keys)) == len(found.sizes)
        assert found.sizes.tolist() == np.bincount(found.of_record).tolist()


def test_classes_by_fewer_columns_join_those_by_more():
    """By one column of a release the classes are those of its values, whatever others say."""
    table = people()
    tables = scene(table, released(table, 5), KNOWN).pair
    found = classes_by(tables, ["sex"])
    assert len(found.sizes) <= 3
    assert found.sizes.sum() == len(table)


def test_one_unit_is_the_range_of_the_original():
    """A number counts as far as its share of the range, whatever the unit it is written in."""
    for factor in (1.0, 1000.0, 1e-6):
        tables = pair(
            numeric("n", [0, 5 * factor, 10 * factor], [2 * factor, (8 * factor, 9 * factor)]),
            quasi_identifiers=("n",),
        )
        classes = classes_by(tables, ["n"])
        _, first = classes.nearest(*classes.persons(tables, everybody(tables)))
        np.testing.assert_allclose(first, [0.2, 0.3, 0.1])


def test_a_control_is_measured_in_units_of_the_original():
    """Persons who are not in the original do not change what one unit is."""
    original = pair(numeric("n", [0, 10], [2, 4]), quasi_identifiers=("n",))
    control = pair(numeric("n", [1, 1], [2, 4]), quasi_identifiers=("n",))
    classes = classes_by(control, ["n"], original)
    _, first = classes.nearest(*classes.persons(control, everybody(control)))
    np.testing.assert_allclose(first, [0.1, 0.1])


def test_a_constant_column_and_far_numbers_do_no_harm():
    """Where the original has one number, others are one apart, and no distance is above one."""
    tables = pair(
        numeric("n", [5, 5], [5, 1e300]),
        numeric("m", [None, None], [None, 3]),
        quasi_identifiers=("n", "m"),
    )
    classes = classes_by(kept(tables, [1]), ["n", "m"])
    _, first = classes.nearest(*classes.persons(tables, everybody(tables)))
    assert first.tolist() == [2, 2]


def test_the_order_of_persons_and_records_does_not_matter():
    """Shuffled tables give every person the same distance and as many equally near records."""
    table = people(200)
    release = released(table, 3, keep_order=True)
    order = np.random.default_rng(1).permutation(200)
    found = []
    for rows in (np.arange(200), order):
        tables = scene(table[rows], release[rows[::-1]], KNOWN, aligned=False).pair
        classes = classes_by(tables, KNOWN)
        persons = classes.persons(tables, np.argsort(rows))
        own, first = classes.nearest(*persons)
        found.append((first.tolist(), classes.count_tied(*persons, own).tolist()))
    assert found[0] == found[1]


def test_what_says_more_is_nearer():
    """Of records that leave a person open, the smaller interval or set is nearer, then the middle.

    A suppressed cell is the farthest of them.
    """
    tables = pair(
        numeric("n", [4, 0, 10], [(0, 10), (0, 8), (3, 5), "*", (4, 6)]),
        categorical("c", ["a", "b", "c"], ["*", ("a", "b"), ("a", "b"), "a", ("a", "b")]),
        quasi_identifiers=("n", "c"),
    )
    for names, best in ((["n"], 2), (["c"], 3)):
        classes = classes_by(tables, names)
        found, first = classes.nearest(*classes.persons(tables, np.array([0])))
        assert found[0] == classes.of_record[best]
        assert first[0] == 0


def test_frames_of_any_library_have_the_same_classes(frame):
    """From pandas, polars and pyarrow, persons are as near to the same classes."""
    table = {"age": [20, 30, 40, 50], "town": ["a", "b", "a", "b"]}
    release = {"age": ["[20, 30]", "[20, 30]", "*", "[40, 50]"], "town": ["{a, b}", "a", "a", "*"]}
    tables = scene(frame(table), frame(release), ["age", "town"]).pair
    classes = classes_by(tables, ["age", "town"])
    _, first = classes.nearest(*classes.persons(tables, everybody(tables)))
    np.testing.assert_allclose(first, [0, 0, 0, 0])
    assert len(pl.Series(classes.of_record).unique()) == 4
