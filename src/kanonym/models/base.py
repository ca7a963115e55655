"""What a privacy model is: one vectorized predicate over equivalence classes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.kernels import disclosure

if TYPE_CHECKING:
    from kanonym.data.partition import Classes


@dataclass(frozen=True, slots=True)
class Criterion:
    """One compiled condition on a class; a model is met where all of its own hold.

    Attributes
    ----------
    measure
        A measure of `kernels.disclosure` (its integer constant).
    attribute
        The sensitive attribute that it looks at; None for the class size alone.
    threshold
        The required value.
    relation
        `>=`, `<=` or `<`: how the measured value must relate to the threshold.
    argument
        A further integer of the measure (l of recursive (c, l)-diversity), else 0.

    """

    measure: int
    attribute: str | None
    threshold: float
    relation: str
    argument: int = 0

    def measured(self, classes: Classes) -> NDArray[np.float64]:
        """Return (n_classes,) float64: the measure of every class."""
        if self.attribute is None:
            return classes.sizes.astype(np.float64)
        distribution = classes.distributions[self.attribute]
        ancestors = distribution.ancestors
        if self.measure == disclosure.T_HIERARCHICAL and not len(ancestors):
            raise PolicyError(
                f"t-closeness with hierarchical distance needs a hierarchy of {self.attribute!r}"
            )
        return disclosure.measure_classes(
            self.measure,
            distribution.offsets,
            distribution.values,
            distribution.counts,
            classes.sizes,
            disclosure.reference_shares(distribution.table, ancestors),
            ancestors,
            self.argument,
        )

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool: which classes meet the condition."""
        relation = disclosure.RELATIONS[self.relation]
        return disclosure.hold(self.measured(classes), relation, float(self.threshold))


@runtime_checkable
class PrivacyModel(Protocol):
    """A requirement on every equivalence class of a table."""

    type: ClassVar[str]

    @property
    def attribute(self) -> str | None:
        """The sensitive attribute, or None for a model of class sizes."""
        ...

    @property
    def required(self) -> float:
        """The value that the user asked for."""
        ...

    def criteria(self) -> tuple[Criterion, ...]:
        """Return the conditions in the form that compiled kernels read."""
        ...

    def achieved(self, classes: Classes) -> float:
        """Return the value that the whole table has: the worst over its classes."""
        ...

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool: which classes satisfy the model."""
        ...


class _HasCriteria(Protocol):
    """What `PerClass` needs of the class that it is mixed into."""

    def criteria(self) -> tuple[Criterion, ...]:
        """Return the conditions."""
        ...


class PerClass:
    """The predicate of every model that asks each class on its own: its criteria hold."""

    def satisfied(self: _HasCriteria, classes: Classes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool: which classes satisfy the model."""
        satisfied = np.ones(len(classes.sizes), np.bool_)
        for criterion in self.criteria():
            satisfied &= criterion.satisfied(classes)
        return satisfied

    def achieved(self: _HasCriteria, classes: Classes) -> float:
        """Return the strictest value of the first criterion's threshold that all classes meet.

        Infinite where a further criterion fails, because no value of the first
        threshold would help then. 0 where there are no classes.
        """
        if not len(classes.sizes):
            return 0
        first, *further = self.criteria()
        if not all(criterion.satisfied(classes).all() for criterion in further):
            return math.inf
        measured = first.measured(classes)
        worst = float(measured.min() if first.relation == ">=" else measured.max())
        whole = first.measure in (disclosure.SIZE, disclosure.DISTINCT)
        return int(worst) if whole else worst


def check_attribute(model: str, attribute: object) -> None:
    """Refuse anything but a column name."""
    if not isinstance(attribute, str) or not attribute:
        raise PolicyError(
            f"{model}: attribute is {attribute!r}; it must be the name of a sensitive attribute"
        )


def check_integer(model: str, name: str, value: object, minimum: int) -> None:
    """Refuse anything but an integer of at least `minimum`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < minimum:
        raise PolicyError(
            f"{model}: {name} is {value!r}; it must be an integer of at least {minimum}"
        )


def check_number(
    model: str,
    name: str,
    value: object,
    *,
    above: float | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
) -> None:
    """Refuse anything but a finite number in the range that is given."""
    lower = f" above {above}" if above is not None else f" of at least {minimum}"
    upper = "" if maximum is None else f" and at most {maximum}"
    if (
        isinstance(value, bool)
        or not isinstance(value, Real)
        or not math.isfinite(value)
        or (above is not None and float(value) <= above)
        or (minimum is not None and float(value) < minimum)
        or (maximum is not None and float(value) > maximum)
    ):
        raise PolicyError(f"{model}: {name} is {value!r}; it must be a number{lower}{upper}")


def check_choice(model: str, name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse anything but one of the given words."""
    if value not in choices:
        raise PolicyError(f"{model}: {name} is {value!r}; it must be {' or '.join(choices)}")
