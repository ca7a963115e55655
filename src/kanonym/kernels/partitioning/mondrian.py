"""Mondrian, strict and relaxed."""

from __future__ import annotations

import math

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.balance import is_left_whole
from kanonym.kernels.classes.conditions import Criteria, shell_sort, sides_satisfy
from kanonym.kernels.classes.histograms import RANGE, SET, Costs, span_loss
from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.partitioning.quantile_cuts import best_candidate, median_cut, wide_cut
from kanonym.kernels.partitioning.workspace import (
    KEY,
    LEFT,
    ORDER,
    Workspace,
    attribute_loss,
    measure_node,
)


@part
def sort_node(node: Int32s, a: Int, box: Ints, work: Workspace) -> None:
    """Order a node's tuples by code of attribute a: their places in the node, in ORDER."""
    n = len(node)
    low = box[0, a]
    range_ = box[1, a] - low + 1
    tuples = work.tuples
    if n > 24 and range_ <= 4 * n:
        counts = work.codes
        first = 4 * box.shape[1]
        for v in range(range_ + 1):
            counts[first + v] = 0
        for i in range(n):
            counts[first + node[i, a] - low + 1] += 1
        for v in range(1, range_):
            counts[first + v] += counts[first + v - 1]
        for i in range(n):
            v = first + node[i, a] - low
            tuples[counts[v], ORDER] = i
            counts[v] += 1
        return
    for i in range(n):
        tuples[i, KEY] = (np.int64(node[i, a]) << 32) | i
    shell_sort(tuples, np.int64(KEY), n)
    for i in range(n):
        tuples[i, ORDER] = tuples[i, KEY] & 0xFFFFFFFF


@part
def spread(node: Int32s, box: Ints, costs: Costs, places: Floats) -> None:
    """Write where a node's tuples stand in RANGE attributes that vary.

    places: (> n, 2 d + 4) float64; row i gets the positions of tuple i and their
    negatives, so that growing a side is one running minimum over a row. An even
    number of attributes is written, for `sweep` adds four columns at a time.
    """
    n = len(node)
    x = 0
    for a in range(box.shape[1]):
        if box[0, a] < box[1, a] and costs.attributes[a, 0] == RANGE:
            offset = costs.attributes[a, 1]
            for i in range(n):
                place = costs.positions[offset + node[i, a]]
                places[i, x] = place
                places[i, x + 1] = -place
            x += 2
    if x % 4 == 2:
        for i in range(n):
            places[i, x] = 0.0
            places[i, x + 1] = 0.0


@part
def sweep(
    node: Int32s,
    a: Int,
    right: Int,
    box: Ints,
    costs: Costs,
    work: Workspace,
    fewest: Int,
    most: Int,
) -> None:
    """Grow a side along the order of `sort_node`; write loss and records at each boundary.

    right: 0 to grow from the lowest code, 1 from the highest. `spread` has filled
    work.places. The loss of sides of less than `fewest` records is not written, and a
    side of more than `most` grows no further.
    """
    n = len(node)
    d = box.shape[1]
    weight_at = node.shape[1] - 2
    tuples, places, codes = work.tuples, work.places, work.codes
    least = len(places) - 1
    loss_at = 2 * d + 2 + right
    seen_at = 4 * d + 4 * len(tuples) + 2
    width = 0
    n_other = 0
    for b in range(d):
        if box[0, b] < box[1, b]:
            if costs.attributes[b, 0] == RANGE:
                width += 2
            if costs.attributes[b, 0] != RANGE or box[1, b] >= costs.attributes[b, 2]:
                codes[3 * d + n_other] = b
                n_other += 1
                codes[b] = box[1, b]
                codes[d + b] = box[0, b]
                codes[2 * d + b] = 0
    width += width % 4
    for x in range(width):
        places[least, x] = 2.0
    stamp = codes[-1] + 1
    codes[-1] = stamp
    weight = np.int64(0)
    step = 1 - 2 * right
    i = right * (n - 1)
    for _ in range(n - 1):
        row = tuples[i, ORDER]
        weight += node[row, weight_at]
        if weight > most:
            break
        for x in range(width):
            places[least, x] = min(places[least, x], places[row, x])
        for x in range(n_other):
            b = codes[3 * d + x]
            code = np.int64(node[row, b])
            codes[b] = min(codes[b], code)
            codes[d + b] = max(codes[d + b], code)
            if costs.attributes[b, 0] == SET:
                at = seen_at + costs.attributes[b, 1] + code
                if codes[at] != stamp:
                    codes[at] = stamp
                    codes[2 * d + b] += 1
        if node[tuples[i + step, ORDER], a] != node[row, a]:
            tuples[i, LEFT + right] = weight
            if weight >= fewest:
                # Four sums, for one would wait for each addition in turn.
                w0 = w1 = w2 = w3 = 0.0
                for x in range(0, width, 4):
                    w0 -= places[least, x]
                    w1 -= places[least, x + 1]
                    w2 -= places[least, x + 2]
                    w3 -= places[least, x + 3]
                loss = (w0 + w1) + (w2 + w3)
                for x in range(n_other):
                    b = codes[3 * d + x]
                    first = costs.attributes[b, 1]
                    if costs.attributes[b, 0] == SET:
                        loss += (codes[2 * d + b] - 1) * costs.positions[first + 1]
                    else:
                        loss += span_loss(b, codes[b], codes[d + b], costs)
                        if costs.attributes[b, 0] == RANGE:
                            # Exceptions and null stand at 1: take that distance back.
                            high = costs.positions[first + codes[d + b]]
                            loss -= high - costs.positions[first + codes[b]]
                places[i, loss_at] = loss * weight
        i += step


