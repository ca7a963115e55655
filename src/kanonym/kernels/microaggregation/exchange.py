"""Groups of k to 2 k - 1 records that exchange records, and take back what did not help."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.compile import Int, part

FREE, TRIAL, LOGGED, HEAD, WAITING = range(5)
"""What the state of groups counts, see there."""


class Groups(NamedTuple):
    """Groups of records by number; a number without records is free.

    There are n_groups = n // k + 1 numbers: one more than there can be groups.

    Attributes
    ----------
    members
        (n_groups, 2 k) int64, the records of a group come first.
    points, reach
        (n_groups, 2 k, d) and (n_groups, 2 k) float64: the values of these records, scaled so that
        all attributes weigh the same, and their squared distances to the centroid. They lie beside
        each other: what two groups have to know of each other is read in one go.
    sizes, radii
        (n_groups,) int64 and float64: records of a group, and the largest distance of one to the
        centroid.
    sums, centres
        (n_groups, d) float64: the sum of the records, and their centroid.
    near
        (n_groups, width) int64, groups nearby, the nearest first, then -1.
    free
        (n_groups,) int64, the free numbers, the next one last.
    queue, waits
        (n_groups,) int64 and bool: a ring of groups that have changed, and who is in it.
    seen
        (n_groups,) int64, the last trial that changed a group.
    log, logged, kept
        (n_groups, 2 k + 2) int64, the groups that this trial has changed, in order, as they
        were: number, size, members; (n_groups, d + 1) float64, their sums and losses;
        (n_groups, 2 k, d) float64, their points.
    state
        (5,) int64: how many numbers are FREE; the TRIAL; how many groups are LOGGED; where the
        queue's HEAD is, and how many are WAITING in it.
    """

    members: Ints
    points: Floats
    reach: Floats
    sizes: Ints
    radii: Floats
    sums: Floats
    centres: Floats
    near: Ints
    free: Ints
    queue: Ints
    waits: Bools
    seen: Ints
    log: Ints
    logged: Floats
    kept: Floats
    state: Ints


@part
def make_groups(rows: Floats, labels: Int32s, k: Int, width: Int) -> Groups:
    """Return the groups that (n,) labels make of (n, d) rows, of k to 2 k - 1 records each."""
    n, d = rows.shape
    n_groups = n // k + 1
    groups = Groups(
        np.empty((n_groups, 2 * k), np.int64),
        np.empty((n_groups, 2 * k, d)),
        np.empty((n_groups, 2 * k)),
        np.zeros(n_groups, np.int64),
        np.zeros(n_groups),
        np.empty((n_groups, d)),
        np.empty((n_groups, d)),
        np.empty((n_groups, width), np.int64),
        np.empty(n_groups, np.int64),
        np.empty(n_groups, np.int64),
        np.zeros(n_groups, np.bool_),
        np.zeros(n_groups, np.int64),
        np.empty((n_groups, 2 * k + 2), np.int64),
        np.empty((n_groups, d + 1)),
        np.empty((n_groups, 2 * k, d)),
        np.zeros(5, np.int64),
    )
    for i in range(n):
        own = np.int64(labels[i])
        place = groups.sizes[own]
        groups.members[own, place] = i
        for a in range(d):
            groups.points[own, place, a] = rows[i, a]
        groups.sizes[own] += 1
    for c in range(n_groups - 1, -1, -1):
        if groups.sizes[c] > 0:
            add_up(groups, c)
            measure(groups, c)
        else:
            release(groups, c)
    return groups


@part
def release(groups: Groups, c: Int) -> None:
    """Make a number free."""
    groups.free[groups.state[FREE]] = c
    groups.state[FREE] += 1


@part
def add_up(groups: Groups, c: Int) -> None:
    """Sum a group's records anew, so that rounding does not pile up."""
    for a in range(groups.points.shape[2]):
        total = 0.0
        for place in range(groups.sizes[c]):
            total += groups.points[c, place, a]
        groups.sums[c, a] = total


@part
def measure(groups: Groups, c: Int) -> None:
    """Write a group's centroid, and how far its records are from it."""
    d = groups.points.shape[2]
    for a in range(d):
        groups.centres[c, a] = groups.sums[c, a] / groups.sizes[c]
    radius = 0.0
    for place in range(groups.sizes[c]):
        distance = 0.0
        for a in range(d):
            gap = groups.points[c, place, a] - groups.centres[c, a]
            distance += gap * gap
        groups.reach[c, place] = distance
        radius = max(radius, distance)
    groups.radii[c] = math.sqrt(radius)


@part
def loss(groups: Groups, c: Int) -> float:
    """Return the sum of the squared distances of a group's records to its centroid."""
    total = 0.0
    for place in range(groups.sizes[c]):
        total += groups.reach[c, place]
    return total


