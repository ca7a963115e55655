"""A weighted sum of metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.data.table import EncodedTable
from kanonym.metrics.information_loss.base import (
    BoundMetric,
    FinestClasses,
    Generalized,
    Metric,
    Terms,
    is_number,
)
from kanonym.metrics.information_loss.forms import metric_from

Part = tuple[Any, float] | Mapping[str, Any]
"""A metric (or its name, or its YAML form) and its weight, as a pair or by name."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """The sum of other metrics, each times a weight.

    Metrics have different units and ranges: a weight is a price, such as one precision
    against a thousand records of average class size.

    Parameters
    ----------
    parts
        Pairs of a metric (or its name, or its YAML form) and a weight of at least 0, or
        mappings `{metric: …, weight: …}`; a weight that is left out is 1.

    Raises
    ------
    PolicyError
        There is no part, a metric is unknown, a weight is negative, or all are 0.

    Notes
    -----
    Score from 0; cost: that of the parts.

    Examples
    --------
    >>> both = Weighted([("loss", 1), ({"type": "precision", "factor": 0.5}, 2)])
    >>> [(metric.type, weight) for metric, weight in both.parts]
    [('loss', 1.0), ('precision', 2.0)]
    >>> both.to_dict()["parts"][0]
    {'metric': {'type': 'loss', 'factor': 0.5}, 'weight': 1.0}

    """

    parts: Sequence[Part]

    type: ClassVar[str] = "weighted"
    unit: ClassVar[str] = "weighted units of its parts"
    source: ClassVar[str] = "the sources of its parts"
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = float("inf")
    better: ClassVar[Literal["lower"]] = "lower"

    def __post_init__(self) -> None:
        """Build every part, and refuse weights that are none."""
        if isinstance(self.parts, str | Mapping) or not isinstance(self.parts, Iterable):
            raise PolicyError(
                f"weighted: parts is {self.parts!r}; it must be a list of {{metric: …, weight: …}}"
            )
        built = tuple(_part(part) for part in self.parts)
        if not any(weight for _, weight in built):
            raise PolicyError("weighted: parts has no part with a weight above 0")
        object.__setattr__(self, "parts", built)

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundWeighted:
        """Prepare for a table: see `Metric.bind`; each part weighs the attributes."""
        return BoundWeighted(
            tuple((metric.bind(table, weights), weight) for metric, weight in self._metrics)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the form that a policy file gives it."""
        parts = [{"metric": metric.to_dict(), "weight": weight} for metric, weight in self._metrics]
        return {"type": self.type, "parts": parts}

    @property
    def _metrics(self) -> tuple[tuple[Metric, float], ...]:
        return tuple(self.parts)  # type: ignore[arg-type]  # what `__post_init__` made of them


@dataclass(frozen=True, slots=True)
class BoundWeighted:
    """A weighted sum over one table."""

    parts: tuple[tuple[BoundMetric, float], ...]

    @property
    def lost_alike(self) -> bool:
        """Whether that is so in every part: see `BoundMetric.lost_alike`."""
        return all(metric.lost_alike for metric, _ in self.parts)

    @property
    def n_floors(self) -> int:
        """So many as all parts have: see `BoundMetric.n_floors`."""
        return sum(metric.n_floors for metric, _ in self.parts)

    def score(self, classes: Generalized) -> float:
        """Return the loss of a node: see `BoundMetric.score`."""
        return sum(weight * metric.score(classes) for metric, weight in self.parts if weight)

    def floor(self, levels: NDArray[np.int64]) -> float:
        """Return a lower bound: see `BoundMetric.floor`.

        A sum is at least the sum of the bounds of its parts, as no weight is negative.
        """
        return sum(weight * metric.floor(levels) for metric, weight in self.parts if weight)

    def class_floors(self, classes: FinestClasses) -> NDArray[np.float64]:
        """Return those of the parts, side by side."""
        return np.hstack([metric.class_floors(classes) for metric, _ in self.parts])

    def branch_floor(
        self, levels: NDArray[np.int64], sums: NDArray[np.float64], lost: int
    ) -> float:
        """Return a lower bound: see `BoundMetric.branch_floor`; a sum as that of `floor`."""
        found, first = 0.0, 0
        for metric, weight in self.parts:
            part = sums[:, first : first + metric.n_floors]
            first += metric.n_floors
            found += weight * metric.branch_floor(levels, part, lost) if weight else 0.0
        return found

    def class_losses(self, classes: Generalized) -> NDArray[np.float64]:
        """Return the weighted sum of what the parts say."""
        found = np.zeros(len(classes.sizes))
        for metric, weight in self.parts:
            found += weight * metric.class_losses(classes)
        return found

    def terms(self) -> Terms | None:
        """Return None: the parts normalise differently."""
        return None


def _part(given: object) -> tuple[Metric, float]:
    """Return a part: a built metric and its weight."""
    weight: Any = 1.0
    if isinstance(given, Mapping) and "metric" in given:
        stray = [key for key in given if key not in ("metric", "weight")]
        if stray:
            raise PolicyError(f"weighted: a part has a metric and a weight, no {stray[0]!r}")
        metric, weight = given["metric"], given.get("weight", 1.0)
    elif isinstance(given, tuple | list) and len(given) == 2:
        metric, weight = given
    else:
        raise PolicyError(f"weighted: a part is {{metric: …, weight: …}}, not {given!r}")
    if not is_number(weight) or weight < 0:
        raise PolicyError(f"weighted: weight is {weight!r}; it must be a number of at least 0")
    return metric_from(metric), float(weight)