@part
def least_loss_cut(
    records: Int32s,
    start: Int,
    stop: Int,
    total: Int,
    box: Ints,
    costs: Costs,
    criteria: Criteria,
    work: Workspace,
) -> tuple[Int, Int]:
    """Choose the cut of least loss among all that satisfy the criteria.

    Ties go to the better balanced cut, then to the lower attribute and code. Returns attribute and
    code, or (-1, 0). Cost O(n d (d + log n)), plus O(n) for each candidate that fails the criteria.
    """
    node = records[start:stop]
    n = len(node)
    fewest = criteria.min_size
    weight_at = node.shape[1] - 2
    loss_at = 2 * box.shape[1] + 2
    spread(node, box, costs, work.places)
    candidates, tuples, places = work.candidates, work.tuples, work.places
    n_candidates = np.int64(0)
    for a in range(box.shape[1]):
        if box[0, a] == box[1, a]:
            continue
        sort_node(node, a, box, work)
        for side in range(2):
            sweep(node, a, side, box, costs, work, fewest, total - fewest)
        upto = np.int64(0)
        for i in range(n - 1):
            upto += node[tuples[i, ORDER], weight_at]
            if upto < fewest:
                continue
            if total - upto < fewest:
                break
            code = node[tuples[i, ORDER], a]
            if node[tuples[i + 1, ORDER], a] == code:
                continue
            candidates[n_candidates, 0] = places[i, loss_at] + places[i + 1, loss_at + 1]
            candidates[n_candidates, 1] = min(upto, total - upto)
            candidates[n_candidates, 2] = a
            candidates[n_candidates, 3] = code
            n_candidates += 1
    return best_candidate(records, start, stop, total, box, n_candidates, criteria, work)


@kernel
def separate(records: Int32s, start: Int, stop: Int, a: Int, cut: Int) -> Int:
    """Move the records of codes <= cut to the front; return where the others begin."""
    width = records.shape[1]
    i, j = start, stop - 1
    while True:
        while i <= j and records[i, a] <= cut:
            i += 1
        while i <= j and records[j, a] > cut:
            j -= 1
        if i > j:
            return i
        for b in range(width):
            records[i, b], records[j, b] = records[j, b], records[i, b]


