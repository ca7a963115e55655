"""Cuts of a node beside the quantiles of its records: few, and found without sorting."""

from __future__ import annotations

import math

import numpy as np

from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.classes.balance import skipped_cuts
from kanonym.kernels.classes.conditions import Criteria, sides_satisfy
from kanonym.kernels.classes.histograms import SET, Costs, span_loss
from kanonym.kernels.compile import Int, part
from kanonym.kernels.partitioning.workspace import Workspace, attribute_loss

QUANTILES = np.array([8, 4, 12, 2, 14, 1, 15], np.int64)
"""Where a large node is cut, in sixteenths of its records: the median, then outwards."""


@part
def quantile_cut(
    records: Int32s, start: Int, stop: Int, a: Int, low: Int, high: Int, target: Int
) -> tuple[Int, Int, Int]:
    """Return the smallest code v with at least `target` records at or below it.

    Returns v, the records at or below v, and those below v. Codes run from low to
    high; a histogram of at most 2 n + 64 buckets is narrowed until a bucket is a code.
    """
    weight_at = records.shape[1] - 2
    below = np.int64(0)
    while True:
        limit = 2 * (stop - start) + 64
        shift = 0
        while (high - low) >> shift >= limit:
            shift += 1
        histogram = np.zeros(((high - low) >> shift) + 1, np.int64)
        for i in range(start, stop):
            code = records[i, a]
            if low <= code <= high:
                histogram[(code - low) >> shift] += records[i, weight_at]
        bucket = 0
        while below + histogram[bucket] < target:
            below += histogram[bucket]
            bucket += 1
        low += bucket << shift
        if shift == 0:
            return low, below + histogram[bucket], below
        high = min(high, low + (1 << shift) - 1)


