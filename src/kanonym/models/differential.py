"""Differential privacy of truthful records: sampling, generalization and suppression."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.partition import Classes
from kanonym.differential_privacy.ledger import MOST_EPSILON
from kanonym.differential_privacy.sampling import Sampling, exact_number, sampling_of
from kanonym.kernels.classes.disclosure import SIZE
from kanonym.models.base import (
    Answer,
    Criterion,
    Guarantee,
    Monotone,
    PrivacyModel,
    ReleasedTable,
    check_number,
)

if TYPE_CHECKING:
    from kanonym.differential_privacy.ledger import Spending


@dataclass(frozen=True, slots=True)
class DifferentialPrivacy(PrivacyModel):
    """The release is (ε, δ)-differentially private, and its records are real ones.

    Each record is kept with probability β, generalized by levels that are fixed or drawn, and
    released if its class has at least k records of the sample. k follows from ε, δ and β.
    Protects against identity, attribute and membership disclosure, whatever an intruder knows.

    Parameters
    ----------
    epsilon
        What the release spends, above 0; `search_epsilon` is a part of it.
    delta
        The chance with which more may be told, above 0 and below 1: a constant such as 1e-6.
    beta
        The probability that a record is sampled, at most 1 − e^−ε. None takes that; from ε = 2
        on a smaller one needs much smaller classes and releases more records.
    search_epsilon
        The share of ε for which the levels are drawn; None: levels are named.
    entity
        The identifier that tells persons apart, where one may have several records: one record
        of each, drawn at random, takes part. What is protected is then a person.

    Raises
    ------
    PolicyError
        A parameter is out of its range.

    Notes
    -----
    A guarantee of the mechanism: released values show that classes have k records and one level
    each, not that records were sampled.

    References
    ----------
    Li, Qardaji and Su (2012), "On sampling, anonymization, and differential privacy", theorem
    for (k, β)-SDGS; Bild, Kuhn and Prasser (2018), "SafePub". Deviations: the smallest k instead
    of an upper bound, β is free, and levels are drawn by one exponential draw over all nodes
    from the whole table, not from the sample that is released.

    Examples
    --------
    >>> model = DifferentialPrivacy(epsilon=1, delta=1e-6)
    >>> model.sampling.k, round(float(model.sampling.beta), 4)
    (74, 0.6321)
    >>> DifferentialPrivacy(epsilon=1, delta=1e-6, beta=0.7)
    Traceback (most recent call last):
        ...
    kanonym.data.errors.PolicyError: differential-privacy: beta is 0.7; with epsilon 1 for the ...

    """

    epsilon: float
    delta: float
    beta: float | None = None
    search_epsilon: float | None = None
    entity: str | None = None

    type: ClassVar[str] = "differential-privacy"
    title: ClassVar[str] = _("Differential privacy")
    promise: ClassVar[str] = _(
        "Whatever anybody learns from the release, they would learn almost the same if any one "
        "record were not in the table."
    )
    no_promise: ClassVar[str] = _(
        "What holds for many people is still learned. Each further release of the same table adds "
        "its ε. Many records are left out, and no other requirement may stand beside it."
    )
    requirements: ClassVar[Mapping[str, str]] = {
        "": _(
            "The release is differentially private with ε = {asked} and δ = {delta}: whatever "
            "anybody learns from it, they would learn almost the same without any single {unit}."
        )
    }
    guarantee: ClassVar[Guarantee] = "mechanism"
    monotone: ClassVar[Monotone] = "suppression"

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_number(self.type, "epsilon", self.epsilon, above=0, maximum=MOST_EPSILON)
        check_number(self.type, "delta", self.delta, above=0)
        if self.delta >= 1:
            raise PolicyError(f"{self.type}: delta is {self.delta!r}; it must be below 1")
        if self.beta is not None:
            check_number(self.type, "beta", self.beta, above=0, maximum=1)
        if self.search_epsilon is not None:
            check_number(self.type, "search_epsilon", self.search_epsilon, above=0)
            if self.search_epsilon >= self.epsilon:
                raise PolicyError(
                    f"{self.type}: search_epsilon is {self.search_epsilon!r}; it must be below "
                    f"epsilon, {self.epsilon!r}, of which it is a part"
                )
        if self.entity is not None and not (isinstance(self.entity, str) and self.entity):
            raise PolicyError(
                f"{self.type}: entity is {self.entity!r}; it must be the name of one identifier of "
                f"persons"
            )
        try:
            _ = self.sampling
        except PolicyError as error:
            raise PolicyError(f"{self.type}: {error}") from None

    @property
    def protects(self) -> tuple[Literal["identity", "attributes"], ...]:
        """Both: no record is told from its absence."""
        return ("identity", "attributes")

    @property
    def attribute(self) -> str | None:
        """None: it looks at class sizes."""
        return None

    @property
    def required(self) -> float:
        """The ε asked for."""
        return self.epsilon

    @property
    def sampling(self) -> Sampling:
        """How records are sampled, and the class size that follows."""
        release = exact_number(self.epsilon) - self.drawing_epsilon
        return sampling_of(release, float(self.delta), self.beta)

    @property
    def drawing_epsilon(self) -> Fraction:
        """What the draw of the levels spends; 0 where they are named."""
        return Fraction(0) if self.search_epsilon is None else exact_number(self.search_epsilon)

    @property
    def spending(self) -> Spending:
        """What a release spends of its table."""
        from kanonym.differential_privacy.ledger import Spending  # noqa: PLC0415 - files, locks

        return Spending(
            self.type,
            exact_number(self.epsilon),
            exact_number(self.delta),
            protects="record" if self.entity is None else "person",
        )

    @property
    def rests_on(self) -> str:
        """What the proof rests on."""
        found = self.sampling
        levels = (
            "levels were fixed without looking at the table"
            if self.search_epsilon is None
            else f"levels were drawn with epsilon {self.search_epsilon:g} from the whole table"
        )
        persons = (
            "each record counts as a person of its own"
            if self.entity is None
            else "at most one record of each person takes part"
        )
        return (
            f"each record was sampled with probability {float(found.beta):.6g} by the system's "
            f"random source, and classes have at least {found.k} records of the sample; {levels}, "
            f"and hierarchies and parameters, too, were fixed without it; {persons}"
        )

    def criteria(self) -> tuple[Criterion, ...]:
        """Return: size >= k."""
        return (Criterion(SIZE, None, self.sampling.k, ">="),)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool: which classes have k records, or none."""
        sizes = classes.sizes
        kept: NDArray[np.bool_] = np.logical_or(sizes >= self.sampling.k, sizes == 0)
        return kept

    def achieved(self, classes: Classes) -> float:
        """Return ε: no class shows another."""
        del classes
        return self.epsilon

    def answer(self, released: ReleasedTable) -> Answer:
        """Ask every class for its k records."""
        holds = self.satisfied(released.classes)
        return Answer(self.epsilon, bool(holds.all()), ~holds)


def sampling_model(models: Iterable[PrivacyModel]) -> DifferentialPrivacy | None:
    """Return the model that samples records, None where all of them take part."""
    return next((cast("DifferentialPrivacy", model) for model in models if model.sampling), None)
