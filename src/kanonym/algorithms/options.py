"""Parameters of algorithms that the command line names by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from kanonym.data.option import Option

if TYPE_CHECKING:
    from kanonym.metrics.information_loss import Metric
else:  # loading it takes a while, which `kanonym --help` has not
    Metric = Any

CLASSIFICATION = "classification"
"""The metric of full-domain recoding that has a score, but is no information loss."""

Bounds = int | Sequence[int]
"""A level, or the least and the most."""

Split = Annotated[
    Literal["auto", "loss", "span"],
    Option("How Mondrian chooses cuts: auto, loss or span.", "RULE", group="method", rare=True),
]
Target = Annotated[
    str | None,
    Option(
        "Column that models will predict; for mondrian and segmentation.",
        "COLUMN",
        group="method",
        rare=True,
    ),
]
Importance = Annotated[
    Sequence[str],
    Option(
        "Quasi-identifiers to keep, most important first; for cell-suppression.",
        "A,B",
        kind="columns",
        group="method",
        rare=True,
    ),
]
Levels = Annotated[
    Mapping[str, Bounds],
    Option(
        "Levels of attributes: fixed, or the lowest and the highest.",
        "A=2,B=1-3",
        kind="levels",
        group="search",
    ),
]
Weights = Annotated[
    Mapping[str, float],
    Option(
        "How much quasi-identifiers count: 1, or what is named here; 0: not looked at.",
        "A=3,B=0.5",
        kind="shares",
        group="method",
        rare=True,
    ),
]
MetricForm = Annotated[
    str | Mapping[str, Any] | Metric,
    Option("Metric to minimize, such as discernibility.", "NAME", group="search"),
]
Search = Annotated[
    Literal["optimal", "best-first", "genetic"],
    Option(
        "Search: optimal (default), best-first or genetic; for full-domain.", "NAME", group="search"
    ),
]
Steps = Annotated[
    int | None, Option("Stop after this many nodes, with the best so far.", "N", group="search")
]
Seconds = Annotated[
    float | None, Option("Stop after this many seconds, with the best so far.", "S", group="search")
]
Degree = Annotated[
    Literal["none", "low", "low-medium", "medium", "medium-high", "high", "complete"] | None,
    Option(
        "With differential-privacy: levels by how far up they are: none, low, low-medium, medium, "
        "medium-high, high or complete.",
        "NAME",
        group="search",
    ),
]

PARAMETERS: dict[str, Any] = {
    "split": Split,
    "target": Target,
    "importance": Importance,
    "levels": Levels,
    "weights": Weights,
    "metric": MetricForm,
    "search": Search,
    "steps": Steps,
    "seconds": Seconds,
    "degree": Degree,
}
"""The annotation of each; a law compares them with the fields of the algorithms."""
