"""Record linkage: the released record that is nearest to a person."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.message import Message
from kanonym.data.message import gettext as _
from kanonym.evaluation.attacks.attacked_persons import AttackedPersons, draw_persons, everybody
from kanonym.evaluation.attacks.base import Aim, Attack
from kanonym.evaluation.attacks.intruder_view import AttackContext
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
    any record, 1 / n_original (a suppressed person is not found). A person with several records
    is found where one of them is linked to any record of the person, and by chance alike. Where
    it is known whose a record is, there is no control: who is not in the original has no record
    to be found.
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
    title: ClassVar[str] = _("Record linkage")
    asks: ClassVar[str] = _("Which released record belongs to a known person?")
    told: ClassVar[str] = _(
        "Knows the quasi-identifiers. Of 100 known people, {right} are matched to their own "
        "record; by chance, {chance}."
    )
    question: ClassVar[str] = (
        "Can someone who knows a person's quasi-identifiers find the person's own record in "
        "the release?"
    )
    method: ClassVar[str] = "links a person to the nearest released record"
    source: ClassVar[str] = "Domingo-Ferrer and Torra 2003"
    aim: ClassVar[Aim] = "linkability"
    of_person: ClassVar[str] = "one of the records is linked to a record of the same person"

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
        persons = draw_persons(pair, self.attempts, random)
        found = _link_records(pair, persons)
        strange = pair.rows is None and _lacks_records(pair, persons, found.fitting)
        parts = {"alone": float(persons.find_any(found.chances == 1).mean())}
        control = None
        if scene.control is not None and scene.control.n_original:
            others = draw_persons(scene.control, self.attempts, random)
            elsewhere = _link_records(scene.control, others)
            parts["control_compatible"] = float(others.find_any(elsewhere.fitting).mean())
            control = others.count(elsewhere.chances) if strange else None
        outcome = AttackResult(
            self.type,
            self.question,
            persons.count(found.chances),
            linked_by_chance(pair),
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


@dataclass(frozen=True, slots=True)
class _Linked:
    """What is known of each attacked record.

    chances: (n_records,) float64, how likely the one that is picked is one of the same person.
    fitting: (n_records,) bool, whether a released record leaves all values open.
    """

    chances: NDArray[np.float64]
    fitting: NDArray[np.bool_]


def _link_records(pair: TablePair, persons: AttackedPersons) -> _Linked:
    """Link each attacked record of a pair to one of the nearest released ones.

    Where it is unknown whose a released record is, the nearest class that leaves all values
    open is taken to have as many of the person's as it is nearest to.
    """
    classes = classes_by(pair, pair.quasi_identifiers)
    numbers, codes = classes.persons(pair, persons.records)
    n = len(persons.records)
    if pair.rows is None:
        nearest, first = classes.nearest(numbers, codes)
        place = np.flatnonzero(first == 0)
        own = nearest[place]
        key = persons.owners[place] * len(classes.sizes) + own
        _, alike, mine = np.unique(key, return_inverse=True, return_counts=True)
        mine = mine[alike]
    else:
        place, own, mine = own_classes(pair, classes, persons)
    tied = classes.count_tied(numbers[place], codes[place], own)
    near = tied > 0
    held = np.bincount(place[near], np.minimum(mine[near] / tied[near], 1), n)
    fitting = np.zeros(n, np.bool_)
    fitting[place] = True
    return _Linked(np.minimum(held, 1), fitting)


def own_classes(
    pair: TablePair, classes: ReleasedClasses, persons: AttackedPersons
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return for each attacked record the classes that hold released records of its person.

    Three (n_found,) int64: the place among the attacked records, the class, and how many
    records of the person it holds. It is known whose each released record is.
    """
    owner = np.full(pair.n_persons, -1, np.int64)
    attacked = persons.records if pair.persons is None else pair.persons[persons.records]
    owner[attacked] = persons.owners
    assert pair.released_persons is not None  # noqa: S101 - as the docstring says
    keys = owner[pair.released_persons] * len(classes.sizes) + classes.of_record
    keys, mine = np.unique(keys[keys >= 0], return_counts=True)
    whose, own = np.divmod(keys, len(classes.sizes))
    first = np.searchsorted(whose, persons.owners)
    number = np.searchsorted(whose, persons.owners, side="right") - first
    place = np.repeat(np.arange(len(number)), number)
    at = np.arange(len(place)) - np.repeat(np.cumsum(number) - number, number) + first[place]
    return place, own[at], mine[at]


def linked_by_chance(pair: TablePair) -> SuccessCount:
    """Return who is linked where any record is picked, as often as a person has records."""
    persons = everybody(pair)
    if pair.persons is None:
        return SuccessCount(1, pair.n_original, exact=True)
    held = np.bincount(persons.owners)[persons.owners]
    return persons.count(held / pair.n_original, exact=True)


def _lacks_records(pair: TablePair, persons: AttackedPersons, fitting: NDArray[np.bool_]) -> bool:
    """Say whether more records than suppression explains fit no released one.

    Of persons drawn at random, as many as five standard deviations above the expected
    number may fit none; those of one person may be suppressed together.
    """
    n = len(fitting)
    share = max(0.0, 1 - pair.n_released / pair.n_original)
    squares = float((np.bincount(persons.owners, minlength=1) ** 2).sum())
    slack = 0.0 if n == pair.n_original else 5 * math.sqrt(squares * share * (1 - share))
    return int((~fitting).sum()) > n * share + slack + 0.5
