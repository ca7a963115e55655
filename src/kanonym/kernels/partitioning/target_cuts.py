"""Cuts that tell the values of a target apart: Mondrian guided by a model's task.

Records are those of `mondrian` with one more column: d quasi-identifier codes, the
code of the target (-1 where there is none), s sensitive codes, the weight, and the tuple
number. All sums are of integers, so that they are the same in any order of the records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.classes.conditions import Criteria, sides_satisfy
from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.partitioning.mondrian import separate, sort_node
from kanonym.kernels.partitioning.workspace import ORDER, Workspace, measure_node

PLACES = 1024
"""Of cuts of one attribute that leave the same 1,024th of a node's records to the left, the best
one is looked at; of nodes of up to so many records, every cut."""

ROOM = 16
"""Codes are counted where so many numbers for each tuple of a node suffice, else sorted."""

UNCOUNTED = np.int64(np.iinfo(np.int64).min)
"""No place in counts."""


class Target(NamedTuple):
    """What cuts are to tell apart: categories or numbers.

    Attributes
    ----------
    values
        (n_values,) int64: of numbers, how far each code is from the mean, in units. Of
        categories only their number is read.
    curve
        (n_records + 1,) int64: x log2 x in units, for categories; empty for numbers.
    least
        What is no gain yet, in the unit of `side_score`: it may be rounding.

    """

    values: NDArray[np.int64]
    curve: NDArray[np.int64]
    least: float


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
def _count_codes(
    node: NDArray[np.int32],
    box: NDArray[np.int64],
    target: Target,
    counts: NDArray[np.int64],
    first: NDArray[np.int64],
) -> Int:
    """Count a node's records by code, and by target there, where attributes have few codes.

    counts: at `first[a]` + code * width stand the records of a code of attribute a, then
    those of each category; or those that have a target, and the sum of its values.
    first: (d,) int64, written, UNCOUNTED for attributes with more codes, and those that do not
    vary. Returns the width.
    """
    n, d = len(node), box.shape[1]
    weight_at = node.shape[1] - 2
    categories = len(target.curve) > 0
    width = 1 + (len(target.values) if categories else 2)
    chosen = np.empty(d, np.int64)
    m = used = np.int64(0)
    room = min(ROOM * n, len(counts))
    for a in range(d):
        size = (box[1, a] - box[0, a] + 1) * width
        first[a] = UNCOUNTED
        if box[0, a] < box[1, a] and used + size <= room:
            first[a] = used - box[0, a] * width
            used += size
            chosen[m] = a
            m += 1
    for at in range(used):
        counts[at] = 0
    if m == 0:
        return width
    for i in range(n):
        weight, told = np.int64(node[i, weight_at]), np.int64(node[i, d])
        value = np.int64(0) if categories or told < 0 else weight * target.values[told]
        for x in range(m):
            at = first[chosen[x]] + node[i, chosen[x]] * width
            counts[at] += weight
            if told >= 0:
                if categories:
                    counts[at + 1 + told] += weight
                else:
                    counts[at + 1] += weight
                    counts[at + 2] += value
    return width


@part
def _keep_better(
    candidates: NDArray[np.float64], place: Int, gain: float, balance: Int, a: Int, code: Int
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
def gain_cut(
    records: NDArray[np.int32],
    start: Int,
    stop: Int,
    box: NDArray[np.int64],
    total: Int,
    criteria: Criteria,
    target: Target,
    work: Workspace,
) -> tuple[Int, Int]:
    """Choose the cut of largest gain among all that satisfy the criteria.

    The gain is what the weighted entropy, or the squared error, of both sides is below that
    of the node. Ties go to the better balanced cut, then to the lower attribute and code.
    total: records of the node. Returns attribute and code, or (-1, 0) where no such cut gains
    more than `target.least`. Cost O(n d), plus O(n) for each candidate that fails the criteria.
    """
    node = records[start:stop]
    n, d = len(node), box.shape[1]
    fewest, weight_at = criteria.min_size, node.shape[1] - 2
    categories = len(target.curve) > 0
    whole = np.zeros(len(target.values) if categories else 1, np.int64)
    left = np.zeros(len(whole), np.int64)
    n_known = sum_known = np.int64(0)
    for i in range(n):
        code = node[i, d]
        if code >= 0:
            n_known += node[i, weight_at]
            if categories:
                whole[code] += node[i, weight_at]
            else:
                sum_known += node[i, weight_at] * target.values[code]
    all_logs = np.int64(0)
    if categories:
        for c in range(len(whole)):
            all_logs += target.curve[whole[c]]
    base = side_score(all_logs, sum_known, n_known, target)
    # Squares of sums are rounded: so little is no gain.
    least = target.least + (0.0 if categories else 1e-12 * base)
    places = min(total, PLACES)
    candidates, tuples, counts = work.candidates, work.tuples, work.codes
    for c in range(d * places):
        candidates[c, 0] = -1.0
        candidates[c, 1] = -1.0
    first = np.empty(d, np.int64)
    width = _count_codes(node, box, target, counts, first)
    for a in range(d):
        if first[a] == UNCOUNTED:
            continue
        left[:] = 0
        logs, other_logs = np.int64(0), all_logs
        upto = known = summed = np.int64(0)
        for code in range(box[0, a], box[1, a]):
            at = first[a] + code * width
            if counts[at] == 0:
                continue
            upto += counts[at]
            if total - upto < fewest:
                break
            if categories:
                for c in range(len(left)):
                    weight = counts[at + 1 + c]
                    if weight > 0:
                        held, others = left[c], whole[c] - left[c]
                        logs += target.curve[held + weight] - target.curve[held]
                        other_logs += target.curve[others - weight] - target.curve[others]
                        left[c] = held + weight
                        known += weight
            else:
                known += counts[at + 1]
                summed += counts[at + 2]
            if upto < fewest:
                continue
            gain = (
                side_score(logs, summed, known, target)
                + side_score(other_logs, sum_known - summed, n_known - known, target)
                - base
            )
            if gain > least:
                place = a * places + (upto - 1) * places // total
                _keep_better(candidates, place, gain, min(upto, total - upto), a, code)
    for a in range(d):
        if first[a] != UNCOUNTED or box[0, a] == box[1, a]:
            continue
        sort_node(node, a, box, work)
        left[:] = 0
        logs, other_logs = np.int64(0), all_logs
        upto = known = summed = np.int64(0)
        for i in range(n - 1):
            row = tuples[i, ORDER]
            weight = np.int64(node[row, weight_at])
            code = node[row, d]
            upto += weight
            if total - upto < fewest:
                break
            if code >= 0:
                known += weight
                if categories:
                    held, others = left[code], whole[code] - left[code]
                    logs += target.curve[held + weight] - target.curve[held]
                    other_logs += target.curve[others - weight] - target.curve[others]
                    left[code] = held + weight
                else:
                    summed += weight * target.values[code]
            if upto < fewest or node[tuples[i + 1, ORDER], a] == node[row, a]:
                continue
            gain = (
                side_score(logs, summed, known, target)
                + side_score(other_logs, sum_known - summed, n_known - known, target)
                - base
            )
            if gain > least:
                place = a * places + (upto - 1) * places // total
                _keep_better(candidates, place, gain, min(upto, total - upto), a, node[row, a])
    while True:
        pick = 0
        for c in range(1, d * places):
            if candidates[c, 0] > candidates[pick, 0] or (
                candidates[c, 0] == candidates[pick, 0] and candidates[c, 1] > candidates[pick, 1]
            ):
                pick = c
        if candidates[pick, 1] < 0:
            return -1, 0
        a, cut = int(candidates[pick, 2]), int(candidates[pick, 3])
        if sides_satisfy(records, start, stop, a, cut, criteria, np.int64(0), np.int64(1)):
            return a, cut
        candidates[pick, 0] = candidates[pick, 1] = -1.0


@kernel
def refine_by_gain(
    records: NDArray[np.int32],
    start: Int,
    stop: Int,
    criteria: Criteria,
    target: Target,
    work: Workspace,
    is_start: NDArray[np.bool_],
    only_once: bool,
) -> Int:
    """Cut a node and what comes of it until no cut gains; mark where what is left starts.

    is_start: (n,) bool, set to True at the first record of each node that is left.
    only_once: stop after the first cut and mark both sides.
    Returns where the right side of the first cut begins, -1 where there was none.
    Cost O(n d) for each level of the tree.
    """
    d = records.shape[1] - 3 - len(criteria.references)
    box = np.empty((2, d), np.int64)
    # The larger side waits: at most 64 nodes ever do.
    waiting = np.empty((64, 2), np.int64)
    waiting[0, 0] = start
    waiting[0, 1] = stop
    n_waiting = 1
    first_cut: Int = np.int64(-1)
    while n_waiting > 0:
        n_waiting -= 1
        first, last = waiting[n_waiting]
        while True:
            is_start[first] = True
            total = measure_node(records, first, last, box)
            if total < 2 * criteria.min_size or (first_cut >= 0 and only_once):
                break
            a, cut = gain_cut(records, first, last, box, total, criteria, target, work)
            if a < 0:
                break
            middle = separate(records, first, last, a, cut)
            if first_cut < 0:
                first_cut = middle
            waiting[n_waiting, 0] = middle if middle - first <= last - middle else first
            waiting[n_waiting, 1] = last if middle - first <= last - middle else middle
            if middle - first <= last - middle:
                last = middle
            else:
                first = middle
            n_waiting += 1
    return first_cut
