"""Record linkage, and linkability of two sources."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np

from kanonym.data.errors import Message, PolicyError
from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks.base import (
    Aim,
    Attack,
    AttackContext,
    AttackedPersons,
    draw_persons,
    everybody,
)
from kanonym.evaluation.attacks.matching.classes import ReleasedClasses, classes_by
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount
from kanonym.evaluation.pair.tables import TablePair
from kanonym.kernels.arrays import Bools, Floats, Ints
from kanonym.kernels.neighbours.nearest_classes import shared_neighbours
from kanonym.kernels.parallel import parallel
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

    The intruder knows the quasi-identifiers of a person and that the person was in the original.
    Nearness is that of `ReleasedClasses`: intervals, sets, labels and suppressed cells are near
    what they leave open, and of what leaves a person's values open the record that says most is the
    nearest. Of n equally near ones each would be picked with probability 1/n, so a person whose own
    record is among them counts 1/n: the expected successes, without drawing.

    Attributes
    ----------
    attempts
        How many persons are looked up at most; None for all.

    Notes
    -----
    Where nobody knows which record is whose (a shuffled release), a person counts 1/n for the n
    nearest records that leave all known values open. That is the same where a release generalizes
    into classes that do not overlap, and else an upper bound: the own record is taken to be among
    them. Where more persons have no such record than suppression explains, released values were
    changed, or other persons released. Then persons of the control are counted alike, who have no
    record there and may seem to have one; the outcome is told where more persons of the original
    are found than that explains, and else it is not attempted: a low rate would say nothing.

    Full success: of the original published unchanged everybody is found who is unique, and the rate
    is the number of distinct persons over that of persons. The baseline is exact: any record, 1 /
    n_original (a suppressed person is not found). A person with several records is found where one
    of them is linked to any record of the person, and by chance alike. Where it is known whose a
    record is, there is no control: who is not in the original has no record to be found. `parts`
    has, as `alone`, the rate of persons found with no other as near, and as `control_compatible`
    the share of the control for whom some record leaves all values open, so that they would be
    taken for it.

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
    question: ClassVar[str] = _("Which released record belongs to a known person?")
    result_sentence: ClassVar[str] = _(
        "Knows the quasi-identifiers. Of 100 known people, {right} are matched to their own "
        "record; by chance, {chance}."
    )
    method: ClassVar[str] = "links a person to the nearest released record"
    source: ClassVar[str] = "Domingo-Ferrer and Torra 2003"
    aim: ClassVar[Aim] = "linkability"
    whole_parts: ClassVar[tuple[str, ...]] = ("alone", "control_compatible")
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
            return self.not_run(reason)
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
            return self.not_run(CHANGED)
        return outcome


def linkage_obstacle(pair: TablePair) -> str | None:
    """Say why no person can be linked to any record, if so."""
    if not pair.quasi_identifiers:
        return Message("the intruder knows no quasi-identifier")
    if not pair.n_original or not pair.n_released:
        return NO_RELEASED if pair.n_original else NO_ORIGINAL
    return None


@dataclass(frozen=True, slots=True)
class _Linked:
    """What is known of each attacked record.

    chances: (n_records,) float64, how likely the one that is picked is one of the same person.
    fitting: (n_records,) bool, whether a released record leaves all values open.
    """

    chances: Floats
    fitting: Bools


def _link_records(pair: TablePair, persons: AttackedPersons) -> _Linked:
    """Link each attacked record of a pair to one of the nearest released ones."""
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
) -> tuple[Ints, Ints, Ints]:
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


def _lacks_records(pair: TablePair, persons: AttackedPersons, fitting: Bools) -> bool:
    """Say whether more records than suppression explains fit no released one.

    Of persons drawn at random, as many as five standard deviations above the expected
    number may fit none; those of one person may be suppressed together.
    """
    n = len(fitting)
    share = max(0.0, 1 - pair.n_released / pair.n_original)
    squares = float((np.bincount(persons.owners, minlength=1) ** 2).sum())
    slack = 0.0 if n == pair.n_original else 5 * math.sqrt(squares * share * (1 - share))
    return int((~fitting).sum()) > n * share + slack + 0.5


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
    Full success: with one neighbour, of the original published unchanged everybody is linked who is
    unique by either set; of c persons alike by the one set, d by the other and b by both, each
    counts b/(c·d). The baseline is exact: random records for either entry have one in common with
    probability 1 - C(n - m, m)/C(n, m), for m neighbours of n. The control are persons of whom the
    intruder has both entries and the release none: what is linked of them says only that the
    columns depend on each other. Of a person with several records the tables have as many entries;
    one record whose both entries are linked is enough, and by chance, too.

    The attack needs no knowledge of which record is whose. It is that of anonymeter
    (Giomi et al. 2023, PoPETs 2023/2, section 5.2), where ties go to the record that comes
    first; here no order of rows matters. Cost O(attempts · n_classes · (d + neighbours)).
    """

    type: ClassVar[str] = "linkability"
    title: ClassVar[str] = _("Linkability of two sources")
    question: ClassVar[str] = _(
        "Which entries of two sources with different columns belong to the same person?"
    )
    result_sentence: ClassVar[str] = _(
        "Knows some quasi-identifiers from one source and others from another. Of 100 people, "
        "{right} are linked correctly; by chance, {chance}."
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
            return self.not_run(reason)
        names = pair.quasi_identifiers
        half = (len(names) + 1) // 2
        one = tuple(self.columns_a or names[:half])
        other = tuple(self.columns_b or names[half:])
        if not other:
            return self.not_run(Message("two tables need two quasi-identifiers at least"))
        missing = {*one, *other} - {column.name for column in pair.columns}
        if missing:
            return self.not_run(
                Message(
                    "the original and the release do not both have {names}",
                    names=", ".join(sorted(missing)),
                )
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


def _shared_records(one: ReleasedClasses, other: ReleasedClasses) -> Ints:
    """Return (n_pairs, 3) int64: a class by either set of columns, and the records in both."""
    key = one.of_record.astype(np.int64) * len(other.sizes) + other.of_record
    keys, counts = np.unique(key, return_counts=True)
    return np.stack([*np.divmod(keys, len(other.sizes)), counts], axis=1)


def _probability(counts: Ints, wanted: int) -> float:
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
