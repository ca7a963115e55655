"""Classes exchange records, as long as what they lose together falls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.classes.histograms import SET, Costs, span_loss
from kanonym.kernels.compile import Int, kernel, part

GAIN = 1e-9
"""A step gains more than this; less may be rounding."""

NOBODY = np.int64(-1)
"""No record."""

ONE, OTHER = np.int64(0), np.int64(1)
"""The two classes that meet."""


class ClassRecords(NamedTuple):
    """Classes, their records, and what each record adds to the loss of its class.

    codes: (n, d) int32, the records.
    members: (n_classes, most) int64, the records of a class come first.
    sizes: (n_classes,) int64 records of each class.
    boxes: (2, n_classes, d) int64 lowest and highest codes of each class; not of SET attributes.
    losses: (n_classes,) float64, what each record of a class loses, in all attributes.
    reliefs: (n,) float64, what the others of its class would lose less without this record.
    counts: (n_codes,) int64, zeros between uses.
    stamps: (2, n_codes) int64: the last meeting in which a code of a SET attribute was in either
        class.
    meeting: (1,) int64, the number of the latest meeting.
    """

    codes: Int32s
    members: Ints
    sizes: Ints
    boxes: Ints
    losses: Floats
    reliefs: Floats
    counts: Ints
    stamps: Ints
    meeting: Ints


@kernel
def exchange_records(
    codes: Int32s, labels: Int32s, near: tuple[Ints, Ints], k: int, effort: int, costs: Costs
) -> tuple[int, int]:
    """Let classes that are near each other move and exchange records until nothing gains.

    codes: (n, d) int32, the records.
    labels: (n,) int32, the class of each; overwritten. Every class has k records or more.
    near: (n_classes + 1,) and (m,) int64: class c meets those from near[0][c] to near[0][c + 1] in
        near[1]; each pair stands there once.
    k: A class keeps so many records, and takes none from 2 k - 1 on.
    effort: Stop after looking at about so many values.
    costs: What a class loses in each attribute.
    Returns: The number of steps, and the effort that is left, at least 0.

    Notes
    -----
    Two classes take the step after which they lose least, as long as one gains: a record moves, or
    two change places. What an exchange gains is at most the sum of what each of the two records
    gains alone, by its own absence and by its presence there, because a record adds less to the
    span of a larger class: so few exchanges are computed. A pair meets again after one of the two
    has changed. Ties go to what comes first. Cost O(k d) a meeting, and O(k d) for each exchange
    that looks promising.
    """
    n, d = codes.shape
    first, others = near
    n_classes = len(first) - 1
    sizes = np.zeros(n_classes, np.int64)
    for i in range(n):
        sizes[labels[i]] += 1
    most = max(2 * k - 1, sizes.max())
    classes = ClassRecords(
        codes,
        np.empty((n_classes, most), np.int64),
        np.zeros(n_classes, np.int64),
        np.zeros((2, n_classes, d), np.int64),
        np.zeros(n_classes),
        np.zeros(n),
        np.zeros(len(costs.positions), np.int64),
        np.zeros((2, len(costs.positions)), np.int64),
        np.zeros(1, np.int64),
    )
    for i in range(n):
        c = labels[i]
        classes.members[c, classes.sizes[c]] = i
        classes.sizes[c] += 1
    for c in range(n_classes):
        _measure(classes, np.int64(c), costs)
    gains = np.empty((2, most))
    changed = np.zeros(n_classes, np.int64)
    seen = np.full(n_classes, -1)
    left, n_steps, before = effort, 0, -1
    while left > 0 and n_steps > before:
        before = n_steps
        for c in range(n_classes):
            started = n_steps
            for at in range(first[c], first[c + 1]):
                other = others[at]
                if left <= 0 or (changed[c] <= seen[c] and changed[other] <= seen[c]):
                    continue
                while left > 0:
                    looked = _take_best_step(classes, np.int64(c), other, k, gains, costs)
                    left -= abs(int(looked))
                    if looked > 0:
                        break
                    n_steps += 1
                    changed[c] = changed[other] = n_steps
            seen[c] = started
    for c in range(n_classes):
        for place in range(classes.sizes[c]):
            labels[classes.members[c, place]] = c
    return n_steps, max(left, 0)


@part
def _measure(classes: ClassRecords, c: Int, costs: Costs) -> None:
    """Write what a class spans and loses, and what it would lose without each record."""
    codes, counts, reliefs = classes.codes, classes.counts, classes.reliefs
    members = classes.members[c, : classes.sizes[c]]
    loss = 0.0
    for i in members:
        reliefs[i] = 0.0
    for a in range(codes.shape[1]):
        offset = costs.attributes[a, 1]
        if costs.attributes[a, 0] == SET:
            held = 0
            for i in members:
                held += counts[offset + codes[i, a]] == 0
                counts[offset + codes[i, a]] += 1
            if held > 1:
                share = costs.positions[offset + 1]
                loss += (held - 1) * share
                for i in members:
                    if counts[offset + codes[i, a]] == 1:
                        reliefs[i] += share
            for i in members:
                counts[offset + codes[i, a]] = 0
            continue
        low = high = np.int64(codes[members[0], a])
        for i in members:
            low, high = min(low, np.int64(codes[i, a])), max(high, np.int64(codes[i, a]))
        classes.boxes[0, c, a], classes.boxes[1, c, a] = low, high
        if low == high:
            continue
        lowest = highest = NOBODY
        above, below = high, low
        n_low = n_high = 0
        for i in members:
            code = np.int64(codes[i, a])
            if code == low:
                n_low, lowest = n_low + 1, i
            else:
                above = min(above, code)
            if code == high:
                n_high, highest = n_high + 1, i
            else:
                below = max(below, code)
        span = span_loss(np.int64(a), low, high, costs)
        loss += span
        if n_low == 1:
            reliefs[lowest] += span - span_loss(np.int64(a), above, high, costs)
        if n_high == 1:
            reliefs[highest] += span - span_loss(np.int64(a), low, below, costs)
    classes.losses[c] = loss


@part
def _take_best_step(
    classes: ClassRecords, one: Int, other: Int, k: Int, gains: Floats, costs: Costs
) -> Int:
    """Take the step of two classes that gains most; return how many values were looked at.

    That number is negative if there was a step. gains: (2, most) float64, overwritten.
    """
    members, sizes, losses = classes.members, classes.sizes, classes.losses
    m, n = sizes[one], sizes[other]
    d = classes.codes.shape[1]
    looked: Int = np.int64((m + n) * d)
    highest = 0.0
    for place in range(m):
        highest = max(highest, m * classes.reliefs[members[one, place]])
    relief = 0.0
    for place in range(n):
        relief = max(relief, n * classes.reliefs[members[other, place]])
    if highest + relief <= GAIN and (m == k or losses[one] == 0) and (n == k or losses[other] == 0):
        return looked
    classes.meeting[0] += 1
    _stamp(classes, one, ONE, costs)
    _stamp(classes, other, OTHER, costs)
    codes, boxes, stamps, meeting = classes.codes, classes.boxes, classes.stamps, classes.meeting[0]
    attributes, positions, reliefs = costs.attributes, costs.positions, classes.reliefs
    best = GAIN
    giver = taker = NOBODY
    p = q = np.int64(0)
    for side in range(2):
        c, into = (one, other) if side == ONE else (other, one)
        size, others = sizes[c], sizes[into]
        top = np.int64(0)
        for place in range(size):
            i = members[c, place]
            # What each record of the other class would lose more if this one joined it.
            growth = 0.0
            for a in range(d):
                code = np.int64(codes[i, a])
                if attributes[a, 0] == SET:
                    offset = attributes[a, 1]
                    if stamps[1 - side, offset + code] != meeting:
                        growth += positions[offset + 1]
                    continue
                low, high = boxes[0, into, a], boxes[1, into, a]
                if code < low or code > high:
                    wide = span_loss(np.int64(a), min(low, code), max(high, code), costs)
                    growth += wide - span_loss(np.int64(a), low, high, costs)
            gains[side, place] = size * reliefs[i] - others * growth
            if gains[side, place] > gains[side, top]:
                top = np.int64(place)
            if size > k and others < 2 * k - 1:
                gain = gains[side, place] + losses[c] - reliefs[i] - losses[into] - growth
                if gain > best:
                    best = gain
                    giver, taker = (i, NOBODY) if side == ONE else (NOBODY, i)
        if side == ONE:
            p = top
        else:
            q = top
    # The most promising pair comes first: few others can be better.
    whole = m * losses[one] + n * losses[other]
    for x in range(-1, m):
        spot = p if x < 0 else np.int64(x)
        if gains[0, spot] + gains[1, q] <= best:
            continue
        i = members[one, spot]
        for y in range(n):
            at = q if x < 0 else np.int64(y)
            if gains[0, spot] + gains[1, at] > best:
                j = members[other, at]
                looked += (m + n) * d
                gain = whole - m * _loss_with(classes, one, i, j, costs)
                if gain > best:
                    gain -= n * _loss_with(classes, other, j, i, costs)
                if gain > best:
                    best, giver, taker = gain, i, j
            if x < 0:
                break
    if giver == NOBODY and taker == NOBODY:
        return looked
    if taker == NOBODY:
        _move(classes, giver, one, other)
    elif giver == NOBODY:
        _move(classes, taker, other, one)
    else:
        members[one, _place_of(classes, giver, one)] = taker
        members[other, _place_of(classes, taker, other)] = giver
    _measure(classes, one, costs)
    _measure(classes, other, costs)
    return -looked


@part
def _stamp(classes: ClassRecords, c: Int, side: Int, costs: Costs) -> None:
    """Write which codes of SET attributes a class holds."""
    for a in range(classes.codes.shape[1]):
        if costs.attributes[a, 0] == SET:
            offset = costs.attributes[a, 1]
            for place in range(classes.sizes[c]):
                code = classes.codes[classes.members[c, place], a]
                classes.stamps[side, offset + code] = classes.meeting[0]


@part
def _loss_with(classes: ClassRecords, c: Int, out: Int, into: Int, costs: Costs) -> float:
    """Return what each record of a class would lose with one record in the place of another."""
    codes, counts = classes.codes, classes.counts
    members = classes.members[c, : classes.sizes[c]]
    loss = 0.0
    for a in range(codes.shape[1]):
        offset = costs.attributes[a, 1]
        code = np.int64(codes[into, a])
        if costs.attributes[a, 0] == SET:
            further = 0
            counts[offset + code] = 1
            for i in members:
                if i != out:
                    further += counts[offset + codes[i, a]] == 0
                    counts[offset + codes[i, a]] = 1
            counts[offset + code] = 0
            for i in members:
                counts[offset + codes[i, a]] = 0
            if further > 0:
                loss += further * costs.positions[offset + 1]
            continue
        low = high = code
        for i in members:
            if i != out:
                low, high = min(low, np.int64(codes[i, a])), max(high, np.int64(codes[i, a]))
        loss += span_loss(np.int64(a), low, high, costs)
    return loss


@part
def _place_of(classes: ClassRecords, i: Int, c: Int) -> Int:
    """Return the place of a record in its class."""
    place = np.int64(0)
    while classes.members[c, place] != i:
        place += 1
    return place


@part
def _move(classes: ClassRecords, i: Int, c: Int, other: Int) -> None:
    """Move a record from one class to another; neither is measured."""
    sizes = classes.sizes
    sizes[c] -= 1
    classes.members[c, _place_of(classes, i, c)] = classes.members[c, sizes[c]]
    classes.members[other, sizes[other]] = i
    sizes[other] += 1
