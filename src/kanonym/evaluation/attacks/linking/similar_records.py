"""Re-identification by similarity, judged: whether what is found is the person's own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.message import Message
from kanonym.data.message import gettext as _
from kanonym.evaluation.attacks.attacked_persons import AttackedPersons, draw_persons, everybody
from kanonym.evaluation.attacks.base import Aim, Attack
from kanonym.evaluation.attacks.intruder_view import AttackContext
from kanonym.evaluation.attacks.linking.linkage import (
    linkage_obstacle,
    linked_by_chance,
    unattempted_outcome,
)
from kanonym.evaluation.attacks.linking.similarity import SimilarityAttack, similarity_attack
from kanonym.evaluation.attacks.matching.nearest import Distance
from kanonym.evaluation.attacks.matching.values import values_of
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount, worst_of
from kanonym.evaluation.pair.tables import NumericColumn, TablePair
from kanonym.models.base import check_choice, check_integer, check_number


@dataclass(frozen=True, slots=True)
class SimilarRecords(Attack):
    """Look up each person among the released records by similarity of their numbers.

    `kanonym.attacks.similarity_attack`, judged. The most similar group of released records is taken
    for the person's, if it is similar enough. Where a sensitive attribute is known, success
    is that its value is right: the one that all records of the group share, and else, as
    without the release, the most frequent of all released ones. Without a sensitive
    attribute, success is that the person's own record is in the group: 1/n for a group of n.

    Attributes
    ----------
    threshold
        The least similarity 1 / (1 + distance), in standard deviations, from 0 to 1.
    distance
        `euclidean` or `manhattan`.
    attempts
        How many persons are looked up at most; None for all.

    Raises
    ------
    PolicyError
        A parameter is none of those possible.

    Notes
    -----
    It needs quasi-identifiers that are numbers, and uses these alone. Full success: of the
    original published unchanged, everybody has similarity 1, and whose equals (by numbers)
    share the sensitive value has it found out. The baseline is exact: the share of the most
    frequent value in the original, or 1 / n_original. With several sensitive attributes the
    outcome is that of the largest risk; `parts` has each one's rate, and as `claimed ...` the
    share of persons whose group gives a value away, which is what SIGO counts. Cost:
    `similarity_attack`.

    References
    ----------
    SIGO, https://github.com/CGI-FR/SIGO (reidentification). There a value that is given away
    counts whether or not it is right, and there is no baseline.

    """

    type: ClassVar[str] = "similarity-reidentification"
    title: ClassVar[str] = _("Re-identification by similarity")
    asks: ClassVar[str] = _(
        "Which class is most similar to a person, and does it disclose the sensitive value?"
    )
    told: ClassVar[str] = _(
        "Knows the quasi-identifiers. Of 100 known people, {right} are guessed right; by chance, "
        "{chance}."
    )
    question: ClassVar[str] = (
        "Can someone who knows a person's numbers find the most similar released records and "
        "learn from them what is sensitive?"
    )
    method: ClassVar[str] = "looks up persons by their numbers alone, as [SIGO](sigo.md) does"
    source: ClassVar[str] = "SIGO"
    aim: ClassVar[Aim] = "inference"
    of_person: ClassVar[str] = (
        "the value of one of the records is right; without values as `linkage`"
    )

    threshold: float = 0.5
    distance: Distance = "euclidean"
    attempts: int | None = 2000

    def __post_init__(self) -> None:
        check_number(self.type, "threshold", self.threshold, minimum=0, maximum=1)
        check_choice(self.type, "distance", self.distance, get_args(Distance))
        if self.attempts is not None:
            check_integer(self.type, "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        pair = scene.pair
        reason = linkage_obstacle(pair)
        if reason is None and not _numbers(pair):
            reason = Message("no quasi-identifier is a number")
        if reason is None and not scene.sensitive and pair.rows is None:
            reason = Message(
                "there is no sensitive attribute, and it is unknown which released record belongs "
                "to whom"
            )
        if reason:
            return unattempted_outcome(self, reason)
        persons = draw_persons(pair, self.attempts, random)
        if not scene.sensitive:
            found = self._own_records(pair, persons)
            return AttackResult(self.type, self.question, found, linked_by_chance(pair))
        outcomes = []
        parts: dict[str, float] = {}
        attack = self._search(pair, pair, persons.records)
        control, others, elsewhere = scene.control, None, None
        if control is not None and control.n_original:
            others = draw_persons(control, self.attempts, random)
            elsewhere = self._search(control, pair, others.records)
        for done, name in enumerate(scene.sensitive):
            scene.told(done, len(scene.sensitive))
            targets, claimed = _judge_values(attack, pair, persons, name)
            controlled = None
            if control is not None and others is not None and elsewhere is not None:
                controlled, _ = _judge_values(elsewhere, control, others, name)
            parts |= {name: targets.rate, f"{name}: claimed": claimed}
            outcomes.append((targets, _most_frequent(pair, name), controlled))
        judged = [
            AttackResult(self.type, self.question, *outcome, parts=parts, other_attack=True)
            for outcome in outcomes
        ]
        return worst_of(judged)

    def _own_records(self, pair: TablePair, persons: AttackedPersons) -> SuccessCount:
        """Return how many are expected to be given a record of their own."""
        attack = self._search(pair, pair, persons.records)
        whose = pair.released_persons
        assert whose is not None  # noqa: S101 - `run` refuses before
        grouped = attack.labels >= 0
        keys, mine = np.unique(
            attack.labels[grouped].astype(np.int64) * pair.n_persons + whose[grouped],
            return_counts=True,
        )
        right = np.flatnonzero(attack.reidentified)
        group = attack.nearest[right]
        own = persons.records if pair.persons is None else pair.persons[persons.records]
        wanted = group * pair.n_persons + own[right]
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        chances = np.zeros(len(persons.records))
        chances[right] = np.where(keys[at] == wanted, mine[at] / attack.sizes[group], 0)
        return persons.count(chances)

    def _search(
        self, pair: TablePair, units: TablePair, persons: NDArray[np.int64]
    ) -> SimilarityAttack:
        """Return what the attack finds for some persons, in the order of the release."""
        original, released = {}, {}
        # Of groups equally near the first is taken: first by value, not by place.
        ends = [end for column in _numbers(pair) for end in (column.low, column.high)]
        order = np.lexsort(ends[::-1])
        for a, column in enumerate(_numbers(pair)):
            unit = _spread(units, column.name)
            original[f"n{a}"] = _series(column.original[persons] / unit)
            released[f"n{a}"] = _cells(column, unit)
        attack = similarity_attack(
            pl.DataFrame(original),
            pl.DataFrame(released)[order],
            list(original),
            distance=self.distance,
            threshold=self.threshold,
            standardize=False,
        )
        labels = np.empty_like(attack.labels)
        labels[order] = attack.labels
        return replace(attack, first=order[attack.first], labels=labels)


def _judge_values(
    found: SimilarityAttack, pair: TablePair, persons: AttackedPersons, name: str
) -> tuple[SuccessCount, float]:
    """Return how many sensitive values are right, and the share of those given away."""
    values = values_of(pair, name)
    known = np.bincount(values.released, minlength=values.size + 1)[: values.size]
    # Without a released value there is no guess: -1 is nobody's.
    guess = int(known.argmax()) if known.any() else -1
    codes = pl.Series(values.released)
    attack = found.with_sensitive(codes.set(codes == values.size, None))
    claims, shown = attack.reidentified, attack.sensitive
    given = np.full(len(persons.records), guess)
    if shown is not None:
        given[claims] = shown.fill_null(-1).to_numpy()[claims]
    right = given == values.own[persons.records]
    return persons.count(right), float(persons.find_any(claims).mean())


def _most_frequent(pair: TablePair, name: str) -> SuccessCount:
    """Return how many persons have the value that the most of them have."""
    own, persons = values_of(pair, name).own, everybody(pair)
    held = np.unique(persons.owners * (int(own.max()) + 1) + own) % (int(own.max()) + 1)
    return SuccessCount(int(np.bincount(held).max()), persons.number, exact=True)


def _numbers(pair: TablePair) -> list[NumericColumn]:
    columns = map(pair.column, pair.quasi_identifiers)
    return [column for column in columns if isinstance(column, NumericColumn)]


def _spread(pair: TablePair, name: str) -> float:
    """Return the standard deviation of a column of the original, 1 where it has none."""
    values = pair.column(name).original
    held = values[~np.isnan(values)]
    return float(held.std()) or 1.0 if len(held) and held.min() < held.max() else 1.0


def _series(values: NDArray[np.float64]) -> pl.Series:
    return pl.Series(values).fill_nan(None)


def _cells(column: NumericColumn, unit: float) -> pl.Series:
    """Return released cells as the attack reads them; null for what says nothing."""
    low, high = _series(column.low / unit), _series(column.high / unit)
    if (column.low < column.high).any():
        low = pl.select(pl.format("[{}, {}]", low, high)).to_series()
    return low.set(pl.Series(column.suppressed), None)
