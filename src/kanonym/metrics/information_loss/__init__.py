"""Metrics of generalized tables: what a node of the lattice loses. Searches minimize them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.loading import lazy_names

if TYPE_CHECKING:
    from kanonym.metrics.information_loss.base import (
        METRICS,
        BoundMetric,
        FinestClasses,
        Generalized,
        Metric,
        Terms,
        metric_from,
    )
    from kanonym.metrics.information_loss.class_size import (
        Ambiguity,
        AverageClassSize,
        Discernibility,
    )
    from kanonym.metrics.information_loss.entropy import (
        KLDivergence,
        NonUniformEntropy,
        NormalizedEntropy,
    )
    from kanonym.metrics.information_loss.loss import Loss, LossArithmetic, Weighted
    from kanonym.metrics.information_loss.precision import Height, Precision

__all__ = [
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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "kanonym.metrics.information_loss.class_size": "Ambiguity AverageClassSize Discernibility",
        "kanonym.metrics.information_loss.base": (
            "BoundMetric FinestClasses Generalized METRICS Metric Terms metric_from"
        ),
        "kanonym.metrics.information_loss.precision": "Height Precision",
        "kanonym.metrics.information_loss.entropy": (
            "KLDivergence NonUniformEntropy NormalizedEntropy"
        ),
        "kanonym.metrics.information_loss.loss": "Loss LossArithmetic Weighted",
    },
)
