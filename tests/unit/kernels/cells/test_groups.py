"""Laws of the groups that patterns of blanks make, against their slow twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import twins.cells as naive
from kanonym.kernels.cells.patterns import feasible_groups, gather_members

NULL = 3


@st.composite
def weighted_tuples(draw):
    """Draw distinct tuples of 1 to 4 cells, null among them, with weights, and a k."""
    d = draw(st.integers(1, 4))
    cell = st.one_of(st.none(), st.integers(0, 2))
    tuples = draw(st.lists(st.tuples(*[cell] * d), min_size=1, max_size=25, unique=True))
    weights = draw(st.lists(st.integers(1, 4), min_size=len(tuples), max_size=len(tuples)))
    return tuples, weights, draw(st.integers(1, 6))


def groups_of(tuples, weights, k):
    """Run the kernel over all patterns; return the patterns, the groups and their numbers."""
    d = len(tuples[0])
    codes = [[NULL if cell is None else cell for cell in one] for one in tuples]
    codes = np.array(codes, np.int32).reshape(-1, d)
    patterns = naive.patterns(d)
    masks = np.array([[a in one for a in range(d)] for one in patterns])
    group_of = np.empty((len(patterns), len(tuples)), np.int32)
    counts = feasible_groups(
        codes, np.array(weights, np.int64), codes == NULL, masks, np.int64(k), group_of
    )
    return patterns, group_of, counts


def expected(tuples, weights, k, pattern):
    """Return the groups of one pattern as sets of tuples: those that are large and of use."""
    inside = [
        i
        for i, one in enumerate(tuples)
        if all(a in pattern for a, cell in enumerate(one) if cell is None)
    ]
    shown = {i: naive.blanked(tuples[i], pattern) for i in inside}
    groups = [{i for i in inside if shown[i] == value} for value in set(shown.values())]
    return {
        frozenset(group)
        for group in groups
        if sum(weights[i] for i in group) >= k
        and any(weights[i] < k or shown[i] == tuples[i] for i in group)
    }


@given(drawn=weighted_tuples())
def test_groups_are_those_of_the_twin(drawn):
    """Tuples that agree where a pattern has no blank are a group, if it has k records and a use."""
    tuples, weights, k = drawn
    patterns, group_of, counts = groups_of(tuples, weights, k)
    for pattern, labels, count in zip(patterns, group_of, counts, strict=True):
        found = [frozenset(np.flatnonzero(labels == g).tolist()) for g in range(count)]
        assert len(set(found)) == count
        assert set(found) == expected(tuples, weights, k, pattern)
        assert labels.max() == count - 1


@given(drawn=weighted_tuples())
def test_members_are_gathered_by_group(drawn):
    """Every group lists its tuples and its pattern, and the groups of all patterns have one row."""
    patterns, group_of, counts = groups_of(*drawn)
    before = group_of.copy()
    starts, members, pattern_of = gather_members(group_of, counts)
    assert len(pattern_of) == counts.sum() == len(starts) - 1
    assert ((group_of >= 0) == (before >= 0)).all()
    for g, p in enumerate(pattern_of.tolist()):
        own = members[starts[g] : starts[g + 1]].tolist()
        assert own == np.flatnonzero(group_of[p] == g).tolist()
        assert own == np.flatnonzero(before[p] == g - counts[:p].sum()).tolist()
    assert sorted(set(pattern_of.tolist())) == [p for p in range(len(patterns)) if counts[p]]


def test_many_tuples_are_told_apart():
    """A thousand tuples of one pattern find their groups, whatever place their hashes share."""
    rng = np.random.default_rng(0)
    codes = np.unique(rng.integers(0, 12, (2000, 3)).astype(np.int32), axis=0)
    weights = np.ones(len(codes), np.int64)
    group_of = np.empty((1, len(codes)), np.int32)
    blank = np.array([[False, False, True]])
    counts = feasible_groups(
        codes, weights, np.zeros(codes.shape, np.bool_), blank, np.int64(2), group_of
    )
    _, labels, sizes = np.unique(codes[:, :2], axis=0, return_inverse=True, return_counts=True)
    large = sizes[labels] >= 2
    assert counts[0] == (sizes >= 2).sum()
    assert ((group_of[0] >= 0) == large).all()
    pairs = set(zip(group_of[0][large].tolist(), labels[large].tolist(), strict=True))
    assert len(pairs) == counts[0]
