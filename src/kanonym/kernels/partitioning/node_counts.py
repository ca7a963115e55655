"""Count the codes of the nodes of a tree, one level after another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel

TUPLES = 32
"""Bits of a count that hold the tuples; those above hold the records."""


@kernel
def descend(
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    nodes: NDArray[np.int32],
    cuts: NDArray[np.int32],
    rows: NDArray[np.int32],
    first: NDArray[np.int64],
    counts: NDArray[np.int64],
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
