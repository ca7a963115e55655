"""Models of the whole table: the average risk, and uniqueness in the sample or the population."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.data.errors import gettext as _
from kanonym.kernels.risk.population import ESTIMATORS, histogram
from kanonym.models.base import Monotone, WholeTable, check_choice, check_integer, check_number

Estimator = Literal["pitman", "zayatz", "snb", "dankar"]


@dataclass(frozen=True, slots=True)
class AverageRisk(WholeTable):
    """Classes per record are at most a threshold: the risk of an average record.

    An intruder who knows a person's quasi-identifiers picks the right record of the class with a
    chance of 1 / class size; the mean of that over the records of the release is the number of
    classes over that of records (marketer risk). Single classes may be small, even of one record:
    if that matters, require k-anonymity as well.

    Parameters
    ----------
    threshold
        In (0, 1].

    Raises
    ------
    PolicyError
        The threshold is out of its range.

    Notes
    -----
    Monotone, for the number of suppressed records, too. A class of s records adds
    t s - 1 to a sum that must reach 0; joining two classes adds 1 to the sum. Where
    the joined class takes the place of a kept one, what was suppressed still
    suffices. Where it joins two suppressed ones and is not kept, it or a smaller kept
    class can go in their place, and gives back no less than it cost.

    References
    ----------
    El Emam (2013), "Guide to the de-identification of personal health information",
    ch. 16 (strict-average risk without its bound on the largest risk).

    Examples
    --------
    >>> import numpy as np
    >>> AverageRisk(0.2).holds(np.array([1, 9]))
    True
    >>> AverageRisk(0.2).holds(np.array([4, 4]))
    False

    """

    threshold: float

    type: ClassVar[str] = "average-risk"
    counts_classes: ClassVar[bool] = True
    title: ClassVar[str] = _("Average risk")
    promise: ClassVar[str] = _("On average, the chance of finding a person’s record is limited.")
    no_promise: ClassVar[str] = _("Some records may be unique: single people are not protected.")
    symbol: ClassVar[str] = _("risk")
    requirements: ClassVar[Mapping[str, str]] = {
        "": _(
            "On average over all records, the chance of picking a person’s record is at most "
            "{share}: there are at most {share} as many classes as records."
        )
    }
    monotone: ClassVar[Monotone] = "suppression"

    def __post_init__(self) -> None:
        """Refuse a threshold out of its range."""
        check_number(self.type, "threshold", self.threshold, above=0, maximum=1)

    @property
    def required(self) -> float:
        """The largest average risk allowed."""
        return self.threshold

    @property
    def sufficient_size(self) -> int:
        """Classes of 1 / threshold records: their mean is no smaller."""
        return math.ceil(1 / self.threshold - 1e-9)

    def measure_sizes(self, sizes: NDArray[np.int64]) -> float:
        """Return classes / records of (n_classes,) int64 sizes, in (0, 1]; 0 without one."""
        return len(sizes) / int(sizes.sum()) if len(sizes) else 0.0


@dataclass(frozen=True, slots=True)
class SampleUniqueness(WholeTable):
    """The share of records that are alone in their class is at most a threshold.

    Parameters
    ----------
    threshold
        In [0, 1]; 0 is 2-anonymity.

    Raises
    ------
    PolicyError
        The threshold is out of its range.

    Notes
    -----
    Monotone, for the number of suppressed records, too: joining classes makes no new
    class of one, and leaves the number of records as it is.

    References
    ----------
    Skinner, Marsh, Openshaw and Wymer (1994), "Disclosure control for census
    microdata", J. Off. Stat. 10(1): uniqueness as a measure of disclosure risk.

    Examples
    --------
    >>> import numpy as np
    >>> SampleUniqueness(0.1).holds(np.array([1, 9]))
    True

    """

    threshold: float

    type: ClassVar[str] = "sample-uniqueness"
    counts_classes: ClassVar[bool] = True
    largest_counted: ClassVar[int | None] = 1
    title: ClassVar[str] = _("Uniqueness in the table")
    promise: ClassVar[str] = _("Few records are unique in the release.")
    no_promise: ClassVar[str] = _("Those that are unique are not protected.")
    symbol: ClassVar[str] = _("share")
    requirements: ClassVar[Mapping[str, str]] = {
        "": _("At most {share} of the records are alone in their class.")
    }
    monotone: ClassVar[Monotone] = "suppression"

    def __post_init__(self) -> None:
        """Refuse a threshold out of its range."""
        check_number(self.type, "threshold", self.threshold, minimum=0, maximum=1)

    @property
    def required(self) -> float:
        """The largest share allowed."""
        return self.threshold

    def measure_sizes(self, sizes: NDArray[np.int64]) -> float:
        """Return classes of one / records of (n_classes,) int64 sizes; 0 without a class."""
        return int((sizes == 1).sum()) / int(sizes.sum()) if len(sizes) else 0.0


@dataclass(frozen=True, slots=True)
class PopulationUniqueness(WholeTable):
    """The estimated share of persons who are unique in the population is at most a threshold.

    The table is treated as a random sample of the population: an intruder who finds a record unique
    in it does not know whether the person is. Suppressed records are not in the sample. A table
    without a class of one has an estimate of 0; where the estimator has no estimate, the model does
    not hold, and `achieved` is infinite.

    Parameters
    ----------
    threshold
        In [0, 1].
    population
        Number of persons in the population, at least the records of the table.
    estimator
        `pitman`, `zayatz`, `snb` (slide negative binomial), or `dankar`, the rule that
        chooses among them by the sampling fraction: `kernels.risk.population`.

    Raises
    ------
    PolicyError
        A parameter is out of its range.
    DataError
        When asked: the table has more records than the population.

    Notes
    -----
    Not monotone: an estimator weighs classes of one against larger ones, and joining
    larger ones can raise the estimate. (That of Zayatz rises with generalization, too:
    sizes 1, 2, 2 become 1, 4 with a larger share of classes of one.)

    References
    ----------
    Dankar, El Emam, Neisa and Roffey (2012), "Estimating the re-identification risk of
    clinical data sets", BMC Med. Inform. Decis. Mak. 12:66.

    Examples
    --------
    >>> import numpy as np
    >>> model = PopulationUniqueness(0.01, population=100_000)
    >>> model.holds(np.array([1, 1, 3, 20, 75]))
    True

    """

    threshold: float
    population: int
    estimator: Estimator = "dankar"

    type: ClassVar[str] = "population-uniqueness"
    title: ClassVar[str] = _("Uniqueness in the population")
    promise: ClassVar[str] = _("By estimate, few records are unique in the population.")
    no_promise: ClassVar[str] = _("It is an estimate that treats the table as a random sample.")
    symbol: ClassVar[str] = _("share")
    requirements: ClassVar[Mapping[str, str]] = {
        "": _(
            "The table is treated as a random sample of {population}. By estimate, at most {share} "
            "of them are unique in their quasi-identifiers."
        )
    }
    monotone: ClassVar[Monotone] = "none"

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_number(self.type, "threshold", self.threshold, minimum=0, maximum=1)
        check_integer(self.type, "population", self.population, 1)
        check_choice(self.type, "estimator", self.estimator, tuple(ESTIMATORS))

    @property
    def required(self) -> float:
        """The largest share allowed."""
        return self.threshold

    def measure_sizes(self, sizes: NDArray[np.int64]) -> float:
        """Return estimated uniques / population of (n_classes,) int64 sizes, in [0, 1].

        Infinite where there is no estimate.
        """
        records = int(sizes.sum())
        if records > self.population:
            raise DataError(
                f"{self.type}: the table has {records} records, but the population only "
                f"{self.population} persons; it must be the number of persons that the "
                "table is a sample of"
            )
        uniques = ESTIMATORS[self.estimator](*histogram(sizes), int(self.population))
        return math.inf if math.isnan(uniques) else uniques / self.population
