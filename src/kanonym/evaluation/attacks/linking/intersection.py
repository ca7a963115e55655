"""The intersection attack: what two releases of the same persons say together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks.base import (
    Aim,
    Attack,
    AttackContext,
    AttackedPersons,
    draw_persons,
)
from kanonym.evaluation.attacks.classes.homogeneity import NO_SENSITIVE
from kanonym.evaluation.attacks.matching.disclosure import (
    LookupSource,
    PossibleValues,
    look_up_values,
)
from kanonym.evaluation.attacks.matching.guessing import Values, shared_values
from kanonym.evaluation.attacks.matching.lookup import is_changed
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount, worst_of
from kanonym.evaluation.pair.tables import TablePair
from kanonym.kernels.arrays import Bools, Ints
from kanonym.models.base import check_integer


@dataclass(frozen=True, slots=True)
class Intersection(Attack):
    """Learn a person's sensitive value for certain, from two releases together.

    The intruder knows the quasi-identifiers of a person who is in both releases, finds the
    records of each that leave these values open, and intersects their sensitive values.
    Where one release has no such record, or none of them says a value, the other one
    stands alone. Success: one value is left, and it is the person's.

    Attributes
    ----------
    attempts
        How many persons are looked up at most.

    Notes
    -----
    Full success is that of homogeneity. The baseline is the better of the releases alone, on
    the same persons: the risk is what the second release adds. Of a person with several
    records one value that is left is enough, in each of them. `parts` has for each
    attribute the rate, that of either release alone, and how many values are left of those
    persons for whom any is. Not every person of the original need be in the second release:
    who is not in it is attacked none the less, and counts. There is no control.
    Cost: that of `evaluation.attacks.matching.disclosure.look_up_values`, twice.

    References
    ----------
    Ganta, Kasiviswanathan, Smith (2008). Composition attacks and auxiliary information in
    data privacy. KDD, section 2 (intersection attack). Two releases here, any number there.
    """

    type: ClassVar[str] = "intersection"
    title: ClassVar[str] = _("Intersection of two releases")
    question: ClassVar[str] = _("What is a person’s sensitive value, if two releases are combined?")
    result_sentence: ClassVar[str] = _(
        "Knows the quasi-identifiers and a second release. Of 100 known people, the value of "
        "{right} is certain; by chance, of {chance}."
    )
    method: ClassVar[str] = (
        "intersects two releases of the same people (`second`, a table or a `Release`); its "
        "baseline is the better of the two alone"
    )
    source: ClassVar[str] = "Ganta et al. 2008"
    aim: ClassVar[Aim] = "inference"

    attempts: int = 2000

    def __post_init__(self) -> None:
        check_integer("intersection", "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        if scene.second is None:
            return self.not_run(Message("there is no second release of the same persons"))
        held = {column.name for column in scene.second.columns}
        coded = {
            name: both
            for name in scene.sensitive
            if name in held and (both := shared_values(scene.pair, scene.second, name)) is not None
        }
        if not scene.sensitive:
            return self.not_run(NO_SENSITIVE)
        if not coded:
            return self.not_run(
                Message("the second release has no sensitive attribute of the same kind")
            )
        if not scene.pair.n_original:
            return self.not_run(Message("the original has no person"))
        persons = draw_persons(scene.pair, self.attempts, random)
        pairs = scene.pair, scene.second
        outcomes: list[AttackResult] = []
        parts: dict[str, float] = {}
        for name, both in coded.items():
            found = _look_up(pairs, persons, both)
            alone = [float(one) for one in found.alone.mean(axis=1)]
            parts |= {
                name: float(found.together.mean()),
                f"{name}: first release alone": alone[0],
                f"{name}: second release alone": alone[1],
                f"{name}: values left": _mean(found.left[found.left > 0]),
            }
            n = persons.number
            outcomes.append(
                AttackResult(
                    self.type,
                    self.question,
                    SuccessCount(int(found.together.sum()), n),
                    SuccessCount(int(found.alone.sum(axis=1).max()), n),
                    parts=parts,
                )
            )
        return worst_of(outcomes)


@dataclass(frozen=True, slots=True)
class _LookupResult:
    """What two releases say of each person.

    together: (n_persons,) bool, whether the true value alone is left.
    alone: (2, n_persons) bool, the same of either release.
    left: (n_records,) int64, how many values are left; 0 where the releases contradict.
    """

    together: Bools
    alone: Bools
    left: Ints


def _look_up(
    pairs: tuple[TablePair, TablePair], persons: AttackedPersons, both: tuple[Values, Values]
) -> _LookupResult:
    """Look persons up in two releases of which the values are coded alike."""
    sources = [
        LookupSource(pair, [values], is_changed(pair))
        for pair, values in zip(pairs, both, strict=True)
    ]
    looked_up = look_up_values(sources, persons.records)
    results = [_intersect(one, other) for _, ((one,), (other,)) in looked_up]
    alone = np.concatenate([some.alone for some in results], axis=1)
    return _LookupResult(
        persons.find_any(np.concatenate([some.together for some in results])),
        np.stack([persons.find_any(one) for one in alone]),
        np.concatenate([some.left for some in results]),
    )


def _intersect(one: PossibleValues, other: PossibleValues) -> _LookupResult:
    """Intersect the values that two releases leave open to the same persons."""
    alone = np.stack([_names_own_value(one), _names_own_value(other)])
    distinct = one.distinct, other.distinct
    # No record, or none with a value: this release says nothing of the person.
    silent = [(known == 0) | (known > one.size) for known in distinct]
    shared = np.diff((one.counts * other.counts).indptr)
    left = np.select(
        [silent[0] & silent[1], silent[0], silent[1]],
        [np.where(distinct[0] + distinct[1] > 0, one.size + 1, 0), distinct[1], distinct[0]],
        shared,
    )
    own = (one.includes_own | silent[0]) & (other.includes_own | silent[1])
    return _LookupResult((left == 1) & own, alone, left)


def _names_own_value(learned: PossibleValues) -> Bools:
    return np.asarray((learned.distinct == 1) & learned.includes_own)


def _mean(numbers: Ints) -> float:
    return float(numbers.mean()) if len(numbers) else 0.0
