"""The risk of a release: identity and attribute disclosure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanonym.data.errors import Message, PolicyError
from kanonym.data.results import ShortRepr
from kanonym.evaluation.risk.individual import (
    CANDIDATES,
    ESTIMATED,
    POPULATION,
    HouseholdRisk,
    ItemCandidates,
    PopulationUniques,
    estimated_population,
    household_risk,
    individual_risk,
    population_uniques,
)
from kanonym.evaluation.risk.presets import ENTRIES, PRESETS, RECORDS, Preset, Verdict
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.metrics.disclosure import (
    ANONYMITY_SET,
    ATTRIBUTE,
    K_UNSUPPRESSED,
    K_WILDCARD,
    SUPPRESSED,
    AttributeMeasurement,
    K,
    Measurement,
)
from kanonym.metrics.measured_value import MeasuredValue
from kanonym.metrics.record_risk import (
    THRESHOLD,
    PersonRisk,
    RecordRisk,
    journalist,
    person_risk,
    prosecutor,
)


def disclosure_entries(measurement: Measurement) -> dict[str, MeasuredValue]:
    """Return k under both meanings of null, class sizes, and the values of sensitive models."""
    found = {
        "k": MeasuredValue(K, float(measurement.k)),
        "k_wildcard": MeasuredValue(K_WILDCARD, float(measurement.k_wildcard)),
        "anonymity_set": MeasuredValue(
            ANONYMITY_SET,
            measurement.anonymity_set.mean,
            {"min": measurement.anonymity_set.min, "max": measurement.anonymity_set.max},
        ),
    }
    if measurement.k_unsuppressed is not None:
        found["suppressed"] = MeasuredValue(SUPPRESSED, float(measurement.suppressed))
        found["k_unsuppressed"] = MeasuredValue(K_UNSUPPRESSED, float(measurement.k_unsuppressed))
    for meaning in ATTRIBUTE:
        parts = {
            name: float(value)
            for name, attribute in measurement.attributes.items()
            if (value := _value(attribute, meaning.name)) is not None
        }
        if parts:
            worst = max if meaning.better == "lower" else min
            found[meaning.name] = MeasuredValue(meaning, worst(parts.values()), parts)
    return found


def _value(attribute: AttributeMeasurement, name: str) -> float | None:
    value: float | None = getattr(attribute, name)
    return value


SEVERAL_RECORDS = Message(
    "persons have several records each, and the estimators treat every record as a different person"
)
NO_SOLUTION = Message("the estimator has no estimate for these class sizes")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RiskAssessment(ShortRepr):
    """What an intruder could do with one table."""

    records: int
    classes: int
    threshold: float
    prosecutor: RecordRisk
    journalist: RecordRisk
    uniques: int
    persons: PersonRisk | None
    individual: RecordRisk | None
    individual_exact: RecordRisk | None
    households: HouseholdRisk | None
    population: PopulationUniques | None
    items: ItemCandidates | None
    reasons: Mapping[str, str]
    verdicts: Mapping[str, Verdict]

    @property
    def marketer(self) -> float:
        """Expected share of re-identified records: the journalist's average."""
        return self.journalist.average

    def entries(self) -> dict[str, MeasuredValue]:
        """Return every entry of `entries.ENTRIES`; without a value where it was not asked for."""
        values = self._values()
        parts = self._parts()
        return {
            name: MeasuredValue(
                meaning, values.get(name), parts.get(name, {}), self.reasons.get(name)
            )
            for name, meaning in ENTRIES.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9: the entries by name, and `presets` judged."""
        found: dict[str, Any] = {name: value.to_dict() for name, value in self.entries().items()}
        if self.population is not None:
            found["population_uniques_dankar"]["chosen"] = self.population.chosen
        found["presets"] = {
            name: {"met": verdict.met, "reason": verdict.reason, **PRESETS[name].to_dict()}
            for name, verdict in self.verdicts.items()
        }
        return found

    def _values(self) -> dict[str, float | None]:
        values: dict[str, float | None] = {
            **_values_of("prosecutor", self.prosecutor),
            **_values_of("journalist", self.journalist),
            "marketer": self.marketer,
            "uniques": self.uniques,
            "unique_share": self.uniques / self.records if self.records else 0.0,
        }
        if self.items is not None and self.items.fewest is not None:
            values["known_items_highest"] = 1 / self.items.fewest
        if self.persons is not None:
            values |= _values_of("person", self.persons)
            values["person_uniques"] = self.persons.uniques
        if self.individual is not None:
            values |= _values_of("individual", self.individual)
        if self.households is not None:
            values["household_highest"] = self.households.highest
            values["household_average"] = self.households.average
            values["household_expected"] = self.households.expected
        if self.population is not None:
            for name, uniques in self.population.estimates.items():
                values[f"population_uniques_{name}"] = uniques
        return values

    def _parts(self) -> dict[str, dict[str, float]]:
        threshold = {"threshold": self.threshold}
        parts = {
            name: threshold
            for name, value in self._values().items()
            if name.endswith("_at_risk") and value is not None
        }
        if self.items is not None and self.items.fewest is not None:
            parts["known_items_highest"] = {"m": self.items.m}
        if self.individual_exact is not None:
            exact = _values_of("individual", self.individual_exact)
            for name, value in exact.items():
                parts[name] = {"exact": value, **parts.get(name, {})}
        if self.population is not None:
            for name in self.population.estimates:
                share, inside = self.population.share(name), self.population.expected_in_table(name)
                if share is not None and inside is not None:
                    parts[f"population_uniques_{name}"] = {"share": share, "in_table": inside}
        return parts


def measure_risk(
    labels: Int32s,
    n_classes: int,
    *,
    persons_of_class: Ints | None = None,
    entities: Int32s | PersonRisk | None = None,
    untold: str | None = None,
    weights: Floats | None = None,
    households: Int32s | None = None,
    population: int | None = None,
    items: ItemCandidates | None = None,
    threshold: float = THRESHOLD,
    presets: Sequence[str] = tuple(PRESETS),
) -> RiskAssessment:
    """Measure everything that the given arrays allow.

    labels: (n_rows,) int32, the class of each record; -1 for suppressed ones, which are in no
    measure. A null in a quasi-identifier is a value like others.
    persons_of_class: (n_classes,) int64, persons of each class in a population table, which
    contains the table: for journalist and marketer risk.
    entities: (n_rows,) int32 codes from 0, whose record it is, where one person may have several;
    or what is known of the persons already, by these classes.
    weights: (n_rows,) float64 sampling weights: for individual and household risk.
    households: (n_rows,) int32 codes from 0, -1 for a record without one.

    Notes
    -----
    Cost O(n_rows), and one radix sort with `entities`.

    Examples
    --------
    >>> found = measure_risk(np.array([0, 1, 1, 1, 1], np.int32), 2)
    >>> found.prosecutor.average, found.uniques, found.verdicts["ema-0070"].met
    (0.4, 1, False)
    """
    _check(threshold, presets)
    sizes = np.bincount(labels[labels >= 0], minlength=n_classes)
    by_record = prosecutor(sizes, threshold)
    persons = entities if isinstance(entities, PersonRisk) else None
    if entities is not None and not isinstance(entities, PersonRisk):
        persons = person_risk(labels, n_classes, entities, threshold)
    individual = exact = None
    if weights is not None:
        estimated = estimated_population(labels, n_classes, weights)
        individual = individual_risk(sizes, estimated, threshold)
        exact = individual_risk(sizes, estimated, threshold, "exact")
    together = None
    if households is not None:
        kept = labels >= 0
        risks = (by_record if individual is None else individual).per_record(labels[kept])
        together = household_risk(risks, households[kept])
    unestimated = ESTIMATED if items is not None and untold is None else untold
    uniques, reasons = _uniques(sizes, population, persons, unestimated)
    counted = None if persons is None else persons.by_class
    if untold is not None:
        reasons |= {name: untold for name in ENTRIES if name.startswith("person_")}
        # Of each class somebody is in the table; nobody knows how many.
        counted = (sizes > 0).astype(np.int64)
    fewest, noun = _fewest(sizes, persons_of_class, persons)
    unjudged = untold
    if items is not None:
        unjudged = untold or items.reason or (None if persons_of_class is None else POPULATION)
        if items.reason is not None:
            reasons["known_items_highest"] = items.reason
        if items.fewest is not None and fewest is not None and items.fewest <= fewest:
            fewest, noun = items.fewest, CANDIDATES
    share = None if uniques is None else uniques.share("dankar")

    def verdict(preset: Preset) -> Verdict:
        counted_elsewhere = (
            items is None and persons_of_class is not None and preset.smallest is not None
        )
        if unjudged is not None and fewest is not None and not counted_elsewhere:
            return Verdict(met=None, reason=unjudged)
        return preset.judge(fewest, noun, share, reasons.get("population_uniques_dankar"))

    return RiskAssessment(
        records=by_record.records,
        classes=int((sizes > 0).sum()),
        threshold=threshold,
        prosecutor=by_record,
        journalist=journalist(sizes, persons_of_class, threshold, counted),
        uniques=int((sizes == 1).sum()),
        persons=persons,
        individual=individual,
        individual_exact=exact,
        households=together,
        population=uniques,
        items=items,
        reasons=reasons,
        verdicts={name: verdict(PRESETS[name]) for name in presets},
    )


def _check(threshold: float, presets: Sequence[str]) -> None:
    """Refuse a threshold out of its range and presets that there are not."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.number):
        raise PolicyError(f"the risk threshold is {threshold!r}; it must be a number from 0 to 1")
    if not 0 <= threshold <= 1:
        raise PolicyError(f"the risk threshold is {threshold!r}; it must be from 0 to 1")
    unknown = [name for name in presets if name not in PRESETS]
    if unknown:
        raise PolicyError(
            f"there is no preset {unknown[0]!r}; presets are {', '.join(sorted(PRESETS))}"
        )


def _uniques(
    sizes: Ints, population: int | None, persons: PersonRisk | None, untold: str | None
) -> tuple[PopulationUniques | None, dict[str, str]]:
    """Estimate population uniques where it is asked and possible, and say why not."""
    if population is None:
        return None, {}
    names = [name for name in ENTRIES if name.startswith("population_uniques_")]
    if untold is not None:
        return None, dict.fromkeys(names, untold)
    if persons is not None and persons.records > persons.persons:
        return None, dict.fromkeys(names, SEVERAL_RECORDS)
    found = population_uniques(sizes, population)
    none = [name for name, uniques in found.estimates.items() if uniques is None]
    return found, {f"population_uniques_{name}": NO_SOLUTION for name in none}


def _fewest(
    sizes: Ints, persons_of_class: Ints | None, persons: PersonRisk | None
) -> tuple[int | None, str]:
    """Return the fewest persons that a record could be of, and what was counted."""
    mask = sizes > 0
    if not mask.any():
        return None, RECORDS
    if persons_of_class is not None:
        return int(persons_of_class[mask].min()), Message("persons of the population")
    if persons is not None:
        return persons.fewest, Message("persons")
    return int(sizes[mask].min()), RECORDS


def _values_of(who: str, risk: RecordRisk | PersonRisk) -> dict[str, float]:
    """Return the five entries that every kind of risk has."""
    expected = risk.expected if isinstance(risk, RecordRisk) else float(risk.by_person.sum())
    return {
        f"{who}_highest": risk.highest,
        f"{who}_average": risk.average,
        f"{who}_expected": expected,
        f"{who}_at_risk": risk.share_at_risk,
        f"{who}_number_at_risk": risk.at_risk,
    }
