"""Risk of single records, in the table and in the population."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kanonym.data import frames
from kanonym.data.errors import DataError, HierarchyError, Message
from kanonym.data.item_sets import encode_sets, items_among, names_of_sets, read_sets, tree_of
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.risk.population import ESTIMATORS, SMALL_FRACTION, histogram
from kanonym.metrics.record_risk import THRESHOLD, RecordRisk, summarize
from kanonym.models.itemsets import fewest_candidates
from kanonym.policy import Policy


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


def population_uniques(sizes: Ints, population: int) -> PopulationUniques:
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


CANDIDATES = Message("records with the same known items")
POPULATION = Message("items are known, too, and a population table says nothing of them")
ESTIMATED = Message("items are known, too, and the estimators see the quasi-identifiers alone")
USUAL = 2
"""Items that are known where no model says how many."""


@dataclass(frozen=True, slots=True)
class ItemCandidates:
    """The records that could be a person's, whose class and some of whose items are known."""

    m: int
    fewest: int | None = None
    reason: str | None = None


def item_candidates(
    table: Any, policy: Policy | None, class_of_row: Int32s
) -> ItemCandidates | None:
    """Return the candidates of known items in a table; None where its policy has no set.

    table: of this process; class_of_row: (n,) int32, the class of each record.
    """
    attributes = {} if policy is None else names_of_sets(policy.attributes)
    if policy is None or not set(attributes) & set(frames.column_names(table)):
        return None
    attributes = {
        name: one for name, one in attributes.items() if name in frames.column_names(table)
    }
    asked = [model.known_items for model in policy.models if model.known_items is not None]
    m = asked[0].m if asked else USUAL
    try:
        lists = {
            name: read_sets(frames.raw_column(table, name), one) for name, one in attributes.items()
        }
        items = {name: items_among(lists[name], one) for name, one in attributes.items()}
        sets = encode_sets(tree_of(attributes, items), lists, len(class_of_row), any_level=True)
        fewest = fewest_candidates(sets.tree, (sets.offsets, sets.nodes), class_of_row, m)
    except (DataError, HierarchyError):
        reason = Message(
            "the items of {name!r} could not be counted, and quasi-identifiers alone tell less "
            "than an intruder may know: `verify` says why",
            name=next(iter(attributes)),
        )
        return ItemCandidates(m, None, reason)
    return ItemCandidates(m, fewest)


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
    by_record: Floats


def estimated_population(labels: Int32s, n_classes: int, weights: Floats) -> Floats:
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


def require_weights(weights: Floats) -> None:
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
    sizes: Ints, population: Floats, threshold: float = THRESHOLD, form: Form = "approximate"
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


def household_risk(risks: Floats, households: Int32s) -> HouseholdRisk:
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


def _expected_reciprocal(f: Floats, p: Floats, q: Floats, exact: Bools) -> Floats:
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
