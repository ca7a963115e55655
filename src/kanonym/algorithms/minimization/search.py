"""Minimization of the data that a model needs: the whole search, arrays in, a decision out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.minimization.losses import (
    Ask,
    Links,
    Scale,
    Step,
    best_pruning,
    cells_after_merges,
    exempt_features,
    losses_of,
    weakest_links,
)
from kanonym.algorithms.minimization.nodes import (
    Boxes,
    Feature,
    Nodes,
    boxes_of,
    cell_of,
    representatives_of,
)
from kanonym.data.errors import InfeasibleError
from kanonym.kernels.arrays import Bools, Floats, Ints

EXACT = 200_000_000
"""Validation records times budget up to which the best pruning is searched exactly."""


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Records that the tree is grown on, and those that relative accuracy is measured on."""

    grown: Ints
    validation: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """Generalizations from the finest cells to one, each with what it reaches.

    All (n_steps,). First the prunings without an exempted feature, by weakest links; then,
    where features are exempted, the finest cells with one more of them exempted each, or
    with one taken back.
    """

    cells: Ints
    exempted: Ints
    relative_accuracy: Floats
    gcp: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Minimization:
    """How far features may be generalized.

    cells: (n_cells,) int64, ascending: the nodes that are cells.
    counts: (n_cells,) int64: records of each, grown and validation ones.
    representatives: (n_cells,) int64: the record that stands for each.
    majority: (n_cells,) int64: the class that most of its grown records have; zeros for numbers.
    """

    nodes: Nodes
    boxes: Boxes
    cells: Ints
    counts: Ints
    representatives: Ints
    majority: Ints
    exempted: tuple[int, ...]
    relative_accuracy: float
    gcp: float
    path: Path
    coarser: tuple[Ints, ...]


def minimize(
    matrix: Floats,
    features: Sequence[Feature],
    predictions: NDArray[np.generic],
    split: Split,
    tree: Any,
    ask: Ask,
    *,
    target: float,
    k: int = 1,
) -> Minimization:
    """Find the generalization that goes farthest while the model's predictions hold.

    matrix: (n, n_columns) float64: the features to minimize of every record.
    predictions: (n,) int64 classes or float64 numbers: the model's on the records as they are.

    Notes
    -----
    Relative accuracy and GCP are sums over the cells of a pruning, so the model is asked once
    about every node. Of classes the best pruning is exact (`knapsack`) up to
    `EXACT`; of numbers and beyond it is the better one of weakest links with greedy filling
    (`links`) and of all prunings at one depth. Cost O(n · depth) predictions.

    References
    ----------
    Goldsteen, Ezov, Shmelkin, Moffie and Farkash (2021), "Data minimization for GDPR compliance in
    machine learning models", AI and Ethics 2, sec. 4.1, which prunes level by level and knows no k.
    """
    whole = predictions.dtype.kind == "i"
    tree.fit(matrix[split.grown], predictions[split.grown])
    nodes = Nodes.of(tree)
    leaves = nodes.place[tree.apply(matrix)]
    boxes = boxes_of(nodes, features)
    rows, majority = representatives_of(
        nodes,
        leaves[split.grown],
        matrix[split.grown],
        predictions[split.grown].astype(np.int64) if whole else None,
    )
    representatives = split.grown[rows]
    starts, stops = nodes.runs(np.sort(leaves))
    counts = stops - starts
    base = _cells_of_k(nodes, counts, k)
    scale = Scale.of(predictions, split.validation)
    above = np.flatnonzero(nodes.above(base))
    none = np.zeros(len(features), np.bool_)

    def ask_losses(wanted: Ints, exempted: Bools) -> Floats:
        return losses_of(
            nodes, wanted, leaves[split.validation], representatives, exempted, scale, ask
        )

    def accuracies_of(exempted: Bools) -> Floats:
        losses = ask_losses(base, exempted)[:, base].sum(axis=1)
        return np.array([scale.accuracy(float(loss)) for loss in losses])

    weights = counts[:, None] * boxes.width / (len(matrix) * len(features))
    loss = ask_losses(np.sort(np.append(base, above)), none[None])[0]
    gain = weights.sum(axis=1)
    links = weakest_links(nodes, loss, gain, base)
    accuracy = scale.accuracy(float(loss[base].sum()))
    steps: list[Step] = []
    exempted: tuple[int, ...] = ()
    cells = base
    if k == 1 and accuracy < target:
        prices = _price(boxes.width[base], counts[base])
        steps = exempt_features(accuracies_of, prices, weights[base].sum(axis=0), target, accuracy)
        exempted, accuracy = steps[-1]
    else:
        pruned = _prune(nodes, loss, gain, base, scale, target)
        if pruned is None:
            raise InfeasibleError(_explain_miss(scale, links, target, k))
        cells = pruned
        accuracy = scale.accuracy(float(loss[cells].sum()))
    kept = none.copy()
    kept[list(exempted)] = True
    left = weights[:, ~kept].sum(axis=1)
    return Minimization(
        nodes=nodes,
        boxes=boxes,
        cells=cells,
        counts=counts[cells],
        representatives=representatives[cells],
        majority=majority[cells],
        exempted=exempted,
        relative_accuracy=accuracy,
        gcp=float(left[cells].sum()),
        path=_path(links, scale, steps, weights[base].sum(axis=0)),
        coarser=tuple(_halve_cells(nodes, loss, left, cells)),
    )


