"""How many persons of the population are unique, by every estimator."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.kernels.risk.population import ESTIMATORS, SMALL_FRACTION, histogram


@dataclass(frozen=True, slots=True)
class PopulationUniques:
    """Estimated numbers of persons who are unique in the population."""

    population: int
    records: int
    estimates: Mapping[str, float | None]
    chosen: str

    def share(self, estimator: str) -> float | None:
        """Return uniques / population, in [0, 1], or None."""
        uniques = self.estimates[estimator]
        return None if uniques is None else uniques / self.population

    def expected_in_table(self, estimator: str) -> float | None:
        """Return how many records of the table are expected to be population uniques.

        Each population unique is in a random sample with a chance of records / population.
        """
        uniques = self.estimates[estimator]
        return None if uniques is None else uniques * (self.records / self.population)


def population_uniques(sizes: NDArray[np.int64], population: int) -> PopulationUniques:
    """Estimate the population uniques from the class sizes of a random sample.

    sizes: (n_classes,) int64, records of each class.

    Notes
    -----
    About a millisecond, after one sort of the class sizes. Nothing is random.

    References
    ----------
    `kernels.risk.population` names the paper of each, and where ours deviate. Dankar, El Emam,
    Neisa and Roffey (2012), BMC Med. Inform. Decis. Mak. 12:66, for the rule: up to a
    sampling fraction of 0.1 Pitman's, above it the smaller of the other two.

    Examples
    --------
    >>> found = population_uniques(np.array([1, 1, 3, 20, 75]), 100_000)
    >>> found.chosen, round(found.estimates["dankar"], 2)
    ('pitman', 2.48)

    """
    records = int(sizes.sum())
    if population < records or population < 1:
        raise DataError(
            f"the table has {records} records, but the population only {population} persons; "
            "it must be the number of persons that the table is a sample of"
        )
    counted = histogram(sizes)
    found = {name: estimate(*counted, population) for name, estimate in ESTIMATORS.items()}
    if records <= SMALL_FRACTION * population and not math.isnan(found["pitman"]):
        chosen = "pitman"
    elif records > SMALL_FRACTION * population and found["snb"] <= found["zayatz"]:
        chosen = "snb"
    else:
        chosen = "zayatz"
    estimates = {name: None if math.isnan(n) else n for name, n in found.items()}
    return PopulationUniques(population, records, estimates, chosen)
