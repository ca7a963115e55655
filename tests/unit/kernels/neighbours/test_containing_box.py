"""The compiled search for boxes against its slow twin."""

from __future__ import annotations

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.kernels.neighbours.containing_box import LEAF, Boxes, build_box_tree, find_containing
from twins import neighbours as naive_containing


def random_boxes(rng, n, d, size):
    """Return n boxes over d dimensions of `size` values, some of which list their values."""
    listed = rng.random(d) < 0.4
    boxes = []
    for _ in range(n):
        sides = np.sort(rng.integers(0, size, (d, 2)), axis=1)
        members = [None] * d
        for a in np.flatnonzero(listed):
            own = {int(one) for one in rng.integers(0, size, 3)}
            sides[a] = min(own), max(own)
            members[a] = own
        boxes.append(naive_containing.Box(*map(tuple, sides.T.tolist()), tuple(members)))
    return boxes, listed


def compiled(boxes, listed):
    """Return boxes as the kernel takes them."""
    held = [sorted(box.members[a]) for a in np.flatnonzero(listed) for box in boxes]
    return Boxes(
        np.array([box.low for box in boxes], np.int32),
        np.array([box.high for box in boxes], np.int32),
        np.where(listed, np.cumsum(listed) - 1, -1),
        np.cumsum([0, *map(len, held)]),
        np.array([one for own in held for one in own], np.int32),
    )


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2, 7, 8, 9, 40, 300]),
    st.integers(1, 4),
    st.sampled_from([1, 3, 10, 50]),
)
@settings(max_examples=examples(200), deadline=None)
def test_the_box_is_the_twins(seed, n, d, size):
    """Of overlapping boxes the first contains a point, also beside and between all boxes."""
    rng = np.random.default_rng(seed)
    boxes, listed = random_boxes(rng, n, d, size)
    points = rng.integers(-1, size + 1, (60, d)).astype(np.int32)
    one = compiled(boxes, listed)
    n_leaves = np.int64(1 << max(-(-n // LEAF) - 1, 0).bit_length())
    found = find_containing(points, one, build_box_tree(one, n_leaves), n_leaves).tolist()
    event(f"contained: {sum(number >= 0 for number in found) // 20}")
    assert found == naive_containing.containing([tuple(point) for point in points.tolist()], boxes)
