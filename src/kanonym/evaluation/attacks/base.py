"""Base class of attacks, their context, and the persons who are attacked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import Message
from kanonym.data.hierarchy import Hierarchy
from kanonym.data.partition import Replay
from kanonym.data.results import ShortRepr
from kanonym.data.table import value_codes
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount
from kanonym.evaluation.pair.tables import TablePair
from kanonym.kernels.arrays import Floats, Int32s, Ints

NOT_REPLAYED = Message(
    "the algorithm that made the release is not known: give the Release, or the policy that leads "
    "to this table again"
)


def _ignore_progress(done: int, total: int) -> None:
    del done, total


@dataclass(frozen=True, slots=True, repr=False)
class AttackContext(ShortRepr):
    """A release beside the persons whose records were anonymized, and persons who were not.

    units: (n_released,) int32, equal for records that a released column shows to be of one person.
    """

    pair: TablePair
    control: TablePair | None
    sensitive: tuple[str, ...]
    second: TablePair | None = None
    trees: Mapping[str, Hierarchy] = field(default_factory=dict)
    replay: Replay | str = NOT_REPLAYED
    minimal_for: int = 0
    units: Int32s | None = None
    told: Callable[[int, int], None] = _ignore_progress

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """What the intruder knows of a person."""
        return self.pair.quasi_identifiers

    def progress_steps(self, total: int) -> Callable[[], None]:
        """Return what an attack calls whenever one of so many steps is done."""
        numbers = count(1)  # each is given once, whichever thread asks
        return lambda: self.told(next(numbers), total)


@dataclass(frozen=True, slots=True, repr=False)
class AttackedPersons(ShortRepr):
    """Persons of a pair who are attacked.

    records: (n_records,) int64 rows of the original.
    owners: (n_records,) int64, whose each record is: places of persons, from 0.
    """

    records: Ints
    owners: Ints
    number: int

    @classmethod
    def of(cls, pair: TablePair, chosen: Ints, among: Ints | None = None) -> AttackedPersons:
        """Return chosen persons of a pair, in that order, with those of their records.

        chosen: (n,) int64 codes of `pair.persons`, or rows where each record is a person.
        among: (n_records,) int64 rows that count, ascending; None for all.
        """
        if pair.persons is None:
            return cls(chosen, np.arange(len(chosen)), len(chosen))
        place = np.full(pair.n_persons, -1, np.int64)
        place[chosen] = np.arange(len(chosen))
        rows = np.arange(pair.n_original) if among is None else among
        owners = place[pair.persons[rows]]
        return cls(rows[owners >= 0], owners[owners >= 0], len(chosen))

    def find_any(self, chances: NDArray[Any]) -> NDArray[Any]:
        """Return (number,): how likely one of a person's records succeeds.

        chances: (n_records,) float64 in [0, 1], of draws that are independent, or bool.
        """
        if self.number == len(chances):
            found = np.empty_like(chances)
            found[self.owners] = chances
            return found
        if chances.dtype == np.bool_:
            return np.bincount(self.owners, chances, self.number) > 0
        none = np.ones(self.number)
        np.multiply.at(none, self.owners, 1 - chances)
        return 1 - none

    def find_largest(self, values: Floats) -> Floats:
        """Return (number,) float64: the largest value of each person's records.

        values: (n_records,) float64, at least 0.
        """
        found = np.zeros(self.number)
        np.maximum.at(found, self.owners, values)
        return found

    def average(self, values: Floats) -> Floats:
        """Return (number,) float64: the mean of (n_records,) values over each person's records."""
        held = np.bincount(self.owners, minlength=self.number)
        return np.asarray(np.bincount(self.owners, values, self.number) / held)

    def count(self, chances: NDArray[Any], *, exact: bool = False) -> SuccessCount:
        """Return how many persons succeed, or are expected to, with one of their records.

        chances: as `find_any` takes them.
        """
        found = self.find_any(chances).sum()
        whole = chances.dtype == np.bool_
        return SuccessCount(int(found) if whole else float(found), self.number, exact=exact)


def draw_persons(
    pair: TablePair, attempts: int | None, random: np.random.Generator, among: Ints | None = None
) -> AttackedPersons:
    """Return at most `attempts` persons of a pair, all where there are no more.

    attempts: None for all. among: (n,) int64, rows that count, ascending: persons without such
    a record are not drawn. None for all rows.
    """
    rows = np.arange(pair.n_original) if among is None else among
    codes = rows if pair.persons is None else np.unique(pair.persons[rows]).astype(np.int64)
    if attempts is not None and len(codes) > attempts:
        codes = codes[np.sort(random.choice(len(codes), attempts, replace=False))]
    return AttackedPersons.of(pair, codes, rows)


def everybody(pair: TablePair, among: Ints | None = None) -> AttackedPersons:
    """Return all persons of a pair; among: as of `draw_persons`."""
    return draw_persons(pair, None, np.random.default_rng(0), among)


def codes_of_persons(who: pl.Series) -> Ints:
    """Return (n_rows,) int64: persons from 0 by first appearance; a null is one of its own."""
    code, n = value_codes(who)
    null = who.is_null().to_numpy()
    own = np.where(null, n + np.arange(len(who)), code)
    _, first, place = np.unique(own, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]


Aim = Literal["singling-out", "linkability", "inference"]
"""The questions of Opinion 05/2014 (WP 216, §3)."""


class Attack(ABC):
    """An attack on a release. Subclasses are frozen dataclasses.

    They have `attempts`, unless they attack everybody. A parameter out of its range is refused by
    a PolicyError.

    type: Its name.
    question: What the intruder wants, in plain words.
    method: What the intruder does, in a few words.
    source: Who described it; may be empty.
    aim: The question of data protection that it answers.
    needs_sets: Whether it is about sets of items: asked for by name only where there are none.
    unit: What an attempt is about, a noun of the catalogues: a `person` (a `record` where nothing
        says that records are persons), the cells of one, a `description` or a `decision`.
    of_person: What has to succeed of a person who has several records. Where the policy counts
        persons by an identifier, attempts are persons, and chance is that of the same success.
    whole_parts: Parts of its result that are about no column or value.
    part_mark: What stands in the name of a part between its subject and its kind.
    part_kind: The kind of a part whose name is its subject alone.
    """

    __slots__ = ()

    type: ClassVar[str]
    question: ClassVar[str]
    method: ClassVar[str]
    source: ClassVar[str] = ""
    aim: ClassVar[Aim]
    needs_sets: ClassVar[bool] = False
    unit: ClassVar[str] = "person"
    of_person: ClassVar[str] = "one of the records succeeds"
    whole_parts: ClassVar[tuple[str, ...]] = ()
    part_mark: ClassVar[str] = ": "
    part_kind: ClassVar[str] = "rate"

    if TYPE_CHECKING:  # a field of most attacks, which no property may hide

        @property
        def attempts(self) -> int | None:
            """How many persons are attacked at most; None for everybody."""

    def not_run(self, reason: str) -> AttackResult:
        """Return the result of an attack that the tables leave nothing for; reason: why."""
        nobody = SuccessCount(0, 0, exact=True)
        return AttackResult(self.type, self.question, SuccessCount(0, 0), nobody, reason=reason)

    @abstractmethod
    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Attack; where the tables leave nothing to attack, say why in the result."""
        ...
