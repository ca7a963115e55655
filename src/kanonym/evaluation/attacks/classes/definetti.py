"""The deFinetti attack: which value of a class is whose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.data.results import ShortRepr
from kanonym.evaluation.attacks.base import (
    Aim,
    Attack,
    AttackContext,
    AttackedPersons,
    draw_persons,
)
from kanonym.evaluation.attacks.classes.homogeneity import NO_SENSITIVE
from kanonym.evaluation.attacks.matching.guessing import Values, values_of
from kanonym.evaluation.attacks.matching.lookup import (
    classes_of,
    informative_candidates,
    is_changed,
    join_persons,
)
from kanonym.evaluation.attacks.result import AttackResult, worst_of
from kanonym.evaluation.pair.tables import NumericColumn, TablePair
from kanonym.kernels.arrays import Bools, Floats, Ints
from kanonym.models.base import check_integer

ROUNDS = 15
"""How often likelihoods are learned from the assignment, and the assignment from them, at most."""

STILL = 0.01
"""Rounds end where a person's probabilities move by less, on average."""

ALTERNATIONS = 8
"""How often rows and columns of classes are scaled, at most."""

CLOSE = 1e-2
"""How far, as a share, sums may be from what they are scaled to."""

PRIOR = 1.0
"""Records that each value is taken to have beside its own: they are as everybody is."""


@dataclass(frozen=True, slots=True, repr=False)
class ClassShares(ShortRepr):
    """Which values each class has.

    classes: (n_persons,) int64, the class of each person, ascending from 0 without a gap.
    shares: (n_classes, n_values) float64, rows add up to 1.
    """

    classes: Ints
    shares: Floats

    @property
    def sizes(self) -> Ints:
        """(n_classes,) int64 persons."""
        return np.bincount(self.classes)


def assign_values(profiles: Sequence[Ints], held: ClassShares) -> Floats:
    """Return (n_persons, n_values) float64: how likely each person has each value of the class.

    profiles: known columns as codes from 0, (n_persons,) each.

    Notes
    -----
    Kifer (2009), SIGMOD, section 4: a naive Bayes classifier is learned from the assignment so far,
    at first the shares of the classes, and the assignment from its likelihoods; persons add up to
    1, and in each class values to as many persons as have them (iterative proportional fitting).
    His assignment is of one value a person, drawn; this one is of probabilities. Rare values are
    smoothed towards everybody, not towards equal shares: where all persons are in one class there
    is nothing to learn, and nothing is learned.
    """
    found = held.shares[held.classes]
    for _turn in range(ROUNDS):
        last = found
        found = weigh_values(profiles, learn_likelihoods(profiles, profiles, found), held)
        if np.abs(found - last).sum() <= STILL * len(found):
            break
    return found


