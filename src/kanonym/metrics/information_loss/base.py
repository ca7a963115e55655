"""Base class of metrics, and every metric by name."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from numbers import Real
from typing import Any, ClassVar, Literal, Protocol, TypeGuard, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.data.loading import LazyRegistry
from kanonym.data.table import EncodedTable

DIGITS = 1e10
"""Losses of single attributes are cut off after ten decimal digits, as ARX does."""

SLACK = 1e-12
"""Bounds that are no whole numbers give way by this share: rounding lifts none above a score."""


@dataclass(frozen=True, slots=True)
class Generalized:
    """The classes of a table at one node of the lattice, as a metric sees them.

    levels: (d,) int64, the level of each quasi-identifier.
    labels: (n_classes, d) int32, the label index of each class at these levels.
    sizes: (n_classes,) int64 numbers of records, suppressed classes included; they add up to the
    records of the table. Classes of no record do not count. Where suppressed records lose alike,
    suppressed classes may be left out.
    kept: (n_classes,) bool, False for suppressed classes.
    """

    levels: NDArray[np.int64]
    labels: NDArray[np.int32]
    sizes: NDArray[np.int64]
    kept: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class FinestClasses:
    """The classes of the finest node of a branch of the lattice.

    Every node of the branch joins them, and keeps or suppresses what it has joined.

    levels: (d,) int64, the lowest levels of the branch.
    sizes: (n_classes,) int64 numbers of records.
    column: returns (n_classes,) int32: the labels of one attribute at its lowest level.
    """

    levels: NDArray[np.int64]
    sizes: NDArray[np.int64]
    column: Callable[[int], NDArray[np.int32]]
    least: int


@dataclass(frozen=True, slots=True)
class Terms:
    """A metric that is a sum over records for each attribute, as tables for kernels.

    For attribute j at the levels of a node,

        x_j = max(0, (sum of `kept` over kept records + sum of `lost` over suppressed
              records - low_j) / (high_j - low_j)),

    cut off after ten digits where `rounded`. The score is the product of
    (x_j · w_j + 1) to the power 1 / d, less 1, where `geometric`; else the sum of
    x_j · w_j. `low`, `high`, and with the usual factor 0.5 every term, are whole numbers:
    sums below 2^53 are exact in any order.

    kept, lost: by attribute and level (n_labels,) float64: what one record with the label loses
    where it is kept, and where it is suppressed.
    low, high: (d,) float64, the sums that count as 0 and as 1; high is above low.
    weights: (d,) float64.
    """

    kept: list[list[NDArray[np.float64]]]
    lost: list[list[NDArray[np.float64]]]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    weights: NDArray[np.float64]
    geometric: bool
    rounded: bool
    charged: float = 0.0


class BoundMetric(Protocol):
    """A metric prepared for one table."""

    @property
    def lost_alike(self) -> bool:
        """Whether suppressed records lose the same whatever their labels and classes.

        `score` then needs no suppressed classes.
        """
        ...

    @property
    def n_floors(self) -> int:
        """How many numbers of each class `branch_floor` adds up."""
        ...

    def score(self, classes: Generalized) -> float:
        """Return the loss of a node with its suppressed classes."""
        ...

    def floor(self, levels: NDArray[np.int64]) -> float:
        """Return a lower bound on the score of every node at or above `levels`.

        It holds for any suppression of whole classes, and is computed from the attributes'
        marginal counts alone, in O(d).
        """
        ...

    def class_floors(self, classes: FinestClasses) -> NDArray[np.float64]:
        """Return (n_classes, n_floors) float64: what `branch_floor` adds up of each class."""
        ...

    def branch_floor(
        self, levels: NDArray[np.int64], sums: NDArray[np.float64], lost: int
    ) -> float:
        """Return a lower bound on the score of every node of a branch.

        sums: (n_joined, n_floors) float64: `class_floors` of its finest classes, or of those of a
        branch around it, added up within each class of its coarsest node that is large enough to be
        kept.
        """
        ...

    def class_losses(self, classes: Generalized) -> NDArray[np.float64]:
        """Return (n_classes,) float64: what each class as a whole loses, to rank equal sizes."""
        ...

    def terms(self) -> Terms | None:
        """Return the metric as sums over records, None where it is no such sum."""
        ...


@runtime_checkable
class Metric(Protocol):
    """A measure of what generalization and suppression lose; lower is better.

    A metric inherits from this class: what differs from the defaults says so.
    """

    __slots__ = ()

    type: ClassVar[str]
    title: ClassVar[str] = ""
    counted: ClassVar[str] = ""
    short: ClassVar[str] = ""
    unit: ClassVar[str]
    source: ClassVar[str]
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = math.inf
    better: ClassVar[Literal["lower"]] = "lower"

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundMetric:
        """Prepare for a table whose attributes all have hierarchies.

        weights: how much each attribute counts, by name; 1 for the others.
        """
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the form that a policy file gives it: its type and its parameters."""
        parameters = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {"type": self.type, **parameters}


