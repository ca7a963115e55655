"""Individual risk of a record of a sample with sampling weights, and of its household.

The records of a class are f of the F persons of the population who have its values, F
is not known, and a record is found with a chance of 1 / F. Sampling weights estimate F,
and with it the fraction p = f / F that the sample has of the class. Given f, F is taken
for negative binomial, which makes the expectation of 1 / F

    r = p^f / f · 2F1(f, f; f + 1; 1 - p) = p / f · 2F1(1, 1; f + 1; q),  q = 1 - p,

for f = 1 the closed form p / q · ln(1 / p), for f = 2 p / q + (p / q)² ln p.

Benedetti and Franconi (1998), "Statistical and technological solutions for controlled
data dissemination"; Franconi and Polettini (2004), "Individual risk estimation in
mu-Argus: a review", PSD, LNCS 3050, §2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.data.results.short_repr import ShortRepr
from kanonym.metrics.record_risk import THRESHOLD, RecordRisk, summarize

Form = Literal["approximate", "exact"]

LONG = 30
"""From this class size on, the series needs few terms whatever p is."""

TERMS = 80
"""Terms of the series. They fall below 1e-17 of the sum, since q is at most 1/2 or f
at least `LONG`."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HouseholdRisk(ShortRepr):
    """How likely one member of a household at least is re-identified.

    by_record: (n_rows,) float64, the risk of each record's household.
    """

    households: int
    highest: float
    average: float
    expected: float
    by_record: NDArray[np.float64]


def estimated_population(
    labels: NDArray[np.int32], n_classes: int, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (n_classes,) float64: the persons of each class in the population, estimated.

    labels: (n_rows,) int32, the class of each record, -1 for suppressed ones.
    weights: (n_rows,) float64 sampling weights: how many persons each record stands for.

    Notes
    -----
    The sum of the weights of the records of a class. Cost O(n_rows).

    """
    require_weights(weights)
    kept = labels >= 0
    return np.bincount(labels[kept], weights[kept], n_classes).astype(np.float64, copy=False)


def require_weights(weights: NDArray[np.float64]) -> None:
    """Refuse (n_rows,) sampling weights of which one is not a finite number above 0."""
    wrong = np.flatnonzero(~((weights > 0) & np.isfinite(weights)))
    if len(wrong):
        weight = weights[wrong[0]]
        shown = "missing" if np.isnan(weight) else f"{weight:g}"
        raise DataError(
            f"row {wrong[0] + 1}: the sampling weight is {shown}; it must be a finite number "
            "above 0, the number of persons that the record stands for"
        )


def individual_risk(
    sizes: NDArray[np.int64],
    population: NDArray[np.float64],
    threshold: float = THRESHOLD,
    form: Form = "approximate",
) -> RecordRisk:
    """Measure the Benedetti-Franconi risk of each class's records.

    sizes: (n_classes,) int64, records of each class. A null is a value like others here;
    statistical offices let it match any value, which gives larger classes and lower risks.
    population: (n_classes,) float64, `estimated_population`. Below the class size, as from weights
    below 1, it counts as the class size.

    Notes
    -----
    For p = 1 the risk is 1 / f. The relative error of the exact form is below 1e-14 over
    all p in (0, 1]. Cost O(n_classes).

    References
    ----------
    Franconi and Polettini (2004), §2. Deviation from sdcMicro's measure_risk: it lowers p
    by 0.0001 in some versions to keep p below 1, which we have no need of.

    Examples
    --------
    >>> individual_risk(np.array([1, 1]), np.array([1.0, 100.0])).by_class.round(4).tolist()
    [1.0, 0.0465]

    """
    mask = sizes > 0
    f = np.where(mask, sizes, 1).astype(np.float64)
    persons = np.where(mask, np.maximum(population, f), 1.0)
    p, q = f / persons, (persons - f) / persons
    risks = _expected_reciprocal(f, p, q, f <= 2 if form == "approximate" else f > 0)
    return summarize(risks, sizes, threshold)


def household_risk(risks: NDArray[np.float64], households: NDArray[np.int32]) -> HouseholdRisk:
    """Measure how likely one member of each record's household at least is re-identified.

    risks: (n_rows,) float64, the risk of each record, in [0, 1].
    households: (n_rows,) int32 codes from 0; -1 for a record without a household, which is one of
    its own.

    Notes
    -----
    1 - prod(1 - r) over the members, as if they were found independently of each other.
    It is taken through logarithms, so that small risks keep their digits. Cost O(n_rows).

    References
    ----------
    Franconi and Polettini (2004), §5, on household risk.

    Examples
    --------
    >>> household_risk(np.array([0.5, 0.5, 0.1]), np.array([0, 0, 1])).by_record.tolist()
    [0.75, 0.75, 0.1]

    """
    alone = households < 0
    groups = np.where(alone, 0, households)
    with np.errstate(divide="ignore"):
        missed = np.log1p(-risks)
    n_codes = int(groups.max(initial=-1)) + 1
    together = np.bincount(groups, np.where(alone, 0.0, missed), n_codes)
    mask = np.zeros(n_codes, np.bool_)
    mask[households[~alone]] = True
    by_record = np.where(alone, risks, -np.expm1(together[groups]))
    n = len(by_record)
    return HouseholdRisk(
        households=int(mask.sum() + alone.sum()),
        highest=float(by_record.max(initial=0.0)),
        average=float(by_record.sum()) / n if n else 0.0,
        expected=float(by_record.sum()),
        by_record=by_record,
    )


def _expected_reciprocal(
    f: NDArray[np.float64],
    p: NDArray[np.float64],
    q: NDArray[np.float64],
    exact: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the expectation of 1 / F, all (n_classes,); approximate where not `exact`.

    Where p <= 1/2 and f is small it follows from r_1 = p / q ln(1 / p) by
    r_(f + 1) = (1 / f - r_f) p / q, which lessens errors there by p / q each step; the
    series 2F1(1, 1; f + 1; q) = 1 + q / (f + 1) (1 + 2 q / (f + 2) (1 + ...)) does the rest.
    """
    risks = np.divide(p, f - q, out=np.zeros(len(p)), where=f > 1)
    stepped = exact & (p <= 0.5) & (f < LONG)
    at = p[stepped]
    odds, sizes = at / q[stepped], f[stepped]
    risk = -np.log(at) * odds
    found = np.where(sizes == 1, risk, 0.0)
    for size in range(1, int(sizes.max(initial=1))):
        risk = (1 / size - risk) * odds
        found = np.where(sizes == size + 1, risk, found)
    risks[stepped] = found

    summed = exact & ~stepped
    at, sizes = q[summed], f[summed]
    total = np.ones(len(at))
    for j in range(TERMS, 0, -1):
        total = 1 + total * at * (j / (sizes + j))
    risks[summed] = p[summed] / sizes * total
    return risks