@kernel
def refine(
    records: Int32s,
    start: Int,
    stop: Int,
    costs: Costs,
    criteria: Criteria,
    work: Workspace,
    is_start: Bools,
    only_once: bool,
) -> Int:
    """Cut a node and what comes of it until nothing can be cut; mark where classes start.

    Nodes that fit the workspace try every cut and take the one of least loss; larger ones, up to
    `work.medians` tuples, those beside a median, still larger ones cut their widest attribute
    there. is_start: (n,) bool, set to True at the first record of each class. only_once: stop after
    the first cut and mark both sides. Returns where the right side of the first cut begins, -1
    where there was none.
    """
    d = len(costs.attributes)
    box = np.empty((2, d), np.int64)
    exact_below = len(work.tuples)
    # The larger side waits: at most 64 nodes ever do.
    waiting = np.empty((64, 2), np.int64)
    waiting[0, 0] = start
    waiting[0, 1] = stop
    n_waiting = 1
    first_cut: Int = np.int64(-1)
    while n_waiting > 0:
        n_waiting -= 1
        first, last = waiting[n_waiting]
        a: Int = np.int64(0)
        while a >= 0:
            is_start[first] = True
            a = np.int64(-1)
            cut: Int = np.int64(0)
            if first_cut >= 0 and only_once:
                break
            total = measure_node(records, first, last, box)
            if total < 2 * criteria.min_size or is_left_whole(criteria, total, box):
                break
            if last - first <= exact_below:
                a, cut = least_loss_cut(records, first, last, total, box, costs, criteria, work)
            elif last - first <= work.medians:
                a, cut = median_cut(records, first, last, total, box, costs, criteria, work)
            # Of sizes alone, no other quantile could do.
            untried = last - first > max(exact_below, work.medians)
            if a < 0 and last - first > exact_below and (untried or len(criteria.thresholds)):
                a, cut = wide_cut(records, first, last, total, box, costs, criteria, work)
            if a >= 0:
                middle = separate(records, first, last, a, cut)
                if first_cut < 0:
                    first_cut = middle
                if middle - first <= last - middle:
                    waiting[n_waiting, 0] = middle
                    waiting[n_waiting, 1] = last
                    last = middle
                else:
                    waiting[n_waiting, 0] = first
                    waiting[n_waiting, 1] = middle
                    first = middle
                n_waiting += 1
    return first_cut


@kernel
def refine_relaxed(
    records: Int32s,
    costs: Costs,
    criteria: Criteria,
    work: Workspace,
    by_loss: bool,
    is_start: Bools,
) -> None:
    """Halve nodes until no attribute's halves satisfy the criteria; mark where classes start.

    records: (n, d + s + 3) int32, one a record: d codes, one column that the kernel
    writes sides to, s sensitive codes, the weight 1, the record number. Records must
    come sorted by code: ties at the median are divided in that order, so the same
    records in any order give the same classes.
    by_loss: halve the attribute that leaves the least loss, else the widest one; ties go
    to the lower attribute.
    is_start: (n,) bool, set to True at the first record of each class.
    """
    d = len(costs.attributes)
    n_all = len(records)
    box = np.empty((2, d), np.int64)
    buffer = np.empty_like(records)
    score = np.empty(d, np.float64)
    waiting = np.empty((64, 2), np.int64)
    waiting[0, 0] = 0
    waiting[0, 1] = n_all
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        start = waiting[n_waiting, 0]
        stop = waiting[n_waiting, 1]
        n = stop - start
        is_start[start] = True
        if n < 2 * criteria.min_size:
            continue
        measure_node(records, start, stop, box)
        node = records[start:stop]
        spread(node, box, costs, work.places)
        half = n // 2
        for a in range(d):
            score[a] = math.inf
            if box[0, a] == box[1, a]:
                continue
            if not by_loss:
                score[a] = -attribute_loss(records, start, stop, np.int64(a), box, costs, work)
                continue
            sort_node(node, np.int64(a), box, work)
            for i in range(n):
                node[work.tuples[i, ORDER], d] = i >= half
            for side in range(2):
                sweep(node, np.int64(d), side, box, costs, work, np.int64(0), n)
            lost = work.places[half - 1, 2 * d + 2] + work.places[half, 2 * d + 3]
            score[a] = lost / n
        for _ in range(d):
            best = np.int64(0)
            for a in range(1, d):
                # Scores that differ by rounding are equal: the lower attribute goes first.
                if score[a] < score[best] - 1e-9:
                    best = np.int64(a)
            if score[best] == math.inf:
                break
            score[best] = math.inf
            sort_node(node, best, box, work)
            for i in range(n):
                node[work.tuples[i, ORDER], d] = i >= half
            if sides_satisfy(
                records, start, stop, np.int64(d), np.int64(0), criteria, np.int64(0), np.int64(1)
            ):
                _divide(records, start, stop, d, buffer)
                waiting[n_waiting, 0] = start
                waiting[n_waiting, 1] = start + half
                waiting[n_waiting + 1, 0] = start + half
                waiting[n_waiting + 1, 1] = stop
                n_waiting += 2
                break