@part
def wide_cut(
    records: Int32s,
    start: Int,
    stop: Int,
    total: Int,
    box: Ints,
    costs: Costs,
    criteria: Criteria,
    work: Workspace,
) -> tuple[Int, Int]:
    """Choose a cut by LeFevre et al. 2006: widest attribute, beside the median.

    Where no median cut satisfies the criteria, cuts beside other quantiles are tried.
    Returns attribute and code, or (-1, 0). total: records of the node.
    """
    d = box.shape[1]
    tried = np.zeros(d, np.bool_)
    spans = np.empty(d, np.float64)
    for b in range(d):
        spans[b] = attribute_loss(records, start, stop, np.int64(b), box, costs, work)
    n_quantiles = len(QUANTILES) if len(criteria.thresholds) else 1
    skipped = skipped_cuts(criteria, total, box)
    # Cuts that are passed over are tried after the others.
    for late in range(1 + (skipped > 0)):
        number = 0
        for q in range(n_quantiles):
            for b in range(d):
                tried[b] = False
            target = max((total * QUANTILES[q] + 15) // 16, 1)
            for _ in range(d):
                a: Int = np.int64(-1)
                for b in range(d):
                    # Equal on paper, spans may differ by rounding: the lower attribute goes first.
                    wider = a < 0 or spans[b] > spans[a] + 1e-9
                    if wider and not tried[b] and box[0, b] < box[1, b]:
                        a = b
                if a < 0:
                    break
                tried[a] = True
                code, upto, below = quantile_cut(
                    records, start, stop, a, box[0, a], box[1, a], target
                )
                first = min(upto, total - upto) >= min(below, total - below)
                for turn in range(2):
                    inclusive = first == (turn == 0)
                    left = upto if inclusive else below
                    cut = code if inclusive else code - 1
                    if left < criteria.min_size or total - left < criteria.min_size:
                        continue
                    number += 1
                    if (number <= skipped) == (late == 1) and sides_satisfy(
                        records, start, stop, a, cut, criteria, np.int64(0), np.int64(1)
                    ):
                        return a, cut
    return -1, 0


@part
def _median_losses(
    node: Int32s,
    a: Int,
    code: Int,
    box: Ints,
    costs: Costs,
    work: Workspace,
    outer: Int32s,
    losses: Floats,
) -> None:
    """Write what each record of a side loses: codes of a below `code`, up to it, from it, above it.

    outer: (3, 2, d) int32, overwritten: lowest and highest codes of tuples below, at and above.
    losses: (4,) float64; of a side without tuples the loss is of no use.
    """
    n, d = len(node), box.shape[1]
    for place in range(3):
        for b in range(d):
            outer[place, 0, b] = box[1, b]
            outer[place, 1, b] = box[0, b]
    for i in range(n):
        place = int(node[i, a] >= code) + int(node[i, a] > code)
        for b in range(d):
            outer[place, 0, b] = min(outer[place, 0, b], node[i, b])
            outer[place, 1, b] = max(outer[place, 1, b], node[i, b])
    for side in range(4):
        losses[side] = 0.0
    seen = work.codes
    for b in range(d):
        if box[0, b] == box[1, b]:
            continue
        if costs.attributes[b, 0] != SET:
            for side in range(4):
                first, last = max(side - 1, 0), min(side, 2)
                low = np.int64(min(outer[first, 0, b], outer[last, 0, b]))
                high = np.int64(max(outer[first, 1, b], outer[last, 1, b]))
                if low < high:
                    losses[side] += span_loss(np.int64(b), low, high, costs)
            continue
        offset = 4 * d + 4 * len(work.tuples) + 2 + costs.attributes[b, 1]
        share = costs.positions[costs.attributes[b, 1] + 1]
        # A stamp tells in which of the three parts a code was seen.
        stamp = seen[-1] + 1
        seen[-1] = stamp + 7
        for side in range(4):
            losses[side] -= share
        for i in range(n):
            place = int(node[i, a] >= code) + int(node[i, a] > code)
            at = offset + node[i, b]
            before = max(seen[at] - stamp, 0)
            after = before | (1 << place)
            if after != before:
                seen[at] = stamp + after
                if before & 1 == 0 and place == 0:
                    losses[0] += share
                if before & 3 == 0 and place < 2:
                    losses[1] += share
                if before & 6 == 0 and place > 0:
                    losses[2] += share
                if before & 4 == 0 and place == 2:
                    losses[3] += share


@part
def median_cut(
    records: Int32s,
    start: Int,
    stop: Int,
    total: Int,
    box: Ints,
    costs: Costs,
    criteria: Criteria,
    work: Workspace,
) -> tuple[Int, Int]:
    """Choose the cut of least loss among those beside the median of an attribute.

    Ties go to the better balanced cut, then to the lower attribute and code. Returns attribute and
    code, or (-1, 0) where none satisfies the criteria. total: records of the node. Cost O(n d^2).
    """
    node = records[start:stop]
    d = box.shape[1]
    candidates = work.candidates
    outer = np.empty((3, 2, d), np.int32)
    losses = np.empty(4)
    target = max((total + 1) // 2, 1)
    n_candidates = np.int64(0)
    for a in range(d):
        if box[0, a] == box[1, a]:
            continue
        code, upto, below = quantile_cut(
            records, start, stop, np.int64(a), box[0, a], box[1, a], target
        )
        if max(min(upto, total - upto), min(below, total - below)) < criteria.min_size:
            continue
        _median_losses(node, np.int64(a), code, box, costs, work, outer, losses)
        for turn in range(2):
            left = upto if turn else below
            if min(left, total - left) >= criteria.min_size:
                lost = left * losses[turn] + (total - left) * losses[2 + turn]
                candidates[n_candidates, 0] = lost
                candidates[n_candidates, 1] = min(left, total - left)
                candidates[n_candidates, 2] = a
                candidates[n_candidates, 3] = code - 1 + turn
                n_candidates += 1
    return best_candidate(records, start, stop, total, box, n_candidates, criteria, work)


@part
def best_candidate(
    records: Int32s,
    start: Int,
    stop: Int,
    total: Int,
    box: Ints,
    n_candidates: Int,
    criteria: Criteria,
    work: Workspace,
) -> tuple[Int, Int]:
    """Return attribute and code of the best of some cuts that satisfies the criteria, or (-1, 0).

    That of least loss is the best; ties go to the better balanced cut, then to the first. Some of
    the best may be passed over by chance: they are tried after the others.
    """
    candidates = work.candidates
    margin = 1e-9 * total
    skipped = min(skipped_cuts(criteria, total, box), n_candidates)
    late = np.empty((skipped, 2), np.int64)
    for turn in range(n_candidates):
        pick = 0
        for c in range(1, n_candidates):
            gain = candidates[pick, 0] - candidates[c, 0]
            if gain > margin or (gain >= -margin and candidates[c, 1] > candidates[pick, 1]):
                pick = c
        a, cut = int(candidates[pick, 2]), int(candidates[pick, 3])
        if turn < skipped:
            late[turn, 0] = a
            late[turn, 1] = cut
        elif sides_satisfy(records, start, stop, a, cut, criteria, np.int64(0), np.int64(1)):
            return a, cut
        candidates[pick, 0] = math.inf
        candidates[pick, 1] = -1.0
    for turn in range(skipped):
        a, cut = int(late[turn, 0]), int(late[turn, 1])
        if sides_satisfy(records, start, stop, a, cut, criteria, np.int64(0), np.int64(1)):
            return a, cut
    return -1, 0
