"""Singling out: describing one person of the original so that nobody else in it fits."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.attacks.cells import cell_codes
from kanonym.attacks.lookup import is_changed
from kanonym.attacks.outcome import AttackOutcome, Counted
from kanonym.attacks.predicates import Predicates, matched, possible
from kanonym.attacks.scene import Scene
from kanonym.attacks.sizes import alone_elsewhere
from kanonym.kernels.grouping import group_rows
from kanonym.metrics.utility.pair import NumericColumn, TablePair
from kanonym.models.base import check_integer

LOOKED_AT = 10_000_000
"""Records times sets of columns in which combinations that few records have are looked for."""

POOL = 4
"""How many times the attempts are compared with the whole release, to try the best of them."""


@dataclass(frozen=True, slots=True)
class SinglingOut:
    """Predicates made of the release, and how many of them match one person of the original.

    Univariate predicates are values that one released record has, and the ends of columns
    (at most the lowest, at least the highest number). Multivariate ones are combinations of
    cells of a released record, as they leave values open; where released numbers were changed
    (means, noise), a number counts as "at least" or "at most" it, whichever way leads away
    from the released median. Of them those are tried that the fewest released records may
    satisfy.

    Attributes
    ----------
    n_columns
        Columns of a multivariate predicate; all where the tables share fewer.
    attempts
        Predicates of each of the two modes, at most; multivariate ones as many, or as many as
        there are released records or combinations.

    Notes
    -----
    Full success is 1: of an original published unchanged each univariate predicate matches
    one person, and each multivariate one, as far as there are that many combinations which
    one record has. A release in which everything is suppressed gives 0, as chance does.

    The baseline is computed: a predicate of weight w that is made without the release matches
    one of n independent persons with probability n·w·(1 - w)^(n - 1) (Cohen & Nissim 2020,
    PNAS 117(15), on trivial isolation). The weight is estimated by the rule of succession,
    w = (m + 1) / (n + 2) where m of the original's n persons satisfy the predicate: a
    predicate that nobody satisfies has a weight, too. The control counts the same predicates
    among other persons, corrected for their number (`sizes.alone_elsewhere`). Both rates have
    intervals, also where all predicates were tried: other persons of the same population
    would have given others. Intervals take attempts as independent.

    Predicates are those of anonymeter (Giomi et al. 2023, PoPETs 2023/2, section 5.1) with
    three deviations: a generalized release has hardly a combination that one record has, and
    those nearest to it are tried rather than none, so that rates at different k compare;
    numbers that were not changed are taken as released; and the control's correction is
    another model. A predicate with a random condition on top, which isolates in any class of
    k records (Cohen & Nissim, on k-anonymity), is not tried: of what a predicate says, all is
    in the release.

    Cost O(sets of columns · n_released) to find combinations, at most 10 million cells, and
    O(attempts · n_columns · records / 64) to count them.

    """

    type: ClassVar[str] = "singling-out"
    question: ClassVar[str] = (
        "Can the intruder, from the release, describe a person so that exactly one in the "
        "data fits?"
    )
    n_columns: int = 3
    attempts: int = 2000

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_integer(self.type, "n_columns", self.n_columns, 1)
        check_integer(self.type, "attempts", self.attempts, 1)

    def carry_out(self, scene: Scene, random: np.random.Generator) -> AttackOutcome:
        """Try the predicates of both modes on the original and on the control.

        Returns
        -------
        The outcome of both modes together; `parts` has the rate of each, those of its
        baseline and control, and how many predicates were tried.

        """
        pair = scene.pair
        if not (pair.n_original and pair.n_released and pair.columns):
            reason = "the original or the release has no record, or they share no column"
            return AttackOutcome(
                self.type, self.question, Counted(0, 0), Counted(0, 0), reason=reason
            )
        codes = np.column_stack([cell_codes(column)[0] for column in pair.columns])
        modes = {
            "univariate": _some(_univariate(pair, codes), self.attempts, random),
            "multivariate": self._multivariate(pair, codes, random),
        }
        parts: dict[str, float] = {}
        targets, baselines, controls = [], [], []
        for mode, predicates in modes.items():
            held = matched(pair, predicates)
            targets.append(Counted(int((held == 1).sum()), len(held)))
            baselines.append(Counted(_by_chance(held, pair.n_original), len(held)))
            parts[f"{mode} attempts"] = len(held)
            if not len(held):
                continue
            parts[mode] = targets[-1].rate
            parts[f"{mode} baseline"] = baselines[-1].rate
            if scene.control is not None and scene.control.n_original:
                elsewhere = matched(scene.control, predicates)
                size = scene.control.n_original
                controls.append(alone_elsewhere(elsewhere, size, pair.n_original))
                parts[f"{mode} control"] = controls[-1].rate
        return AttackOutcome(
            self.type,
            self.question,
            _together(targets),
            _together(baselines),
            _together(controls) if controls else None,
            parts=parts,
        )

    def _multivariate(
        self, pair: TablePair, codes: NDArray[np.int32], random: np.random.Generator
    ) -> Predicates:
        """Return combinations that the fewest released records may satisfy."""
        n, d = codes.shape
        width = min(self.n_columns, d)
        attempts = min(self.attempts, n)
        rows, columns, sizes = [], [], []
        for chosen in _column_sets(d, width, max(LOOKED_AT // n, 10), random):
            groups = group_rows(
                [codes[:, number] for number in chosen],
                [int(codes[:, number].max()) + 1 for number in chosen],
            )
            order = random.permutation(len(groups.sizes))
            fewest = order[np.argsort(groups.sizes[order], kind="stable")[: POOL * attempts]]
            rows.append(groups.first[fewest])
            sizes.append(groups.sizes[fewest])
            columns.append(np.tile(chosen, (len(fewest), 1)))
        pool = random.permutation(sum(map(len, rows)))
        best = np.argsort(np.concatenate(sizes)[pool], kind="stable")[: POOL * attempts]
        row = np.concatenate(rows)[pool[best]]
        column = np.concatenate(columns)[pool[best]]
        sides = np.zeros(column.shape, np.int8)
        if is_changed(pair):
            sides = _sides(pair)[row[:, None], column]
        found = Predicates(row, column, sides)
        best = np.argsort(possible(pair, found), kind="stable")[:attempts]
        return found.taken(best)


def _column_sets(d: int, width: int, most: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return sets of `width` of d columns, as rows: all, or at most `most` random ones."""
    if comb(d, width) <= most:
        return np.array(list(combinations(range(d), width)), np.int64)
    drawn = np.sort(random.random((most, d)).argsort(axis=1)[:, :width], axis=1)
    return np.unique(drawn, axis=0)


