"""Metrics as a policy writes them: there and back, and what is refused."""

from __future__ import annotations

import json
import math

import pytest

from kanonym.data.errors import PolicyError
from kanonym.metrics.information_loss import METRICS, Loss, Metric, Precision, Weighted, metric_from

PARTS = {"type": "weighted", "parts": [{"metric": "loss", "weight": 1}, {"metric": "height"}]}


@pytest.mark.parametrize("name", [name for name in METRICS if name != "weighted"])
def test_a_name_is_the_metric_with_its_defaults(name):
    """And a metric is itself, and comes back from its JSON form."""
    metric = metric_from(name)
    assert isinstance(metric, METRICS[name])
    assert isinstance(metric, Metric)
    assert metric_from(metric) is metric
    assert metric_from(json.loads(json.dumps(metric.to_dict()))) == metric == METRICS[name]()


def test_every_metric_has_a_name_of_its_own():
    """The names of a policy."""
    assert all(kind.type == name for name, kind in METRICS.items())


def test_a_weighted_sum_comes_back_from_its_form():
    """Metrics by name, with parameters, built; weights 1 where none is given."""
    given = {
        "type": "weighted",
        "parts": [
            {"metric": "loss", "weight": 1},
            {"metric": {"type": "precision", "factor": 0.25}, "weight": 2},
            {"metric": "height"},
        ],
    }
    metric = metric_from(given)
    assert metric.to_dict() == {
        "type": "weighted",
        "parts": [
            {"metric": {"type": "loss", "factor": 0.5}, "weight": 1.0},
            {"metric": {"type": "precision", "factor": 0.25}, "weight": 2.0},
            {"metric": {"type": "height"}, "weight": 1.0},
        ],
    }
    assert metric_from(metric.to_dict()) == metric
    assert metric == Weighted([("loss", 1), (Precision(0.25), 2), (METRICS["height"](), 1)])
    assert hash(metric) == hash(metric_from(given))


def test_sums_may_be_parts_of_sums():
    """A weighted sum is a metric."""
    assert Weighted([(PARTS, 2)]).parts[0][0] == metric_from(PARTS)


@pytest.mark.parametrize("name", [one for one, kind in METRICS.items() if hasattr(kind, "factor")])
@pytest.mark.parametrize("factor", [-0.1, 1.1, math.nan, True, "half", None])
def test_a_factor_out_of_its_range_is_refused(name, factor):
    """The message names the metric, the parameter, the value and what it must be."""
    with pytest.raises(PolicyError, match=f"^{name}: factor is .*; it must be a number from 0 to"):
        metric_from({"type": name, "factor": factor})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("los", "'los' is not a metric; did you mean 'loss'"),
        ({"type": "presision"}, "'presision' is not a metric; did you mean 'precision'"),
        ({"type": "loss", "factr": 1}, "loss: 'factr' is not a parameter of it; did you mean"),
        (
            {"type": "height", "factor": 1},
            "height: 'factor' is not a parameter of it; there are none",
        ),
        ({"factor": 1}, "a metric is one of loss, loss-arithmetic"),
        (3, "not 3"),
        (Loss, "a metric is one of"),
        ("weighted", "weighted: parts is missing"),
        ({"type": "weighted", "parts": []}, "no part with a weight above 0"),
        ({"type": "weighted", "parts": [("loss", 0)]}, "no part with a weight above 0"),
        ({"type": "weighted", "parts": "loss"}, "parts is 'loss'; it must be a list"),
        ({"type": "weighted", "parts": 3}, "parts is 3; it must be a list"),
        ({"type": "weighted", "parts": ["loss"]}, "a part is {metric: …, weight: …}, not 'loss'"),
        ({"type": "weighted", "parts": [("loss", -1)]}, "weight is -1; it must be a number of at"),
        ({"type": "weighted", "parts": [("los", 1)]}, "did you mean 'loss'"),
        (
            {"type": "weighted", "parts": [{"metric": "loss", "wieght": 2}]},
            "a part has a metric and a weight, no 'wieght'",
        ),
    ],
)
def test_what_is_no_metric_is_refused(given, message):
    """With the nearest right name where there is one."""
    with pytest.raises(PolicyError, match=message.replace("{", r"\{")):
        metric_from(given)
