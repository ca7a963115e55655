"""Laws of the measures of one class, against their slow twins."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.kernels.classes import disclosure
from twins import classes as naive

NO_TREE = np.zeros((0, 0), np.int32)
MEASURES = [*naive.BY_CLASS, *naive.BY_TABLE, "T_HIERARCHICAL", "RECURSIVE"]


@st.composite
def tables(draw):
    """Draw a table as classes of values, with gaps in the domain and empty classes."""
    domain = draw(st.lists(st.integers(0, 30), min_size=1, max_size=12, unique=True))
    values = st.lists(st.sampled_from(domain), max_size=12)
    classes = draw(st.lists(values, min_size=1, max_size=6))
    if not any(classes):
        classes[0] = domain[:1]
    return classes


@st.composite
def trees(draw, n_values):
    """Draw (n_levels, n_values) labels: neighbours merge from level to level up to one root."""
    levels = [list(range(n_values))]
    for _ in range(draw(st.integers(0, 3))):
        joins = draw(st.lists(st.booleans(), min_size=n_values, max_size=n_values))
        labels = [0]
        for i in range(1, n_values):
            same = levels[-1][i] == levels[-1][i - 1] or joins[i]
            labels.append(labels[-1] + (not same))
        levels.append(labels)
    return np.array([*levels, [0] * n_values], np.int32)


def measured(name, values, table, ancestors=NO_TREE, argument=0, n_values=31):
    """Ask the kernel about one class."""
    counts = Counter(values)
    present = sorted(counts)
    codes = np.array([*present, 99], np.int32)  # entries from m on are not read
    numbers = np.array([*(counts[value] for value in present), 99], np.int64)
    whole = Counter(table)
    reference = disclosure.reference_shares(
        np.array([whole[value] for value in range(n_values)], np.int64), ancestors
    )
    return disclosure.class_measure(
        getattr(disclosure, name),
        codes,
        numbers,
        len(present),
        len(values),
        reference,
        ancestors,
        argument,
    )


@pytest.mark.parametrize("name", naive.BY_CLASS)
@given(classes=tables())
def test_measure_of_the_class_alone_is_its_twin(name, classes):
    """A measure that looks at the class alone equals its definition in plain Python."""
    table = [value for values in classes for value in values]
    for values in classes:
        expected = naive.BY_CLASS[name](values)
        assert measured(name, values, table) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", naive.BY_TABLE)
@given(classes=tables())
def test_measure_against_the_table_is_its_twin(name, classes):
    """A measure that compares with the table equals its definition in plain Python."""
    table = [value for values in classes for value in values]
    for values in classes:
        expected = naive.BY_TABLE[name](values, table)
        assert measured(name, values, table) == pytest.approx(expected, abs=1e-12)


@given(classes=tables(), l=st.integers(1, 6))
def test_recursive_is_its_twin(classes, l):
    """The recursive measure sorts counts descending, for every l."""
    for values in classes:
        expected = naive.recursive(values, l)
        assert measured("RECURSIVE", values, values, argument=l) == expected


@given(data=st.data(), classes=tables())
def test_hierarchical_distance_is_the_flow_through_the_tree(data, classes):
    """The formula over inner nodes equals the earth mover's distance through the edges."""
    ancestors = data.draw(trees(31))
    paths = {value: list(ancestors[1:, value]) for value in range(31)}
    table = [value for values in classes for value in values]
    for values in classes:
        expected = naive.t_hierarchical(values, table, paths)
        assert measured("T_HIERARCHICAL", values, table, ancestors) == pytest.approx(
            expected, abs=1e-12
        )


@given(classes=tables())
def test_a_flat_tree_has_the_equal_distance(classes):
    """In a tree of leaves and a root, hierarchical and equal distance are the same."""
    flat = np.array([list(range(31)), [0] * 31], np.int32)
    table = [value for values in classes for value in values]
    for values in classes:
        assert measured("T_HIERARCHICAL", values, table, flat) == pytest.approx(
            measured("T_EQUAL", values, table), abs=1e-12
        )


def test_hierarchical_distance_without_a_tree_is_nan():
    """Without a hierarchy the hierarchical distance is undefined, and satisfies nothing."""
    value = measured("T_HIERARCHICAL", [1, 2], [1, 2])
    assert math.isnan(value)
    assert not disclosure.holds(value, disclosure.LE, 1.0)