@part
def _divide(records: Int32s, start: Int, stop: Int, d: Int, buffer: Int32s) -> None:
    """Move the records of side 0 to the front; both sides keep their order."""
    width = records.shape[1]
    at = start
    for side in range(2):
        for i in range(start, stop):
            if records[i, d] == side:
                for b in range(width):
                    buffer[at, b] = records[i, b]
                at += 1
    for i in range(start, stop):
        for b in range(width):
            records[i, b] = buffer[i, b]


@kernel
def suppressing_cuts(
    records: Int32s,
    starts: Ints,
    stops: Ints,
    costs: Costs,
    criteria: Criteria,
    work: Workspace,
    budget: Int,
) -> tuple[Floats, Ints]:
    """Find each node's cut that gains most for each record that it suppresses.

    The side that stays satisfies the criteria, the other has at most `budget` records and loses the
    weight of every attribute.

    starts, stops: (n_nodes,) int64; every node fits the workspace. Returns gains, (n_nodes,)
        float64, loss saved a suppressed record (0 for no such cut), and cuts, (n_nodes, 4) int64:
        attribute, code, side that stays (0 for codes <= code), records suppressed.
    """
    d = len(costs.attributes)
    box = np.empty((2, d), np.int64)
    gains = np.zeros(len(starts), np.float64)
    cuts = np.zeros((len(starts), 4), np.int64)
    fewest = criteria.min_size
    most = costs.weights.sum()
    for number in range(len(starts)):
        start = starts[number]
        stop = stops[number]
        n = stop - start
        total = measure_node(records, start, stop, box)
        loss = total * node_loss(records, start, stop, box, costs, work)
        node = records[start:stop]
        spread(node, box, costs, work.places)
        tuples = work.tuples
        for a in range(d):
            if box[0, a] == box[1, a]:
                continue
            sort_node(node, a, box, work)
            for side in range(2):
                sweep(node, a, side, box, costs, work, fewest, total)
                for i in range(side, n - 1 + side):
                    code = node[tuples[i - side, ORDER], a]
                    if node[tuples[i - side + 1, ORDER], a] == code:
                        continue
                    given_up = total - tuples[i, LEFT + side]
                    if tuples[i, LEFT + side] < fewest or given_up > budget:
                        continue
                    gain = (loss - work.places[i, 2 * d + 2 + side]) / given_up - most
                    # A gain of rounding errors is none.
                    if gain > max(gains[number], 1e-9) + 1e-9 * gains[number] and sides_satisfy(
                        records, start, stop, a, np.int64(code), criteria, side, side
                    ):
                        gains[number] = gain
                        cuts[number, 0] = a
                        cuts[number, 1] = code
                        cuts[number, 2] = side
                        cuts[number, 3] = given_up
    return gains, cuts


@kernel
def total_loss(records: Int32s, starts: Ints, stops: Ints, costs: Costs, work: Workspace) -> float:
    """Return what all records of the nodes lose, summed over records and attributes."""
    box = np.empty((2, len(costs.attributes)), np.int64)
    loss = 0.0
    for number in range(len(starts)):
        start = starts[number]
        stop = stops[number]
        total = measure_node(records, start, stop, box)
        loss += total * node_loss(records, start, stop, box, costs, work)
    return loss


@part
def node_loss(
    records: Int32s, start: Int, stop: Int, box: Ints, costs: Costs, work: Workspace
) -> float:
    """Return what each record of a node loses, summed over attributes."""
    loss = 0.0
    for a in range(box.shape[1]):
        loss += attribute_loss(records, start, stop, np.int64(a), box, costs, work)
    return loss