def _univariate(pair: TablePair, codes: NDArray[np.int32]) -> Predicates:
    """Return the values that one released record has, and the ends of columns."""
    found: list[tuple[int, int, int]] = []
    for number, column in enumerate(pair.columns):
        own = codes[:, number]
        unique = (np.bincount(own)[own] == 1) & ~column.suppressed
        rows = np.flatnonzero(unique)
        found += [(row, number, 0) for row in rows[np.argsort(own[rows])].tolist()]
        if isinstance(column, NumericColumn):
            low = np.where(column.suppressed, np.nan, column.low)
            high = np.where(column.suppressed, np.nan, column.high)
            if np.isnan(low).all():
                continue
            ends = (int(np.nanargmin(low)), -1), (int(np.nanargmax(high)), 1)
            found += [(row, number, side) for row, side in ends if _held_once(column, row, side)]
    table = np.array(found, np.int64).reshape(-1, 3)
    return Predicates(table[:, 0], table[:, 1:2], table[:, 2:].astype(np.int8))


def _held_once(column: NumericColumn, row: int, side: int) -> bool:
    """Whether at most one released record surely has the end of a column."""
    end = column.low[row] if side < 0 else column.high[row]
    sure = (column.low == end) & (column.high == end) & ~column.suppressed
    return int(sure.sum()) <= 1


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


def _some(predicates: Predicates, attempts: int, random: np.random.Generator) -> Predicates:
    """Return at most `attempts` of them."""
    chosen = np.sort(random.permutation(len(predicates))[:attempts])
    return predicates.taken(chosen)


def _by_chance(held: NDArray[np.int64], n: int) -> float:
    """Return the expected number that match one of n independent persons, by their weights."""
    # What everybody satisfies says nothing of anybody: of a table of one, it still isolates.
    weight = np.where(held == n, 1.0, (held + 1) / (n + 2))
    return float((n * weight * (1 - weight) ** (n - 1)).sum())


def _together(parts: list[Counted]) -> Counted:
    return Counted(
        sum(part.successes for part in parts),
        sum(part.attempts for part in parts),
    )
