"""ONA: groups give records away, exchange them and are dissolved, as long as the loss falls."""

from __future__ import annotations

import math

import numpy as np

from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.microaggregation.exchange import (
    FREE,
    LOGGED,
    TRIAL,
    WAITING,
    Groups,
    begin_trial,
    exchange,
    has_improved,
    loss,
    make_groups,
    mark_dirty,
    measure,
    move,
    next_dirty,
    refresh_changed,
    release,
    remember_group,
    undo_trial,
)
from kanonym.kernels.neighbours.kdtree import new_tree, rebuild, search, sort

PATIENCE = 128
"""When a group was dissolved, so many others deal with all those nearby before it is judged."""

FOREVER = np.int64(np.iinfo(np.int64).max)
"""Until no group waits."""

GAIN = 1e-9
"""What a loss falls by counts from so large a share on; less may be rounding."""

NOTHING = 1e-20
"""So small a share of the largest squares may be rounding whatever it is compared to."""

NOBODY = np.int64(-1)
"""No record, no group."""


@kernel
def ona(
    rows: Floats, weights: Floats, labels: Int32s, k: int, width: int, rounds: int, above: float
) -> tuple[Int32s, int]:
    """Improve groups of records until their loss falls no more.

    The loss is the sum of the squared distances of all records to the centroids of their groups.

    rows: (n, d) float64, the records, n and d at least 1; squares of their differences are finite.
    weights: (d,) float64, at least 0: what a squared difference counts in a distance.
    labels: (n,) int32, numbers below n / k: the groups to begin with, of k to 2 k - 1 records each.
    k: From 1 to n.
    width: At least 1: a group deals with so many others, those with the nearest centroids.
    rounds: How often groups are dissolved, at most.
    above: A group is dissolved if its loss is more than so many mean losses.
    Returns: (n,) int32, the group of each record, groups numbered in the order of their first
        records; the number of groups. Groups have k to 2 k - 1 records.

    Notes
    -----
    A step between two groups is that by which the loss falls most: a record moves from a group of
    more than k, or two records are exchanged. A group that reaches 2 k is split: the record
    farthest from the centroid and its k - 1 nearest are one, the others the other. First each group
    deals with those nearby, and again if it has changed, until none changes. Then, in every round,
    each group is dissolved: each of its records moves to the group nearby where the loss rises
    least, groups of 2 k are split, and all that have changed deal with those nearby. If the loss
    has not fallen then, all that is taken back. A group is not tried again before it, or one
    nearby, has changed; until then, those nearby are not looked for again either. Every step lowers
    the loss, by more than rounding can; so does every dissolution that is kept. Ties go to what
    comes first. A step between two groups costs O(k d), and up to O(k² d) where many exchanges look
    promising; a round O(n d) for a given width, as patience is limited.
    """
    n, d = rows.shape
    scaled = np.empty((n, d))
    nothing = 0.0
    for a in range(d):
        scale = math.sqrt(weights[a])
        largest = 0.0
        for i in range(n):
            scaled[i, a] = rows[i, a] * scale
            largest = max(largest, abs(scaled[i, a]))
        nothing += NOTHING * largest * largest
    groups = make_groups(scaled, labels, k, min(n // k, width))
    n_groups = len(groups.sizes)
    changed = np.zeros(n_groups, np.int64)
    found = np.full(n_groups, -1)
    tried = np.full(n_groups, -1)
    _find_neighbours(groups, changed, found)
    begin_trial(groups)
    for c in range(n_groups):
        if groups.sizes[c] > 0:
            mark_dirty(groups, c)
    _process_queue(groups, nothing, FOREVER)
    refresh_changed(groups)
    _note_changes(groups, changed)
    for _ in range(rounds):
        _find_neighbours(groups, changed, found)
        least = max(above * _mean_loss(groups), nothing)
        before = groups.state[TRIAL]
        kept = before
        for c in range(n_groups):
            if loss(groups, c) <= least or not _has_changed(groups, c, changed, tried[c]):
                continue
            begin_trial(groups)
            tried[c] = groups.state[TRIAL]
            if _dissolve_group(groups, c, nothing):
                kept = groups.state[TRIAL]
                _note_changes(groups, changed)
            else:
                undo_trial(groups)
        if kept == before:
            break
    return _number_groups(groups, n)


@part
def _mean_loss(groups: Groups) -> float:
    """Return the mean loss of a group."""
    total = 0.0
    count = 0
    for c in range(len(groups.sizes)):
        if groups.sizes[c] > 0:
            total += loss(groups, c)
            count += 1
    return total / count


@part
def _note_changes(groups: Groups, changed: Ints) -> None:
    """Write this trial beside the groups that it has changed."""
    for at in range(groups.state[LOGGED]):
        changed[groups.log[at, 0]] = groups.state[TRIAL]


@part
def _has_changed(groups: Groups, c: Int, changed: Ints, trial: Int) -> bool:
    """Say whether a group or one nearby has changed since a trial."""
    if changed[c] > trial:
        return True
    for at in range(groups.near.shape[1]):
        other = groups.near[c, at]
        if other >= 0 and changed[other] > trial:
            return True
    return False


@part
def _find_neighbours(groups: Groups, changed: Ints, found: Ints) -> None:
    """Find the groups whose centroids are nearest to that of each, where one has changed.

    found: (n_groups,) int64, the trials after which that was done, or -1.
    """
    n_groups, width = groups.near.shape
    d = groups.points.shape[2]
    numbers = np.empty(n_groups, np.int64)
    m = 0
    for c in range(n_groups):
        if groups.sizes[c] > 0:
            numbers[m] = c
            m += 1
    centres = np.empty((m, d))
    for c in range(m):
        for a in range(d):
            centres[c, a] = groups.centres[numbers[c], a]
    tree = new_tree(centres, np.ones(d))
    rebuild(tree)
    count = min(width + 1, m)
    distances = np.empty(count)
    nearest = np.empty(count, np.int64)
    for c in range(m):
        own = numbers[c]
        if not _has_changed(groups, own, changed, found[own]):
            continue
        found[own] = groups.state[TRIAL]
        search(tree, centres[c], distances, nearest, np.int64(0))
        sort(distances, nearest, count)
        at = 0
        for other in nearest:
            if other != c and at < width:
                groups.near[own, at] = numbers[other]
                at += 1
        while at < width:
            groups.near[own, at] = NOBODY
            at += 1


@part
def _process_queue(groups: Groups, nothing: float, patience: Int) -> None:
    """Let groups that wait, and those that change with them, deal with those nearby.

    No further group begins after two groups have met `patience` times. Two groups take the step by
    which the loss falls most, again and again. All of that is one loop nest: parts that are called
    in it would make numba count references to all arrays of the groups. A record leans to the other
    group by its squared distance to the centroid of its own less that to the other centroid. If it
    moves from m records to n, the loss falls by m / (m - 1) of the squared distance that it had,
    less n / (n + 1) of that to the other centroid as it was. If i and j are exchanged, it falls by
    what i leans to the other group more than j does, and 1 / m + 1 / n of their squared distance.
    That is at most twice the squared distances of both to the point between the centroids.
    """
    points, reach, sizes = groups.points, groups.reach, groups.sizes
    centres, radii, near = groups.centres, groups.radii, groups.near
    d = points.shape[2]
    k = points.shape[1] // 2
    leans = np.empty((2, 2 * k))
    line = np.empty((2, d))
    while groups.state[WAITING] > 0 and patience > 0:
        c = next_dirty(groups)
        if sizes[c] == 0:
            continue
        changed = False
        for at in range(near.shape[1]):
            other = near[c, at]
            if other < 0:
                break
            if sizes[other] == 0 or other == c:
                continue
            patience -= 1
            while _are_close(centres, radii, sizes, k, c, other):
                m, n = sizes[c], sizes[other]
                share = 1.0 / m + 1.0 / n
                apart = 0.0
                for a in range(d):
                    gap = centres[other, a] - centres[c, a]
                    apart += gap * gap
                    line[0, a] = 2.0 * gap
                    line[1, a] = (centres[c, a] + centres[other, a]) / 2.0
                best = GAIN * apart + nothing
                gap = math.sqrt(apart)
                # Nearer to their centroids, records cannot gain by an exchange: see `_are_close`.
                here = max(gap - radii[other], 0.0) ** 2
                there = max(gap - radii[c], 0.0) ** 2
                giver: Int = NOBODY
                taker: Int = NOBODY
                most = -math.inf
                for q in range(n):
                    far = reach[other, q]
                    leans[1, q] = -math.inf
                    if n == k and far < there:
                        continue
                    lean = 0.0
                    for a in range(d):
                        lean += (points[other, q, a] - line[1, a]) * line[0, a]
                    leans[0, q] = lean
                    leans[1, q] = ((2.0 + GAIN) * far + lean - apart / 2.0) * share - lean
                    most = max(most, leans[1, q])
                    if n > k:
                        gain = n / (n - 1) * far - m / (m + 1) * (far + lean)
                        if gain > best and gain > GAIN * far:
                            best, taker = gain, q
                for p in range(m):
                    far = reach[c, p]
                    if m == k and far < here:
                        continue
                    lean = 0.0
                    for a in range(d):
                        lean += (points[c, p, a] - line[1, a]) * line[0, a]
                    if m > k:
                        gain = m / (m - 1) * far - n / (n + 1) * (far - lean)
                        if gain > best and gain > GAIN * far:
                            best, giver, taker = gain, p, NOBODY
                    upto = ((2.0 + GAIN) * far - lean - apart / 2.0) * share + lean
                    if upto + most <= best:
                        continue
                    for q in range(n):
                        if upto + leans[1, q] <= best:
                            continue
                        distance = 0.0
                        for a in range(d):
                            gap = points[other, q, a] - points[c, p, a]
                            distance += gap * gap
                        gain = lean - leans[0, q] + distance * share
                        if gain > best:
                            best, giver, taker = gain, p, q
                if giver == NOBODY and taker == NOBODY:
                    break
                _take_step(groups, c, other, giver, taker)
                patience -= 1
                changed = True
                mark_dirty(groups, other)
        if changed:
            mark_dirty(groups, c)


@part
def _are_close(centres: Floats, radii: Floats, sizes: Ints, k: Int, one: Int, other: Int) -> bool:
    """Say whether two groups are near enough for a step between them to lower the loss.

    If their centroids are g apart, i is u from that of its group, and j is v from that of
    the other, then i and j are no farther apart than g + u + v, and an exchange can only
    lower the loss where u + v is more than g. A record that moves from m to n records, at u,
    is at least g - u from the other centroid: that helps where u is at least g - u, but for
    the root of m (n + 1) / (m - 1) n.
    """
    apart = 0.0
    for a in range(centres.shape[1]):
        gap = centres[other, a] - centres[one, a]
        apart += gap * gap
    here, there = radii[one], radii[other]
    if (here + there) ** 2 > apart:
        return True
    m, n = sizes[one], sizes[other]
    return bool(
        (m > k and (here * (1.0 + math.sqrt(m * (n + 1) / ((m - 1) * n)))) ** 2 > apart)
        or (n > k and (there * (1.0 + math.sqrt(n * (m + 1) / ((n - 1) * m)))) ** 2 > apart)
    )


@part
def _take_step(groups: Groups, one: Int, other: Int, giver: Int, taker: Int) -> None:
    """Move a record between two groups, or exchange two, by place; split what is full then."""
    if taker == NOBODY:
        move(groups, one, giver, other)
    elif giver == NOBODY:
        move(groups, other, taker, one)
    else:
        exchange(groups, one, giver, other, taker)
    measure(groups, one)
    measure(groups, other)
    _split(groups, one)
    _split(groups, other)


@part
def _split(groups: Groups, c: Int) -> None:
    """Divide a group in two if it is full: one is its outermost record and the nearest ones."""
    full = groups.members.shape[1]
    if groups.sizes[c] < full:
        return
    d = groups.points.shape[2]
    width = groups.near.shape[1]
    groups.state[FREE] -= 1
    new = groups.free[groups.state[FREE]]
    remember_group(groups, new)
    for a in range(d):
        groups.sums[new, a] = 0.0
    members = groups.members[c].copy()
    outermost = 0
    for place in range(full):
        if groups.reach[c, place] > groups.reach[c, outermost]:
            outermost = place
    distances = np.zeros(full)
    for place in range(full):
        for a in range(d):
            gap = groups.points[c, place, a] - groups.points[c, outermost, a]
            distances[place] += gap * gap
    sort(distances, members, full)
    for i in members[: full // 2]:
        place = 0
        while groups.members[c, place] != i:
            place += 1
        move(groups, c, place, new)
    measure(groups, c)
    measure(groups, new)
    groups.near[new, 0] = c
    for at in range(1, width):
        groups.near[new, at] = groups.near[c, at - 1]
    mark_dirty(groups, c)
    mark_dirty(groups, new)


@part
def _dissolve_group(groups: Groups, c: Int, nothing: float) -> bool:
    """Give a group's records to those nearby and let these settle; say if the loss has fallen."""
    full = groups.members.shape[1]
    d = groups.points.shape[2]
    while groups.sizes[c] > 0:
        least = math.inf
        chosen = NOBODY
        for at in range(groups.near.shape[1]):
            other = groups.near[c, at]
            if other < 0:
                break
            size = groups.sizes[other]
            if size in (0, full) or other == c:
                continue
            rise = 0.0
            for a in range(d):
                gap = groups.points[c, 0, a] - groups.centres[other, a]
                rise += gap * gap
            rise *= size / (size + 1)
            if rise < least:
                least, chosen = rise, other
        if chosen == NOBODY:
            return False
        move(groups, c, np.int64(0), chosen)
        measure(groups, chosen)
        mark_dirty(groups, chosen)
    for at in range(groups.state[LOGGED]):
        _split(groups, groups.log[at, 0])
    _process_queue(groups, nothing, PATIENCE * groups.near.shape[1])
    refresh_changed(groups)
    if not has_improved(groups, GAIN):
        return False
    if groups.state[WAITING] > 0:
        _process_queue(groups, nothing, FOREVER)
        refresh_changed(groups)
    release(groups, c)
    return True


@part
def _number_groups(groups: Groups, n: Int) -> tuple[Int32s, int]:
    """Return (n,) labels that number the groups in the order of their first records."""
    group = np.empty(n, np.int64)
    for c in range(len(groups.sizes)):
        for place in range(groups.sizes[c]):
            group[groups.members[c, place]] = c
    numbers = np.full(len(groups.sizes), -1, np.int32)
    labels = np.empty(n, np.int32)
    found = 0
    for i in range(n):
        c = group[i]
        if numbers[c] < 0:
            numbers[c] = found
            found += 1
        labels[i] = numbers[c]
    return labels, found
