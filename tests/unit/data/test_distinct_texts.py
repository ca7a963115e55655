"""Laws of the codes of texts that are few."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data.columns.texts import distinct_texts
from kanonym.kernels.classes import conditions

TEXTS = st.sampled_from(["", "a", "twelve bytes", "more than twelve", "more than twelve, too", "ä"])


@given(st.lists(st.lists(TEXTS | st.none(), max_size=8), min_size=1, max_size=3), st.data())
def test_texts_are_their_codes(chunks, data):
    """Values ascend, each occurs, and codes read as the texts, in whatever chunks they lie."""
    parts = [pl.Series("t", chunk, dtype=pl.String) for chunk in chunks]
    column = pl.concat(parts, rechunk=False).slice(data.draw(st.integers(0, 3)))
    if not len(column):
        return
    values, codes = distinct_texts(column)
    assert values.to_list() == sorted(set(column.to_list()) - {None}, key=str.encode)
    assert [[*values, None][code] for code in codes.tolist()] == column.to_list()


def test_null_is_no_text():
    """What lies in the memory under a null is not read: it may be that of a text."""
    held = pl.Series("t", ["", "a", "", "a"])
    column = held.set(pl.Series([True, False, False, True]), None)
    values, codes = distinct_texts(column)
    assert (values.to_list(), codes.tolist()) == (["", "a"], [2, 1, 0, 2])


@pytest.mark.parametrize("texts", [[], [None], [None, None]])
def test_a_column_may_have_no_text(texts):
    """Without a text there is no value, and null has the code 0."""
    values, codes = distinct_texts(pl.Series("t", texts, dtype=pl.String))
    assert (values.to_list(), codes.tolist()) == ([], [0] * len(texts))


def test_many_texts_are_left_to_a_hash_table():
    """Of more different texts than a small table takes there are no codes."""
    column = pl.int_range(conditions.MOST + 1, eager=True).cast(pl.String)
    assert distinct_texts(column) is None