@given(classes=tables())
def test_the_table_itself_discloses_nothing(classes):
    """A class that is the whole table is at distance 0 from it in every measure."""
    table = [value for values in classes for value in values]
    for name in naive.BY_TABLE:
        assert measured(name, table, table) == pytest.approx(0, abs=1e-12)


@given(classes=tables(), copies=st.integers(2, 1000))
def test_only_shares_matter(classes, copies):
    """Every record repeated the same number of times leaves all but the percentage as it was."""
    table = [value for values in classes for value in values]
    for name in {*naive.BY_CLASS, *naive.BY_TABLE} - {"DIVERSITY_PERCENT"}:
        once = measured(name, classes[0], table)
        assert measured(name, classes[0] * copies, table * copies) == pytest.approx(once, abs=1e-12)


@given(classes=tables(), padding=st.integers(0, 5))
def test_values_that_nobody_has_change_nothing(classes, padding):
    """A table padded with zero counts measures as before: attributes can be stacked."""
    table = [value for values in classes for value in values]
    for name in naive.BY_TABLE:
        padded = measured(name, classes[0], table, n_values=31 + padding)
        assert padded == measured(name, classes[0], table)


@pytest.mark.parametrize(
    ("name", "expected"), [(name, math.inf if name == "RECURSIVE" else 0.0) for name in MEASURES]
)
def test_a_class_without_values_is_not_diverse_and_tells_nothing(name, expected):
    """A class whose values are all null, nulls excluded, has 0 everywhere, infinity as c."""
    assert measured(name, [], [0, 1, 1], argument=1) == expected


def test_size_is_the_number_of_records_not_of_values():
    """Size counts records without a value too."""
    nothing = np.zeros(0, np.int32)
    reference = disclosure.reference_shares(np.zeros(0, np.int64), NO_TREE)
    size = disclosure.class_measure(
        disclosure.SIZE, nothing, np.zeros(0, np.int64), 0, 7, reference, NO_TREE, 0
    )
    assert size == 7


@pytest.mark.parametrize("name", ["SIZE", *MEASURES])
@given(classes=tables())
def test_all_classes_at_once_are_each_class_alone(name, classes):
    """Measuring all classes in one call equals measuring each."""
    flat = np.array([list(range(31)), [0] * 31], np.int32)
    table = [value for values in classes for value in values]
    histograms = [sorted(Counter(values).items()) for values in classes]
    entries = [entry for histogram in histograms for entry in histogram]
    whole = Counter(table)
    together = disclosure.measure_classes(
        getattr(disclosure, name),
        np.cumsum([0, *map(len, histograms)], dtype=np.int64),
        np.array([value for value, _ in entries], np.int32),
        np.array([count for _, count in entries], np.int64),
        np.array([len(values) for values in classes], np.int64),
        disclosure.reference_shares(np.array([whole[v] for v in range(31)], np.int64), flat),
        flat,
        2,
    )
    alone = [measured(name, values, table, flat, argument=2) for values in classes]
    assert together.tolist() == alone


@pytest.mark.parametrize(
    ("relation", "below", "equal", "above"),
    [
        (disclosure.GE, False, True, True),
        (disclosure.LE, True, True, False),
        (disclosure.LT, True, False, False),
    ],
)
@given(threshold=st.one_of(st.just(0.0), st.floats(0.001, 1e6)), noise=st.floats(-0.9e-12, 0.9e-12))
def test_rounding_does_not_decide(relation, below, equal, above, threshold, noise):
    """A value within rounding of its threshold counts as equal; beyond it does not."""
    scale = max(1.0, threshold)
    assert disclosure.holds(threshold + noise * scale, relation, threshold) is equal
    assert disclosure.holds(threshold - 3e-12 * scale, relation, threshold) is below
    assert disclosure.holds(threshold + 3e-12 * scale, relation, threshold) is above


@pytest.mark.parametrize("l", range(1, 40))
def test_l_equally_frequent_values_are_entropy_l_diverse(l):
    """exp(entropy) of l equally frequent values satisfies l, whatever the logarithms round to."""
    value = measured("ENTROPY", list(range(l)) * 7, list(range(l)) * 7, n_values=40)
    assert disclosure.holds(value, disclosure.GE, l)


def test_hold_is_holds_of_each():
    """The rule over an array is the rule over each of its numbers."""
    values = np.array([0.1, 0.2, 0.3, np.inf, np.nan])
    assert disclosure.hold_all(values, disclosure.LE, 0.2).tolist() == [
        True,
        True,
        False,
        False,
        False,
    ]
