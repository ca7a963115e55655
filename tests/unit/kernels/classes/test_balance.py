"""Laws of choosing one value per class and column."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.kernels.classes.balance import balance_values

CODES = 4


@st.composite
def classes(draw):
    """Draw the tuples of classes in order, their records, the classes' starts, and cells."""
    d = draw(st.integers(1, 3))
    code = st.integers(0, CODES - 1)
    drawn = draw(
        st.lists(
            st.dictionaries(st.tuples(*[code] * d), st.integers(1, 3), min_size=1, max_size=4),
            min_size=1,
            max_size=5,
        )
    )
    codes = np.array([key for one in drawn for key in sorted(one)], np.int32)
    weights = np.array([one[key] for one in drawn for key in sorted(one)])
    starts = np.cumsum([0, *map(len, drawn)])
    cells = np.array(draw(st.lists(st.permutations([0, 0, 1, 2]), min_size=d, max_size=d)))
    return codes, weights, starts, cells.astype(np.int32)


def tables_of(codes, weights, cells):
    """Return the records by code of each column and by cell of each two, one after the other."""
    d = codes.shape[1]
    tables = [np.bincount(column, weights, CODES) for column in codes.T]
    for a, b in combinations(range(d), 2):
        size = cells[b].max() + 1
        places = cells[a][codes[:, a]] * size + cells[b][codes[:, b]]
        tables.append(np.bincount(places, weights, (cells[a].max() + 1) * size))
    return np.concatenate(tables).astype(float)


def balanced(case, penalty=0.0):
    """Return the first tuple of each class, what was chosen, and what is left of the targets."""
    codes, weights, starts, cells = case
    first = codes[starts[:-1]].copy()
    choice, left = first.copy(), tables_of(codes, weights, cells)
    balance_values(codes, weights, weights == 1, starts, cells, left, choice, penalty)
    return first, choice, left


@settings(max_examples=examples(200))
@given(case=classes())
def test_a_chosen_value_is_one_of_the_class(case):
    """Every class gets in each column a value that one of its tuples has."""
    codes, _, starts, _ = case
    choice = balanced(case)[1]
    for own, first, last in zip(choice, starts[:-1], starts[1:], strict=True):
        assert all(value in codes[first:last, a] for a, value in enumerate(own))


@settings(max_examples=examples(200))
@given(case=classes())
def test_no_single_change_brings_tables_nearer(case):
    """What is left are the tables' differences, and no other value of a class lowers their sum."""
    codes, weights, starts, cells = case
    sizes = np.add.reduceat(weights, starts[:-1])
    target = tables_of(codes, weights, cells)
    first, choice, left = balanced(case)

    def apart(chosen):
        return tables_of(chosen, sizes, cells) - target

    np.testing.assert_allclose(left, apart(choice))
    found = np.abs(left).sum()
    assert found <= np.abs(apart(first)).sum() + 1e-9
    for c, (start, stop) in enumerate(pairwise(starts)):
        for a in range(codes.shape[1]):
            for value in codes[start:stop, a]:
                other = choice.copy()
                other[c, a] = value
                assert found <= np.abs(apart(other)).sum() + 1e-9


def test_a_record_that_nobody_shares_is_hardly_released():
    """With a penalty, the class gets values of two of its records rather than of one."""
    codes = np.array([[0, 0], [1, 1]], np.int32)
    case = codes, np.array([1, 1]), np.array([0, 2]), np.zeros((2, CODES), np.int32)
    assert np.ptp(balanced(case, 0.0)[1]) == 0
    assert np.ptp(balanced(case, 2.0)[1]) == 1
