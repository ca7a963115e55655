"""What the quasi-identifiers of classes lose when classes are merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.classes.penalty import Costs, span_losses

Classes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ClassSpans:
    """The quasi-identifiers of classes.

    low, high: (n_classes, d) int32, the smallest and largest code of each class.
    sizes: (n_classes,) int64 records.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    sizes: NDArray[np.int64]
    costs: Costs
    distinct: Mapping[int, Sequence[NDArray[np.int32]]]

    def loss(self, classes: Classes) -> float:
        """Return what classes lose as one: records times the mean NCP of the attributes."""
        low, high = self.low[classes].min(axis=0), self.high[classes].max(axis=0)
        for a, held in self.distinct.items():
            # As a span: n distinct codes lose what codes 0 to n - 1 do.
            low[a], high[a] = 0, len(np.unique(np.concatenate([held[i] for i in classes]))) - 1
        return float(self._mean_losses(low[None], high[None])[0] * self.sizes[classes].sum())

    def halves(self, classes: Classes) -> tuple[Classes, Classes]:
        """Return the two parts, each at least a quarter of the classes, that lose least.

        Parts are neighbours in one attribute. A set of values loses what the span of its codes
        does, at most.
        """
        n = len(classes)
        cuts = np.arange(max(1, n // 4), min(n - 1, -(-3 * n // 4)) + 1)
        found: list[tuple[float, Classes, Classes]] = []
        for a in range(self.low.shape[1]):
            middle = self.low[classes, a].astype(np.int64) + self.high[classes, a]
            order = classes[np.argsort(middle, kind="stable")]
            left, right = self._running_losses(order), self._running_losses(order[::-1])
            lost = left[cuts - 1] + right[n - cuts - 1]
            place = int(np.argmin(lost))
            found.append((float(lost[place]), order[: cuts[place]], order[cuts[place] :]))
        return min(found, key=lambda one: one[0])[1:]

    def _running_losses(self, order: Classes) -> NDArray[np.float64]:
        """Return (n,) float64: what the first class, the first two and so on lose as one."""
        low = np.minimum.accumulate(self.low[order])
        high = np.maximum.accumulate(self.high[order])
        lost: NDArray[np.float64] = self._mean_losses(low, high) * np.cumsum(self.sizes[order])
        return lost

    def _mean_losses(self, low: NDArray[np.int32], high: NDArray[np.int32]) -> NDArray[np.float64]:
        lost = np.zeros(len(low))
        for a in range(low.shape[1]):
            lost += span_losses(a, low[:, a], high[:, a], self.costs)
        mean: NDArray[np.float64] = lost / low.shape[1]
        return mean
