"""Losses of generalizations, and which records are exempt from them."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.minimization.nodes import Nodes
from kanonym.kernels.arrays import Bools, Floats, Ints

Ask = Callable[[Ints, Ints, Bools], NDArray[np.generic]]
"""Predictions (n_sets, m) for records (m,) that hold the values of other records (m,) in every
feature to minimize, but for exempted ones (n_sets, n_features) bool."""

_NUMERIC_NOISE = 1e-9  # share of a budget of squared errors that sums of floats may differ by


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """Relative accuracy of a model on validation records, as a sum of losses over a total.

    predictions: (n,) int64 classes, or float64 numbers: the model's on the records as they are.
    records: (m,) int64: the validation records.
    """

    predictions: NDArray[np.generic]
    records: Ints
    total: float

    @classmethod
    def of(cls, predictions: NDArray[np.generic], records: Ints) -> Scale:
        """Return the scale over some records."""
        if predictions.dtype.kind == "i":
            return cls(predictions, records, float(len(records)))
        own = predictions[records].astype(np.float64)
        return cls(predictions, records, float(np.square(own - own.mean()).sum()))

    @property
    def is_whole(self) -> bool:
        """Whether losses are whole numbers: records whose class changes."""
        return self.predictions.dtype.kind == "i"

    def losses(self, records: Ints, answers: NDArray[np.generic]) -> Floats:
        """Return (m,) float64: 0 or 1 of classes, squared differences of numbers."""
        own = self.predictions[records]
        if self.is_whole:
            return np.asarray(answers != own, dtype=np.float64)
        return np.square(answers.astype(np.float64) - own.astype(np.float64))

    def accuracy(self, loss: float) -> float:
        """Return the relative accuracy: agreement of classes, R² of numbers."""
        if self.total > 0:
            return (self.total - loss) / self.total
        return 1.0 if loss == 0 else 0.0

    def budget(self, target: float) -> float:
        """Return the largest loss at which relative accuracy is at least `target`."""
        if not self.is_whole:
            return (1 - target) * self.total * (1 - _NUMERIC_NOISE)
        most = int((1 - target) * self.total) + 1  # floats may be off by one either way
        while most > 0 and self.accuracy(most) < target:
            most -= 1
        return float(most)


def losses_of(
    nodes: Nodes,
    wanted: Ints,
    leaves: Ints,
    representatives: Ints,
    exempted: Bools,
    scale: Scale,
    ask: Ask,
) -> Floats:
    """Return (n_sets, n_nodes) float64: the loss of each wanted node as a cell; 0 of others.

    wanted: (n_wanted,) int64: nodes.
    leaves: (m,) int64: the leaf of each validation record.
    representatives: (n_nodes,) int64: the record that stands for each node.
    exempted: (n_sets, n_features) bool: features that records keep.
    """
    in_order = np.argsort(leaves, kind="stable")
    starts, stops = nodes.runs(leaves[in_order])
    counts = (stops - starts)[wanted]
    owner = np.repeat(wanted, counts)
    skipped = np.repeat(np.cumsum(counts) - counts, counts)
    within = np.arange(len(owner)) - skipped + starts[owner]
    records = scale.records[in_order[within]]
    losses = np.zeros((len(exempted), nodes.n))
    if len(owner):
        for i, answers in enumerate(ask(records, representatives[owner], exempted)):
            own = scale.losses(records, answers)
            losses[i] = np.bincount(owner, own, minlength=nodes.n)
    return losses


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Merges of subtrees into cells, in order, and what the tree is before and after each.

    merged: (n_merges,) int64: the node that becomes a cell.
    cells: (n_merges + 1,) int64: number of cells, before the first merge and after each.
    loss, gain: (n_merges + 1,) float64: sums over these cells.
    """

    merged: Ints
    cells: Ints
    loss: Floats
    gain: Floats


