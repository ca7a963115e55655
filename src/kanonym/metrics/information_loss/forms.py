"""Metrics as a policy file writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, cast

from kanonym.data.errors import PolicyError
from kanonym.metrics.information_loss.base import Metric, nearest


def build_metric(given: object, kinds: Mapping[str, type[Metric]]) -> Metric:
    """Return a metric of one of some kinds from its name, its YAML form, or itself."""
    if isinstance(given, tuple(kinds.values())):
        return cast("Metric", given)
    if isinstance(given, str):
        given = {"type": given}
    if not isinstance(given, Mapping) or "type" not in given:
        raise PolicyError(
            f"a metric is one of {', '.join(kinds)}, or {{type: …}} with its parameters, "
            f"not {given!r}"
        )
    name = given["type"]
    if name not in kinds:
        raise PolicyError(f"metric: {nearest(name, kinds, 'metric')}")
    known = {field.name: field for field in fields(cast("Any", kinds[name]))}
    parameters = {key: value for key, value in given.items() if key != "type"}
    for key in parameters:
        if key not in known:
            raise PolicyError(f"{name}: {nearest(key, known, 'parameter of it')}")
    for key, field in known.items():
        if key not in parameters and field.default is MISSING:
            raise PolicyError(f"{name}: {key} is missing")
    return kinds[name](**parameters)
