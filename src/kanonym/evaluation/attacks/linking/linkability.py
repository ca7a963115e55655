"""Linkability: two tables about the same persons, put together through a release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.data.message import Message
from kanonym.data.message import gettext as _
from kanonym.evaluation.attacks.attacked_persons import AttackedPersons, draw_persons
from kanonym.evaluation.attacks.base import Aim, Attack
from kanonym.evaluation.attacks.intruder_view import AttackContext
from kanonym.evaluation.attacks.linking.linkage import linkage_obstacle, unattempted_outcome
from kanonym.evaluation.attacks.matching.classes import ReleasedClasses, classes_by
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount
from kanonym.evaluation.pair.tables import TablePair
from kanonym.kernels.neighbours.nearest_records import shared_neighbours
from kanonym.kernels.parallel import parallel
from kanonym.models.base import check_integer

CHUNK = 100
"""Persons that one thread looks for at a time."""


@dataclass(frozen=True, slots=True)
class Linkability(Attack):
    """Link what two tables say of a person through the records nearest to either.

    The intruder has two tables about the same persons, one with some columns and one with
    others, and looks for each entry's nearest released records. Two entries are linked where
    they have a record in common. Success: both entries of a person are linked. Nearness is
    that of `ReleasedClasses`. Of records equally near, those wanted are picked with equal
    probability: what counts is the exact probability that a record is picked twice.

    Attributes
    ----------
    columns_a, columns_b
        What each table knows: columns of original and release, none in both. None: the
        first half of the quasi-identifiers (the larger one), and the others.
    neighbours
        Released records that are picked for each entry.
    attempts
        How many persons are tried at most; None for all.

    Raises
    ------
    PolicyError
        A column is in both tables, one of them has no column or is missing where the other
        is given, or a number is no integer of at least 1.

    Notes
    -----
    Full success: with one neighbour, of the original published unchanged everybody is
    linked who is unique by either set; of c persons alike by the one set, d by the other and
    b by both, each counts b/(c·d). The baseline is exact: random records for either entry
    have one in common with probability 1 - C(n - m, m)/C(n, m), for m neighbours of n. The
    control are persons of whom the intruder has both entries and the release none: what is
    linked of them says only that the columns depend on each other. Of a person with several
    records the tables have as many entries; one record whose both entries are linked is
    enough, and by chance, too.

    The attack needs no knowledge of which record is whose. It is that of anonymeter
    (Giomi et al. 2023, PoPETs 2023/2, section 5.2), where ties go to the record that comes
    first; here no order of rows matters. Cost O(attempts · n_classes · (d + neighbours)).

    """

    type: ClassVar[str] = "linkability"
    title: ClassVar[str] = _("Linkability of two sources")
    asks: ClassVar[str] = _(
        "Which entries of two sources with different columns belong to the same person?"
    )
    told: ClassVar[str] = _(
        "Knows some quasi-identifiers from one source and others from another. Of 100 people, "
        "{right} are linked correctly; by chance, {chance}."
    )
    question: ClassVar[str] = (
        "Can someone who has two tables about the same persons find out through the release "
        "which entries belong together?"
    )
    method: ClassVar[str] = (
        "has two tables about the same people, and links them through the release"
    )
    source: ClassVar[str] = "Giomi et al. 2023"
    aim: ClassVar[Aim] = "linkability"
    of_person: ClassVar[str] = "both entries of one of the records are linked"

    columns_a: Sequence[str] | None = None
    columns_b: Sequence[str] | None = None
    neighbours: int = 1
    attempts: int | None = 2000

    def __post_init__(self) -> None:
        check_integer("linkability", "neighbours", self.neighbours, 1)
        if self.attempts is not None:
            check_integer("linkability", "attempts", self.attempts, 1)
        if self.columns_a is None and self.columns_b is None:
            return
        for name, columns in (("columns_a", self.columns_a), ("columns_b", self.columns_b)):
            if not columns or isinstance(columns, str):
                raise PolicyError(
                    f"linkability: {name} is {columns!r}; name one or more columns in a list, "
                    "for both tables of the intruder or for neither"
                )
        both = sorted(set(self.columns_a or ()) & set(self.columns_b or ()))
        if both:
            raise PolicyError(
                f"linkability: {both[0]!r} is in columns_a and in columns_b; entries that share "
                "a column need no release to be linked"
            )

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        pair = scene.pair
        reason = linkage_obstacle(pair)
        if reason:
            return unattempted_outcome(self, reason)
        names = pair.quasi_identifiers
        half = (len(names) + 1) // 2
        one = tuple(self.columns_a or names[:half])
        other = tuple(self.columns_b or names[half:])
        if not other:
            return unattempted_outcome(
                self, Message("two tables need two quasi-identifiers at least")
            )
        missing = {*one, *other} - {column.name for column in pair.columns}
        if missing:
            return unattempted_outcome(
                self,
                Message(
                    "the original and the release do not both have {names}",
                    names=", ".join(sorted(missing)),
                ),
            )
        wanted = min(self.neighbours, pair.n_released)
        tables = [pair]
        if scene.control is not None and scene.control.n_original:
            tables.append(scene.control)
        tried = [draw_persons(table, self.attempts, random) for table in tables]
        step = scene.progress_steps(sum(-(-len(one.records) // CHUNK) for one in tried))
        targets, *rest = (
            _count_links((table, pair), (one, other), wanted, persons, step)
            for table, persons in zip(tables, tried, strict=True)
        )
        control = rest[0] if rest else None
        by_chance = 1 - comb(pair.n_released - wanted, wanted) / comb(pair.n_released, wanted)
        baseline = tried[0].count(np.full(len(tried[0].records), by_chance), exact=True)
        return AttackResult(self.type, self.question, targets, baseline, control)


def _count_links(
    pairs: tuple[TablePair, TablePair],
    names: tuple[tuple[str, ...], tuple[str, ...]],
    wanted: int,
    persons: AttackedPersons,
    step: Callable[[], None],
) -> SuccessCount:
    """Return how many persons' entries are linked: sums of probabilities.

    pairs: the persons with the release, and whose persons say what one unit of a number is.
    """
    pair, units = pairs
    one, other = (classes_by(pair, columns, units) for columns in names)
    (numbers_one, codes_one), (numbers_other, codes_other) = (
        classes.persons(pair, persons.records) for classes in (one, other)
    )
    common = _shared_records(one, other)
    n = len(persons.records)
    found = np.empty((n, 3, 3), np.int64)

    def search(start: int) -> None:
        part = slice(start, start + CHUNK)
        shared_neighbours(
            (one.grove, other.grove),
            (numbers_one[part], numbers_other[part]),
            (codes_one[part], codes_other[part]),
            common,
            np.int64(wanted),
            found[part],
        )
        step()

    parallel(search, range(0, n, CHUNK))
    # Persons of one class have the same counts, and those are few.
    distinct, place = np.unique(found.reshape(-1, 9), axis=0, return_inverse=True)
    chances = [_probability(counts.reshape(3, 3), wanted) for counts in distinct]
    return persons.count(np.array(chances, np.float64)[place.reshape(-1)])


def _shared_records(one: ReleasedClasses, other: ReleasedClasses) -> NDArray[np.int64]:
    """Return (n_pairs, 3) int64: a class by either set of columns, and the records in both."""
    key = one.of_record.astype(np.int64) * len(other.sizes) + other.of_record
    keys, counts = np.unique(key, return_counts=True)
    return np.stack([*np.divmod(keys, len(other.sizes)), counts], axis=1)


def _probability(counts: NDArray[np.int64], wanted: int) -> float:
    """Return the probability that the records picked by either set have one in common.

    counts: (3, 3) int64, records that are far, sure and open by the one and by the other
    set. Of the open ones as many are picked as are wanted beside the sure ones.
    """
    if counts[1, 1]:
        return 1.0
    open_one, open_other = int(counts[2].sum()), int(counts[:, 2].sum())
    picked_one = wanted - int(counts[1].sum())
    picked_other = wanted - int(counts[:, 1].sum())
    both = int(counts[2, 2])
    free_one = open_one - int(counts[2, 1]) - both
    free_other = open_other - int(counts[1, 2])
    # None in common: of the first picks, j could be picked by the other set, and are not.
    ways = sum(
        comb(both, j) * comb(free_one, picked_one - j) * comb(free_other - j, picked_other)
        for j in range(min(both, picked_one) + 1)
        if free_other >= j
    )
    return 1 - ways / (comb(open_one, picked_one) * comb(open_other, picked_other))
