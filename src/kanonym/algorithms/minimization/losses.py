"""What the model's predictions lose when a cell's records hold its representative's values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.minimization.nodes import Nodes

Ask = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]], NDArray[np.generic]]
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
    records: NDArray[np.int64]
    total: float

    @classmethod
    def of(cls, predictions: NDArray[np.generic], records: NDArray[np.int64]) -> Scale:
        """Return the scale over some records."""
        if predictions.dtype.kind == "i":
            return cls(predictions, records, float(len(records)))
        own = predictions[records].astype(np.float64)
        return cls(predictions, records, float(np.square(own - own.mean()).sum()))

    @property
    def is_whole(self) -> bool:
        """Whether losses are whole numbers: records whose class changes."""
        return self.predictions.dtype.kind == "i"

    def losses(
        self, records: NDArray[np.int64], answers: NDArray[np.generic]
    ) -> NDArray[np.float64]:
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
    wanted: NDArray[np.int64],
    leaves: NDArray[np.int64],
    representatives: NDArray[np.int64],
    exempted: NDArray[np.bool_],
    scale: Scale,
    ask: Ask,
) -> NDArray[np.float64]:
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
