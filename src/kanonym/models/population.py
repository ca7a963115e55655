"""Models of the population table: how many persons could be meant, and who is in the release."""

from __future__ import annotations

import math
import os
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError, shown_value
from kanonym.data.errors import gettext as _
from kanonym.kernels.classes.disclosure import TOLERANCE
from kanonym.models.base import (
    Answer,
    Criterion,
    Guarantee,
    Monotone,
    PrivacyModel,
    ReleasedTable,
    check_integer,
    check_number,
)

if TYPE_CHECKING:
    from kanonym.data.partition import Classes


class PopulationModel(PrivacyModel):
    """What models share that compare the classes of a release with a population table.

    The population table holds the quasi-identifiers of everybody who could be in the
    release. It is generalized as the release is, and each class has its number of
    records in it: `Classes.population`.

    Two models are equal where their parameters are, and where they have one path or
    one table in memory as their population.
    """

    __slots__ = ()

    type: ClassVar[str]
    guarantee: ClassVar[Guarantee] = "population"
    population: Any

    @property
    def population_table(self) -> Any:
        """The population table, or its path."""
        return self.population

    @abstractmethod
    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool: which classes satisfy the model."""

    @abstractmethod
    def achieved(self, classes: Classes) -> float:
        """Return the worst value of a class."""

    def answer(self, released: ReleasedTable) -> Answer:
        """Ask every class, and the persons of whom there is no record."""
        found = super().answer(released)
        beyond = released.beyond
        return Answer(
            max(found.achieved, self.achieved(beyond)),
            found.satisfied and bool(self.satisfied(beyond).all()),
            found.failing,
        )

    @property
    def attribute(self) -> str | None:
        """None: the model looks at numbers of records."""
        return None

    def criteria(self) -> tuple[Criterion, ...]:
        """Return none: compiled kernels do not see the population."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as plain values; a table in memory is not among them."""
        if _is_path(self.population):
            return {**self._plain, "population": str(self.population)}
        return self._plain

    def __eq__(self, other: object) -> bool:
        """Say whether another model asks the same of the same population."""
        return isinstance(other, PopulationModel) and self._key == other._key

    def __hash__(self) -> int:
        """Return the hash that equal models share."""
        return hash(self._key)

    @property
    def _plain(self) -> dict[str, Any]:
        names = [one.name for one in fields(self) if one.name != "population"]  # type: ignore[arg-type]
        return {name: getattr(self, name) for name in names}

    @property
    def _key(self) -> tuple[object, ...]:
        return (self.type, *self._plain.values(), _place(self.population))

    def _persons(self, classes: Classes) -> NDArray[np.int64]:
        """Return (n_classes,) int64: records of the population table in each class."""
        if classes.population is None:
            raise PolicyError(
                f"{self.type} needs the records of the population table in each class, and "
                "these classes come without them: choose the algorithm full-domain"
            )
        return classes.population

    def _check_population(self) -> None:
        """Refuse anything but a path or a table."""
        given = self.population
        if not (given if _is_path(given) else hasattr(type(given), "columns")):
            raise PolicyError(
                f"{self.type}: population is {shown_value(given)}; it must be a table, or the "
                "path of one, with the quasi-identifiers of everybody who could be in the release"
            )


def _is_path(population: object) -> bool:
    return isinstance(population, str | os.PathLike)


def _place(population: object) -> object:
    """Return what tells one population from another: its path, or which object it is."""
    return str(population) if _is_path(population) else id(population)