def _cells_of_k(nodes: Nodes, counts: Ints, k: int) -> Ints:
    """Return the finest cells of at least k records, ascending."""
    if counts[0] < k:
        raise InfeasibleError(f"k = {k}: there are {counts[0]} records, too few for one cell")
    ends = nodes.right == 0
    inner = np.flatnonzero(~ends)
    ends[inner] = np.minimum(counts[inner + 1], counts[nodes.right[inner]]) < k
    return nodes.cells_of(ends)


def _prune(
    nodes: Nodes, loss: Floats, gain: Floats, base: Ints, scale: Scale, target: float
) -> Ints | None:
    """Return the cells of largest gain that keep the target; None where no cells do."""
    budget = scale.budget(target)
    finest = float(loss[base].sum())
    if scale.accuracy(finest) >= target:
        budget = max(budget, finest)
    if scale.is_whole and len(scale.records) * (budget + 1) <= EXACT:
        return best_pruning(nodes, loss.astype(np.int64), gain, base, int(budget))
    found = [cells_after_merges(nodes, base, weakest_links(nodes, loss, gain, base, budget).merged)]
    inside = nodes.above(base)
    inside[base] = True
    for depth in range(int(nodes.depth[base].max(initial=0))):
        ends = inside & (nodes.depth == depth)
        ends[base] = True
        found.append(nodes.cells_of(ends))
    kept = [cells for cells in found if float(loss[cells].sum()) <= budget]
    return max(kept, key=lambda cells: float(gain[cells].sum()), default=None)


def _price(width: Floats, counts: Ints) -> Floats:
    """Return (n_features,) float64: what exempting each feature gives up in the cells.

    A cell that suppresses the feature counts in full however few records it has, others by width
    and share of records: what the tree hardly looks at stays generalized longest.
    """
    shares = width * (counts / counts.sum())[:, None]
    prices: Floats = np.where(width == 1, 1.0, shares).sum(axis=0)
    return prices


def _explain_miss(scale: Scale, links: Links, target: float, k: int) -> str:
    best = int(np.argmin(links.loss))
    return (
        f"a relative accuracy of {target} cannot be kept with cells of at least {k} records: "
        f"{math.floor(1e4 * scale.accuracy(float(links.loss[best]))) / 1e4} was reached, with "
        f"{links.cells[best]} cell(s). Lower the target or k, or minimize fewer features"
    )


def _path(links: Links, scale: Scale, steps: Sequence[Step], lost: Floats) -> Path:
    gains = [links.gain[0] - lost[list(exempted)].sum() for exempted, _ in steps]
    accuracies = [scale.accuracy(loss) for loss in links.loss.tolist()]
    return Path(
        cells=np.append(links.cells, np.full(len(steps), links.cells[0])).astype(np.int64),
        exempted=np.append(np.zeros(len(links.cells)), [len(one) for one, _ in steps]).astype(
            np.int64
        ),
        relative_accuracy=np.array([*accuracies, *(reached for _, reached in steps)]),
        gcp=np.clip(np.append(links.gain, gains), 0.0, 1.0),
    )


def _halve_cells(nodes: Nodes, loss: Floats, gain: Floats, cells: Ints) -> list[Ints]:
    links = weakest_links(nodes, loss, gain, cells)
    found = []
    last = len(cells)
    for step, n_cells in enumerate(links.cells.tolist()):
        if n_cells <= last // 2:
            found.append(cells_after_merges(nodes, cells, links.merged[:step]))
            last = n_cells
    return found


def assign_cells(found: Minimization, fitted: Any, matrix: Floats) -> Ints:
    """Return (m,) int64: the position among the cells of that of each row of (m, n_columns)."""
    return cell_of(found.cells, found.nodes.place[fitted.apply(matrix)])