def learn_likelihoods(
    profiles: Sequence[Ints], domains: Sequence[Ints], weights: Floats
) -> list[Floats]:
    """Return for each column (n_codes, n_values) logarithms of P(code | value).

    profiles: (n,) codes of those who are learned from. domains: codes of everybody.
    weights: (n, n_values) float64, how likely each has each value.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - scipy takes a while to load

    n, found = len(weights), []
    for codes, every in zip(profiles, domains, strict=True):
        usual = np.bincount(every)
        members = csr_array((np.ones(n), (codes, np.arange(n))), shape=(len(usual), n))
        counts = members @ weights + PRIOR * (usual / len(every))[:, None]
        # A code that nobody has is asked for by nobody.
        found.append(np.log(np.maximum(counts / counts.sum(axis=0), np.finfo(np.float64).tiny)))
    return found


def weigh_values(
    profiles: Sequence[Ints], likelihoods: Sequence[Floats], held: ClassShares
) -> Floats:
    """Return (n_persons, n_values) float64: the shares of the class by likelihoods, scaled."""
    logs = np.zeros((len(held.classes), held.shares.shape[1]))
    for codes, likelihood in zip(profiles, likelihoods, strict=True):
        logs += likelihood[codes]
    possible = held.shares[held.classes]
    logs = np.where(possible > 0, logs, -np.inf)
    found = possible * np.exp(logs - logs.max(axis=1, keepdims=True))
    starts = np.searchsorted(held.classes, np.arange(len(held.shares)))
    wanted = held.shares * held.sizes[:, None]
    for _turn in range(ALTERNATIONS):
        found /= found.sum(axis=1, keepdims=True)
        sums = np.add.reduceat(found, starts, axis=0)
        factors = np.divide(wanted, sums, out=np.ones_like(sums), where=sums > 0)
        if (np.abs(factors - 1) <= CLOSE).all():
            break
        found *= factors[held.classes]
    found /= found.sum(axis=1, keepdims=True)
    return np.asarray(found)


SURE = 0.9
"""Above so much a guess counts as sure."""

VALUES = 250
"""Sensitive values that are told apart, at most."""

BINS = 16
"""Ranges of a number that are told apart, at most."""


@dataclass(frozen=True, slots=True)
class DeFinetti(Attack):
    """Guess which sensitive value of a class is whose, from how values and persons hang together.

    The intruder knows the quasi-identifiers of everybody in the table, and so who is in which
    class, and no sensitive value. Within a class not all have the same chance of a value: the
    intruder learns from all classes what persons with each value are like (naive Bayes), shares
    the values of each class out by that, and learns again from the outcome. Success: the most
    likely value is the person's.

    Attributes
    ----------
    attempts
        How many persons' guesses are judged at most; everybody is learned from.

    Notes
    -----
    The baseline guesses the most frequent value of the person's class, so the risk is what the
    other classes add. With a control, chance is the same guess with a naive Bayes learned from the
    values of the control instead: what anybody knows who has such people. `parts` has the share of
    persons whose value is `sure`, above 0.9, and that by the class alone.

    Classes of like persons leave little to tell apart: on Adult and others it adds less than 2 %.
    It is made for classes of unlike persons, as buckets are whose sensitive values were shuffled.
    Whom several classes fit has the most frequent value of the table. Numbers among the
    quasi-identifiers count in 16 ranges. Cost: a lookup of everybody, and `assign_values`.

    References
    ----------
    Kifer (2009). Attacks on privacy and deFinetti's theorem. SIGMOD, section 4.
    """

    type: ClassVar[str] = "definetti"
    title: ClassVar[str] = _("DeFinetti’s attack")
    question: ClassVar[str] = _(
        "Which sensitive value of a class is whose, judging by all classes together?"
    )
    result_sentence: ClassVar[str] = _(
        "Knows everybody’s quasi-identifiers, and shares the values of each class out by likeness. "
        "Of 100 known people, {right} are guessed right; by chance, {chance}."
    )
    method: ClassVar[str] = (
        "learns from all classes what people with each value are like, and shares the values of "
        "each class out by that"
    )
    source: ClassVar[str] = "Kifer 2009"
    aim: ClassVar[Aim] = "inference"

    attempts: int = 2000

    def __post_init__(self) -> None:
        check_integer("definetti", "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        pair = scene.pair
        if not scene.sensitive:
            return self.not_run(NO_SENSITIVE)
        if not pair.n_original or not pair.n_released or not pair.quasi_identifiers:
            return self.not_run(Message("there is no person, no record or no quasi-identifier"))
        everybody = pair if scene.control is None else join_persons(pair, scene.control)
        profiles = _profiles(everybody, pair.quasi_identifiers)
        classes = _class_of_person(pair)
        persons = draw_persons(pair, self.attempts, random)
        outcomes: list[AttackResult] = []
        parts: dict[str, float] = {}
        for done, name in enumerate(scene.sensitive):
            scene.told(done, len(scene.sensitive))
            if name not in {column.name for column in everybody.columns}:
                continue
            values = values_of(everybody, name)
            if values.size <= VALUES:
                found = _guess(values, classes, profiles, pair)
                outcomes.append(self._judge(name, values, found, persons, parts))
        if not outcomes:
            return self.not_run(
                Message("no sensitive attribute has at most {most} values: group them", most=VALUES)
            )
        return replace(worst_of(outcomes), parts=parts)

    def _judge(
        self,
        name: str,
        values: Values,
        found: Sequence[_Guesses],
        persons: AttackedPersons,
        parts: dict[str, float],
    ) -> AttackResult:
        """Count right guesses, and note parts."""
        own = values.own[persons.records]
        counted = [persons.count(one.values[persons.records] == own) for one in found]
        targets, baseline, control = (*counted, None)[:3]
        assert targets is not None  # noqa: S101 - `_guess` returns two or three
        assert baseline is not None  # noqa: S101 - the same
        parts[name] = targets.rate
        for kind, one in zip(("sure", "sure by the class alone"), found, strict=False):
            parts[f"{name}: {kind}"] = float(persons.find_any(one.sure[persons.records]).mean())
        return AttackResult(self.type, self.question, targets, baseline, control, parts=parts)


@dataclass(frozen=True, slots=True)
class _Guesses:
    """The likeliest value of each person, and whether it is sure.

    values: (n_original,) int64 codes.
    sure: (n_original,) bool.
    """

    values: Ints
    sure: Bools


def _guess(
    values: Values, classes: Ints, profiles: Sequence[Ints], pair: TablePair
) -> list[_Guesses]:
    """Return guesses by all classes, by the class alone, and by the control where there is one.

    values, profiles: of the persons of the pair, and those of the control behind them.
    """
    mask = values.released < values.size
    table = np.bincount(values.released[mask], minlength=values.size).astype(np.float64)
    of_record, firsts = classes_of(pair)
    counts = np.zeros((len(firsts), values.size))
    np.add.at(counts, (of_record[mask], values.released[mask]), 1)
    order = np.argsort(classes, kind="stable")
    order = order[classes[order] >= 0]
    known, place = np.unique(classes[order], return_inverse=True)
    # A class that says nothing has the table's values; so has a table that says nothing.
    counts = counts[known]
    counts[counts.sum(axis=1) == 0] = table
    counts[counts.sum(axis=1) == 0] = 1
    shares = ClassShares(place, counts / counts.sum(axis=1, keepdims=True))
    n = pair.n_original
    own = [codes[:n][order] for codes in profiles]
    found = [shares.shares[shares.classes]]
    found.insert(0, assign_values(own, shares) if len(order) else found[0])
    if len(values.own) > n and len(order):
        weights = np.eye(values.size)[values.own[n:]]
        likelihoods = learn_likelihoods([codes[n:] for codes in profiles], profiles, weights)
        found.append(weigh_values(own, likelihoods, shares))
    return [_most_likely(one, order, n, table) for one in found]


def _most_likely(likely: Floats, order: Ints, n: int, table: Floats) -> _Guesses:
    """Return guesses of n persons; likely: of those in `order`. Others have the table's value."""
    guesses = np.full(n, table.argmax() if table.any() else -1)
    # Rounding must not decide between values.
    guesses[order] = likely.round(9).argmax(axis=1)
    sure = np.zeros(n, np.bool_)
    sure[order] = likely.max(axis=1, initial=0) > SURE
    return _Guesses(guesses, sure)


def _class_of_person(pair: TablePair) -> Ints:
    """Return (n_original,) int64: the class of each person's record, -1 where it is unknown."""
    own = np.full(pair.n_original, -1, np.int64)
    if pair.rows is not None:
        own[pair.rows] = classes_of(pair)[0]
        return own
    persons = np.arange(pair.n_original)
    candidates = informative_candidates(pair, persons, nearest=is_changed(pair))
    one = candidates.numbers == 1
    own[one] = candidates.classes[candidates.offsets[:-1][one]]
    return own


def _profiles(pair: TablePair, names: Sequence[str]) -> list[Ints]:
    """Return the quasi-identifiers of everybody as codes from 0."""
    profiles = []
    for column in (one for one in pair.columns if one.name in names):
        if not isinstance(column, NumericColumn):
            profiles.append(column.original.astype(np.int64))
            continue
        known = column.original[~np.isnan(column.original)]
        ends = np.quantile(known, np.linspace(0, 1, BINS + 1)[1:-1]) if len(known) else known
        codes = np.searchsorted(np.unique(ends), column.original, side="right")
        codes[np.isnan(column.original)] = len(ends) + 1
        profiles.append(codes.astype(np.int64))
    return profiles
