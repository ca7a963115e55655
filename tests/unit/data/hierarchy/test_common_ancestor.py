"""Where two leaves meet in the tree."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kanonym.data import hierarchy

TREE = hierarchy.from_mapping(
    {"*": {"warm": ["red", "orange"], "cold": ["blue", "green", "grey"]}}
).bind(pl.Series("colour", ["red", "blue", None]))


def leaf(value):
    """Return the code of one value."""
    return int(TREE.leaf_of(pl.Series([value]))[0])


@pytest.mark.parametrize(
    ("low", "high", "level", "first", "last"),
    [
        ("red", "red", 0, "red", "red"),
        ("blue", "green", 1, "blue", "grey"),
        ("red", "grey", 2, "red", None),
        ("grey", None, 2, "red", None),
        (None, None, 0, None, None),
    ],
)
def test_pairs_meet_at_the_lowest_label_above_both(low, high, level, first, last):
    """Two leaves meet at the lowest level that gives both one label; null only at the root."""
    pair = np.array([leaf(low)], np.int32), np.array([leaf(high)], np.int32)

    below = TREE.subtree(*pair)

    assert [level] == TREE.meet(*pair).tolist()
    assert (leaf(first), leaf(last)) == (int(below[0][0]), int(below[1][0]))
