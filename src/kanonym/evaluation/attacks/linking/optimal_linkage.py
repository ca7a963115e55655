"""Globally optimal record linkage: all persons are given different records, at least distance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.message import Message
from kanonym.evaluation.attacks.attacked_persons import AttackedPersons, draw_persons, everybody
from kanonym.evaluation.attacks.base import Aim, Attack
from kanonym.evaluation.attacks.intruder_view import AttackContext
from kanonym.evaluation.attacks.linking.linkage import (
    linkage_obstacle,
    own_classes,
    unattempted_outcome,
)
from kanonym.evaluation.attacks.matching.classes import ReleasedClasses, classes_by, group_persons
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount
from kanonym.evaluation.pair.tables import TablePair
from kanonym.kernels.neighbours.nearest_records import class_distances
from kanonym.models.base import check_integer

UNKNOWN = Message(
    "it is unknown which released record belongs to whom: keep the order of the records to judge "
    "this attack"
)

SECOND = 1e-3
"""How much the expected distance counts beside that to the nearest open value."""


@dataclass(frozen=True, slots=True)
class OptimalLinkage(Attack):
    """Give every person another released record, so that the sum of distances is least.

    The intruder knows the quasi-identifiers of all persons, and that each of them has one
    record. Within a block the assignment is optimal; a block is what is nearest to
    neighbouring classes of the release. A distance is the one to the nearest open values
    plus a thousandth of the expected one (`ReleasedClasses`). Records of one class are
    alike: who is given one of n, the own among them, counts 1/n. A person with several records
    is found where one of them is given any record of the person.

    Attributes
    ----------
    block
        Records that are assigned together, at most.
    attempts
        Persons whose record is judged, at most; None for all. All persons are assigned.

    Raises
    ------
    PolicyError
        `block` or `attempts` is no integer of at least 1.

    Notes
    -----
    Full success and baseline are those of `Linkage`; who is not in the original has no
    record, so there is no control. Where classes do not overlap it finds what the nearest
    record finds; where values were perturbed or swapped, mostly more. The order of rows does
    not matter but for ties, which are broken by a random order.

    Cost O(n_original · log n_classes + blocks · block³), in practice about block² a block;
    memory O(block²).

    References
    ----------
    Herranz, Nin, Rodríguez, Tassa (2015). Revisiting distance-based record linkage for
    privacy-preserving release of statistical datasets. Data Knowl. Eng. 100, section 3.
    There one assignment of the whole table, O(n³); here one of each block.

    """

    type: ClassVar[str] = "optimal-linkage"
    question: ClassVar[str] = (
        "Can someone who knows the quasi-identifiers of everybody in the original tell which "
        "released record is whose, by giving each person a different one?"
    )
    method: ClassVar[str] = (
        "assigns every person a different record with the smallest sum of distances, in blocks"
    )
    source: ClassVar[str] = "Herranz et al. 2015"
    aim: ClassVar[Aim] = "linkability"
    of_person: ClassVar[str] = "one of the records is assigned a record of the same person"

    block: int = 500
    attempts: int | None = 2000

    def __post_init__(self) -> None:
        check_integer("optimal-linkage", "block", self.block, 1)
        if self.attempts is not None:
            check_integer("optimal-linkage", "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        pair = scene.pair
        reason = linkage_obstacle(pair)
        if reason is None and pair.rows is None:
            reason = UNKNOWN
        if reason:
            return unattempted_outcome(self, reason)
        n = pair.n_original
        attacked = draw_persons(pair, self.attempts, random)
        asked = np.zeros(n, np.bool_)
        asked[attacked.records] = True
        given = np.full(n, -1, np.int64)
        classes = classes_by(pair, pair.quasi_identifiers)
        numbers, codes = classes.persons(pair, np.arange(n))
        nearest, _ = classes.nearest(numbers, codes)
        done = 0
        for persons, slots in _blocks(classes, nearest, self.block, random):
            scene.told(done, n)
            done += len(persons)
            if asked[persons].any():
                given[persons] = _assign_records(classes, numbers[persons], codes[persons], slots)
        return AttackResult(
            self.type,
            self.question,
            _count_found(pair, classes, attacked, given[attacked.records]),
            _found_by_chance(pair),
        )


def _count_found(
    pair: TablePair,
    classes: ReleasedClasses,
    persons: AttackedPersons,
    given: NDArray[np.int64],
) -> SuccessCount:
    """Return how many persons are expected to be given a record of their own.

    given: (n_records,) int64, the class of which each attacked record is given a record, or -1.
    """
    place, own, mine = own_classes(pair, classes, persons)
    right = given[place] == own
    # Of one class a person's records are given different ones.
    key = persons.owners[place[right]] * len(classes.sizes) + own[right]
    keys, first, times = np.unique(key, return_index=True, return_counts=True)
    whose, which = np.divmod(keys, len(classes.sizes))
    held, sizes = mine[right][first], classes.sizes[which]
    none = np.ones(persons.number)
    np.multiply.at(none, whose, _none_picked(sizes, held, times))
    return SuccessCount(float((1 - none).sum()), persons.number)


def _found_by_chance(pair: TablePair) -> SuccessCount:
    """Return who is given a record of their own where everybody is given any."""
    if pair.persons is None:
        return SuccessCount(1, pair.n_original, exact=True)
    held = np.bincount(everybody(pair).owners)
    none = _none_picked(np.full(len(held), pair.n_original), held, held)
    return SuccessCount(float((1 - none).sum()), len(held), exact=True)


def _none_picked(
    sizes: NDArray[np.int64], held: NDArray[np.int64], picked: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return (n,) float64: how likely none of those held is among some picked of all."""
    one = picked == 1
    found = 1 - held / sizes
    if not one.all():
        found[~one] = _none_of_several(sizes[~one], held[~one], np.minimum(picked, sizes)[~one])
    return found


