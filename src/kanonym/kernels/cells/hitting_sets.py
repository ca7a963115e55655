"""Smallest sets of attributes that hit every combination of values that is too rare."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel, part

STEPS = 2000
"""So many branches are looked at for each tuple; the best set found by then is taken."""


@kernel
def cheapest_hitting_sets(
    rare: NDArray[np.bool_],
    subsets: NDArray[np.bool_],
    costs: NDArray[np.int64],
    order: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Find, for every tuple, the cheapest attributes that are in each of its rare subsets.

    Branch and bound: the first rare subset that is not hit yet is hit by each of its
    attributes in turn, by those that hit more for what they cost first. Exact as long as
    `STEPS` suffice.

    rare: (n_subsets, n_tuples) bool; subsets: (n_subsets, d) bool, none empty; costs: (d,)
    int64; order: (d,) int64, the attributes in the order in which ties take them.
    Returns (n_tuples, d) bool.
    """
    n_subsets, n_tuples = rare.shape
    d = len(costs)
    chosen = np.zeros((n_tuples, d), np.bool_)
    own = np.empty(n_subsets, np.int64)
    hits = np.empty(d, np.float64)
    ranked = np.empty(d, np.int64)
    now = np.empty(d, np.bool_)
    barred = np.empty(d, np.int64)  # depth at which an earlier branch had it, -1 for none
    asked = np.empty(d + 1, np.int64)  # by depth: the subset that is branched on
    branch = np.empty(d + 1, np.int64)  # by depth: the place in `ranked` that is taken, or -1
    for t in range(n_tuples):
        n_own = 0
        hits[:] = 0
        for s in range(n_subsets):
            if rare[s, t]:
                own[n_own] = s
                n_own += 1
                for a in range(d):
                    hits[a] += subsets[s, a] / costs[a]
        if n_own == 0:
            continue
        for place in range(d):  # by insertion: ties stay in their order
            z = place
            while z > 0 and hits[ranked[z - 1]] < hits[order[place]]:
                ranked[z] = ranked[z - 1]
                z -= 1
            ranked[z] = order[place]
        now[:] = False
        barred[:] = -1
        cost = np.int64(0)
        best = np.iinfo(np.int64).max
        depth = 0
        asked[0] = 0
        branch[0] = -1
        for _ in range(STEPS):
            z = branch[depth]
            if z >= 0:
                # Back at this depth: the branch was looked at; go on without its attribute.
                now[ranked[z]] = False
                barred[ranked[z]] = depth
                cost -= costs[ranked[z]]
            z += 1
            while z < d:
                a = ranked[z]
                if subsets[own[asked[depth]], a] and barred[a] < 0 and cost + costs[a] < best:
                    break
                z += 1
            if z == d:
                for a in range(d):
                    if barred[a] == depth:
                        barred[a] = -1
                depth -= 1
                if depth < 0:
                    break
                continue
            branch[depth] = z
            now[ranked[z]] = True
            cost += costs[ranked[z]]
            s = asked[depth] + 1
            while s < n_own and _is_hit(subsets[own[s]], now):
                s += 1
            if s == n_own:
                best = cost
                chosen[t] = now
            else:
                depth += 1
                asked[depth] = s
                branch[depth] = -1
    return chosen


@part
def _is_hit(subset: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> bool:
    """Say whether one of the attributes chosen is in a subset; both are (d,) bool."""
    for a in range(len(subset)):  # noqa: SIM110, numba has no any() of a generator
        if subset[a] and chosen[a]:
            return True
    return False
