"""Downcoding: a release generalized no further than needed tells what it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks.base import Aim, Attack, AttackContext, draw_persons
from kanonym.evaluation.attacks.matching.classes import Shape, shape_of
from kanonym.evaluation.attacks.matching.lookup import classes_of, find_candidates, is_changed
from kanonym.evaluation.attacks.matching.sizes import OneStep, one_step
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount
from kanonym.evaluation.pair.tables import TablePair
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.models.base import check_integer

AT_ONCE = 256
"""Classes that are looked at together."""


@dataclass(frozen=True, slots=True)
class Downcoding(Attack):
    """Refine generalized cells, taking them to be no wider than their class needs.

    The intruder has the release alone. In a class, an interval of a column is taken to end
    at values of two of its records, a set to hold a value for each member, and a label of a
    hierarchy that stands for two values to stand for both: so for each column the intruder
    names values of that many records of the class. A label of more than two values and a
    suppressed cell name none, but where the algorithm is known (`local-recoding` with
    k-anonymity alone): it would have kept a class of k records at a label one level below. So
    each of the m labels there has at most k - 1 of the n records: all of them occur where
    n > (m - 1) (k - 1), each k - 1 times where n = m (k - 1). Success is counted in cells that
    leave several values open: those whose value is named and occurs in the class.

    Attributes
    ----------
    attempts
        How many persons' classes are looked at, at most.

    Notes
    -----
    The outcome is a mean over persons of the generalized cells of all their records, in the classes
    that could be theirs; persons without such cells do not count. Where nobody has one, as in the
    original published unchanged, all values stand there and the rate is 1. The baseline names as
    many values, drawn from the table's distribution within what the cell leaves open; it is
    computed, not drawn. So the risk is what minimality gives away. `parts` has the rate of each
    column that is generalized; `generalized`, the share of cells; and `minimal`, the share of cells
    with named values of which all of these occur: 1 means that the release hides no end of an
    interval. Where the algorithm is known, `labels present` and `counts known` are the shares of
    cells with labels below them, suppressed ones included, of which all these labels occur, or even
    their numbers are known; `bits told` is the share of the bits that these labels leave open which
    the rule takes away. A record that joined a class later may break the rule. Where released
    values are means or otherwise changed, there is nothing to refine.

    This is a warning and no full attack: that a record of the class has the value is right,
    which one is not told, and values of several columns are not joined. Where the order of
    records is unknown, the records of a class are the persons to whom it is open: with
    overlapping classes more values seem to occur, for the intruder and the baseline alike.

    Cost: a lookup of all persons in the classes of those attacked.

    References
    ----------
    Cohen (2022). Attacks on deidentification's defenses. USENIX Security, section 4: a
    downcoding refines a release and still generalizes its original; minimal hierarchical
    k-anonymity allows it for most records of made-up distributions. The measure by shape,
    for a given release, is ours. Chhillar, Righi, Sutter, Kornaropoulos (2025),
    arXiv:2509.03350, for the rule of one step; theirs joins many nodes.
    """

    type: ClassVar[str] = "downcoding"
    title: ClassVar[str] = _("Downcoding")
    question: ClassVar[str] = _("Which exact values are behind the released ones?")
    result_sentence: ClassVar[str] = _(
        "Knows only the release. Of 100 generalized values, {right} are named correctly; by "
        "chance, {chance}."
    )
    method: ClassVar[str] = (
        "treats the ends of intervals and the members of sets as values of records: a warning if "
        "generalization is minimal"
    )
    source: ClassVar[str] = "Cohen 2022"
    aim: ClassVar[Aim] = "singling-out"
    whole_parts: ClassVar[tuple[str, ...]] = (
        "generalized",
        "minimal",
        "labels present",
        "counts known",
        "bits told",
    )
    part_kind: ClassVar[str] = "named"
    unit: ClassVar[str] = "person-cells"
    of_person: ClassVar[str] = "the cells of all records count"

    attempts: int = 2000

    def __post_init__(self) -> None:
        check_integer("downcoding", "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        pair = scene.pair
        if not pair.n_original or not pair.quasi_identifiers:
            return self.not_run(Message("there is no person, or no quasi-identifier"))
        if is_changed(pair):
            return self.not_run(Message("released values are changed, not generalized"))
        persons = draw_persons(pair, self.attempts, random)
        found = find_candidates(pair, persons.records)
        if not len(found.classes):
            return self.not_run(Message("no released record is consistent with a person's values"))
        classes, place = np.unique(found.classes, return_inverse=True)
        chosen = classes.astype(np.int64)
        named = _name_values(pair, chosen, scene.minimal_for)
        weights = np.reciprocal(np.maximum(found.numbers, 1.0))[found.persons]
        by_class = np.bincount(place, weights, len(classes)).astype(np.float64)
        parts = _outcome_details(named, by_class, pair.quasi_identifiers)
        if scene.minimal_for:
            parts |= _step_details(_steps_of(pair, chosen, scene.minimal_for), by_class)

        def by_person(cells: NDArray[np.number]) -> Floats:
            held = np.where(named.generalized, cells, 0).sum(axis=0)
            counted = np.bincount(found.persons, weights * held[place], len(found.numbers))
            return np.bincount(persons.owners, counted, persons.number).astype(np.float64)

        cells = by_person(np.ones_like(named.right))
        some = cells > 0
        if not some.any():
            all_of_them = SuccessCount(len(some), len(some), exact=True)
            return AttackResult(self.type, self.question, all_of_them, all_of_them, parts=parts)
        right, expected = (by_person(one)[some] / cells[some] for one in named[:2])
        return AttackResult(
            self.type,
            self.question,
            SuccessCount(float(right.sum()), len(right)),
            SuccessCount(float(expected.sum()), len(right), exact=True),
            parts=parts,
        )


class _NamedValues(NamedTuple):
    """What is named of each quasi-identifier and class, (n_columns, n_classes) each."""

    right: Floats
    expected: Floats
    generalized: Bools
    claimed: Bools
    minimal: Bools


def _outcome_details(
    named: _NamedValues, weights: Floats, names: Sequence[str]
) -> dict[str, float]:
    """Return the details of the outcome, classes counted with (n_classes,) weights."""
    cells = named.generalized @ weights
    right = np.where(named.generalized, named.right, 0) @ weights
    parts = {
        name: float(right[column] / cells[column])
        for column, name in enumerate(names)
        if cells[column] > 0
    }
    parts["generalized"] = float(cells.sum() / (weights.sum() * len(names)))
    refined = named.generalized & named.claimed
    if refined.any():
        minimal = (refined & named.minimal) @ weights
        parts["minimal"] = float(minimal.sum() / (refined @ weights).sum())
    return parts


def _step_details(steps: Sequence[OneStep], weights: Floats) -> dict[str, float]:
    """Return what labels tell of those one level below, classes counted with (n_classes,) weights.

    steps: by quasi-identifier; bits are those of a record.
    """
    open_ = sum(float(weights @ (step.bits > 0)) for step in steps)
    bits = sum(float(weights @ step.bits) for step in steps)
    if not open_:
        return {}
    return {
        "labels present": sum(float(weights @ step.present) for step in steps) / open_,
        "counts known": sum(float(weights @ step.known) for step in steps) / open_,
        "bits told": sum(float(weights @ step.told) for step in steps) / bits,
    }


def _steps_of(pair: TablePair, chosen: Ints, k: int) -> list[OneStep]:
    """Return by quasi-identifier what the labels of some classes tell; bits by record."""
    classes, rows = classes_of(pair)
    sizes = np.bincount(classes, minlength=len(rows))[chosen]
    steps = []
    for own in pair.generalizations:
        below = np.zeros(len(chosen), np.int64)
        if own.below is not None:
            below = own.below[own.labels[rows[chosen]]]
        step = one_step(sizes, below, k)
        steps.append(step._replace(bits=step.bits / sizes, told=step.told / sizes))
    return steps


def _name_values(pair: TablePair, chosen: Ints, k: int) -> _NamedValues:
    """Name values in some classes, (n_classes,) ascending numbers.

    k: as `minimal_for` of the context.
    """
    classes, rows = classes_of(pair)
    present = dict.fromkeys(pair.quasi_identifiers, np.zeros(len(chosen), np.bool_))
    if k:
        steps = _steps_of(pair, chosen, k)
        present |= {
            own.name: step.present for own, step in zip(pair.generalizations, steps, strict=True)
        }
    sizes = np.bincount(classes, minlength=len(rows))
    blocks = []
    for start in range(0, len(chosen), AT_ONCE):
        some = chosen[start : start + AT_ONCE]
        members = _members(pair, classes, some)
        block = slice(start, start + AT_ONCE)
        shapes = [
            shape_of(pair, name, rows[some], members, present[name][block])
            for name in pair.quasi_identifiers
        ]
        blocks.append(_judge_names(shapes, sizes[some]))
    return _NamedValues(*(np.concatenate(part, axis=1) for part in zip(*blocks, strict=True)))


def _judge_names(shapes: list[Shape], sizes: Ints) -> _NamedValues:
    """Judge what is named in classes of some sizes."""
    several = np.array([shape.several for shape in shapes])
    numbers = np.array([shape.named for shape in shapes])
    shares = np.where(several, np.minimum(numbers, sizes) / sizes, numbers > 0)
    occurring = np.array([shape.occurring for shape in shapes]) / np.maximum(numbers, 1)
    expected = np.array([shape.expected for shape in shapes])
    return _NamedValues(shares * occurring, shares * expected, several, numbers > 0, occurring == 1)


def _members(pair: TablePair, classes: Int32s, some: Ints) -> tuple[Ints, Ints]:
    """Return pairs of a class's place and a person in it: where unknown, one who could be."""
    if pair.rows is None:
        candidates = find_candidates(pair, np.arange(pair.n_original), among=some)
        return np.searchsorted(some, candidates.classes), candidates.persons
    place = np.full(int(classes.max(initial=-1)) + 1, -1, np.int64)
    place[some] = np.arange(len(some))
    owner = place[classes]
    return owner[owner >= 0], pair.rows[owner >= 0]
