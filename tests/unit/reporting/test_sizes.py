"""Laws of class sizes."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.reporting.distributions.bars import FEW_BARS, ClassSizes

SIZES = st.dictionaries(st.integers(1, 100_000), st.integers(1, 50), min_size=1, max_size=60)


@given(SIZES)
def test_class_sizes_agree_with_a_slow_count(classes_of_size):
    """Smallest, median, mean and largest are those of the classes listed one by one."""
    listed = [size for size, n in classes_of_size.items() for _ in range(n)]
    sizes = ClassSizes.of(classes_of_size)
    assert (sizes.smallest, sizes.largest) == (min(listed), max(listed))
    assert sizes.median == statistics.median(listed)
    assert sizes.mean == pytest.approx(statistics.mean(listed))


@given(SIZES)
def test_bars_of_class_sizes_hold_all_classes_and_records(classes_of_size):
    """Every class is in one bar, and there are few bars."""
    sizes = ClassSizes.of(classes_of_size)
    assert sum(sizes.classes) == sum(classes_of_size.values())
    assert sum(sizes.records) == sum(size * n for size, n in classes_of_size.items())
    assert len(sizes.labels) == len(sizes.classes) == len(sizes.records)
    assert len(sizes.labels) <= max(FEW_BARS, 3 * len(str(max(classes_of_size))) + 1)


def test_bars_begin_at_the_smallest_class():
    """Sizes of 7 to 60 come in equal steps from 7 on; the few largest share an open bar."""
    sizes = ClassSizes.of({**dict.fromkeys(range(7, 61), 10), 5000: 1})
    assert sizes.labels[:2] == ("7–11", "12–16")
    assert sizes.labels[-1] == "57+"


def test_bars_grow_where_sizes_differ_widely():
    """Sizes of 5 to 4,804 come in bars that end at 1, 2 and 5 times a power of ten."""
    sizes = ClassSizes.of({5: 3, 15: 1, 300: 1, 4804: 1})
    assert sizes.labels[:4] == ("5–9", "10–19", "20–49", "50–99")
    assert sizes.labels[-1] == "2000+"


def test_no_class_has_no_size():
    """A release without a record has no bar."""
    assert ClassSizes.of({}) == ClassSizes(0, 0.0, 0.0, 0, (), (), ())