def _none_of_several(
    sizes: NDArray[np.int64], held: NDArray[np.int64], picked: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return (n,) float64: the hypergeometric probability of 0.

    It is C(sizes − held, picked) / C(sizes, picked).
    """
    from scipy.special import gammaln  # noqa: PLC0415 - scipy takes a while to load

    left = sizes - held
    possible = picked <= left
    log = (
        gammaln(left + 1)
        - gammaln(np.where(possible, left - picked, 0) + 1)
        + gammaln(sizes - picked + 1)
        - gammaln(sizes + 1)
    )
    return np.where(possible, np.exp(np.minimum(log, 0)), 0.0)


def _blocks(
    classes: ReleasedClasses, nearest: NDArray[np.int64], block: int, random: np.random.Generator
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield persons, and the classes of the records that are assigned to them.

    Neighbouring classes come together until they have `block` records; who is nearest to
    them comes along. What is larger then, a class or those who are near, is parted at random.
    """
    order = classes.grove.order
    sizes = classes.sizes[order]
    number = _fill_blocks(sizes, block)
    of_class = np.empty(len(order), np.int64)
    of_class[order] = number
    # Rows may stand in the original's order, which an intruder must not profit from.
    persons = random.permutation(len(nearest))
    persons = persons[np.argsort(of_class[nearest[persons]], kind="stable")]
    ends = np.searchsorted(of_class[nearest[persons]], np.arange(number[-1] + 2))
    starts = np.searchsorted(number, np.arange(number[-1] + 2))
    for i in range(number[-1] + 1):
        near = persons[ends[i] : ends[i + 1]]
        held = slice(starts[i], starts[i + 1])
        slots = np.repeat(order[held], sizes[held])
        pieces = max(1, -(-len(slots) // block), -(-len(near) // (2 * block)))
        for piece in range(pieces):
            if len(some := near[piece::pieces]) and len(slots[piece::pieces]):
                yield some, slots[piece::pieces]


def _fill_blocks(sizes: NDArray[np.int64], block: int) -> NDArray[np.int64]:
    """Return (n_classes,) int64, ascending from 0: blocks of consecutive classes."""
    number = np.empty(len(sizes), np.int64)
    current, held = 0, 0
    for i, size in enumerate(sizes.tolist()):
        if held and held + size > block:
            current, held = current + 1, 0
        number[i] = current
        held += size
    return number


def _assign_records(
    classes: ReleasedClasses,
    numbers: NDArray[np.float64],
    codes: NDArray[np.int32],
    slots: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return (n,) int64: the class that each person is given a record of, -1 for none."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - takes a while to load

    distinct, place = np.unique(slots, return_inverse=True)
    alike = group_persons(numbers, codes)
    away = np.empty((2, len(alike.first), len(distinct)))
    class_distances(classes.grove, numbers[alike.first], codes[alike.first], distinct, away)
    costs = (away[0] + SECOND * away[1])[alike.labels[:, None], place]
    person, slot = linear_sum_assignment(costs)
    given = np.full(len(numbers), -1, np.int64)
    given[person] = slots[slot]
    return given
