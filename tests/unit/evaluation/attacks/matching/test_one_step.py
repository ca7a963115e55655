"""The rule of one step, beside whoever writes down all ways to share the records."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from kanonym.evaluation.attacks.matching.one_step import one_step


@pytest.mark.parametrize(
    ("n", "m", "k"), [(n, m, k) for n in range(1, 7) for m in (1, 2, 3) for k in (2, 3, 4)]
)
def test_what_is_told_is_what_all_ways_have_in_common(n, m, k):
    """Labels that occur in every way, counts that are the same in all, and the bits between."""
    ways = [
        way
        for way in itertools.product(range(m), repeat=n)
        if all(way.count(label) < k for label in range(m))
    ]
    found = one_step(np.array([n]), np.array([m]), k)
    if m == 1 or not ways:
        assert not found.present.any()
        assert not found.known.any()
        assert found.told[0] == 0
        return
    counts = {tuple(way.count(label) for label in range(m)) for way in ways}
    assert found.present[0] == all(0 not in one for one in counts)
    assert found.known[0] == (len(counts) == 1)
    assert found.bits[0] == pytest.approx(n * math.log2(m))
    assert found.told[0] == pytest.approx(n * math.log2(m) - math.log2(len(ways)), abs=1e-9)
