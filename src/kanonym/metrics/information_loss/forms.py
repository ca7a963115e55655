"""Metrics as a policy file writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, cast

from kanonym.data.errors import PolicyError
from kanonym.data.loading.lazy_registry import LazyRegistry
from kanonym.metrics.information_loss.base import Metric, nearest

METRICS: LazyRegistry[type[Metric]] = LazyRegistry(
    "kanonym.metrics.information_loss",
    {
        "loss": "loss:Loss",
        "loss-arithmetic": "loss:LossArithmetic",
        "average-class-size": "class_size:AverageClassSize",
        "discernibility": "discernibility:Discernibility",
        "non-uniform-entropy": "entropy:NonUniformEntropy",
        "normalized-entropy": "entropy:NormalizedEntropy",
        "precision": "precision:Precision",
        "height": "height:Height",
        "kl-divergence": "divergence:KLDivergence",
        "ambiguity": "ambiguity:Ambiguity",
        "weighted": "weighted:Weighted",
    },
    "kanonym.metrics",
)
"""Every metric by the name that a policy gives it."""


def metric_from(given: object) -> Metric:
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
    if isinstance(given, METRICS.loaded()):
        return given
    if isinstance(given, str):
        given = {"type": given}
    if not isinstance(given, Mapping) or "type" not in given:
        raise PolicyError(
            f"a metric is one of {', '.join(METRICS)}, or {{type: …}} with its parameters, "
            f"not {given!r}"
        )
    name = given["type"]
    if name not in METRICS:
        raise PolicyError(f"metric: {nearest(name, METRICS, 'metric')}")
    known = {field.name: field for field in fields(cast("Any", METRICS[name]))}
    parameters = {key: value for key, value in given.items() if key != "type"}
    for key in parameters:
        if key not in known:
            raise PolicyError(f"{name}: {nearest(key, known, 'parameter of it')}")
    for key, field in known.items():
        if key not in parameters and field.default is MISSING:
            raise PolicyError(f"{name}: {key} is missing")
    return METRICS[name](**parameters)
