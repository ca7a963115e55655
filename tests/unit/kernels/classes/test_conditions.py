"""Laws of conditions as kernels ask them of the sides of a cut, against their slow twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_mondrian as naive
from effort import examples
from kanonym.algorithms.criteria import compile_criteria
from kanonym.algorithms.mondrian import _records
from kanonym.kernels.classes.conditions import shell_sort, sides_satisfy
from tables import tables


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