@part
def mark_dirty(groups: Groups, c: Int) -> None:
    """Put a group at the end of the queue, unless it is in it."""
    if not groups.waits[c]:
        state = groups.state
        groups.queue[(state[HEAD] + state[WAITING]) % len(groups.queue)] = c
        groups.waits[c] = True
        state[WAITING] += 1


@part
def next_dirty(groups: Groups) -> Int:
    """Take the first group out of the queue."""
    state = groups.state
    c = np.int64(groups.queue[state[HEAD]])
    groups.waits[c] = False
    state[HEAD] = (state[HEAD] + 1) % len(groups.queue)
    state[WAITING] -= 1
    return c


@part
def remember_group(groups: Groups, c: Int) -> None:
    """Write down what a group was before this trial; it has been measured."""
    state = groups.state
    groups.seen[c] = state[TRIAL]
    at = state[LOGGED]
    state[LOGGED] += 1
    d = groups.points.shape[2]
    groups.log[at, 0] = c
    groups.log[at, 1] = groups.sizes[c]
    for place in range(groups.sizes[c]):
        groups.log[at, 2 + place] = groups.members[c, place]
        for a in range(d):
            groups.kept[at, place, a] = groups.points[c, place, a]
    for a in range(d):
        groups.logged[at, a] = groups.sums[c, a]
    groups.logged[at, d] = loss(groups, c)


@part
def move(groups: Groups, old: Int, place: Int, c: Int) -> None:
    """Move the record at a place of a group to another group; neither is measured."""
    # A call counts references to all arrays of the groups: it is made where it must be.
    if groups.seen[old] != groups.state[TRIAL]:
        remember_group(groups, old)
    if groups.seen[c] != groups.state[TRIAL]:
        remember_group(groups, c)
    groups.sizes[old] -= 1
    last, end = groups.sizes[old], groups.sizes[c]
    groups.members[c, end] = groups.members[old, place]
    groups.members[old, place] = groups.members[old, last]
    for a in range(groups.points.shape[2]):
        value = groups.points[old, place, a]
        groups.points[c, end, a] = value
        groups.points[old, place, a] = groups.points[old, last, a]
        groups.sums[old, a] -= value
        groups.sums[c, a] += value
    groups.sizes[c] += 1


@part
def exchange(groups: Groups, one: Int, here: Int, other: Int, there: Int) -> None:
    """Let the records at places of two groups change places; neither is measured."""
    if groups.seen[one] != groups.state[TRIAL]:
        remember_group(groups, one)
    if groups.seen[other] != groups.state[TRIAL]:
        remember_group(groups, other)
    i = groups.members[one, here]
    groups.members[one, here] = groups.members[other, there]
    groups.members[other, there] = i
    for a in range(groups.points.shape[2]):
        value = groups.points[one, here, a]
        gap = groups.points[other, there, a] - value
        groups.points[one, here, a] = groups.points[other, there, a]
        groups.points[other, there, a] = value
        groups.sums[one, a] += gap
        groups.sums[other, a] -= gap


@part
def begin_trial(groups: Groups) -> None:
    """Begin a trial: what happens from here on can be taken back."""
    groups.state[TRIAL] += 1
    groups.state[LOGGED] = 0


@part
def refresh_changed(groups: Groups) -> None:
    """Sum anew the groups that this trial has changed."""
    for at in range(groups.state[LOGGED]):
        if groups.sizes[groups.log[at, 0]] > 0:
            add_up(groups, groups.log[at, 0])
            measure(groups, groups.log[at, 0])


@part
def has_improved(groups: Groups, least: float) -> bool:
    """Say whether this trial has lowered the loss by a share `least` of what it has changed."""
    before = after = 0.0
    for at in range(groups.state[LOGGED]):
        before += groups.logged[at, groups.points.shape[2]]
        after += loss(groups, groups.log[at, 0])
    return after < before * (1.0 - least)


@part
def undo_trial(groups: Groups) -> None:
    """Make all groups what they were when this trial began, and empty the queue."""
    state = groups.state
    while state[WAITING] > 0:
        next_dirty(groups)
    for at in range(state[LOGGED] - 1, -1, -1):
        c = groups.log[at, 0]
        groups.sizes[c] = groups.log[at, 1]
        if groups.sizes[c] == 0:
            release(groups, c)
            continue
        for place in range(groups.sizes[c]):
            groups.members[c, place] = groups.log[at, 2 + place]
            for a in range(groups.points.shape[2]):
                groups.points[c, place, a] = groups.kept[at, place, a]
        for a in range(groups.points.shape[2]):
            groups.sums[c, a] = groups.logged[at, a]
        measure(groups, c)
