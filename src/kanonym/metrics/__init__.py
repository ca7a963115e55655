"""How much: information loss, record risk and the values of privacy models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.loading import lazy_names

if TYPE_CHECKING:
    from kanonym.metrics.information_loss import (
        Ambiguity,
        AverageClassSize,
        Discernibility,
        Height,
        KLDivergence,
        Loss,
        LossArithmetic,
        NonUniformEntropy,
        NormalizedEntropy,
        Precision,
    )

__all__ = [
    "Ambiguity",
    "AverageClassSize",
    "Discernibility",
    "Height",
    "KLDivergence",
    "Loss",
    "LossArithmetic",
    "NonUniformEntropy",
    "NormalizedEntropy",
    "Precision",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Ambiguity": "kanonym.metrics.information_loss",
        "AverageClassSize": "kanonym.metrics.information_loss",
        "Discernibility": "kanonym.metrics.information_loss",
        "Height": "kanonym.metrics.information_loss",
        "KLDivergence": "kanonym.metrics.information_loss",
        "Loss": "kanonym.metrics.information_loss",
        "LossArithmetic": "kanonym.metrics.information_loss",
        "NonUniformEntropy": "kanonym.metrics.information_loss",
        "NormalizedEntropy": "kanonym.metrics.information_loss",
        "Precision": "kanonym.metrics.information_loss",
    },
)
