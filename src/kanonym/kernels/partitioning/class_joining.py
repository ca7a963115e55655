"""Join classes that fail with those where that loses least, until none fails."""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints, UInt64s
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.disclosure import class_measure, holds
from kanonym.kernels.classes.histograms import RANGE, SET, Costs, span_loss
from kanonym.kernels.compile import Int, kernel, part

NOBODY = np.int64(-1)
"""No class."""

MOST = 0.995
"""Where a larger share of the classes fails, they are too small to be joined one by one."""

EFFORT = 1 << 27
"""So many looks at other classes are taken, and no more."""

MARGIN = 1.5
"""A search looks first for costs up to so many times one that was found before,"""

FURTHER = 8.0
"""And then up to so many times that."""


class GrowingClasses(NamedTuple):
    """Classes, as others join them.

    sizes: (n_classes,) int64 records; 0 for those that have joined another.
    boxes: (2, n_classes, d) int64, lowest and highest codes.
    held: (n_classes, n_words) uint64: a bit for each code of a SET attribute that a class has.
    words: (d + 1,) int64, where the words of each attribute begin, and their number.
    shares: (d,) float64, what each further code of a SET attribute loses; -1 for others.
    counts: (n_classes, s, n_values) int64 records of each sensitive value.
    losses: (n_classes,) float64, what each record of a class loses, in all attributes.
    fails: (n_classes,) bool, whether a class is to be joined.
    values, records: (n_values,) int32 and int64, overwritten: sensitive values and their records.
    kinds: (n_classes,) int64: classes of equal histograms have equal numbers.
    verdicts: (2, 2 n_classes + 1) int64, by kind: the last class for which it was looked at, and
        whether that one and a class of this kind satisfy the criteria together.
    """

    sizes: Ints
    boxes: Ints
    held: UInt64s
    words: Ints
    shares: Floats
    counts: Ints
    losses: Floats
    fails: Bools
    values: Int32s
    records: Ints
    kinds: Ints
    verdicts: Ints


@kernel
def join_failing(
    codes: Int32s,
    hidden: Int32s,
    labels: Int32s,
    draws: tuple[UInt64s, np.uint64],
    reach: int,
    costs: Costs,
    criteria: Criteria,
) -> float:
    """Join each class that fails with another one, until every class satisfies the criteria.

    codes: (n, d) int32, the records.
    hidden: (n, s) int32, their sensitive codes; -1 for a null that does not count.
    labels: (n,) int32, the class of each, from 0 without gaps; overwritten. Every class has
        `criteria.min_size` records; classes of near numbers are near each other.
    draws: (n_classes,) uint64, drawn evenly, and a number: a class whose own draws, combined by
        exclusive or, are below it counts as one that fails, whatever its sensitive values are.
    reach: At least 1: a class looks at so many numbers on either side, or farther if there is none.
    costs: What a class loses in each attribute.
    criteria: What every class satisfies; the whole table does, or all becomes one class.
    Returns: The loss, summed over records and attributes; infinite where more than `MOST` of the
        classes fail, or after `EFFORT` looks at other classes: labels are then as they were.

    Notes
    -----
    A class that fails is joined with one with which it satisfies the criteria. What that adds to
    the loss is divided by the records that are then in no failing class any more, and the least
    goes first. Where there is no such partner, it is joined with the one that adds least, after all
    others. What a class has found is looked for again when one of the two has changed. Cost O(reach
    · d) a search, and O(n_values) for each candidate that is the best so far.
    """
    n_classes = len(draws[0])
    classes = _classes(codes, hidden, labels, n_classes, costs, criteria)
    marks = draws[0].copy()
    for c in range(n_classes):
        alone = _satisfy(classes, np.int64(c), NOBODY, criteria)
        classes.fails[c] = not alone or marks[c] < draws[1]
    if classes.fails.sum() > MOST * n_classes:
        return math.inf
    effort = np.int64(0)
    known = {np.uint64(0): np.int64(0)}
    for c in range(n_classes):
        classes.kinds[c] = known.setdefault(_hash(classes.counts[c]), np.int64(len(known)))
    turns = np.zeros(n_classes, np.int64)
    into = np.arange(n_classes)
    waiting = [(0.0, NOBODY, NOBODY, NOBODY, NOBODY)]
    waiting.pop()
    likely = 0.0
    for c in range(n_classes):
        if classes.fails[c]:
            cost, other = _partner(classes, np.int64(c), reach, likely, costs, criteria)
            likely = MARGIN * cost
            if other >= 0:
                waiting.append((cost, np.int64(c), other, turns[c], turns[other]))
    heapq.heapify(waiting)
    while len(waiting) > 0:
        effort += min(2 * reach, n_classes)
        if effort > EFFORT:
            return math.inf
        cost, one, other, turn, others_turn = heapq.heappop(waiting)
        if classes.sizes[one] == 0 or turns[one] != turn:
            continue
        if classes.sizes[other] == 0 or turns[other] != others_turn:
            likely = MARGIN * cost
            cost, other = _partner(classes, one, reach, likely, costs, criteria)
            if other >= 0:
                heapq.heappush(waiting, (cost, one, other, turn, turns[other]))
            continue
        _join(classes, one, other, costs)
        into[one] = other
        turns[other] += 1
        marks[other] ^= marks[one]
        key = _hash(classes.counts[other])
        classes.kinds[other] = known.setdefault(key, np.int64(len(known)))
        met = _satisfy(classes, other, NOBODY, criteria)
        classes.fails[other] = not met or marks[other] < draws[1]
        if classes.fails[other]:
            likely = MARGIN * cost
            cost, third = _partner(classes, other, reach, likely, costs, criteria)
            if third >= 0:
                heapq.heappush(waiting, (cost, other, third, turns[other], turns[third]))
    numbers = np.full(n_classes, -1)
    n_kept = 0
    loss = 0.0
    for c in range(n_classes):
        if classes.sizes[c] > 0:
            numbers[c] = n_kept
            n_kept += 1
            loss += classes.sizes[c] * classes.losses[c]
    for i in range(len(labels)):
        c = into[labels[i]]
        while into[c] != c:
            c = into[c]
        labels[i] = numbers[c]
    return loss