@dataclass(frozen=True, slots=True, eq=False)
class KMap(PopulationModel):
    """Every class of the release has at least k persons in the population.

    Protects against identity disclosure where the intruder does not know who is in the
    release: a record could be any of the k persons with its quasi-identifiers. With
    the release itself as the population it is k-anonymity; where the release is a small
    sample, it takes far less generalization. It does not look at sensitive values.

    Parameters
    ----------
    k
        Integer of at least 1.
    population
        A table with the quasi-identifiers of everybody who could be in the release,
        those in it included, or the path of one.

    Raises
    ------
    PolicyError
        A parameter is out of its range.

    Notes
    -----
    Monotone, for the number of suppressed records, too: the persons of joined classes
    add up, so a class that satisfies the model still does.

    References
    ----------
    Sweeney (2002), "k-anonymity: a model for protecting privacy", on maps to a
    population; El Emam and Dankar (2008), "Protecting privacy using k-anonymity",
    JAMIA 15(5), who name it k-map. The population is counted, not estimated.

    Examples
    --------
    >>> KMap(5, "register.csv").to_dict()
    {'k': 5, 'population': 'register.csv'}

    """

    k: int
    population: Any = field(repr=False)

    type: ClassVar[str] = "k-map"
    title: ClassVar[str] = _("k-map")
    promise: ClassVar[str] = _("Every record matches at least k people of a population table.")
    no_promise: ClassVar[str] = _(
        "Whoever knows that somebody is in the table may still find the record."
    )
    symbol: ClassVar[str] = "k"
    relation: ClassVar[str] = "≥"
    requirements: ClassVar[Mapping[str, str]] = {
        "": _("Every record matches at least {persons} of the population.")
    }
    monotone: ClassVar[Monotone] = "suppression"

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_integer(self.type, "k", self.k, 1)
        self._check_population()

    @property
    def least_persons(self) -> int:
        """The k asked for."""
        return self.k

    @property
    def required(self) -> float:
        """The k asked for."""
        return self.k

    @property
    def trivial(self) -> bool:
        """Whether every release satisfies the model."""
        return self.k <= 1

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool: k persons or more; classes without a record always do."""
        satisfied: NDArray[np.bool_] = self._persons(classes) >= self.k
        satisfied |= classes.sizes == 0
        return satisfied

    def achieved(self, classes: Classes) -> float:
        """Return the fewest persons of a class that has a record; 0 without a class."""
        held = self._persons(classes)[classes.sizes > 0]
        return int(held.min()) if len(held) else 0


@dataclass(frozen=True, slots=True, eq=False)
class DeltaPresence(PopulationModel):
    """In every class of the population, the share of persons in the release is bounded.

    Protects against membership disclosure: an intruder who finds a person's class infers that the
    person is in the release with a probability of released records / persons, which must be between
    minimum and maximum. `required` and `achieved` are the maximum; `achieved` is infinite where a
    share is below the minimum.

    A class of the population that has no record in the release has a share of 0. A minimum above 0
    therefore fails in it, and suppression does not help: a suppressed class also has a share of 0.
    Such a model needs a release without suppression.

    The population must contain the release. A class with more records than persons has
    a share above 1 and fails; `data.population.require_contained` refuses such a
    table before anything is searched.

    Parameters
    ----------
    minimum, maximum
        In [0, 1], minimum <= maximum.
    population
        A table with the quasi-identifiers of everybody who could be in the release,
        those in it included, or the path of one.

    Raises
    ------
    PolicyError
        A parameter is out of its range.

    Notes
    -----
    Satisfying classes stay so when they are joined: the share of both together lies
    between their own shares. The number of suppressed records may grow.

    References
    ----------
    Nergiz, Atzori and Clifton (2007), "Hiding the presence of individuals from shared
    databases", SIGMOD, definition of delta-presence and section on its monotonicity.

    Examples
    --------
    >>> DeltaPresence(0, 0.5, "register.csv").to_dict()
    {'minimum': 0, 'maximum': 0.5, 'population': 'register.csv'}

    """

    minimum: float
    maximum: float
    population: Any = field(repr=False)

    type: ClassVar[str] = "delta-presence"
    title: ClassVar[str] = _("δ-presence")
    promise: ClassVar[str] = _(
        "Nobody can be sure that a person of the population is in the table."
    )
    no_promise: ClassVar[str] = _("Sensitive values are not looked at.")
    symbol: ClassVar[str] = "δ"
    requirements: ClassVar[Mapping[str, str]] = {
        "": _(
            "Somebody who finds a person in the population can infer with a probability of at most "
            "{share} that this person’s record is released."
        ),
        "between": _(
            "Somebody who finds a person in the population can infer with a probability of {least} "
            "to {share} that this person’s record is released."
        ),
    }
    monotone: ClassVar[Monotone] = "generalization"

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_number(self.type, "minimum", self.minimum, minimum=0, maximum=1)
        check_number(self.type, "maximum", self.maximum, minimum=0, maximum=1)
        if self.minimum > self.maximum:
            raise PolicyError(
                f"{self.type}: minimum is {self.minimum!r}, above the maximum {self.maximum!r}"
            )
        self._check_population()

    @property
    def required(self) -> float:
        """The largest share allowed."""
        return self.maximum

    @property
    def trivial(self) -> bool:
        """Whether every release satisfies the model."""
        return self.minimum == 0 and self.maximum >= 1

    @property
    def within_population(self) -> bool:
        """Whether every record must be in the population table: yes."""
        return True

    @property
    def suppressible(self) -> bool:
        """Whether a share of 0 is allowed."""
        return self.minimum == 0

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool: a share from minimum to maximum."""
        shares = self._shares(classes)
        low, high = self.minimum - TOLERANCE, self.maximum + TOLERANCE
        return (low <= shares) & (shares <= high)

    def achieved(self, classes: Classes) -> float:
        """Return the largest share, infinite where one is below the minimum; 0 without a class."""
        shares = self._shares(classes)
        if not len(shares):
            return 0.0
        below = shares.min() < self.minimum - TOLERANCE
        return math.inf if below else float(shares.max())

    def _shares(self, classes: Classes) -> NDArray[np.float64]:
        """Return (n_classes,) float64 records / persons; infinite where there is no person."""
        persons = self._persons(classes)
        shares = np.full(len(persons), math.inf)
        np.divide(classes.sizes, persons, out=shares, where=persons > 0)
        return shares
