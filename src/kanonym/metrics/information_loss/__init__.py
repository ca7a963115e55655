"""Metrics of generalized tables: what a node of the lattice loses. Searches minimize them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanonym.metrics.information_loss.ambiguity import Ambiguity
from kanonym.metrics.information_loss.base import (
    BoundMetric,
    FinestClasses,
    Generalized,
    Metric,
    Terms,
)
from kanonym.metrics.information_loss.class_size import AverageClassSize
from kanonym.metrics.information_loss.discernibility import Discernibility
from kanonym.metrics.information_loss.divergence import KLDivergence
from kanonym.metrics.information_loss.entropy import NonUniformEntropy, NormalizedEntropy
from kanonym.metrics.information_loss.forms import build_metric
from kanonym.metrics.information_loss.height import Height
from kanonym.metrics.information_loss.loss import Loss, LossArithmetic
from kanonym.metrics.information_loss.precision import Precision
from kanonym.metrics.information_loss.weighted import ALL, METRICS, Weighted


def metric_from(given: str | Mapping[str, Any] | Metric) -> Metric:
    """Return a metric from its name, its YAML form, or itself; the inverse of `to_dict`.

    Examples
    --------
    >>> metric_from("precision")
    Precision(factor=0.5)
    >>> metric_from({"type": "loss", "factor": 0.25})
    Loss(factor=0.25)
    >>> metric_from("los")
    Traceback (most recent call last):
        ...
    kanonym.data.errors.PolicyError: metric: 'los' is not a metric; did you mean 'loss'?

    """
    return build_metric(given, METRICS)


__all__ = [
    "ALL",
    "METRICS",
    "Ambiguity",
    "AverageClassSize",
    "BoundMetric",
    "Discernibility",
    "FinestClasses",
    "Generalized",
    "Height",
    "KLDivergence",
    "Loss",
    "LossArithmetic",
    "Metric",
    "NonUniformEntropy",
    "NormalizedEntropy",
    "Precision",
    "Terms",
    "Weighted",
    "metric_from",
]
