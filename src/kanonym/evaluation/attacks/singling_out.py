"""Singling out: describing one person of the original so that nobody else in it fits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks.base import Aim, Attack, AttackContext
from kanonym.evaluation.attacks.matching.lookup import classes_of, is_changed
from kanonym.evaluation.attacks.matching.predicates import (
    Predicates,
    coded_cells,
    count_matches,
    count_possible,
)
from kanonym.evaluation.attacks.matching.sizes import expected_singletons
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount
from kanonym.evaluation.pair.tables import NumericColumn, TablePair
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.classes.grouping import label_rows
from kanonym.models.base import check_integer

LOOKED_AT = 10_000_000
"""Records times sets of columns in which combinations that few records have are looked for."""

POOL = 4
"""How many times the attempts are compared with the whole release, to try the best of them."""

POOL_AT_LEAST = 1000
"""How many are compared even for few attempts."""

SAMPLED = 10
"""How many combinations with one-sided numbers are looked at for each that is tried."""

LIKELY = 0.5
"""Confidence of the intervals by which kinds are compared where none is surely above chance."""

ENOUGH = 20
"""Attempts below which a rate is hardly an estimate: kinds with more come first."""

UNIVARIATE, MULTIVARIATE, WHOLE = "univariate", "multivariate", "whole records"
ONE_SIDED = "multivariate one-sided"


@dataclass(frozen=True, slots=True)
class SinglingOut(Attack):
    """Predicates made of the release, and how many of them match one person of the original.

    Four kinds are tried, and the outcome is that of the kind with the strongest evidence: the
    largest lower end of the risk's interval. Where that is 0 for all of them, kinds of fewer than
    20 attempts come last, and the interval is one of a confidence of one half.

    - `univariate`: values that one released record has, and the ends of columns (at most the
      lowest, at least the highest number).
    - `multivariate`: of each released record some cells, as they leave values open; those
      that the fewest released records have, and of equally rare ones those whose cells are
      the rarest one by one.
    - `whole records`: the same with all columns.
    - `multivariate one-sided`: where released numbers may be means, rounded or noisy; cells of
      random columns, numbers as "at least" or "at most", whichever way leads away from the
      released median.

    Attributes
    ----------
    n_columns
        Columns of a multivariate predicate; all where the tables share fewer.
    attempts
        Predicates of each kind, at most.

    Notes
    -----
    Of combinations those are tried that the fewest different released records may satisfy.
    Full success is 1: of an original published unchanged each predicate of one released record
    matches one person. A release in which everything is suppressed gives 0, as chance does.

    Chance is that the same predicates match exactly one of as many other persons: those of the
    control, corrected for their number (`sizes.expected_singletons`). Without a control released
    records stand for them: predicates made of one half of the release are counted among the
    records of the other half; where each class has several records, halves are of classes,
    and a class stands for one person. That is the `baseline`, told also beside a control. A
    predicate that nobody satisfies adds nothing to chance. Where persons have several records,
    a predicate succeeds whose records are all of one person; predicates are still those that
    the fewest records satisfy, for the release does not tell whose they are. All rates have
    intervals, also where all predicates were tried: other persons of the same population would
    have given others. Intervals take attempts as independent.

    Predicates are those of anonymeter (Giomi et al. 2023, PoPETs 2023/2, section 5.1) with four
    deviations: a generalized release has hardly a combination that one record has, and those
    nearest to it are tried rather than none, so that rates at different k compare; numbers are
    tried as released, too; of each record the rarest combination is tried, so that the rate is a
    share of released records; and the control's correction is another model. A predicate with a
    random condition on top, which isolates in any class of k records (Cohen & Nissim 2020, PNAS
    117(15), on k-anonymity), is not tried: of what a predicate says, all is in the release.

    Cost O(sets of columns · n_released) to find combinations, at most 10 million cells, and
    O(attempts · n_columns · records / 64) to count them.
    """

    type: ClassVar[str] = "singling-out"
    title: ClassVar[str] = _("Singling out")
    question: ClassVar[str] = _("Which description matches exactly one person in the table?")
    result_sentence: ClassVar[str] = _(
        "Knows nobody: describes a person by all released columns, including the sensitive ones, "
        "which k-anonymity does not cover. Of 100 descriptions, {right} match exactly one person; "
        "by chance, {chance}."
    )
    method: ClassVar[str] = "builds predicates from the release that match exactly one person"
    source: ClassVar[str] = "Cohen and Nissim 2020; Giomi et al. 2023"
    aim: ClassVar[Aim] = "singling-out"
    part_mark: ClassVar[str] = " "
    unit: ClassVar[str] = "description"
    of_person: ClassVar[str] = "only records of the person satisfy a predicate"
    n_columns: int = 3
    attempts: int = 2000

    def __post_init__(self) -> None:
        check_integer(self.type, "n_columns", self.n_columns, 1)
        check_integer(self.type, "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Try the predicates of each mode on the original and on the control.

        Returns
        -------
        The outcome of the kind with the strongest evidence; `parts` has the rate of each, those
        of its baseline and control, its risk, and how many predicates were tried.
        """
        pair = scene.pair
        reason = _obstacle(scene)
        if reason:
            return self.not_run(reason)
        codes = coded_cells(pair)
        others = None if scene.control is None else coded_cells(scene.control)
        # By what they say, so that the order of the release means nothing.
        everything = np.lexsort(codes.T)
        kept, aside = _split_records(pair, everything, random)
        # As rare among fewer records as those that are tried are among all.
        fewer = -(-self.attempts * len(kept) // pair.n_released)
        parts: dict[str, float] = {}
        outcomes = []
        modes = _modes(pair)
        steps = 4 * len(modes)
        for done, mode in enumerate(modes):
            scene.told(4 * done, steps)
            predicates = self._make_predicates(
                mode, pair, codes, (everything, self.attempts), random
            )
            parts[f"{mode} attempts"] = len(predicates)
            if not len(predicates):
                continue
            scene.told(4 * done + 1, steps)
            held = count_matches(pair, predicates, codes)
            scene.told(4 * done + 2, steps)
            elsewhere = self._make_predicates(mode, pair, codes, (kept, fewer), random)
            scene.told(4 * done + 3, steps)
            found = AttackResult(
                self.type,
                self.question,
                SuccessCount(int((held == 1).sum()), len(held)),
                _expect_among_records(pair, codes, elsewhere, aside),
                _expect_among_others(scene.control, others, predicates, pair.n_persons),
                parts=parts,
                best_of=len(modes),
                other_attack=True,
            )
            parts[mode] = found.targets.rate
            parts[f"{mode} baseline"] = found.baseline.rate
            if found.control is not None:
                parts[f"{mode} control"] = found.control.rate
            parts[f"{mode} risk"] = found.risk
            outcomes.append(found)
        return max(outcomes, key=evidence_rank)

    def _make_predicates(
        self,
        mode: str,
        pair: TablePair,
        codes: Int32s,
        asked: tuple[Ints, int],
        random: np.random.Generator,
    ) -> Predicates:
        """Return at most so many predicates of a mode, made of some released records."""
        if mode == UNIVARIATE:
            return _sample_predicates(
                _univariate_predicates(pair, codes, asked[0]), asked[1], random
            )
        width = codes.shape[1] if mode == WHOLE else min(self.n_columns, codes.shape[1])
        if mode == ONE_SIDED:
            return _one_sided_predicates(pair, codes, asked, width, random)
        return _multivariate_predicates(pair, codes, asked, width, random)


def _multivariate_predicates(
    pair: TablePair, codes: Int32s, asked: tuple[Ints, int], width: int, random: np.random.Generator
) -> Predicates:
    """Return of each record the rarest combination, of records the rarest first."""
    rows, attempts = asked
    own, d = np.asfortranarray(codes[rows]), codes.shape[1]  # columns are grouped one by one
    highest = own.max(axis=0, initial=0).tolist()
    shares = _shares(pair, own, rows)
    n = len(rows)
    size, share = np.full(n, n + 1, np.int64), np.zeros(n)
    columns = np.zeros((n, width), np.int64)
    for chosen in _column_sets(d, width, max(LOOKED_AT // n, 10), random):
        groups = label_rows(
            [own[:, number] for number in chosen], [highest[number] + 1 for number in chosen]
        )
        sizes, weight = groups.sizes[groups.labels], shares[:, chosen].sum(axis=1)
        better = (sizes < size) | ((sizes == size) & (weight < share))
        size[better], share[better] = sizes[better], weight[better]
        columns[better] = chosen
    places = random.permutation(n)
    best = places[np.lexsort((share[places], size[places]))]
    # Records that say the same make one predicate.
    best = _first_different(own, columns, best, most=max(POOL * attempts, POOL_AT_LEAST))
    sides = np.zeros((len(best), width), np.int8)
    predicates = Predicates(rows[best], columns[best], sides)
    return _rarest(pair, codes, predicates, rows, attempts, share[best])


def _first_different(own: Int32s, columns: Ints, best: Ints, most: int) -> Ints:
    """Return the first so many of some records that say different things in their columns."""
    asked = 2 * most
    while True:
        some = best[:asked]
        first = _first_of_each(own[some], columns[some])
        if len(first) >= most or asked >= len(best):
            return some[first[:most]]
        asked *= 4


def _first_of_each(codes: Int32s, columns: Ints) -> Ints:
    """Return the first of the records that say the same in their columns, ascending.

    codes: (n, d) int32. columns: (n, width) int64, which of them count, of each record.
    """
    told = np.column_stack([columns, np.take_along_axis(codes, columns, axis=1)]).astype(np.int32)
    parts = list(np.asfortranarray(told).T)
    groups = label_rows(parts, [int(part.max(initial=0)) + 1 for part in parts])
    return np.sort(groups.first)


def _one_sided_predicates(
    pair: TablePair, codes: Int32s, asked: tuple[Ints, int], width: int, random: np.random.Generator
) -> Predicates:
    """Return combinations of random columns, with numbers as at least or at most."""
    rows, attempts = asked
    row = random.choice(rows, SAMPLED * attempts)
    columns = random.random((len(row), codes.shape[1])).argsort(axis=1)[:, :width]
    columns.sort(axis=1)
    some = _first_of_each(codes[row], columns)
    row, columns = row[some], columns[some]
    predicates = Predicates(row, columns, _sides(pair)[row[:, None], columns])
    # Of a class all records have the same means: it counts once.
    firsts = rows[np.unique(codes[rows], axis=0, return_index=True)[1]]
    return _rarest(pair, codes, predicates, firsts, attempts, np.zeros(len(row)))


def _rarest(
    pair: TablePair, codes: Int32s, found: Predicates, rows: Ints, attempts: int, share: Floats
) -> Predicates:
    """Return those that the fewest of some released records may satisfy."""
    counts = _count_possible(pair, codes, found, rows)
    fewest = int((counts == counts.min(initial=pair.n_released)).sum())
    first = np.lexsort((share, counts))
    return found.take(first[: min(max(fewest, attempts // 10), attempts)])


def _column_sets(d: int, width: int, most: int, random: np.random.Generator) -> Ints:
    """Return sets of `width` of d columns, as rows: all, or at most `most` random ones."""
    if comb(d, width) <= most:
        return np.array(list(combinations(range(d), width)), np.int64)
    drawn = np.sort(random.random((most, d)).argsort(axis=1)[:, :width], axis=1)
    return np.unique(drawn, axis=0)


def evidence_rank(found: AttackResult) -> tuple[float, ...]:
    """Return how strong the evidence of an outcome is, the surest first.

    Where no kind of predicate is surely better than chance, one with enough attempts is meant:
    success in the only attempt is a rate of 1, and says nothing.
    """
    low, likely = found.interval[0], replace(found, confidence=LIKELY, best_of=1).interval[0]
    attempts = found.targets.attempts
    return low, min(attempts, ENOUGH), likely, found.risk, found.targets.rate, attempts


def _obstacle(scene: AttackContext) -> str | None:
    """Say why nobody can be singled out, if so."""
    pair = scene.pair
    if not (pair.n_original and pair.n_released and pair.columns):
        return Message("the original or the release has no record, or they share no column")
    if pair.n_persons == 1:
        return Message("the original has one person: whatever fits it fits nobody else")
    if scene.control is None and _lacks_owners(pair) and not _is_grouped(pair):
        return Message(
            "it is unknown which released records are of one person: give the Release, or a "
            "control of other persons"
        )
    return None


def _lacks_owners(pair: TablePair) -> bool:
    """Whether persons have several records, and nobody knows whose the released ones are."""
    return pair.persons is not None and pair.rows is None


def _is_grouped(pair: TablePair) -> bool:
    """Whether each class has several records: they are alike because of the recoding."""
    return bool(np.bincount(classes_of(pair)[0]).min(initial=pair.n_released) > 1)


def _split_records(pair: TablePair, rows: Ints, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Return released records of which predicates are made, and others that stand for persons."""
    classes = classes_of(pair)[0][rows]
    if _is_grouped(pair):
        firsts = np.sort(np.unique(classes, return_index=True)[1])
        aside = np.sort(random.permutation(firsts)[: len(firsts) // 2])
        return rows[~np.isin(classes, classes[aside])], rows[aside]
    if _lacks_owners(pair):
        return rows, rows[:0]
    order = random.permutation(len(rows))
    half = len(order) // 2
    if pair.persons is not None and pair.released_persons is not None:
        owners = np.unique(pair.released_persons[rows], return_inverse=True)[1]
        chosen = random.permutation(int(owners.max()) + 1)[: (int(owners.max()) + 1) // 2]
        aside = np.isin(owners, chosen)
        return rows[~aside], rows[aside]
    return rows[np.sort(order[half:])], rows[np.sort(order[:half])]


def _modes(pair: TablePair) -> tuple[str, ...]:
    """Return the kinds of predicates that are tried."""
    modes = (UNIVARIATE, MULTIVARIATE, WHOLE)
    return (*modes, ONE_SIDED) if is_changed(pair) and _sides(pair).any() else modes


def _shares(pair: TablePair, own: Int32s, rows: Ints) -> Floats:
    """Return (n_rows, n_columns) float64: logarithms of how many records have each cell."""
    shares = np.empty(own.shape)
    for number, column in enumerate(pair.columns):
        counts = np.bincount(own[:, number])[own[:, number]]
        shares[:, number] = np.log(np.where(column.suppressed[rows], len(rows), counts))
    return shares


def _expect_among_others(
    control: TablePair | None, codes: Int32s | None, predicates: Predicates, wanted: int
) -> SuccessCount | None:
    """Return how many predicates would match one of as many persons of the control."""
    if control is None or not control.n_original:
        return None
    return expected_singletons(count_matches(control, predicates, codes), control.n_persons, wanted)


def _expect_among_records(
    pair: TablePair, codes: Int32s, predicates: Predicates, aside: Ints
) -> SuccessCount:
    """Return how many would match one of as many persons as released records stand for."""
    if not len(aside) or not len(predicates):
        return SuccessCount(0, 0)
    whose = None if pair.persons is None or _is_grouped(pair) else pair.released_persons
    size = len(aside) if whose is None else len(np.unique(whose[aside]))
    held = _count_possible(pair, codes, predicates, aside, whose)
    return expected_singletons(held, size, pair.n_persons)


def _count_possible(
    pair: TablePair, codes: Int32s, predicates: Predicates, rows: Ints, whose: Ints | None = None
) -> Ints:
    """Return how many of some released records, or of their owners, may satisfy each predicate."""
    among = np.zeros(pair.n_released, np.bool_)
    among[rows] = True
    return count_possible(pair, predicates, among, codes, whose)


def _univariate_predicates(pair: TablePair, codes: Int32s, among: Ints) -> Predicates:
    """Return the values that one of some released records has, and the ends of columns."""
    found: list[tuple[int, int, int]] = []
    for number, column in enumerate(pair.columns):
        own = codes[among, number]
        unique = (np.bincount(own)[own] == 1) & ~column.suppressed[among]
        rows = among[unique]
        found += [(row, number, 0) for row in rows[np.argsort(own[unique])].tolist()]
        if isinstance(column, NumericColumn):
            low = np.where(column.suppressed, np.nan, column.low)[among]
            high = np.where(column.suppressed, np.nan, column.high)[among]
            if np.isnan(low).all():
                continue
            ends = (int(among[np.nanargmin(low)]), -1), (int(among[np.nanargmax(high)]), 1)
            found += [
                (row, number, side) for row, side in ends if _occurs_once(column, row, side, among)
            ]
    table = np.array(found, np.int64).reshape(-1, 3)
    return Predicates(table[:, 0], table[:, 1:2], table[:, 2:].astype(np.int8))


def _occurs_once(column: NumericColumn, row: int, side: int, among: Ints) -> bool:
    """Whether at most one of some released records surely has the end of a column."""
    end = column.low[row] if side < 0 else column.high[row]
    sure = (column.low == end) & (column.high == end) & ~column.suppressed
    return int(sure[among].sum()) <= 1


def _sides(pair: TablePair) -> NDArray[np.int8]:
    """Return (n_released, n_columns) int8: which side a released number is on, 0 for others."""
    sides = np.zeros((pair.n_released, len(pair.columns)), np.int8)
    for number, column in enumerate(pair.columns):
        if isinstance(column, NumericColumn):
            point = (column.low == column.high) & ~column.suppressed
            if point.any():
                middle = np.median(column.low[point])
                sides[point, number] = np.where(column.low[point] > middle, 1, -1)
    return sides


def _sample_predicates(
    predicates: Predicates, attempts: int, random: np.random.Generator
) -> Predicates:
    """Return at most `attempts` of them."""
    chosen = np.sort(random.permutation(len(predicates))[:attempts])
    return predicates.take(chosen)