def weakest_links(
    nodes: Nodes, loss: Floats, gain: Floats, base: Ints, budget: float = np.inf
) -> Links:
    """Merge subtrees from the weakest link on: least loss for what is gained by it.

    loss: (n_nodes,) float64, what each node loses as a cell; may fall when nodes are merged.
    gain: (n_nodes,) float64, what is won by it; a node's is at least that of any cells below.
    base: (n_cells,) int64, ascending: the cells to start from.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees, ch. 10.
    Chou, Lookabaugh and Gray (1989), IEEE Trans. Inf. Theory 35(2).
    """
    alive = nodes.above(base)
    below_loss, below_gain = np.zeros(nodes.n), np.zeros(nodes.n)
    below_cells = np.zeros(nodes.n, np.int64)
    below_loss[base], below_gain[base], below_cells[base] = loss[base], gain[base], 1
    inner = np.flatnonzero(alive)
    for v in inner[::-1].tolist():
        for below in (below_loss, below_gain, below_cells):
            below[v] = below[v + 1] + below[nodes.right[v]]

    def price(v: int) -> tuple[float, int]:
        lost, won = float(loss[v] - below_loss[v]), float(gain[v] - below_gain[v])
        if won > 0:
            return lost / won, -v
        return (-np.inf if lost <= 0 else np.inf), -v  # of equals those below first

    version = np.zeros(nodes.n, np.int64)
    heap = [(price(v), v, 0) for v in inner.tolist()]
    heapq.heapify(heap)
    merged: list[int] = []
    totals = [(int(below_cells[0]), float(below_loss[0]), float(below_gain[0]))]
    while heap:
        _, v, seen = heapq.heappop(heap)
        if not alive[v] or seen != version[v]:
            continue
        lost = loss[v] - below_loss[v]
        if lost > 0 and below_loss[0] + lost > budget:
            continue
        won, fewer = gain[v] - below_gain[v], below_cells[v] - 1
        alive[v : nodes.stop[v]] = False
        merged.append(v)
        up = v
        while up >= 0:
            below_loss[up] += lost
            below_gain[up] += won
            below_cells[up] -= fewer
            if alive[up]:
                version[up] += 1
                heapq.heappush(heap, (price(up), up, int(version[up])))
            up = int(nodes.parent[up])
        totals.append((int(below_cells[0]), float(below_loss[0]), float(below_gain[0])))
    cells, losses, gains = zip(*totals, strict=True)
    return Links(np.array(merged, np.int64), np.array(cells), np.array(losses), np.array(gains))


def cells_after_merges(nodes: Nodes, base: Ints, merged: Ints) -> Ints:
    """Return the cells that remain of a base after some merges, ascending."""
    ends = np.zeros(nodes.n, np.bool_)
    ends[base] = True
    ends[merged] = True
    return nodes.cells_of(ends)


def best_pruning(nodes: Nodes, loss: Ints, gain: Floats, base: Ints, budget: int) -> Ints | None:
    """Return the cells, ascending, of largest total gain that lose at most `budget` in all.

    A knapsack on the tree: for each node and each budget up to its own loss, the best below it;
    from its own loss on it is best itself. Where the losses of a node are at most its number of
    records, cost O(n_records · budget) and memory O(n_records · depth).

    loss: (n_nodes,) int64, at least 0: what each node loses as a cell.
    gain: (n_nodes,) float64; a node's is at least that of any cells below it.
    base: (n_cells,) int64, ascending: the finest cells allowed.
    """
    inner = nodes.above(base)
    is_cell = np.zeros(nodes.n, np.bool_)
    is_cell[base] = True
    tables: dict[int, Floats] = {}
    shares: dict[int, Ints] = {}
    for v in range(nodes.n - 1, -1, -1):
        if not (inner[v] or is_cell[v]):
            continue
        own = int(loss[v])
        length = min(own, budget) + 1
        table = np.full(length, -np.inf)
        if inner[v]:
            right = int(nodes.right[v])
            table, shares[v] = _merge_subtrees(tables.pop(v + 1), tables.pop(right), length)
        if own <= budget:
            table[own] = gain[v]
        tables[v] = table
    root = tables[0]
    if np.isneginf(root[-1]):
        return None
    cells: list[int] = []
    stack = [(0, int(np.argmax(root == root[-1])))]
    while stack:
        v, given = stack.pop()
        if is_cell[v] or given >= loss[v]:
            cells.append(v)
            continue
        left = int(shares[v][given])
        stack += [(int(nodes.right[v]), given - left), (v + 1, left)]
    return np.array(cells, np.int64)


