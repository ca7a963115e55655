"""What kernels that cut nodes work with: their memory, and the extent and loss of a node."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.classes.penalty import SET, Costs, span_loss
from kanonym.kernels.compile import Int, part


class Workspace(NamedTuple):
    """Memory of one thread for nodes of at most n tuples; `workspace` allocates it.

    Few arrays, because each one that is handed from kernel to kernel costs compile time.

    Attributes
    ----------
    tuples
        (n, 4) int64 by place: ORDER (offset of the tuple in the node), KEY (to sort
        by), and the records of the side that ends here, grown from the LEFT and the
        RIGHT.
    places
        (n + 1, 2 d + 4) float64: where each tuple stands, see `spread`, and in the
        last two columns the loss of the side that ends here, grown from the left and
        the right; the last row is the running minimum.
    candidates
        (n d, 4) float64, 2 d rows at the least: loss, records of the smaller side, attribute, code.
    codes
        (4 d + 4 n + 2 + n_codes + 1,) int64: by attribute lowest code, highest code,
        distinct codes and list of attributes in use; a counting sort's counts; a stamp
        for each code, and the latest stamp.
    medians
        Larger nodes, of up to so many tuples, try the cuts beside medians.

    """

    tuples: NDArray[np.int64]
    places: NDArray[np.float64]
    candidates: NDArray[np.float64]
    codes: NDArray[np.int64]
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
def measure_node(records: NDArray[np.int32], start: Int, stop: Int, box: NDArray[np.int64]) -> Int:
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
    records: NDArray[np.int32],
    start: Int,
    stop: Int,
    a: Int,
    box: NDArray[np.int64],
    costs: Costs,
    work: Workspace,
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
