"""Records drawn from a model: expected counts rounded at random, clique after clique."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.synthesis.marginals.graphical_model import GraphicalModel, Table
from kanonym.synthesis.marginals.junction_tree import cells_of


def draw_records(
    model: GraphicalModel, sizes: tuple[int, ...], n: int, random: np.random.Generator
) -> NDArray[np.int32]:
    """Return (attributes, n) int32, the cells of n records in random order.

    From the root outwards: the records of each value of a separator are shared out over the cells
    of the next clique, as nearly as whole numbers can to what the model expects.
    """
    codes = np.zeros((len(sizes), n), np.int32)
    for place, clique in enumerate(model.tree.cliques):
        separator = model.tree.separators[place]
        new = [one for one in clique if one not in separator]
        axes = [clique.index(one) for one in (*separator, *new)]
        table = model.tables[place].transpose(axes).reshape(cells_of(separator, sizes), -1)
        given = np.zeros(n, np.int64)
        for one in separator:
            given = given * sizes[one] + codes[one]
        cells = share_out(table, given, random)
        for one in reversed(new):
            cells, codes[one] = np.divmod(cells, sizes[one])
    return codes[:, random.permutation(n)]


def share_out(
    table: Table, given: NDArray[np.int64], random: np.random.Generator
) -> NDArray[np.int64]:
    """Return (n,) int64, a column of the table for each record, whose row is given.

    Each row's records are distributed as its cells are: cumulative expected counts are rounded
    with one random shift a row, so a cell gets its expected count rounded down or up.
    """
    rows = np.bincount(given, minlength=len(table))
    occurring = np.flatnonzero(rows)
    shares = table[occurring]
    sums = shares.sum(axis=1, keepdims=True)
    shares = np.where(sums > 0, shares, 1.0)
    ends = np.cumsum(shares, axis=1)
    counts = rows[occurring][:, None]
    ends *= counts / ends[:, -1:]
    shifted = np.floor(ends + random.random((len(occurring), 1))).astype(np.int64)
    shifted[:, -1] = counts[:, 0]  # all of them, whatever was rounded
    np.minimum(shifted, counts, out=shifted)
    times = np.diff(shifted, axis=1, prepend=0)
    chosen = np.repeat(np.tile(np.arange(table.shape[1]), len(occurring)), times.ravel())
    order = np.argsort(given + random.random(len(given)))
    cells = np.empty(len(given), np.int64)
    cells[order] = chosen
    return cells
