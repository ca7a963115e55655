"""Laws of numbering equal pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kanonym.kernels.classes import pairs


def number(rows, known=()):
    """Return numbers and first places of pairs by the kernel."""
    codes = np.empty(len(rows), np.int32)
    words = np.array(rows, np.uint64).reshape(len(rows), 2)
    first = pairs.number_pairs(words, np.array(known, np.bool_), codes)
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
    rows = np.arange(2 * pairs.MOST + 2).reshape(-1, 2)
    assert number(rows[:-1])[1] == list(range(pairs.MOST))
    assert number(rows)[1] == []
