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
        "kanonym.metrics.information_loss": (
            "Ambiguity AverageClassSize Discernibility Height KLDivergence Loss LossArithmetic "
            "NonUniformEntropy NormalizedEntropy Precision"
        )
    },
)
