"""Laws of grouping equal rows, against the slow twin."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.kernels.classes import grouping
from twins import classes as naive

WIDE = 2**31 - 1


def grouped(rows, sizes):
    """Group rows of codes by the kernel; return what the twin returns."""
    table = np.array(rows, np.int32).reshape(len(rows), len(sizes))
    columns = [np.ascontiguousarray(column) for column in table.T]
    groups = grouping.group_rows(columns, sizes)
    assert groups.labels.dtype == groups.codes.dtype == np.int32
    assert groups.sizes.dtype == groups.first.dtype == np.int64
    assert groups.codes.flags.c_contiguous
    return tuple(part.tolist() for part in groups)


@st.composite
def tables(draw):
    """Draw up to 30 rows of up to 12 columns, of domains from one value to two billion."""
    sizes = draw(st.lists(st.sampled_from([1, 2, 5, 2**16, WIDE]), min_size=1, max_size=12))
    # Few distinct codes a column, the outer ones among them, so that rows repeat.
    codes = [st.sampled_from(sorted({0, size // 2, size - 1})) for size in sizes]
    return draw(st.lists(st.tuples(*codes), max_size=30)), sizes


@given(drawn=tables())
def test_groups_are_their_twin(drawn):
    """Groups are the distinct rows in lexicographic order, whatever number of bits they need."""
    rows, sizes = drawn
    assert grouped(rows, sizes) == naive.group_rows(rows)


@pytest.mark.parametrize("width", [2, 3, 9])
def test_keys_beyond_64_bits_are_grouped(width):
    """Columns of 31 bits each are packed as far as they go, and their groups numbered then."""
    rng = np.random.default_rng(width)
    rows = (rng.integers(0, 2, (500, width)) * (WIDE - 1)).tolist()
    assert grouped(rows, [WIDE] * width) == naive.group_rows(rows)


@pytest.mark.parametrize("sizes", [[2] * 64, [2] * 65, [2**16] * 4, [2**16] * 4 + [2]])
def test_keys_about_64_bits_are_grouped(sizes):
    """The last column that fits into 64 bits and the first that does not are grouped alike."""
    rng = np.random.default_rng(1)
    ends = rng.integers(0, 2, (300, len(sizes))) * (np.array(sizes) - 1)
    ends[:, 3:-2] = 0  # else no row would repeat
    assert grouped(ends.tolist(), sizes) == naive.group_rows(ends.tolist())


def test_300_columns_are_grouped():
    """A table may have hundreds of columns."""
    rng = np.random.default_rng(2)
    patterns = rng.integers(0, 100, (40, 300))
    rows = patterns[rng.integers(0, 40, 2000)].tolist()
    assert grouped(rows, [100] * 300) == naive.group_rows(rows)


def test_many_rows_need_many_passes():
    """Keys of 64 bits that differ everywhere are sorted through all their digits."""
    rows = np.random.default_rng(3).integers(0, 2**16, (1500, 4)).tolist()
    assert grouped(rows, [2**16] * 4) == naive.group_rows(rows)


def partition(labels, sizes, first):
    """Return what groups are, whatever their order: by row the first of its group, and sizes."""
    labels, sizes, first = (np.asarray(one, np.int64) for one in (labels, sizes, first))
    return first[labels].tolist(), sizes[labels].tolist(), len(first)


@pytest.mark.parametrize("parallel_from", [1, 1 << 20])
@given(drawn=tables())
def test_rows_are_labelled_as_they_are_grouped(drawn, parallel_from):
    """Without order and codes, groups are the same, by sorting and by numbering parts."""
    rows, sizes = drawn
    table = np.array(rows, np.int32).reshape(len(rows), len(sizes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "PARALLEL_FROM", parallel_from)
        groups = grouping.label_rows([np.ascontiguousarray(column) for column in table.T], sizes)
    assert partition(*groups[:3]) == partition(*naive.group_rows(rows)[:3])
    assert groups.codes.shape == (len(groups.sizes), 0)


def test_parts_that_outgrow_their_table_are_numbered():
    """Many rows, in parts of unequal size, form the groups of their twin."""
    rng = np.random.default_rng(5)
    keys = np.concatenate([rng.integers(0, 2**60, 3000), np.full(2000, 7)]).astype(np.uint64)
    keys = keys[rng.integers(0, len(keys), 8000)]
    labels, sizes, first = grouping._number_keys(keys.copy())  # noqa: SLF001 - of millions of rows
    _, where, number, count = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    assert partition(labels, sizes, first) == partition(number, count, where)


@given(drawn=tables())
def test_sorted_keys_are_the_sorted_rows(drawn):
    """Keys unpack into the rows in lexicographic order, or there are none beyond 64 bits."""
    rows, sizes = drawn
    widths = [(size - 1).bit_length() for size in sizes]
    table = np.array(rows, np.int32).reshape(len(rows), len(sizes))
    keys = grouping.sorted_keys([np.ascontiguousarray(column) for column in table.T], sizes)
    if sum(widths) > 64:
        assert keys is None
        return
    packed = []
    for row in sorted(rows):
        key = 0
        for code, width in zip(row, widths, strict=True):
            key = (key << width) | code
        packed.append(key)
    assert keys.tolist() == packed


def test_one_row_is_one_group():
    """A single row forms a group of its own, constant columns included."""
    assert grouped([(0, 7)], [1, 8]) == ([0], [1], [0], [[0, 7]])


def test_no_rows_form_no_group():
    """A table without rows has no group, and keeps its number of columns."""
    groups = grouping.group_rows([np.empty(0, np.int32)] * 3, [4, 0, 1])
    assert groups.codes.shape == (0, 3)
    assert len(groups.labels) == len(groups.sizes) == len(groups.first) == 0


def test_no_columns_form_one_group():
    """Rows of which nothing is known are all equal; where there is no row there is no group."""
    groups = grouping.one_group(5)
    assert [part.tolist() for part in groups[:3]] == [[0] * 5, [5], [0]]
    assert groups.codes.shape == (1, 0)
    none = grouping.one_group(0)
    assert [part.tolist() for part in none[:3]] == [[], [], []]
    assert none.codes.shape == (0, 0)


@given(
    values=st.lists(st.integers(-40, 40), max_size=50),
    offset=st.sampled_from([0, -1000, -(2**63) + 40, 2**63 - 41, 2**62]),
)
def test_dense_codes_are_ranks(values, offset):
    """Integers are numbered in their order, negative and extreme ones too."""
    values = [value + offset for value in values]
    distinct, codes = grouping.dense_codes(np.array(values, np.int64))
    assert distinct.tolist() == sorted(set(values))
    assert codes.tolist() == [sorted(set(values)).index(value) for value in values]
    assert (distinct.dtype, codes.dtype) == (np.int64, np.int32)


@pytest.mark.parametrize(
    ("values", "pays"),
    [
        ([0, 2**16 - 1], True),
        ([0, 2**16], False),
        ([-(2**63), 2**63 - 1], False),
        ([-(2**62), 2**62, 0], False),
        ([0, *range(20_000), 79_999], True),
        ([0, *range(20_000), 80_008], False),
    ],
)
def test_wide_ranges_are_left_to_others(values, pays):
    """A range of more than four entries a row and more than 65,536 is declined."""
    assert (grouping.dense_codes(np.array(values, np.int64)) is not None) == pays


@given(
    st.one_of(
        st.lists(st.integers(-(2**63), 2**63 - 1)),
        st.lists(st.sampled_from([-(2**63), -1, 0, 1, 2**63 - 1])),
        st.lists(st.floats()),
        st.lists(st.sampled_from([-math.inf, -1.5, -5e-324, -0.0, 0.0, 1.5, math.inf, math.nan])),
    )
)
def test_dense_ranks_are_ranks(values):
    """Any numbers are ranked in their order, NaN last, and each has a row that has it."""
    numbers = np.array(values, np.int64 if all(type(one) is int for one in values) else np.float64)
    first, ranks = grouping.dense_ranks(numbers)
    distinct, place = np.unique(numbers, return_inverse=True)
    np.testing.assert_array_equal(numbers[first], distinct)
    assert ranks.tolist() == place.tolist()


def test_read_only_columns_are_taken():
    """Columns of frames are often read-only views; they are read and left as they are."""
    values = np.array([5, 3, 5], np.int64)
    values.flags.writeable = False
    distinct, codes = grouping.dense_codes(values)
    codes.flags.writeable = False
    groups = grouping.group_rows([codes], [len(distinct)])
    assert groups.labels.tolist() == [1, 0, 1]


@pytest.mark.parametrize("size", [1 << 11, 1 << 17, 1 << 23, 1 << 28])
@pytest.mark.parametrize("skewed", [False, True])
def test_sorting_on_two_cores_gives_the_same_order(monkeypatch, size, skewed):
    """Keys that are divided between cores come out as one core sorts them, ties included."""
    rng = np.random.default_rng(size)
    column = rng.integers(0, 3 if skewed else size, 5_000).astype(np.int32)
    columns, sizes = [column, rng.integers(0, 40, 5_000).astype(np.int32)], [size, 40]
    alone = grouping.sort_rows(columns, sizes)

    monkeypatch.setattr(grouping, "PARALLEL_FROM", 0)
    monkeypatch.setattr(grouping, "cores", lambda: 2)

    assert np.array_equal(alone, grouping.sort_rows(columns, sizes))
    assert np.array_equal(alone, np.lexsort(columns[::-1]))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.data())
def test_values_are_put_and_taken_as_numpy_does(values, data):
    """Writing and reading at places is what numpy's indices do, negative ones from the end."""
    values = np.array(values, np.int32)
    order = np.array(data.draw(st.permutations(range(len(values)))), np.int32)
    moved = np.empty_like(values)
    grouping.put(values, order, moved)
    assert moved[order].tolist() == values.tolist()
    places = np.array(data.draw(st.lists(st.integers(-len(values), len(values) - 1))), np.int32)
    expected = values[places].tolist()
    grouping.take(values, places, places)
    assert places.tolist() == expected
