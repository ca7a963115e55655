"""k-member: classes grown record by record, always by the one that costs least.

Tuples are sorted by their codes, so those that share their first codes stand together. A search
adds up attribute by attribute what a tuple costs; once the sum shows that it cannot win,
all that share the codes so far are skipped.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.histograms import RANGE, SET, Costs, span_loss
from kanonym.kernels.compile import Int, kernel, part

LEFT, NEXT = 0, 1
"""Records of a tuple that are in no class yet, and the number of the first of them."""

LOW, HIGH, HELD = 0, 1, 2
"""What is known of a class in one attribute: its outer codes, and how many it holds."""

ROUNDING = 1e-9
"""More than rounding adds to a sum of losses."""


class RemainingTuples(NamedTuple):
    """The tuples that have records left, in their order, and a few that have none any more.

    numbers: (n,) int64, which tuple stands where.
    places: (n, d) int64, where each of its codes stands on the axis of codes of `Costs`.
    after: (n, d) int64, where the next tuple stands that differs in attributes 0 to a.
    length: (1,) int64, how many stand there.
    """

    numbers: Ints
    places: Ints
    after: Ints
    length: Ints


@kernel
def k_member(codes: Int32s, weights: Ints, costs: Costs, k: int, first: int) -> tuple[Int32s, Int]:
    """Divide records into classes of k, and give each that is left over to one of them.

    Losses are summed in the order of attributes; equal sums go to the tuple that stands first. Cost
    O(n²d) at the worst; less, the more of the loss lies in the first attributes.

    codes: (n, d) int32, distinct tuples in lexicographic order.
    weights: (n,) int64, their numbers of records.
    costs: What a class loses in each attribute.
    k: From 1 to the number of records.
    first: The tuple that the first class begins with; it has a record.
    Returns: (n_records,) int32, the class of each record, those of the first tuple before those of
        the second, and so on; the number of classes.
    """
    n, d = codes.shape
    stock = np.empty((n, 2), np.int64)
    n_records = np.int64(0)
    for i in range(n):
        stock[i, LEFT] = weights[i]
        stock[i, NEXT] = n_records
        n_records += weights[i]
    labels = np.empty(n_records, np.int32)
    n_classes = n_records // k
    boxes = np.empty((n_classes, 3, d), np.int64)
    # Tuple and class; each class but the last few records takes one tuple in part at the most.
    members = np.empty((n + n_classes + k, 2), np.int64)
    n_members = np.int64(0)
    shelf = RemainingTuples(
        np.arange(n), np.empty((n, d), np.int64), np.empty((n, d), np.int64), np.array([n])
    )
    _close_gaps(shelf, codes, stock, costs)
    gains = np.empty(len(costs.positions))
    n_live = shelf.length[0]
    start: Int = np.int64(first)
    spot: Int = np.int64(0)
    while shelf.numbers[spot] < start:
        spot += 1
    for label in range(n_classes):
        box = boxes[label]
        if label > 0:
            _empty_class(box, costs, gains)
            _grow(box, codes[start], costs, gains)
            spot = _farthest(shelf, stock, costs, gains)
            start = shelf.numbers[spot]
        _empty_class(box, costs, gains)
        size = np.int64(0)
        while True:
            one = shelf.numbers[spot]
            _grow(box, codes[one], costs, gains)
            taken = min(stock[one, LEFT], k - size)
            for _ in range(taken):
                labels[stock[one, NEXT]] = label
                stock[one, NEXT] += 1
            stock[one, LEFT] -= taken
            n_live -= stock[one, LEFT] == 0
            members[n_members, 0] = one
            members[n_members, 1] = label
            n_members += 1
            size += taken
            if size == k:
                break
            spot = _nearest(shelf, stock, gains, spot)
        if 4 * n_live < 3 * shelf.length[0]:
            _close_gaps(shelf, codes, stock, costs)
    sizes = np.empty(n_classes, np.int64)
    for label in range(n_classes):
        sizes[label] = k
    for one in range(n):
        while stock[one, LEFT] > 0:
            cheapest = _cheapest(boxes, sizes, members[:n_members], codes, np.int64(one), costs)
            labels[stock[one, NEXT]] = cheapest
            stock[one, LEFT] -= 1
            stock[one, NEXT] += 1
            members[n_members, 0] = one
            members[n_members, 1] = cheapest
            n_members += 1
    return labels, n_classes


@part
def _close_gaps(shelf: RemainingTuples, codes: Int32s, stock: Ints, costs: Costs) -> None:
    """Close the gaps of tuples that have no record left."""
    d = codes.shape[1]
    count = np.int64(0)
    for i in range(shelf.length[0]):
        one = shelf.numbers[i]
        if stock[one, LEFT] > 0:
            shelf.numbers[count] = one
            for a in range(d):
                shelf.places[count, a] = costs.attributes[a, 1] + codes[one, a]
            count += 1
    shelf.length[0] = count
    for i in range(count - 1, -1, -1):
        differs = i == count - 1
        for a in range(d):
            differs = differs or shelf.places[i, a] != shelf.places[i + 1, a]
            shelf.after[i, a] = i + 1 if differs else shelf.after[i + 1, a]


@part
def _empty_class(box: Ints, costs: Costs, gains: Floats) -> None:
    """Empty a class."""
    d = box.shape[1]
    for a in range(d):
        start = costs.attributes[a, 1]
        stop = costs.attributes[a + 1, 1] if a + 1 < d else len(gains)
        box[LOW, a] = stop
        box[HIGH, a] = -1
        box[HELD, a] = 0
        for c in range(start, stop):
            gains[c] = costs.positions[start + 1] if stop > start + 1 else 1.0


@part
def _grow(box: Ints, codes: Int32s, costs: Costs, gains: Floats) -> None:
    """Put a tuple into a class; write what each further code would add to the loss."""
    d = len(codes)
    for a in range(d):
        code = np.int64(codes[a])
        start = costs.attributes[a, 1]
        stop = costs.attributes[a + 1, 1] if a + 1 < d else len(gains)
        kind = costs.attributes[a, 0]
        if kind == SET:
            box[HELD, a] += gains[start + code] > 0
            gains[start + code] = 0.0
            continue
        low = min(box[LOW, a], code)
        high = max(box[HIGH, a], code)
        if low == box[LOW, a] and high == box[HIGH, a]:
            continue
        box[LOW, a] = low
        box[HIGH, a] = high
        lost = span_loss(a, low, high, costs)
        if kind == RANGE and high < costs.attributes[a, 2]:
            # The same in loops without a branch: numbers have long domains.
            for c in range(start, start + low):
                gains[c] = costs.positions[start + high] - costs.positions[c] - lost
            for c in range(start + low, start + high):
                gains[c] = 0.0
            for c in range(start + high, stop):
                gains[c] = costs.positions[c] - costs.positions[start + low] - lost
            for c in range(start + costs.attributes[a, 2], stop):
                gains[c] = costs.positions[c] - lost
        else:
            for c in range(stop - start):
                gains[start + c] = span_loss(a, min(low, c), max(high, c), costs) - lost


@part
def _nearest(shelf: RemainingTuples, stock: Ints, gains: Floats, spot: Int) -> Int:
    """Return where the tuple stands that adds least to the class; spot: of its latest tuple."""
    # The neighbours of the latest tuple are near: none that adds more than they do can win.
    d = shelf.places.shape[1]
    bound = math.inf
    for step in (-1, 1):
        i = spot + step
        while 0 <= i < shelf.length[0] and stock[shelf.numbers[i], LEFT] == 0:
            i += step
        if 0 <= i < shelf.length[0]:
            added = 0.0
            for a in range(d):
                added += gains[shelf.places[i, a]]
            bound = min(bound, added)
    return _least_sum(shelf, stock, gains, np.zeros(d), bound, 0.0)


@part
def _farthest(shelf: RemainingTuples, stock: Ints, costs: Costs, gains: Floats) -> Int:
    """Return where the tuple stands that would add most to a class; turns the gains' signs."""
    d = shelf.places.shape[1]
    further = np.zeros(d)
    for c in range(len(gains)):
        gains[c] = -gains[c]
    for a in range(d - 1, 0, -1):
        stop = costs.attributes[a + 1, 1] if a + 1 < d else len(gains)
        most = 0.0
        for c in range(costs.attributes[a, 1], stop):
            most = min(most, gains[c])
        further[a - 1] = further[a] + most
    return _least_sum(shelf, stock, gains, further, math.inf, ROUNDING)


