"""Cuts that give up one side: its records are suppressed, and the other side loses less."""

from __future__ import annotations

import numpy as np

from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.classes.conditions import Criteria, sides_satisfy
from kanonym.kernels.classes.histograms import Costs
from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.partitioning.mondrian import sort_node, spread, sweep
from kanonym.kernels.partitioning.workspace import (
    LEFT,
    ORDER,
    Workspace,
    attribute_loss,
    measure_node,
)


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

    The side that stays satisfies the criteria, the other has at most `budget` records and loses 1
    in every attribute.

    starts, stops: (n_nodes,) int64; every node fits the workspace. Returns gains, (n_nodes,)
        float64, loss saved a suppressed record (0 for no such cut), and cuts, (n_nodes, 4) int64:
        attribute, code, side that stays (0 for codes <= code), records suppressed.
    """
    d = len(costs.attributes)
    box = np.empty((2, d), np.int64)
    gains = np.zeros(len(starts), np.float64)
    cuts = np.zeros((len(starts), 4), np.int64)
    fewest = criteria.min_size
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
                    gain = (loss - work.places[i, 2 * d + 2 + side]) / given_up - d
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
