"""Laws of the places that records get: every group in use has k records, and none is lost."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kanonym.kernels.cells.cell_suppression import Placement, place_records
from kanonym.kernels.cells.patterns import Choices, feasible_groups, gather_members


def problem(seed):
    """Return choices, places and k of a random table of weighted keys without nulls."""
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(1, 5)), int(rng.integers(1, 7))
    codes, weights = np.unique(
        np.minimum(rng.geometric(0.5, (rng.integers(k, 120), d)), 6), axis=0, return_counts=True
    )
    codes = codes.astype(np.int32)
    patterns = np.array([[p >> a & 1 for a in range(d)] for p in range(1 << d)], np.bool_)
    costs = patterns @ rng.integers(1, 4, d)
    order = np.argsort(costs, kind="stable")
    patterns, costs = np.ascontiguousarray(patterns[order]), costs[order]
    group_of = np.empty((len(patterns), len(codes)), np.int32)
    no_null = np.zeros(codes.shape, np.bool_)
    counts = feasible_groups(codes, weights, no_null, patterns, np.int64(k), group_of)
    choices = Choices(group_of, *gather_members(group_of, counts), costs)
    home = np.where(weights >= k, group_of[0], -1).astype(np.int64)
    movable = np.minimum(weights, 2 * k)
    owner = np.repeat(np.arange(len(codes)), movable)
    kept = home >= 0
    sizes = np.bincount(home[kept], weights[kept], len(choices.pattern_of)).astype(np.int64)
    places = Placement(np.append(0, np.cumsum(movable)), owner, home[owner], sizes)
    return choices, places, k, weights - movable, home


@given(seed=st.integers(0, 10_000))
def test_every_record_has_a_group_of_k(seed):
    """Each record is in a group of its own key, sizes are true, and none is below k."""
    choices, places, k, fixed, home = problem(seed)
    place_records(choices, places, np.int64(k), np.int64((choices.costs[-1] + 1) * (k + 2)))
    assert (places.group >= 0).all()
    own = choices.group_of[choices.pattern_of[places.group], places.owner]
    assert (own == places.group).all()
    n_groups = len(choices.pattern_of)
    kept = home >= 0
    sizes = np.bincount(places.group, minlength=n_groups)
    sizes += np.bincount(home[kept], fixed[kept], n_groups).astype(np.int64)
    assert (sizes == places.sizes).all()
    assert sizes[sizes > 0].min() >= k


@given(seed=st.integers(0, 10_000))
def test_no_record_could_move_to_a_cheaper_class(seed):
    """In the end no record of a class that can spare it has a cheaper class to join."""
    choices, places, k, _, _ = problem(seed)
    place_records(choices, places, np.int64(k), np.int64((choices.costs[-1] + 1) * (k + 2)))
    for owner, group in zip(places.owner, places.group, strict=True):
        if places.sizes[group] > k:
            for p, cost in enumerate(choices.costs):
                other = choices.group_of[p, owner]
                joins = other >= 0 and places.sizes[other] >= k
                assert not (joins and cost < choices.costs[choices.pattern_of[group]])
