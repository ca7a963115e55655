"""An intruder who knows some of the items of a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.data.item_sets import EncodedSets
from kanonym.evaluation.attacks.base import Aim, Attack, AttackContext, draw_persons
from kanonym.evaluation.attacks.linking.linkage import NO_RELEASED, linked_by_chance
from kanonym.evaluation.attacks.result import AttackResult
from kanonym.evaluation.pair.tables import PairedSets
from kanonym.kernels.arrays import Bools
from kanonym.models.base import check_integer

NO_SETS = Message("no column holds sets of items")


@dataclass(frozen=True, slots=True)
class KnownItems(Attack):
    """Take a record that has the known items of a person, or labels above them, for the person's.

    The intruder knows some items of a person, drawn from those that the person has, and that the
    person was in the original. Of n records that have each of them, or a label above it, each would
    be picked with probability 1/n. A person whose own record lacks a known item, because it was
    dropped or the record was suppressed, is not found; where nobody knows which record is whose, it
    is taken to be among them.

    attempts: How many persons are attacked at most; None for all.
    items: How many items are known; None for as many as the policy's model says, else 2. Of a
        person who has fewer, all are.

    Notes
    -----
    The baseline is exact: any record, 1 / n_original. The control are persons who are not in the
    original: `control_compatible` is the share of them for whom some record has all known items, so
    that they would be taken for it. `parts` has, as `alone`, the persons with a single candidate.

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