def _merge_subtrees(left: Floats, right: Floats, length: int) -> tuple[Floats, Ints]:
    """Return the best of two subtrees together for budgets below `length`, and the left's share."""
    swapped = len(left) > len(right)
    short, long = (right, left) if swapped else (left, right)
    if len(long) < length:
        long = np.append(long, np.full(length - len(long), long[-1]))
    best = np.full(length, -np.inf)
    share = np.zeros(length, np.int64)
    before = -np.inf
    for i, value in enumerate(short[:length].tolist()):
        if value == before:  # nothing is won by giving it more
            continue
        before = value
        candidate = value + long[: length - i]
        better = candidate > best[i:]
        best[i:][better] = candidate[better]
        share[i:][better] = i
    return best, np.arange(length) - share if swapped else share


Step = tuple[tuple[int, ...], float]
"""The features exempted so far, in order, and the relative accuracy with them."""


def exempt_features(
    accuracies_of: Callable[[Bools], Floats],
    price: Floats,
    regained: Floats,
    target: float,
    accuracy: float,
) -> list[Step]:
    """Exempt features one by one until the target is met, and return the steps.

    accuracies_of: from (n_sets, n_features) bool, the features exempted, to the (n_sets,) relative
        accuracies. Many sets at once cost little more than one.
    price: (n_features,) float64: what exempting each gives up.
    regained: (n_features,) float64: the GCP that generalizing each again regains.

    Notes
    -----
    The next one is that of the lowest price per accuracy gained, the first of equals. One that
    gains nothing goes at its price, since it may gain with another. Where several went without a
    gain, the order was blind: then features that turn out not to be needed are generalized again,
    each tried once, the one that regains most first.

    References
    ----------
    Goldsteen et al. (2021), sec. 4.1. The rule for no gain is that of their implementation,
    which takes nothing back.
    """
    exempted = np.zeros(len(price), np.bool_)
    steps: list[Step] = []
    blind = 0
    while accuracy < target and not exempted.all():
        best, lowest, reached = -1, np.inf, accuracy
        left = np.flatnonzero(~exempted)
        left = left[np.argsort(price[left], kind="stable")]
        answers: list[float] = []
        for place, feature in enumerate(left.tolist()):
            if price[feature] / max(1.0, 1 - accuracy) > lowest:
                break  # no accuracy is above 1: neither this one nor a dearer one is the best
            if place == len(answers):
                tried = left[place : 2 * place + 2]
                sets = np.tile(exempted, (len(tried), 1))
                sets[np.arange(len(tried)), tried] = True
                answers += accuracies_of(sets).tolist()
            answer = answers[place]
            gained = answer - accuracy
            asked = float(price[feature] / gained if gained > 0 else price[feature])
            if (asked, feature) < (lowest, best) or best < 0:
                best, lowest, reached = feature, asked, answer
        exempted[best] = True
        blind += reached <= accuracy
        accuracy = reached
        before = steps[-1][0] if steps else ()
        steps.append(((*before, best), accuracy))
    if blind < 2:
        return steps
    for feature in np.argsort(-regained, kind="stable").tolist():
        if not exempted[feature]:
            continue
        exempted[feature] = False
        accuracy = float(accuracies_of(exempted[None])[0])
        if accuracy >= target:
            steps.append((tuple(f for f in steps[-1][0] if f != feature), accuracy))
        else:
            exempted[feature] = True
    return steps
