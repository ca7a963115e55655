"""Risk of records and persons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.data.results import Result, ResultTable, ShortRepr
from kanonym.kernels.classes.grouping import group_rows
from kanonym.metrics.measured_value import format_figure

THRESHOLD = 0.05
"""Records above this risk are at risk, if nothing else is said: a class size of 20."""


@dataclass(frozen=True, slots=True, repr=False)
class ProsecutorRisk(Result):
    """Prosecutor risk of a release: the intruder knows that the person is in it."""

    _shown: ClassVar[tuple[str, ...]] = ("highest", "average", "uniques")

    highest: float
    average: float
    uniques: int

    @classmethod
    def from_sizes(cls, sizes: NDArray[np.int64]) -> ProsecutorRisk:
        """Measure risk from (n_classes,) class sizes. Cost O(n_classes)."""
        if not len(sizes):
            return cls(0.0, 0.0, 0)
        return cls(1 / int(sizes.min()), len(sizes) / int(sizes.sum()), int((sizes == 1).sum()))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9."""
        return {
            "prosecutor": {"highest": self.highest, "average": self.average},
            "uniques": self.uniques,
        }

    def tables(self) -> list[ResultTable]:
        """Return a row for each number."""
        rows = (
            ("highest", format_figure(self.highest)),
            ("average", format_figure(self.average)),
            ("records alone in their class", format_figure(self.uniques)),
        )
        return [ResultTable(("prosecutor risk", "value"), rows, frozenset({1}))]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RecordRisk(ShortRepr):
    """How likely one intruder re-identifies each record.

    by_class: (n_classes,) float64, the risk of a record of each class; 0 in a class without one.
    """

    records: int
    threshold: float
    highest: float
    average: float
    expected: float
    at_risk: int
    by_class: NDArray[np.float64]

    @property
    def share_at_risk(self) -> float:
        """Records at risk / records, in [0, 1]."""
        return self.at_risk / self.records if self.records else 0.0

    def per_record(self, labels: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return (n_rows,) float64 from (n_rows,) class labels; 0 for suppressed ones, -1."""
        return np.append(self.by_class, 0.0)[labels]


def summarize(
    by_class: NDArray[np.float64], sizes: NDArray[np.int64], threshold: float
) -> RecordRisk:
    """Summarize the risk of a record of each class over the records.

    by_class: (n_classes,) float64.
    sizes: (n_classes,) int64, records of each class.

    Notes
    -----
    Cost O(n_classes). A risk of 1 / f is compared with the threshold as floating-point
    numbers: division is rounded correctly and so is a threshold that is read from text,
    so 1 / 20 and 0.05 are the same number, and 1 / 3 that of Python's `1 / 3`.

    """
    records = int(sizes.sum())
    risks = np.where(sizes > 0, by_class, 0.0)
    expected = float(risks @ sizes)
    return RecordRisk(
        records=records,
        threshold=threshold,
        highest=float(risks.max(initial=0.0)),
        average=expected / records if records else 0.0,
        expected=expected,
        at_risk=int(sizes[risks > threshold].sum()),
        by_class=risks,
    )


def prosecutor(sizes: NDArray[np.int64], threshold: float = THRESHOLD) -> RecordRisk:
    """Measure the risk from an intruder who knows that the person is in the table.

    A record of a class of f is picked with a chance of 1 / f.

    sizes: (n_classes,) int64, records of each class.

    References
    ----------
    El Emam (2013), "Guide to the de-identification of personal health information",
    ch. 16. Each class has an expectation of one record, so `expected` is the number of
    classes.

    Examples
    --------
    >>> found = prosecutor(np.array([1, 4, 20]))
    >>> found.highest, found.average, found.at_risk, found.expected
    (1.0, 0.12, 5, 3.0)

    """
    mask = sizes > 0
    risk = summarize(_reciprocals(sizes), sizes, threshold)
    classes = float(mask.sum())
    # Counted rather than summed: 1 / f times f is not always 1.
    return RecordRisk(
        risk.records,
        threshold,
        risk.highest,
        classes / risk.records if risk.records else 0.0,
        classes,
        risk.at_risk,
        risk.by_class,
    )


def journalist(
    sizes: NDArray[np.int64],
    population: NDArray[np.int64] | None = None,
    threshold: float = THRESHOLD,
    persons: NDArray[np.int64] | None = None,
) -> RecordRisk:
    """Measure the risk from an intruder who does not know who is in the table.

    They look a record up among everybody who could be in the table; it is one of the F
    persons of its class there, and picked with a chance of 1 / F.

    sizes: (n_classes,) int64, records of each class; 0 in a class that only the population has.
    population: (n_classes,) int64, persons of each class in the population, those in the table
    included. None: nothing is known of it, and the risk is the prosecutor's, an upper bound.
    persons: (n_classes,) int64, whose records these are, where a person may have several: the
    distinct persons of each class. None: every record is another person's.

    References
    ----------
    El Emam (2013), ch. 16. Persons are counted, not estimated.

    Examples
    --------
    >>> journalist(np.array([1, 4]), np.array([10, 20])).highest
    0.1

    """
    if population is None:
        return prosecutor(sizes, threshold)
    inside, noun = (sizes, "records") if persons is None else (persons, "persons of the table")
    wrong = inside > population
    if wrong.any():
        raise DataError(
            f"the population table does not contain the table: in {int(wrong.sum())} of "
            f"{int((sizes > 0).sum())} classes there are more {noun} "
            f"({int(inside[wrong].sum())}) than persons ({int(population[wrong].sum())}). "
            "Journalist risk needs everybody who could be in the table"
        )
    return summarize(_reciprocals(population), sizes, threshold)


def marketer(sizes: NDArray[np.int64], population: NDArray[np.int64] | None = None) -> float:
    """Return the share of records that an intruder who tries all of them gets right.

    Parameters and error as of `journalist`. It is the mean over the records of 1 / F,
    and classes / records without a population; in [0, 1], 0 without a record.

    References
    ----------
    Dankar and El Emam (2010), "A method for evaluating marketer re-identification risk",
    EDBT workshops; El Emam (2013), ch. 16.

    Examples
    --------
    >>> marketer(np.array([2, 8]))
    0.2

    """
    return journalist(sizes, population).average


def _reciprocals(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return (n,) float64 1 / count, and 0 for 0."""
    return np.divide(1.0, counts, out=np.zeros(len(counts)), where=counts > 0)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PersonRisk(ShortRepr):
    """How likely an intruder who knows that a person is in the table finds the person.

    by_class: (n_classes,) int64, distinct persons of each class.
    by_person: (n_entities,) float64, the risk of each person: the highest over the classes with a
    record of theirs; 0 for those whose records are all suppressed.
    """

    persons: int
    records: int
    threshold: float
    fewest: int
    highest: float
    average: float
    at_risk: int
    uniques: int
    by_class: NDArray[np.int64]
    by_person: NDArray[np.float64]

    @property
    def share_at_risk(self) -> float:
        """Persons at risk / persons, in [0, 1]."""
        return self.at_risk / self.persons if self.persons else 0.0


def person_risk(
    labels: NDArray[np.int32],
    n_classes: int,
    entities: NDArray[np.int32],
    threshold: float = THRESHOLD,
) -> PersonRisk:
    """Count persons in classes, and measure each person's prosecutor risk.

    An intruder who knows one record of a person takes one of the persons of its class,
    each with the same chance, however many records they have there. A person with
    records in several classes is as safe as in the smallest of them.

    labels: (n_rows,) int32, the class of each record, -1 for suppressed ones.
    entities: (n_rows,) int32 codes from 0, whose record it is; records without a value share a
    code, and count as one person.

    Notes
    -----
    Cost: one radix sort of the pairs of class and person. What an intruder learns who
    knows several records of a person, each in another class, is not in it.

    References
    ----------
    El Emam (2013), ch. 16, of records; persons in their place is ours, as k-anonymity
    with an entity counts them.

    Examples
    --------
    >>> labels, entities = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    >>> found = person_risk(labels.astype(np.int32), 2, entities.astype(np.int32))
    >>> found.by_class.tolist(), found.by_person.tolist(), found.uniques
    ([2, 1], [0.5, 1.0], 1)

    """
    n_entities = int(entities.max(initial=-1)) + 1
    kept = labels >= 0
    labels, entities = labels[kept], entities[kept]
    pairs = group_rows([labels, entities], [n_classes, n_entities])
    by_class = np.bincount(pairs.codes[:, 0], minlength=n_classes)
    none = np.iinfo(np.int64).max
    fewest = np.full(n_entities, none)
    np.minimum.at(fewest, pairs.codes[:, 1], by_class[pairs.codes[:, 0]])
    seen = fewest < none
    by_person = np.where(seen, 1 / fewest, 0.0)
    persons = int(seen.sum())
    return PersonRisk(
        persons=persons,
        records=len(labels),
        threshold=threshold,
        fewest=int(by_class[by_class > 0].min(initial=none)) if persons else 0,
        highest=float(by_person.max(initial=0.0)),
        average=float(by_person.sum()) / persons if persons else 0.0,
        at_risk=int((by_person > threshold).sum()),
        uniques=int((fewest == 1).sum()),
        by_class=by_class,
        by_person=by_person,
    )