@dataclass(frozen=True, slots=True)
class FactorMetric(Metric):
    """A metric with a factor between generalization and suppression, from 0 to 1."""

    factor: float = 0.5

    def __post_init__(self) -> None:
        """Refuse a factor out of its range."""
        if not is_number(self.factor) or not 0 <= self.factor <= 1:
            raise PolicyError(
                f"{self.type}: factor is {self.factor!r}; it must be a number from 0 to 1"
            )


class SizeLosses:
    """Losses of classes by which those of a size lose the same."""

    __slots__ = ()

    def class_losses(self, classes: Generalized) -> NDArray[np.float64]:
        """Return the sizes of the classes: those of a size lose the same."""
        return classes.sizes.astype(np.float64)


class ClassFloors(SizeLosses):
    """A metric that is no sum over records, whose classes tell more than its levels."""

    __slots__ = ()

    lost_alike: ClassVar[bool] = True
    n_floors: ClassVar[int] = 1

    def terms(self) -> Terms | None:
        """Return None: it is no sum over records."""
        return None


class LevelBounds(SizeLosses):
    """Lower bounds of a metric whose classes tell no more than its levels."""

    __slots__ = ()

    lost_alike: ClassVar[bool] = False
    n_floors: ClassVar[int] = 0

    def class_floors(self, classes: FinestClasses) -> NDArray[np.float64]:
        """Return nothing to be added up: see `BoundMetric.class_floors`."""
        return np.zeros((len(classes.sizes), 0))

    def branch_floor(
        self: BoundMetric, levels: NDArray[np.int64], sums: NDArray[np.float64], lost: int
    ) -> float:
        """Return the bound of the levels alone: see `BoundMetric.branch_floor`."""
        del sums, lost
        return self.floor(levels)


def parts_of_factor(factor: float) -> tuple[float, float]:
    """Return the shares at which generalization and suppression are charged.

    factor: 0.5 charges both in full, 0 no suppression, 1 no generalization (ARX's
    generalization/suppression factor).
    """
    return min(1.0, 2 - 2 * float(factor)), min(1.0, 2 * float(factor))


def aggregate(x: Iterable[float], weights: Iterable[float], *, geometric: bool) -> float:
    """Put the losses of attributes together, one after the other as kernels do.

    geometric: the geometric mean of x · w + 1, less 1; else the sum of x · w.
    """
    total, product, d = 0.0, 1.0, 0
    for one, weight in zip(x, weights, strict=True):
        total += one * weight
        product *= one * weight + 1.0
        d += 1
    if not geometric:
        return total
    return product ** (1.0 / d) - 1.0 if d else 0.0


def attribute_weights(table: EncodedTable, weights: Mapping[str, float]) -> NDArray[np.float64]:
    """Return (d,) float64: the weight of each attribute, divided by the largest."""
    names = [domain.name for domain in table.domains]
    for name, weight in weights.items():
        if name not in names:
            raise PolicyError(f"weights: {nearest(name, names, 'quasi-identifier')}")
        if not is_number(weight) or weight < 0:
            raise PolicyError(f"weights: {name} is {weight!r}; it must be a number of at least 0")
    found = np.array([weights.get(name, 1.0) for name in names], np.float64)
    largest = found.max(initial=0.0)
    if len(found) and not largest:
        raise PolicyError("weights: all are 0; at least one must be above 0")
    return found / (largest or 1.0)


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a finite real number."""
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)


def nearest(name: object, names: Iterable[str], what: str) -> str:
    """Say that a name is none of the known ones, and which one was probably meant."""
    names = list(names)
    near = difflib.get_close_matches(str(name), names, n=1)
    guess = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names) or 'none'}"
    return f"{name!r} is not a {what}; {guess}"


METRICS: LazyRegistry[type[Metric]] = LazyRegistry(
    "kanonym.metrics.information_loss",
    {
        "loss": "loss:Loss",
        "loss-arithmetic": "loss:LossArithmetic",
        "average-class-size": "class_size:AverageClassSize",
        "discernibility": "class_size:Discernibility",
        "non-uniform-entropy": "entropy:NonUniformEntropy",
        "normalized-entropy": "entropy:NormalizedEntropy",
        "precision": "precision:Precision",
        "height": "precision:Height",
        "kl-divergence": "entropy:KLDivergence",
        "ambiguity": "class_size:Ambiguity",
        "weighted": "loss:Weighted",
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
