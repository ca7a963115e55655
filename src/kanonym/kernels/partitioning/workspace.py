"""Memory of a partition: orders and counts of its nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Floats, Int32s, Ints, UInt64s
from kanonym.kernels.classes.histograms import SET, Costs, span_loss
from kanonym.kernels.compile import Int, kernel, part

TUPLES = 32
"""Bits of a count that hold the tuples; those above hold the records."""


@kernel
def descend(
    codes: Int32s,
    weights: Ints,
    nodes: Int32s,
    cuts: Int32s,
    rows: Int32s,
    first: Ints,
    counts: Ints,
) -> None:
    """Send tuples to the side of the cut of their node, and count the codes of each.

    codes, weights: (n, d) int32 and (n,) int64 of the tuples. nodes: (n,) int32 the node of each,
    overwritten. cuts: (n_nodes, 4) int32 attribute, code, left and right node; attribute -1 of a
    node that is not cut. rows: (n_nodes,) int32 where the codes of a node are counted, or -1.
    first: (d,) int64 where the codes of an attribute begin. counts: (n_rows, n_codes) int64, added
    to: records from the bit `TUPLES` on, tuples below.
    """
    d = codes.shape[1]
    for i in range(len(codes)):
        node = nodes[i]
        a = cuts[node, 0]
        if a >= 0:
            node = cuts[node, 2] if codes[i, a] <= cuts[node, 1] else cuts[node, 3]
            nodes[i] = node
        row = rows[node]
        if row >= 0:
            more = (weights[i] << TUPLES) | 1
            for b in range(d):
                counts[row, first[b] + codes[i, b]] += more


@kernel
def serpentine(codes: Int32s) -> Ints:
    """Turn a lexicographic order so that each stretch begins near where the last one ended.

    codes: (n, d) int32, sorted, first column first. Returns the (n,) int64 places in the
    new order. Tuples that share their first columns stay side by side; among them, the next
    column ascends or descends, whichever begins nearer to the code before. Cost O(n d).
    """
    n, d = codes.shape
    places = np.arange(n)
    # How many first columns each tuple shares with the one before.
    shared = np.zeros(n + 1, np.int64)
    for i in range(1, n):
        while shared[i] < d and codes[i, shared[i]] == codes[i - 1, shared[i]]:
            shared[i] += 1
    for a in range(1, d):
        last = np.int64(-1)
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and shared[stop] >= a:
                stop += 1
            first, end = codes[places[start], a], codes[places[stop - 1], a]
            if last >= 0 and abs(end - last) < abs(first - last):
                for i in range((stop - start) // 2):
                    j, k = start + i, stop - 1 - i
                    places[j], places[k] = places[k], places[j]
                for i in range((stop - start - 1) // 2):
                    j, k = start + 1 + i, stop - 1 - i
                    shared[j], shared[k] = shared[k], shared[j]
                first, end = end, first
            last = end
            start = stop
    return places


@kernel
def hilbert(cells: UInt64s, bits: int) -> UInt64s:
    """Return the (n,) place of each cell on the Hilbert curve.

    cells: (n, d) uint64 below 2 ** bits, overwritten; d * bits is at most 64.

    Skilling 2004, "Programming the Hilbert curve", AIP Conference Proceedings 707: undo the
    curve's exchanges and inversions from the top bit down, then read the Gray code.
    """
    n, d = cells.shape
    one = np.uint64(1)
    keys = np.zeros(n, np.uint64)
    for i in range(n):
        cell = cells[i]
        for level in range(bits - 1, 0, -1):
            bit = one << np.uint64(level)
            below = bit - one
            for a in range(d):
                if cell[a] & bit:
                    cell[0] ^= below
                else:
                    swapped = (cell[0] ^ cell[a]) & below
                    cell[0] ^= swapped
                    cell[a] ^= swapped
        for a in range(1, d):
            cell[a] ^= cell[a - 1]
        flips = np.uint64(0)
        for level in range(bits - 1, 0, -1):
            bit = one << np.uint64(level)
            if cell[d - 1] & bit:
                flips ^= bit - one
        key = np.uint64(0)
        for level in range(bits - 1, -1, -1):
            for a in range(d):
                key = (key << one) | (((cell[a] ^ flips) >> np.uint64(level)) & one)
        keys[i] = key
    return keys


class Workspace(NamedTuple):
    """Memory of one thread for nodes of at most n tuples; `workspace` allocates it.

    tuples: (n, 4) int64 by place: ORDER (offset of the tuple in the node), KEY (to sort by), and
        the records of the side that ends here, grown from the LEFT and the RIGHT.
    places: (n + 1, 2 d + 4) float64: where each tuple stands, see `spread`, and in the last two
        columns the loss of the side that ends here, grown from the left and the right; the last row
        is the running minimum.
    candidates: (n d, 4) float64, 2 d rows at the least: loss, records of the smaller side,
        attribute, code.
    codes: (4 d + 4 n + 2 + n_codes + 1,) int64: by attribute lowest code, highest code, distinct
        codes and list of attributes in use; a counting sort's counts; a stamp for each code, and
        the latest stamp.
    medians: Larger nodes, of up to so many tuples, try the cuts beside medians.
    """

    tuples: Ints
    places: Floats
    candidates: Floats
    codes: Ints
    medians: int


ORDER, KEY, LEFT, RIGHT = 0, 1, 2, 3


def workspace(n: int, costs: Costs, medians: int = 0) -> Workspace:
    """Allocate memory for nodes of at most n tuples, and of those that try cuts beside medians."""
    d = len(costs.attributes)
    return Workspace(
        tuples=np.empty((n, 4), np.int64),
        places=np.empty((n + 1, 2 * d + 4)),
        candidates=np.empty((max(n, 2) * d, 4)),
        codes=np.zeros(4 * d + 4 * n + 2 + len(costs.positions) + 1, np.int64),
        medians=medians,
    )


@part
def measure_node(records: Int32s, start: Int, stop: Int, box: Ints) -> Int:
    """Write smallest and largest code of each attribute into (2, d) box; return the records."""
    d = box.shape[1]
    weight_at = records.shape[1] - 2
    total = np.int64(0)
    for a in range(d):
        box[0, a] = records[start, a]
        box[1, a] = records[start, a]
    for i in range(start, stop):
        total += records[i, weight_at]
        for a in range(d):
            code = records[i, a]
            box[0, a] = min(box[0, a], code)
            box[1, a] = max(box[1, a], code)
    return total


@part
def attribute_loss(
    records: Int32s, start: Int, stop: Int, a: Int, box: Ints, costs: Costs, work: Workspace
) -> float:
    """Return what each record of a node loses in one attribute; of SET, its codes are counted."""
    if box[0, a] == box[1, a]:
        return 0.0
    if costs.attributes[a, 0] != SET:
        return span_loss(a, box[0, a], box[1, a], costs)
    codes = work.codes
    first = 4 * box.shape[1] + 4 * len(work.tuples) + 2 + costs.attributes[a, 1]
    stamp = codes[-1] + 1
    codes[-1] = stamp
    further = -1
    for i in range(start, stop):
        at = first + records[i, a]
        if codes[at] != stamp:
            codes[at] = stamp
            further += 1
    return float(further * costs.positions[costs.attributes[a, 1] + 1])
