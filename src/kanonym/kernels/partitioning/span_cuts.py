"""Strict Mondrian's cuts by span, where models count records alone: indices move, codes do not.

A fragment of the table that lies in the cache is cut to the end. A node is an array of some of
its tuples; their codes stand still, those of an attribute side by side.
"""

from __future__ import annotations

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.histograms import SET, Costs, span_loss
from kanonym.kernels.compile import Int, kernel, part

NEAR = 1e-8
"""Spans that differ by less are compared only when both are measured."""

BOUNDED, MEASURED, TRIED = 0, 1, 2
"""What is known of an attribute of a node: bounds of its codes, its codes, that no cut is left."""


@part
def _measure(codes: Int32s, a: Int, node: Int32s, box: Ints, costs: Costs, stamps: Ints) -> float:
    """Write lowest and highest code of attribute a into (2, d) box; return the loss of a record.

    stamps: (n_codes + 1,) int64, a stamp for each code of SET attributes, and the latest stamp.
    """
    low = high = codes[a, node[0]]
    for i in range(1, len(node)):
        code = codes[a, node[i]]
        low = min(low, code)
        high = max(high, code)
    box[0, a], box[1, a] = low, high
    if costs.attributes[a, 0] != SET or low == high:
        return span_loss(a, box[0, a], box[1, a], costs)
    first = costs.attributes[a, 1]
    stamp = stamps[-1] + 1
    stamps[-1] = stamp
    further = -1
    for i in range(len(node)):
        at = first + codes[a, node[i]]
        if stamps[at] != stamp:
            stamps[at] = stamp
            further += 1
    return float(further * costs.positions[first + 1])


@part
def _widest(
    codes: Int32s, node: Int32s, box: Ints, spans: Floats, state: Ints, costs: Costs, stamps: Ints
) -> Int:
    """Return the attribute of the widest span that was not tried, or -1, as `wide_cut` does.

    box: (2, d) bounds of the node's codes. spans: (d,) their losses, none below that of the
    codes. state: (d,) BOUNDED, MEASURED or TRIED. What the answer depends on is measured.
    """
    while True:
        widest: Int = np.int64(-1)
        for a in range(len(spans)):
            left = state[a] != TRIED and box[0, a] < box[1, a]
            if left and (widest < 0 or spans[a] > spans[widest] + 1e-9):
                widest = np.int64(a)
        if widest < 0:
            return widest
        least = spans[widest] - NEAR
        sure = True
        for a in range(len(spans)):
            if state[a] == BOUNDED and box[0, a] < box[1, a] and spans[a] >= least:
                spans[a] = _measure(codes, np.int64(a), node, box, costs, stamps)
                state[a] = MEASURED
                sure = False
        if sure:
            return widest


@part
def _quantile(
    codes: Int32s,
    weights: Ints,
    a: Int,
    node: Int32s,
    low: Int,
    high: Int,
    target: Int,
    counts: Ints,
) -> tuple[Int, Int, Int]:
    """Return what `mondrian.quantile_cut` does of a node, whose codes run from low to high."""
    below = np.int64(0)
    limit = 2 * len(node) + 64
    while True:
        shift = 0
        while (high - low) >> shift >= limit:
            shift += 1
        counts[: ((high - low) >> shift) + 1] = 0
        for one in node:
            code = np.int64(codes[a, one])
            if low <= code <= high:
                counts[(code - low) >> shift] += weights[one]
        bucket = 0
        while below + counts[bucket] < target:
            below += counts[bucket]
            bucket += 1
        low += bucket << shift
        if shift == 0:
            return low, below + counts[bucket], below
        high = min(high, low + (1 << shift) - 1)


@part
def _divide(codes: Int32s, a: Int, cut: Int, node: Int32s, spare: Int32s) -> Int:
    """Bring tuples of codes up to the cut to the front; return where the others begin.

    No branch depends on a code: nobody could foretell it. spare: (>= n,) int32, overwritten.
    """
    n_left, n_right = np.int64(0), np.int64(0)
    for i in range(len(node)):
        one = node[i]
        right = np.int64(codes[a, one] > cut)
        node[n_left] = one
        spare[n_right] = one
        n_right += right
        n_left += 1 - right
    for i in range(n_right):
        node[n_left + i] = spare[i]
    return n_left


