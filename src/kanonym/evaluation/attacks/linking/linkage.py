"""Record linkage: the released record that is nearest to a person."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.message import Message
from kanonym.evaluation.attacks.base import Aim, Assumed, Attack
from kanonym.evaluation.attacks.intruder_view import AttackContext, draw_persons
from kanonym.evaluation.attacks.matching.classes import ReleasedClasses, classes_by
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount
from kanonym.evaluation.pair.tables import TablePair
from kanonym.models.base import check_integer

NO_ORIGINAL = Message("the original has no record")
NO_RELEASED = Message("the release has no record")
CHANGED = Message(
    "it is unknown which released record belongs to whom, and released values are not those of the "
    "persons (means, noise, other persons): keep the order of the records, or give a control"
)


@dataclass(frozen=True, slots=True)
class Linkage(Attack):
    """Take the released record that is nearest to a person for the person's own.

    The intruder knows the quasi-identifiers of a person and that the person was in the
    original. Nearness is that of `ReleasedClasses`: intervals, sets, labels and suppressed
    cells are near what they leave open, and of what leaves a person's values open the record
    that says most is the nearest. Of n equally near ones each would be picked with
    probability 1/n, so a person whose own record is among them counts 1/n: the expected
    successes, without drawing.

    Attributes
    ----------
    attempts
        How many persons are looked up at most; None for all.

    Raises
    ------
    PolicyError
        `attempts` is no integer of at least 1.

    Notes
    -----
    Where nobody knows which record is whose (a shuffled release), a person counts 1/n for
    the n nearest records that leave all known values open. That is the same where a release
    generalizes into classes that do not overlap, and else an upper bound: the own record is
    taken to be among them. Where more persons have no such record than suppression explains,
    released values were changed, or other persons released. Then persons of the control are
    counted alike, who have no record there and may seem to have one; the outcome is told where
    more persons of the original are found than that explains, and else it is not attempted:
    a low rate would say nothing.

    Full success: of the original published unchanged everybody is found who is unique, and
    the rate is the number of distinct persons over that of persons. The baseline is exact:
    any record, 1 / n_original (a suppressed person is not found). Where it is known whose a
    record is, there is no control: who is not in the original has no record to be found.
    `parts` has, as `alone`, the rate of persons found with no other as near, and as
    `control_compatible` the share of the control for whom some record leaves all
    values open, so that they would be taken for it.

    Cost O(log n_classes) a person where classes overlap little.

    References
    ----------
    Domingo-Ferrer, Torra (2003). Disclosure risk assessment in statistical data protection.
    J. Comput. Appl. Math. 164, section 3 (distance-based record linkage; Euclidean there,
    a sum over columns as in Gower 1971, Biometrics 27, here). Nin, Herranz, Torra (2008).
    On the disclosure risk of multivariate microaggregation. Data Knowl. Eng. 67.

    """

    type: ClassVar[str] = "linkage"
    question: ClassVar[str] = (
        "Can someone who knows a person's quasi-identifiers find the person's own record in "
        "the release?"
    )
    method: ClassVar[str] = "links a person to the nearest released record"
    source: ClassVar[str] = "Domingo-Ferrer and Torra 2003"
    aim: ClassVar[Aim] = "linkability"
    record_per_person: ClassVar[Assumed] = "always"

    attempts: int | None = 2000

    def __post_init__(self) -> None:
        if self.attempts is not None:
            check_integer("linkage", "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        pair = scene.pair
        reason = linkage_obstacle(pair)
        if reason:
            return unattempted_outcome(self, reason)
        n = pair.n_original
        persons = draw_persons(n, self.attempts or n, random)
        classes = classes_by(pair, pair.quasi_identifiers)
        numbers, codes = classes.persons(pair, persons)
        strange = False
        if pair.rows is None:
            own = _nearest_consistent(classes, numbers, codes)
            strange = _lacks_records(pair, own)
        else:
            own = own_classes(pair, classes.of_record)[persons]
        records = classes.count_tied(numbers, codes, own)
        found = records[records > 0]
        parts = {"alone": float((found == 1).sum() / len(persons))}
        control = None
        if scene.control is not None and scene.control.n_original:
            others = draw_persons(scene.control.n_original, self.attempts or n, random)
            held = classes_by(scene.control, pair.quasi_identifiers)
            numbers, codes = held.persons(scene.control, others)
            own = _nearest_consistent(held, numbers, codes)
            parts["control_compatible"] = float((own >= 0).mean())
            if strange:
                records = held.count_tied(numbers, codes, own)
                control = SuccessCount(float((1 / records[records > 0]).sum()), len(others))
        outcome = AttackResult(
            self.type,
            self.question,
            SuccessCount(float((1 / found).sum()), len(persons)),
            SuccessCount(1, n, exact=True),
            control,
            parts=parts,
        )
        if strange and (control is None or outcome.interval[0] == 0):
            return unattempted_outcome(self, CHANGED)
        return outcome


def linkage_obstacle(pair: TablePair) -> str | None:
    """Say why no person can be linked to any record, if so."""
    if not pair.quasi_identifiers:
        return Message("the intruder knows no quasi-identifier")
    if not pair.n_original or not pair.n_released:
        return NO_RELEASED if pair.n_original else NO_ORIGINAL
    return None


def unattempted_outcome(attack: object, reason: str) -> AttackResult:
    """Return the outcome of an attack, one with a type and a question, that is not attempted."""
    return AttackResult(
        attack.type,  # type: ignore[attr-defined]
        attack.question,  # type: ignore[attr-defined]
        SuccessCount(0, 0),
        SuccessCount(0, 0, exact=True),
        reason=reason,
    )


def own_classes(pair: TablePair, of_record: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return (n_original,) int64: the class of each person's record, -1 where it has none."""
    own = np.full(pair.n_original, -1, np.int64)
    own[pair.rows] = of_record
    return own


def _lacks_records(pair: TablePair, own: NDArray[np.int64]) -> bool:
    """Say whether more persons have no record than suppression explains.

    Of persons drawn at random, as many as five standard deviations above the expected
    number may have none.
    """
    n = len(own)
    share = max(0.0, 1 - pair.n_released / pair.n_original)
    expected = n * share
    slack = 0.0 if n == pair.n_original else 5 * math.sqrt(expected * (1 - share))
    return int((own < 0).sum()) > expected + slack + 0.5


def _nearest_consistent(
    classes: ReleasedClasses, numbers: NDArray[np.float64], codes: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return (n,) int64: the nearest class that leaves all values of each person open, or -1."""
    own, first = classes.nearest(numbers, codes)
    return np.where(first > 0, -1, own)
