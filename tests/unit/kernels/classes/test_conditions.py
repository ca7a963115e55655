"""Tests: conditions over the values of records, alone and in pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import twins.mondrian as naive
from effort import examples
from kanonym.algorithms.base import compile_criteria
from kanonym.algorithms.mondrian import _records
from kanonym.kernels.classes import conditions
from kanonym.kernels.classes.conditions import shell_sort, sides_satisfy
from tables import tables


def number(rows, known=()):
    """Return numbers and first places of pairs by the kernel."""
    codes = np.empty(len(rows), np.int32)
    words = np.array(rows, np.uint64).reshape(len(rows), 2)
    first = conditions.number_pairs(words, np.array(known, np.bool_), codes)
    return codes.tolist(), first.tolist()


WORDS = st.sampled_from([0, 1, 2**32, 2**64 - 1])


@given(st.lists(st.tuples(WORDS, WORDS, st.booleans()), max_size=30))
def test_pairs_are_numbered_as_they_appear(drawn):
    """Equal pairs have one number, in the order of their first place; others have -1."""
    rows, known = [row[:2] for row in drawn], [row[2] for row in drawn]
    order = list(dict.fromkeys(row for row, counts in zip(rows, known, strict=True) if counts))
    codes = [order.index(row) if counts else -1 for row, counts in zip(rows, known, strict=True)]
    assert number(rows, known) == (codes, [codes.index(place) for place in range(len(order))])


def test_many_different_pairs_are_not_numbered():
    """One pair more than the table takes, and none is numbered."""
    rows = np.arange(2 * conditions.MOST + 2).reshape(-1, 2)
    assert number(rows[:-1])[1] == list(range(conditions.MOST))
    assert number(rows)[1] == []


@settings(max_examples=examples(300))
@given(table=tables(), data=st.data())
def test_sides_satisfy_the_models_as_their_twins_do(table, data):
    """A side of a cut satisfies the conditions where its rows satisfy the models by definition.

    Sizes are not asked here: the kernels compare them where they choose a cut.
    """
    encoded = table.encoded()
    records, criteria = _records(encoded, by_row=False), compile_criteria(table.models, encoded)
    n = len(records)
    a = data.draw(st.integers(0, len(table.domains) - 1))
    code = data.draw(st.integers(0, table.domains[a].size - 1))
    sides = naive.divide(table.rows, (a, code))
    if not all(sides):
        return
    expected = [table.satisfies(side) for side in sides]
    enough = [naive.records(side) >= criteria.min_size for side in sides]
    for first, last in ((0, 0), (1, 1), (0, 1)):
        asked = sides_satisfy(records, 0, n, a, code, criteria, first, last)
        assert (asked and all(enough[first : last + 1])) == all(expected[first : last + 1])


@given(keys=st.lists(st.integers(-(2**62), 2**62), max_size=60), n=st.integers(0, 60))
def test_shell_sort_sorts_the_first_keys(keys, n):
    """The first n keys of a column end ascending, everything else stays where it was."""
    n = min(n, len(keys))
    array = np.array([[i, key] for i, key in enumerate(keys)], np.int64).reshape(-1, 2)
    shell_sort(array, 1, n)
    assert array[:, 1].tolist() == sorted(keys[:n]) + keys[n:]
    assert array[:, 0].tolist() == list(range(len(keys)))
