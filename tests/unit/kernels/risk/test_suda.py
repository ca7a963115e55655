"""The compiled search for minimal sample uniques against its plain twin, and its laws."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.kernels.risk.suda import BLOCK, minimal_uniques
from twins import risk as naive_suda


@st.composite
def tables(draw):
    """Draw few or many attributes with few or many values, often with equal records."""
    n = draw(st.integers(0, 24))
    tops = draw(st.lists(st.integers(0, 4), min_size=1, max_size=7))
    rows = [[draw(st.integers(0, top)) for top in tops] for _ in range(n)]
    return np.array(rows, np.int32).reshape(n, len(tops))


def sets_of(codes, largest):
    """Return the sets of each row as tuples of attributes, sorted by size and attributes."""
    found = minimal_uniques(codes, largest)
    by_tuple = [
        sorted(
            (tuple(a for a in range(31) if bits >> a & 1) for bits in found.sets[start:end]),
            key=lambda chosen: (len(chosen), chosen),
        )
        for start, end in zip(found.starts[:-1], found.starts[1:], strict=True)
    ]
    return [by_tuple[t] for t in found.tuples]


@given(tables(), st.integers(1, 7))
@settings(max_examples=examples(300))
def test_equals_the_twin(codes, largest):
    """The same sets are found as by trying every set of attributes for every record."""
    assert sets_of(codes, largest) == naive_suda.minimal_uniques(codes.tolist(), largest)


@pytest.mark.parametrize("half", [1, 2, 3, 4])
def test_a_record_that_shares_each_half_of_its_values_is_unique_on_one_more(half):
    """It has every set of that size, more than stand in one block, and no other set."""
    d = 2 * half
    codes = np.zeros((1 + len(list(combinations(range(d), half))), d), np.int32)
    for row, shared in enumerate(combinations(range(d), half), start=1):
        codes[row, [a for a in range(d) if a not in shared]] = row
    found = sets_of(codes, d)
    assert found[0] == list(combinations(range(d), half + 1))
    assert half < 3 or len(found[0]) > BLOCK
    assert found == naive_suda.minimal_uniques(codes.tolist(), d)


@pytest.mark.parametrize(("n", "values", "largest"), [(40, 4, 10), (2000, 60, 2)])
def test_many_sets_are_kept(n, values, largest):
    """Records with many more sets than there was room for at first have them all."""
    codes = np.random.default_rng(0).integers(0, values, (n, 10), np.int32)
    assert len(minimal_uniques(codes, largest).sets) > 2 * BLOCK * (n + 2 * 10)
    assert sets_of(codes, largest) == naive_suda.minimal_uniques(codes.tolist(), largest)


@given(tables(), st.randoms(use_true_random=False))
def test_order_does_not_matter(codes, random):
    """Rows and attributes in another order have the same sets."""
    n, d = codes.shape
    rows, attributes = random.sample(range(n), n), random.sample(range(d), d)
    found = sets_of(codes, d)
    turned = sets_of(codes[np.ix_(rows, attributes)], d)
    for place, row in enumerate(rows):
        named = {frozenset(attributes[a] for a in chosen) for chosen in turned[place]}
        assert named == {frozenset(chosen) for chosen in found[row]}


def test_all_attributes_that_fit_have_a_bit():
    """Two records that differ in each of 31 attributes are unique on each of them."""
    codes = np.stack([np.zeros(31, np.int32), np.ones(31, np.int32)])
    assert sets_of(codes, 31) == [[(a,) for a in range(31)]] * 2


def test_equal_records_have_no_set_and_are_one_tuple():
    """Of three records, two equal ones are one tuple; the third is unique where it differs."""
    found = minimal_uniques(np.array([[0, 1], [0, 0], [0, 1]], np.int32), 2)
    assert found.tuples.tolist() == [1, 0, 1]
    assert found.counts.tolist() == [1, 2]
    assert (found.starts.tolist(), found.sets.tolist()) == ([0, 1, 1], [2])


def test_the_only_record_is_unique_on_each_attribute():
    """The smallest sets are of one attribute, though no attribute is needed."""
    assert sets_of(np.array([[3, 0, 1]], np.int32), 1) == [[(0,), (1,), (2,)]]


def test_no_record():
    """A table without a record has no tuple and no set."""
    found = minimal_uniques(np.empty((0, 2), np.int32), 2)
    assert [len(array) for array in found] == [0, 0, 1, 0]
