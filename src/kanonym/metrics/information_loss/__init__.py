"""Metrics of generalized tables: what a node of the lattice loses. Searches minimize them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.loading.lazy_names import lazy_names

if TYPE_CHECKING:
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
    from kanonym.metrics.information_loss.forms import METRICS, metric_from
    from kanonym.metrics.information_loss.height import Height
    from kanonym.metrics.information_loss.loss import Loss, LossArithmetic
    from kanonym.metrics.information_loss.precision import Precision
    from kanonym.metrics.information_loss.weighted import Weighted

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
        "Ambiguity": "kanonym.metrics.information_loss.ambiguity",
        "AverageClassSize": "kanonym.metrics.information_loss.class_size",
        "BoundMetric": "kanonym.metrics.information_loss.base",
        "Discernibility": "kanonym.metrics.information_loss.discernibility",
        "FinestClasses": "kanonym.metrics.information_loss.base",
        "Generalized": "kanonym.metrics.information_loss.base",
        "Height": "kanonym.metrics.information_loss.height",
        "KLDivergence": "kanonym.metrics.information_loss.divergence",
        "Loss": "kanonym.metrics.information_loss.loss",
        "LossArithmetic": "kanonym.metrics.information_loss.loss",
        "METRICS": "kanonym.metrics.information_loss.forms",
        "Metric": "kanonym.metrics.information_loss.base",
        "NonUniformEntropy": "kanonym.metrics.information_loss.entropy",
        "NormalizedEntropy": "kanonym.metrics.information_loss.entropy",
        "Precision": "kanonym.metrics.information_loss.precision",
        "Terms": "kanonym.metrics.information_loss.base",
        "Weighted": "kanonym.metrics.information_loss.weighted",
        "metric_from": "kanonym.metrics.information_loss.forms",
    },
)