@part
def _least_sum(
    shelf: RemainingTuples, stock: Ints, gains: Floats, further: Floats, bound: float, slack: float
) -> Int:
    """Return where the tuple of the least sum of gains stands, the first of equal ones.

    further: (d,) float64, the least that attributes after a can add. bound: a sum that some tuple
    has. slack: more than rounding may take off a sum.
    """
    d = shelf.places.shape[1]
    sums = np.zeros(d + 1)
    winner: Int = np.int64(-1)
    best = bound
    i: Int = np.int64(0)
    a: Int = np.int64(0)
    while i < shelf.length[0]:
        # sums[a] holds for the attributes that this tuple shares with the one before it.
        while a < d:
            total = sums[a] + gains[shelf.places[i, a]]
            least = total + further[a] - slack
            if least > best or (least == best and winner >= 0):
                break
            a += 1
            sums[a] = total
        if a == d:
            a -= 1
            if stock[shelf.numbers[i], LEFT] > 0 and (sums[d] < best or winner < 0):
                best = float(sums[d])
                winner = i
        follower = shelf.after[i, a]
        while a > 0 and shelf.after[i, a - 1] == follower:
            a -= 1
        i = follower
    return winner


@part
def _cheapest(
    boxes: Ints, sizes: Ints, members: Ints, codes: Int32s, one: Int, costs: Costs
) -> Int:
    """Give a record to the class whose loss grows least, of equal ones the first; return it."""
    d = codes.shape[1]
    mask = np.zeros((len(boxes), d), np.bool_)
    for m in range(len(members)):
        for a in range(d):
            if codes[members[m, 0], a] == codes[one, a]:
                mask[members[m, 1], a] = True
    winner: Int = np.int64(0)
    least = math.inf
    grown = np.empty((3, d), np.int64)
    for label in range(len(boxes)):
        _join(boxes[label], codes[one], mask[label], grown)
        lost = _loss(boxes[label], costs)
        growth = (sizes[label] + 1) * _loss(grown, costs) - sizes[label] * lost
        if growth < least:
            least = growth
            winner = np.int64(label)
    _join(boxes[winner], codes[one], mask[winner], boxes[winner])
    sizes[winner] += 1
    return winner


@part
def _join(box: Ints, codes: Int32s, held: Bools, joined: Ints) -> None:
    """Write the box of a class with one tuple more; held: (d,) bool, which codes it has already."""
    for a in range(len(codes)):
        joined[LOW, a] = min(box[LOW, a], codes[a])
        joined[HIGH, a] = max(box[HIGH, a], codes[a])
        joined[HELD, a] = box[HELD, a] + (not held[a])


@part
def _loss(box: Ints, costs: Costs) -> float:
    """Return what one record of a class loses in all attributes."""
    lost = 0.0
    for a in range(box.shape[1]):
        if costs.attributes[a, 0] != SET:
            lost += span_loss(a, box[LOW, a], box[HIGH, a], costs)
        elif box[HELD, a] > 1:
            lost += (box[HELD, a] - 1) * costs.positions[costs.attributes[a, 1] + 1]
    return lost
