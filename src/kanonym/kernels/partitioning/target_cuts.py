"""Cuts that tell the values of a target apart: Mondrian guided by a model's task.

Records are those of `mondrian` with the target behind the d quasi-identifier codes: the code of
a category (-1 where there is none) in one column, or a number in two, its upper half first
(NO_NUMBER where there is none). All sums are of integers, so that they are the same in any order
of the records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.conditions import Criteria, sides_satisfy
from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.partitioning.mondrian import separate, sort_node
from kanonym.kernels.partitioning.workspace import ORDER, Workspace, measure_node

PLACES = 1024
"""Of cuts of one attribute that leave the same 1,024th of a node's records to the left, the best
one is looked at; of nodes of up to so many records, every cut."""

ROOM = 16
"""Codes of an attribute are counted where so many numbers for each tuple of a node suffice."""

MOST = 1 << 18
"""No attribute is counted in more numbers than that."""

SORTED = NO_NUMBER = np.int64(np.iinfo(np.int64).min)
"""The place in counts of an attribute that is not counted; the number of a record without one."""


class Target(NamedTuple):
    """What cuts are to tell apart: categories or numbers.

    values: (n_values,) int64: of numbers, how far each code is from the mean, in units. Of
        categories only their number is read.
    curve: (n_records + 1,) int64: x log2 x in units, for categories; empty for numbers.
    least: What is no gain yet, in the unit of `side_score`: it may be rounding.
    """

    values: Ints
    curve: Ints
    least: float


class Tally(NamedTuple):
    """A node's records by code and target, as `count_node` counts them.

    box: (2, d) int64 lowest and highest code of each attribute.
    first: (d,) int64: counts of a code of attribute a stand from `first[a]` + code * width on;
        SORTED where the attribute has more codes than are counted.
    counts: (n_cells,) int64. Of categories: the records of each. Of numbers: the records, and last
        the sum of their values. Before that, if any record has no target, those that have none.
    width: Counts of one code.
    n_weights: So many of them, the first ones, are records.
    """

    box: Ints
    first: Ints
    counts: Ints
    width: Int
    n_weights: Int


def gain_workspace(n: int, d: int) -> Workspace:
    """Allocate memory for nodes of at most n tuples in d attributes, as `refine_by_gain` needs."""
    return Workspace(
        tuples=np.empty((n, 4), np.int64),
        places=np.empty((1, 1)),
        candidates=np.empty((d * PLACES, 4)),
        codes=np.zeros(4 * d + 4 * n + 3, np.int64),
        medians=0,
    )


@part
def side_score(logs: Int, total: Int, known: Int, target: Target) -> float:
    """Return how well one side is known, more is better.

    Of categories: minus the entropy times the records, in units of bits. logs: the sum of the
    curve over categories. Of numbers: what the mean explains of the sum of squares. total: the
    sum of the values. known: records that have a target.
    """
    if known == 0:
        return 0.0
    if len(target.curve):
        return float(logs - target.curve[known])
    return float(total) * float(total) / float(known)


@part
def _number(node: Int32s, i: Int, d: Int) -> Int:
    """Return the target of a record, where it is a number: no look-up far off in a table."""
    return (np.int64(node[i, d]) << 32) | (np.int64(node[i, d + 1]) & 0xFFFFFFFF)


@part
def _count(node: Int32s, sign: Int, target: Target, tally: Tally) -> None:
    """Add the records of a node to counts, or take them away.

    sign: 1 or -1.
    """
    d = len(tally.first)
    weight_at = node.shape[1] - 2
    categories = len(target.curve) > 0
    counts, first, width = tally.counts, tally.first, tally.width
    attributes = np.empty(d, np.int64)
    m = np.int64(0)
    for a in range(d):
        if first[a] != SORTED:
            attributes[m] = a
            m += 1
    missing = tally.n_weights - 1
    for i in range(len(node)):
        weight = sign * np.int64(node[i, weight_at])
        number = NO_NUMBER if categories else _number(node, i, d)
        column: Int = np.int64(0)
        if categories:
            column = np.int64(node[i, d]) if node[i, d] >= 0 else missing
        elif number == NO_NUMBER:
            column = missing
        for x in range(m):
            counts[first[attributes[x]] + node[i, attributes[x]] * width + column] += weight
        if number != NO_NUMBER:
            for x in range(m):
                a = attributes[x]
                counts[first[a] + node[i, a] * width + width - 1] += weight * number


@part
def count_node(node: Int32s, d: Int, target: Target) -> Tally:
    """Count the records of a node; attributes with too many codes for that are not counted."""
    box = np.empty((2, d), np.int64)
    measure_node(node, np.int64(0), np.int64(len(node)), box)
    categories = len(target.curve) > 0
    untold = np.int64(0)
    for i in range(len(node)):
        untold |= np.int64(node[i, d] < 0 if categories else _number(node, i, d) == NO_NUMBER)
    n_weights = (len(target.values) if categories else 1) + untold
    width = n_weights if categories else n_weights + 1
    first = np.full(d, SORTED)
    n_cells = np.int64(0)
    for a in range(d):
        size = (box[1, a] - box[0, a] + 1) * width
        if size <= min(ROOM * len(node), MOST):
            first[a] = n_cells - box[0, a] * width
            n_cells += size
    tally = Tally(box, first, np.zeros(n_cells, np.int64), width, n_weights)
    _count(node, np.int64(1), target, tally)
    return tally


@part
def _tighten(node: Int32s, tally: Tally) -> None:
    """Draw the bounds of codes in to those of the node; sort what has too many codes for it."""
    box, first, counts, width = tally.box, tally.first, tally.counts, tally.width
    for a in range(len(first)):
        if first[a] == SORTED:
            low = high = node[0, a]
            for i in range(1, len(node)):
                low = min(low, node[i, a])
                high = max(high, node[i, a])
            box[0, a], box[1, a] = low, high
            continue
        for side in range(2):
            while True:
                at = first[a] + box[side, a] * width
                held = np.int64(0)
                for c in range(tally.n_weights):
                    held += counts[at + c]
                if held > 0:
                    break
                box[side, a] += 1 - 2 * side
        if (box[1, a] - box[0, a] + 1) * width > ROOM * len(node):
            first[a] = SORTED


@part
def _take_away(node: Int32s, target: Target, tally: Tally, of_side: Tally) -> None:
    """Count one side of a node, and take it out of the counts of the node.

    node: records of the side. of_side: with the bounds and places of `tally`; its counts are
    written.
    """
    box, first, width = tally.box, tally.first, tally.width
    for a in range(len(first)):
        if first[a] != SORTED:
            of_side.counts[first[a] + box[0, a] * width : first[a] + (box[1, a] + 1) * width] = 0
    _count(node, np.int64(1), target, of_side)
    for a in range(len(first)):
        if first[a] != SORTED:
            for at in range(first[a] + box[0, a] * width, first[a] + (box[1, a] + 1) * width):
                tally.counts[at] -= of_side.counts[at]


@part
def _keep_better(
    candidates: Floats, place: Int, gain: float, balance: Int, a: Int, code: Int
) -> None:
    """Write a cut at its place, if it gains more than the one there, or is better balanced."""
    if gain > candidates[place, 0] or (
        gain == candidates[place, 0] and balance > candidates[place, 1]
    ):
        candidates[place, 0] = gain
        candidates[place, 1] = balance
        candidates[place, 2] = a
        candidates[place, 3] = code


@part
def _list_cuts(
    node: Int32s,
    total: Int,
    places: Int,
    fewest: Int,
    target: Target,
    tally: Tally,
    work: Workspace,
) -> None:
    """Write the cuts of a node that gain, the best one of each place, into `work.candidates`.

    places: of each attribute; 0 for one place in all. total: records of the node.
    fewest: of a side.
    """
    n, d = len(node), len(tally.first)
    box, first, counts, width = tally.box, tally.first, tally.counts, tally.width
    n_weights = tally.n_weights
    weight_at = node.shape[1] - 2
    categories = len(target.curve) > 0
    n_values = len(target.values) if categories else 0
    whole, left = np.zeros(n_values, np.int64), np.empty(n_values, np.int64)
    n_known: Int = np.int64(0)
    sum_known: Int = np.int64(0)
    narrow: Int = np.int64(-1)
    for a in range(d):
        n_codes = box[1, a] - box[0, a]
        if first[a] != SORTED and (narrow < 0 or n_codes < box[1, narrow] - box[0, narrow]):
            narrow = np.int64(a)
    if narrow >= 0:
        for code in range(box[0, narrow], box[1, narrow] + 1):
            at = first[narrow] + code * width
            if categories:
                for c in range(n_values):
                    whole[c] += counts[at + c]
            else:
                n_known += counts[at]
                sum_known += counts[at + width - 1]
    else:
        for i in range(n):
            if categories:
                if node[i, d] >= 0:
                    whole[node[i, d]] += node[i, weight_at]
            elif _number(node, i, d) != NO_NUMBER:
                n_known += node[i, weight_at]
                sum_known += node[i, weight_at] * _number(node, i, d)
    all_logs = np.int64(0)
    for c in range(n_values):
        n_known += whole[c]
        all_logs += target.curve[whole[c]]
    base = side_score(all_logs, sum_known, n_known, target)
    # Squares of sums are rounded: so little is no gain.
    least = target.least + (0.0 if categories else 1e-12 * base)
    candidates, tuples = work.candidates, work.tuples
    place: Int = np.int64(0)
    for c in range(max(d * places, 1)):
        candidates[c, 0] = -1.0
        candidates[c, 1] = -1.0
    for a in range(d):
        if box[0, a] == box[1, a]:
            continue
        left[:] = 0
        logs, other_logs = np.int64(0), all_logs
        upto = known = summed = np.int64(0)
        if first[a] != SORTED:
            for code in range(box[0, a], box[1, a]):
                at = first[a] + code * width
                held = np.int64(0)
                for c in range(n_weights):
                    held += counts[at + c]
                if held == 0:
                    continue
                upto += held
                if total - upto < fewest:
                    break
                if categories:
                    for c in range(n_values):
                        weight = counts[at + c]
                        if weight > 0:
                            before, others = left[c], whole[c] - left[c]
                            logs += target.curve[before + weight] - target.curve[before]
                            other_logs += target.curve[others - weight] - target.curve[others]
                            left[c] = before + weight
                            known += weight
                else:
                    known += counts[at]
                    summed += counts[at + width - 1]
                if upto < fewest:
                    continue
                gain = (
                    side_score(logs, summed, known, target)
                    + side_score(other_logs, sum_known - summed, n_known - known, target)
                    - base
                )
                if gain > least:
                    place = a * places + (upto - 1) * places // total if places else 0
                    _keep_better(candidates, place, gain, min(upto, total - upto), a, code)
            continue
        sort_node(node, a, box, work)
        for i in range(n - 1):
            row = tuples[i, ORDER]
            weight = np.int64(node[row, weight_at])
            upto += weight
            if total - upto < fewest:
                break
            if categories:
                told = node[row, d]
                if told >= 0:
                    before, others = left[told], whole[told] - left[told]
                    logs += target.curve[before + weight] - target.curve[before]
                    other_logs += target.curve[others - weight] - target.curve[others]
                    left[told] = before + weight
                    known += weight
            elif _number(node, row, d) != NO_NUMBER:
                known += weight
                summed += weight * _number(node, row, d)
            if upto < fewest or node[tuples[i + 1, ORDER], a] == node[row, a]:
                continue
            gain = (
                side_score(logs, summed, known, target)
                + side_score(other_logs, sum_known - summed, n_known - known, target)
                - base
            )
            if gain > least:
                place = a * places + (upto - 1) * places // total if places else 0
                _keep_better(candidates, place, gain, min(upto, total - upto), a, node[row, a])


@part
def gain_cut(
    records: Int32s,
    start: Int,
    stop: Int,
    total: Int,
    criteria: Criteria,
    target: Target,
    tally: Tally,
    work: Workspace,
) -> tuple[Int, Int]:
    """Choose the cut of largest gain among all that satisfy the criteria.

    The gain is what the weighted entropy, or the squared error, of both sides is below that
    of the node. Ties go to the better balanced cut, then to the lower attribute and code.
    total: records of the node. Returns attribute and code, or (-1, 0) where no such cut gains
    more than `target.least`. Cost O(n d), plus O(n) for each candidate that fails the criteria.
    """
    node = records[start:stop]
    candidates = work.candidates
    # Most often the best cut is allowed: the others are written only where it is not.
    places: Int = np.int64(0)
    while True:
        _list_cuts(node, total, places, criteria.min_size, target, tally, work)
        for turn in range(max(places * len(tally.first), 1)):
            pick = 0
            for c in range(1, len(tally.first) * places):
                if candidates[c, 0] > candidates[pick, 0] or (
                    candidates[c, 0] == candidates[pick, 0]
                    and candidates[c, 1] > candidates[pick, 1]
                ):
                    pick = c
            if candidates[pick, 1] < 0:
                return -1, 0
            a, cut = int(candidates[pick, 2]), int(candidates[pick, 3])
            refused = places > 0 and turn == 0
            if not refused and sides_satisfy(
                records, start, stop, a, cut, criteria, np.int64(0), np.int64(1)
            ):
                return a, cut
            candidates[pick, 0] = candidates[pick, 1] = -1.0
        if places > 0:
            return -1, 0
        places = min(total, np.int64(PLACES))


@kernel
def refine_by_gain(
    records: Int32s,
    start: Int,
    stop: Int,
    criteria: Criteria,
    target: Target,
    work: Workspace,
    is_start: Bools,
    only_once: bool,
) -> Int:
    """Cut a node and what comes of it until no cut gains; mark where what is left starts.

    Of the two sides of a cut only the smaller one is counted; what is left of the node's counts is
    the larger one's.

    is_start: (n,) bool, set to True at the first record of each node that is left.
    only_once: stop after the first cut and mark both sides. Returns where the right side of the
        first cut begins, -1 where there was none. Cost O(n d) for each level of the tree.
    """
    d = records.shape[1] - (3 if len(target.curve) else 4) - len(criteria.references)
    weight_at = records.shape[1] - 2
    # The larger side waits: each that does is at least as large as all behind it.
    n_slots: Int = np.int64(1)
    while not only_once and (stop - start) >> n_slots > 0:
        n_slots += 1
    root = count_node(records[start:stop], d, target)
    boxes = np.empty((n_slots, 2, d), np.int64)
    firsts = np.empty((n_slots, d), np.int64)
    counts = np.empty((n_slots, len(root.counts)), np.int64)
    boxes[0], firsts[0], counts[0] = root.box, root.first, root.counts
    total: Int = np.int64(0)
    for i in range(start, stop):
        total += records[i, weight_at]
    waiting = np.empty((n_slots, 3), np.int64)
    waiting[0] = start, stop, total
    slot: Int = np.int64(0)
    first_cut: Int = np.int64(-1)
    while slot >= 0:
        begin: Int = waiting[slot, 0]
        end: Int = waiting[slot, 1]
        total = waiting[slot, 2]
        here = Tally(boxes[slot], firsts[slot], counts[slot], root.width, root.n_weights)
        is_start[begin] = True
        a: Int = np.int64(-1)
        cut: Int = np.int64(0)
        if total >= 2 * criteria.min_size:
            _tighten(records[begin:end], here)
            a, cut = gain_cut(records, begin, end, total, criteria, target, here, work)
        if a < 0:
            slot -= 1
            continue
        middle = separate(records, begin, end, a, cut)
        is_start[middle] = True
        if first_cut < 0:
            first_cut = middle
            if only_once:
                break
        waiting[slot, :2] = middle, end
        if middle - begin <= end - middle:
            end = middle
        else:
            waiting[slot, :2] = begin, middle
            begin = middle
        smaller = records[begin:end]
        side: Int = np.int64(0)
        for i in range(len(smaller)):
            side += smaller[i, weight_at]
        waiting[slot, 2] = total - side
        if side < 2 * criteria.min_size:
            is_start[begin] = True
            if total - side >= 2 * criteria.min_size:
                _count(smaller, np.int64(-1), target, here)
            continue
        slot += 1
        waiting[slot] = begin, end, side
        boxes[slot], firsts[slot] = here.box, here.first
        of_side = Tally(boxes[slot], firsts[slot], counts[slot], root.width, root.n_weights)
        _take_away(smaller, target, here, of_side)
    return first_cut
