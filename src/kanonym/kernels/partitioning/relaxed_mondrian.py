"""Relaxed Mondrian: a cut halves the records of a node, equal values included."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.classes.conditions import Criteria, sides_satisfy
from kanonym.kernels.classes.penalty import Costs
from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.partitioning.mondrian import sort_node, spread, sweep
from kanonym.kernels.partitioning.workspace import ORDER, Workspace, attribute_loss, measure_node


@kernel
def refine_relaxed(
    records: NDArray[np.int32],
    costs: Costs,
    criteria: Criteria,
    work: Workspace,
    by_loss: bool,
    is_start: NDArray[np.bool_],
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
def _divide(
    records: NDArray[np.int32], start: Int, stop: Int, d: Int, buffer: NDArray[np.int32]
) -> None:
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
