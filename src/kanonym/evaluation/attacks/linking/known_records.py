"""An intruder who knows several records of a person, where the release tells whose are whose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.data.item_sets import EncodedSets
from kanonym.evaluation.attacks.base import (
    Aim,
    Attack,
    AttackContext,
    AttackedPersons,
    draw_persons,
)
from kanonym.evaluation.attacks.linking.linkage import (
    CHANGED,
    NO_RELEASED,
    linkage_obstacle,
    linked_by_chance,
)
from kanonym.evaluation.attacks.matching.lookup import (
    Candidates,
    classes_of,
    informative_candidates,
    is_changed,
)
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount
from kanonym.evaluation.pair.tables import PairedSets, TablePair
from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.models.base import check_integer
from kanonym.verification.linked_rows import links_rows, unit_codes

NOT_LINKED = Message(
    "the policy counts no persons by a column, or no released column tells whose records are whose"
)

PARTS = {"one record known": 1, "two records known": 2, "three records known": 3}


@dataclass(frozen=True, slots=True)
class KnownRecords(Attack):
    """Take the pseudonym that is left when the classes of a person's records are intersected.

    A released column has a value of its own for each person: a pseudonym, or anything else that
    determines the person. The intruder knows the quasi-identifiers of some records of a person,
    finds the classes that leave each of them open, and keeps the pseudonyms with as many records
    there. Success: one person is left, the right one.

    Attributes
    ----------
    attempts
        How many persons are attacked at most; None for all.

    Notes
    -----
    The rate is that of an intruder who knows all released records of a person, and so their
    number. `parts` has the rate for those who know one, two and three records, drawn, among
    persons with as many. The baseline is exact: any person, 1 / n_persons. Where all records are
    known and the classes of quasi-identifiers do not overlap, the persons left are those that
    k-anonymity of an `entity` counts for a linked release. Where nobody knows which released
    record is whose, the right person is taken to be among those left, and records that fit no
    class are taken to be suppressed.

    Cost: a lookup (`lookup.informative_candidates`), and O(records) for each distinct collection
    of classes.
    """

    type: ClassVar[str] = "known-records"
    title: ClassVar[str] = _("Several known records")
    question: ClassVar[str] = _(
        "Which pseudonym belongs to a person of whom several records are known?"
    )
    result_sentence: ClassVar[str] = _(
        "Knows the quasi-identifiers of all records of a person. Of 100 known people, {right} are "
        "the only ones left; by chance, {chance}."
    )
    method: ClassVar[str] = (
        "intersects the classes of a person's known records, where a released column tells whose "
        "records are whose"
    )
    source: ClassVar[str] = ""
    aim: ClassVar[Aim] = "linkability"
    whole_parts: ClassVar[tuple[str, ...]] = (
        "one record known",
        "two records known",
        "three records known",
    )
    of_person: ClassVar[str] = "all records are known, and one person has them"

    attempts: int | None = 2000

    def __post_init__(self) -> None:
        if self.attempts is not None:
            check_integer("known-records", "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        pair = scene.pair
        if scene.units is None:
            return self.not_run(NOT_LINKED)
        reason = linkage_obstacle(pair)
        changed = reason is None and is_changed(pair)
        if reason or (changed and pair.rows is None):
            return self.not_run(reason or CHANGED)
        persons = draw_persons(pair, self.attempts, random)
        candidates = informative_candidates(pair, persons.records, nearest=changed)
        holders = _Holders(pair, scene.units, candidates)
        histories = _histories(pair, scene.units, persons, candidates)
        every = np.zeros(persons.number, np.bool_)
        known = {name: Counter[bool]() for name in PARTS}
        for owner, own, records in histories:
            drawn = random.permutation(records)
            every[owner] |= holders.identify(drawn, own, whole=True)
            for name, number in PARTS.items():
                if len(drawn) >= number:
                    known[name][holders.identify(drawn[:number], own)] += 1
        return AttackResult(
            self.type,
            self.question,
            SuccessCount(int(every.sum()), persons.number),
            SuccessCount(1, pair.n_persons, exact=True),
            parts={name: one[True] / one.total() for name, one in known.items() if one},
        )


def linked_units(
    released: Mapping[str, pl.Series], pair: TablePair, entity: str | None
) -> Int32s | None:
    """Return (n_released,) codes: records that a released column shows to be of one person.

    released: columns that may, of `entity` among them. None where no column does.
    """
    if pair.persons is None:
        return None
    if pair.released_persons is not None:
        persons = pair.released_persons.astype(np.int32)
    elif entity is not None and entity in released:
        persons = unit_codes(released[entity])
    else:
        return None
    coded = [
        units
        for column in released.values()
        if links_rows(persons, units := unit_codes(column), None)
    ]
    return min(coded, key=lambda units: int(units.max()), default=None)


class _Holders:
    """Finds the persons who have records in the classes of known ones."""

    def __init__(self, pair: TablePair, units: Int32s, candidates: Candidates) -> None:
        classes, rows = classes_of(pair)
        order = np.argsort(classes, kind="stable")
        self._units, self._totals = units[order], np.bincount(units)
        self._bounds = np.searchsorted(classes[order], np.arange(len(rows) + 1))
        self._candidates = candidates
        persons = pair.released_persons
        self._person = np.arange(len(self._totals))
        if persons is not None:
            self._person[units] = persons
        self._left: dict[tuple[frozenset[tuple[bytes, int]], int], Ints] = {}
        self._counted: dict[bytes, tuple[Int32s, Ints]] = {}

    def identify(self, records: Ints, own: int | None, *, whole: bool = False) -> bool:
        """Say whether one person has such records, and is the own one if that is known.

        whole: the records are all that the person has.
        """
        offsets, classes = self._candidates.offsets, self._candidates.classes
        known = Counter(classes[offsets[i] : offsets[i + 1]].tobytes() for i in records.tolist())
        key = frozenset(known.items()), len(records) if whole else 0
        if key not in self._left:
            self._left[key] = self._persons(*key)
        left = self._left[key]
        return len(left) == 1 and own in (None, left[0])

    def _persons(self, known: frozenset[tuple[bytes, int]], total: int) -> Ints:
        """Return the distinct persons with so many records in each collection of classes."""
        left: Int32s | None = None
        for classes, number in known:
            units, counts = self._count(classes)
            units = units[counts >= number]
            left = units if left is None else np.intersect1d(left, units, assume_unique=True)
        if left is None:
            return np.zeros(0, np.int64)
        return np.unique(self._person[left[self._totals[left] == total] if total else left])

    def _count(self, classes: bytes) -> tuple[Int32s, Ints]:
        """Return the units with records in some classes, and how many they have there."""
        if classes not in self._counted:
            some = np.frombuffer(classes, self._candidates.classes.dtype)
            rows = [self._units[self._bounds[i] : self._bounds[i + 1]] for i in some]
            self._counted[classes] = np.unique(np.concatenate(rows), return_counts=True)
        return self._counted[classes]


def _histories(
    pair: TablePair, units: Int32s, persons: AttackedPersons, candidates: Candidates
) -> list[tuple[int, int | None, Ints]]:
    """Return, for each linked unit, its owner, its person if known, and places of its records."""
    place = np.arange(len(persons.records))
    subjects = persons.owners
    own: Ints | None = None
    if pair.rows is None:
        place = place[candidates.numbers > 0]
    else:
        released = np.full(pair.n_original, -1, np.int64)
        released[pair.rows] = np.arange(pair.n_released)
        at = released[persons.records]
        place = place[at >= 0]
        subjects, own = units[at].astype(np.int64), pair.persons
    order = place[np.argsort(subjects[place], kind="stable")]
    split = np.flatnonzero(np.diff(subjects[order])) + 1
    return [
        (
            int(persons.owners[records[0]]),
            None if own is None else int(own[persons.records[records[0]]]),
            records,
        )
        for records in np.split(order, split)
        if len(records)
    ]


NO_SETS = Message("no column holds sets of items")


@dataclass(frozen=True, slots=True)
class KnownItems(Attack):
    """Take a record that has the known items of a person, or labels above them, for the person's.

    The intruder knows some items of a person, drawn from those that the person has, and that the
    person was in the original. Of n records that have each of them, or a label above it, each would
    be picked with probability 1/n. A person whose own record lacks a known item, because it was
    dropped or the record was suppressed, is not found; where nobody knows which record is whose, it
    is taken to be among them. The baseline is exact: any record, 1 / n_original. The control are
    persons who are not in the original: `control_compatible` is the share of them for whom some
    record has all known items, so that they would be taken for it. `parts` has, as `alone`, the
    persons with a single candidate.

    Parameters
    ----------
    attempts
        How many persons are attacked at most; None for all.
    items
        How many items are known; None for as many as the policy's model says, else 2. Of a
        person who has fewer, all are.

    References
    ----------
    Terrovitis, Mamoulis and Kalnis (2008), section 2 (the adversary's knowledge).

    """

    type: ClassVar[str] = "known-items"
    title: ClassVar[str] = _("Known items")
    question: ClassVar[str] = _(
        "Which released record belongs to a person of whom some items are known?"
    )
    result_sentence: ClassVar[str] = _(
        "Knows some of the items of a person. Of 100 known people, {right} are matched to their "
        "own record; by chance, {chance}."
    )
    method: ClassVar[str] = "takes a record that has all known items for the person's"
    source: ClassVar[str] = "Terrovitis and others 2008"
    aim: ClassVar[Aim] = "linkability"
    whole_parts: ClassVar[tuple[str, ...]] = ("alone", "control_compatible")
    needs_sets: ClassVar[bool] = True

    attempts: int | None = 2000
    items: int | None = None

    def __post_init__(self) -> None:
        for name in ("attempts", "items"):
            if getattr(self, name) is not None:
                check_integer("known-items", name, getattr(self, name), 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        pair, sets = scene.pair, scene.pair.sets
        if sets is None:
            return self.not_run(NO_SETS)
        if not pair.n_original or not pair.n_released:
            return self.not_run(NO_RELEASED)
        known = self.items or sets.m
        persons = draw_persons(pair, self.attempts, random)
        place = None
        if pair.rows is not None:
            place = np.full(pair.n_original, -1, np.int64)
            place[pair.rows] = np.arange(pair.n_released)
        chances = np.zeros(len(persons.records))
        seeker = _Seeker(sets, random)
        for i, record in enumerate(persons.records.tolist()):
            found = seeker.candidates(sets.original, record, known)
            if found is None or not found.any():
                continue
            if place is None or (place[record] >= 0 and found[place[record]]):
                chances[i] = 1 / found.sum()
        parts = {"alone": float(persons.find_any(chances == 1).mean())}
        if sets.control is not None and sets.control.n_rows:
            every = random.permutation(sets.control.n_rows)[: self.attempts]
            others = [seeker.candidates(sets.control, one, known) for one in every.tolist()]
            fitting = [other is not None and bool(other.any()) for other in others]
            parts["control_compatible"] = float(np.mean(fitting))
        return AttackResult(
            self.type,
            self.question,
            persons.count(chances),
            linked_by_chance(pair),
            None,
            parts=parts,
        )


class _Seeker:
    """Finds the released records that could be a person's."""

    def __init__(self, sets: PairedSets, random: np.random.Generator) -> None:
        self._parents = sets.tree.parents
        self._random = random
        released = sets.released
        rows = np.repeat(np.arange(released.n_rows), np.diff(released.offsets))
        order = np.argsort(released.nodes, kind="stable")
        bounds = np.searchsorted(released.nodes[order], np.arange(sets.tree.n_nodes + 1))
        self._rows, self._bounds, self._n = rows[order], bounds, released.n_rows

    def candidates(self, persons: EncodedSets, record: int, known: int) -> Bools | None:
        """Return (n_released,) bool, who has the items that are drawn; None of an empty set."""
        own = persons.nodes[persons.offsets[record] : persons.offsets[record + 1]]
        if not len(own):
            return None
        chosen = self._random.choice(own, min(known, len(own)), replace=False)
        mask = np.ones(self._n, np.bool_)
        for item in chosen.tolist():
            has = np.zeros(self._n, np.bool_)
            node = item
            while node >= 0:
                has[self._rows[self._bounds[node] : self._bounds[node + 1]]] = True
                node = int(self._parents[node])
            mask &= has
        return mask
