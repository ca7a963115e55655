"""Suppression in strict cuts: outliers of the table, and of its classes."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from kanonym.algorithms.base import without_conditions
from kanonym.algorithms.workload import GRAIN
from kanonym.data.partition import SUPPRESSED
from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.histograms import Costs
from kanonym.kernels.parallel import parallel
from kanonym.kernels.partitioning.mondrian import refine, separate, suppressing_cuts, total_loss
from kanonym.kernels.partitioning.workspace import workspace

TRIMS = 32
"""So many cuts at the most give up outliers of the whole table."""


class TriedCuts(NamedTuple):
    """Up to how many tuples of a node cuts are compared by their loss."""

    every: int = 0
    medians: int = 0


def refine_in_parallel(
    records: Int32s,
    costs: Costs,
    criteria: Criteria,
    tried: TriedCuts,
    is_start: Bools,
    whole: tuple[int, int],
) -> None:
    """Refine one node on all cores; what becomes of a node depends on it alone."""

    def advance(node: tuple[int, int]) -> list[tuple[int, int]]:
        start, stop = node
        large = stop - start > GRAIN
        work = workspace(tried.every, costs, tried.medians)
        middle = int(refine(records, start, stop, costs, criteria, work, is_start, large))
        return [(start, middle), (middle, stop)] if large and middle >= 0 else []

    nodes = [whole]
    while nodes:
        nodes = [node for cut in parallel(advance, nodes) for node in cut]


def suppress_outliers(
    records: Int32s,
    is_start: Bools,
    costs: Costs,
    criteria: Criteria,
    tried: TriedCuts,
    budget: int,
    *,
    trim: bool = False,
    by_size: bool = False,
) -> tuple[Int32s, Int32s, float]:
    """Spend a budget where a suppressed record saves most; return records, classes and loss.

    The order is fixed: the cut of most loss saved a suppressed record first, ties by
    place in the sorted table. What stays is refined again and may be cut again.

    trim: first give up outliers of the whole table, and refine what stays anew. by_size: who is
    suppressed does not depend on sensitive values; classes then give up nobody.
    """
    records, is_start = records.copy(), is_start.copy()
    given_up = np.zeros(len(records), np.bool_)
    first, end = 0, len(records)
    if trim:
        alone = without_conditions(criteria, criteria.min_size) if by_size else criteria
        first, end = _trim(records, costs, alone, budget)
        given_up[:first] = given_up[end:] = True
        budget -= int(records[given_up, -2].sum())
        is_start[:] = False
        refine_in_parallel(records, costs, criteria, tried, is_start, (first, end))
    queue: list[tuple[float, int, int, tuple[int, ...]]] = []

    def enqueue(starts: Ints, stops: Ints) -> None:
        gains, cuts = suppressing_cuts(records, starts, stops, costs, criteria, whole, budget)
        for i in np.flatnonzero(gains > 0):
            cut = tuple(cuts[i].tolist())
            heapq.heappush(queue, (-gains[i], int(starts[i]), int(stops[i]), cut))

    starts = np.flatnonzero(is_start)
    stops = np.append(starts[1:], end)
    whole = workspace(int((stops - starts).max()), costs)
    fine = workspace(tried.every, costs, tried.medians)
    if budget and not by_size:
        enqueue(starts, stops)
    while queue:
        _, start, stop, (attribute, code, side, n_records) = heapq.heappop(queue)
        if n_records > budget:
            enqueue(np.array([start]), np.array([stop]))
            continue
        budget -= n_records
        middle = separate(records, start, stop, attribute, code)
        kept, lost = ((start, middle), (middle, stop))[:: 1 - 2 * side]
        is_start[middle] = True
        given_up[slice(*lost)] = True
        refine(records, kept[0], kept[1], costs, criteria, fine, is_start, False)  # noqa: FBT003
        starts = kept[0] + np.flatnonzero(is_start[slice(*kept)])
        enqueue(starts, np.append(starts[1:], kept[1]))
    bounds = np.append(np.flatnonzero(is_start), end)
    live = ~given_up[bounds[:-1]]
    loss = total_loss(records, bounds[:-1][live], bounds[1:][live], costs, whole)
    loss += float(costs.weights.sum()) * int(records[given_up, -2].sum())
    labels = np.cumsum(is_start & ~given_up, dtype=np.int32) - np.int32(1)
    labels[given_up] = SUPPRESSED
    return records, labels, loss


def _trim(records: Int32s, costs: Costs, criteria: Criteria, budget: int) -> tuple[int, int]:
    """Give up outliers of the whole table one cut after another; return what stays.

    An outlier stretches whatever class it is in, so it has to go before the classes
    are made: inside of a final class of k records none can be spared.
    """
    start, stop = 0, len(records)
    work = workspace(len(records), costs)
    for _step in range(TRIMS):
        node = np.array([start]), np.array([stop])
        gains, cuts = suppressing_cuts(records, *node, costs, criteria, work, budget)
        if gains[0] <= 0:
            break
        attribute, code, side, n_records = cuts[0].tolist()
        middle = int(separate(records, start, stop, attribute, code))
        start, stop = ((start, middle), (middle, stop))[side]
        budget -= n_records
    return start, stop
