"""Risk where one person may have several records: persons are counted, not records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr
from kanonym.kernels.classes.grouping import group_rows
from kanonym.metrics.record_risk import THRESHOLD


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