@kernel
def refine_by_span(
    rows: Int32s,
    weight_of: Ints,
    order: Int32s,
    start_of: Ints,
    min_size: Int,
    costs: Costs,
    is_start: Bools,
) -> None:
    """Cut fragments of a table as `mondrian.refine` does where no cut is tried by its loss.

    rows, weight_of: (n, d) int32 codes and (n,) int64 records of the tuples.
    order: (n,) int32 tuples, those of a fragment side by side; moved within their fragments, so
        that those of a class are.
    start_of: (n_fragments + 1,) int64 where each fragment begins in the order, and the last one
        ends.
    min_size: Smallest number of records of a class.
    costs: What spans lose.
    is_start: (n,) bool, set to True where a class begins in the order.
    """
    d = rows.shape[1]
    most = np.int64(0)
    for f in range(len(start_of) - 1):
        most = max(most, start_of[f + 1] - start_of[f])
    codes = np.empty((d, most), np.int32)
    weights = np.empty(most, np.int64)
    tuples = np.empty(most, np.int32)
    spare = np.empty(most, np.int32)
    counts = np.empty(2 * most + 64, np.int64)
    stamps = np.zeros(len(costs.positions) + 1, np.int64)
    # The larger side waits: at most 64 nodes ever do.
    boxes = np.empty((64, 2, d), np.int64)
    waiting = np.empty((64, 3), np.int64)
    spans = np.empty(d, np.float64)
    state = np.empty(d, np.int64)
    for f in range(len(start_of) - 1):
        base = start_of[f]
        n = start_of[f + 1] - base
        box = boxes[0]
        total: Int = np.int64(0)
        for i in range(n):
            tuples[i] = i
            one = order[base + i]
            weights[i] = weight_of[one]
            total += weights[i]
            for a in range(d):
                codes[a, i] = rows[one, a]
        for a in range(d):
            _measure(codes, np.int64(a), tuples[:n], box, costs, stamps)
        waiting[0] = 0, n, total
        n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            start: Int = waiting[n_waiting, 0]
            stop: Int = waiting[n_waiting, 1]
            total = waiting[n_waiting, 2]
            box = boxes[n_waiting].copy()
            while True:
                is_start[base + start] = True
                if total < 2 * min_size:
                    break
                node = tuples[start:stop]
                for a in range(d):
                    spans[a] = span_loss(np.int64(a), box[0, a], box[1, a], costs)
                    state[a] = BOUNDED
                target: Int = max((total * 8 + 15) // 16, np.int64(1))
                cut: Int = np.int64(0)
                left: Int = np.int64(-1)
                widest: Int = _widest(codes, node, box, spans, state, costs, stamps)
                while widest >= 0:
                    code, upto, below = _quantile(
                        codes, weights, widest, node, box[0, widest], box[1, widest], target, counts
                    )
                    # Of two equally balanced cuts the one behind the median comes first.
                    behind = min(upto, total - upto) >= min(below, total - below)
                    for turn in range(2):
                        side = upto if behind == (turn == 0) else below
                        if left < 0 and min(side, total - side) >= min_size:
                            left = side
                            cut = code if behind == (turn == 0) else code - 1
                    if left >= 0:
                        break
                    state[widest] = TRIED
                    widest = _widest(codes, node, box, spans, state, costs, stamps)
                if widest < 0:
                    break
                middle = start + _divide(codes, widest, cut, node, spare)
                boxes[n_waiting] = box
                if middle - start <= stop - middle:
                    waiting[n_waiting] = middle, stop, total - left
                    boxes[n_waiting, 0, widest] = cut + 1
                    stop, total, box[1, widest] = middle, left, cut
                else:
                    waiting[n_waiting] = start, middle, left
                    boxes[n_waiting, 1, widest] = cut
                    start, total, box[0, widest] = middle, total - left, cut + 1
                n_waiting += 1
        for i in range(n):
            spare[i] = order[base + tuples[i]]
        for i in range(n):
            order[base + i] = spare[i]