@part
def _classes(
    codes: Int32s, hidden: Int32s, labels: Int32s, n_classes: Int, costs: Costs, criteria: Criteria
) -> GrowingClasses:
    """Return the classes of labels."""
    n, d = codes.shape
    s, _, n_values = criteria.references.shape
    words = np.zeros(d + 1, np.int64)
    shares = np.full(d, -1.0)
    for a in range(d):
        words[a + 1] = words[a]
        if costs.attributes[a, 0] == SET:
            highest = np.int64(0)
            for i in range(n):
                highest = max(highest, np.int64(codes[i, a]))
            words[a + 1] += highest // 64 + 1
            shares[a] = costs.positions[costs.attributes[a, 1] + 1] if highest > 0 else 0.0
    classes = GrowingClasses(
        np.zeros(n_classes, np.int64),
        np.zeros((2, n_classes, d), np.int64),
        np.zeros((n_classes, words[d]), np.uint64),
        words,
        shares,
        np.zeros((n_classes, s, n_values), np.int64),
        np.zeros(n_classes),
        np.zeros(n_classes, np.bool_),
        np.empty(n_values, np.int32),
        np.empty(n_values, np.int64),
        np.empty(n_classes, np.int64),
        np.full((2, 2 * n_classes + 1), -1),
    )
    for i in range(n):
        c = labels[i]
        fresh = classes.sizes[c] == 0
        classes.sizes[c] += 1
        for a in range(d):
            code = np.int64(codes[i, a])
            if fresh or code < classes.boxes[0, c, a]:
                classes.boxes[0, c, a] = code
            if fresh or code > classes.boxes[1, c, a]:
                classes.boxes[1, c, a] = code
            if costs.attributes[a, 0] == SET:
                classes.held[c, words[a] + code // 64] |= np.uint64(1) << np.uint64(code % 64)
        for j in range(s):
            if hidden[i, j] >= 0:
                classes.counts[c, j, hidden[i, j]] += 1
    for c in range(n_classes):
        classes.losses[c] = _joint_loss(classes, np.int64(c), np.int64(c), costs)
    return classes


@part
def _partner(
    classes: GrowingClasses,
    one: np.int64,
    reach: int,
    likely: float,
    costs: Costs,
    criteria: Criteria,
) -> tuple[float, np.int64]:
    """Return whom a class is best joined with, and at what cost; nobody if it is the last.

    The cost is infinite if the two would not satisfy the criteria. likely: a cost that is looked
    up to first; it changes the time that is taken, and nothing else.
    """
    n_classes, d = classes.boxes.shape[1:]
    sizes, losses, fails = classes.sizes, classes.losses, classes.fails
    kinds, verdicts = classes.kinds, classes.verdicts
    boxes, held, words, shares = classes.boxes, classes.held, classes.words, classes.shares
    attributes, positions = costs.attributes, costs.positions
    own_size, own = sizes[one], sizes[one] * losses[one]
    verdicts[0] = NOBODY
    satisfying = True
    while True:
        best, partner = likely, NOBODY
        first, stop = max(int(one) - reach, 0), min(int(one) + reach + 1, n_classes)
        for other in range(first, stop):
            size, kind = sizes[other], kinds[other]
            if size == 0 or other == one:
                continue
            if satisfying and verdicts[0, kind] == one and verdicts[1, kind] == 0:
                continue
            # Records that are in no failing class any more.
            mended = own_size + (size if satisfying and fails[other] else 0)
            before = own + size * losses[other]
            most = (best * mended + before) / (own_size + size)
            # What follows is `_joint_loss`: to call it takes four times as long.
            loss = 0.0
            for a in range(d):
                if shares[a] >= 0:
                    number = np.int64(-1)
                    for word in range(words[a], words[a + 1]):
                        bits = held[one, word] | held[other, word]
                        while bits:
                            bits &= bits - np.uint64(1)
                            number += 1
                    loss += number * shares[a]
                else:
                    low = min(boxes[0, one, a], boxes[0, other, a])
                    high = max(boxes[1, one, a], boxes[1, other, a])
                    if attributes[a, 0] == RANGE and high < attributes[a, 2]:
                        offset = attributes[a, 1]
                        loss += positions[offset + high] - positions[offset + low]
                    elif low < high:
                        loss += span_loss(np.int64(a), low, high, costs)
                if loss >= most:
                    break
            if loss >= most:
                continue
            if satisfying and verdicts[0, kind] != one:
                verdicts[0, kind] = one
                verdicts[1, kind] = _satisfy(classes, one, np.int64(other), criteria)
            if not satisfying or verdicts[1, kind] == 1:
                best, partner = ((own_size + size) * loss - before) / mended, np.int64(other)
        if partner >= 0:
            return (best if satisfying else math.inf), partner
        if likely < math.inf:
            likely = FURTHER * likely if 0 < likely < 1 else math.inf
        elif satisfying:
            satisfying = False
        elif reach >= n_classes:
            return math.inf, NOBODY
        else:
            reach *= 2


@part
def _hash(counts: Ints) -> np.uint64:
    """Return a number for (s, n_values) counts: with others it is another one, all but surely."""
    state = np.uint64(1)
    for j in range(counts.shape[0]):
        for count in counts[j]:
            state = (state ^ np.uint64(count)) * np.uint64(0x9E3779B97F4A7C15)
            state ^= state >> np.uint64(29)
    return state


@part
def _joint_loss(classes: GrowingClasses, one: Int, other: Int, costs: Costs) -> float:
    """Return what each record of two classes loses if they are one."""
    boxes, held, words = classes.boxes, classes.held, classes.words
    loss = 0.0
    for a in range(boxes.shape[2]):
        if classes.shares[a] >= 0:
            number = np.int64(-1)
            for word in range(words[a], words[a + 1]):
                bits = held[one, word] | held[other, word]
                while bits:
                    bits &= bits - np.uint64(1)
                    number += 1
            loss += number * classes.shares[a]
        else:
            low = min(boxes[0, one, a], boxes[0, other, a])
            high = max(boxes[1, one, a], boxes[1, other, a])
            loss += span_loss(np.int64(a), low, high, costs)
    return loss


@part
def _satisfy(classes: GrowingClasses, one: Int, other: Int, criteria: Criteria) -> bool:
    """Say whether a class, with another one if it is not nobody, satisfies every condition."""
    values, records = classes.values, classes.records
    for c in range(len(criteria.thresholds)):
        j = criteria.conditions[c, 1]
        m = np.int64(0)
        total = np.int64(0)
        for value in range(classes.counts.shape[2]):
            count = classes.counts[one, j, value]
            if other >= 0:
                count += classes.counts[other, j, value]
            if count > 0:
                values[m] = value
                records[m] = count
                m += 1
                total += count
        measured = class_measure(
            criteria.conditions[c, 0],
            values,
            records,
            m,
            total,
            criteria.references[j],
            criteria.ancestors[j][: criteria.conditions[c, 4]],
            criteria.conditions[c, 3],
        )
        if not holds(measured, criteria.conditions[c, 2], criteria.thresholds[c]):
            return False
    return True


@part
def _join(classes: GrowingClasses, one: Int, other: Int, costs: Costs) -> None:
    """Let a class join another one."""
    boxes, held = classes.boxes, classes.held
    classes.losses[other] = _joint_loss(classes, one, other, costs)
    classes.sizes[other] += classes.sizes[one]
    classes.sizes[one] = 0
    for a in range(boxes.shape[2]):
        boxes[0, other, a] = min(boxes[0, other, a], boxes[0, one, a])
        boxes[1, other, a] = max(boxes[1, other, a], boxes[1, one, a])
    for word in range(held.shape[1]):
        held[other, word] |= held[one, word]
    for j in range(classes.counts.shape[1]):
        for value in range(classes.counts.shape[2]):
            classes.counts[other, j, value] += classes.counts[one, j, value]
