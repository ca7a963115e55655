"""An audit of a mechanism by canaries in one run, and its result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.data.results import Result, ResultTable
from kanonym.differential_privacy.audit_bound import guess_bound, right_guesses


def canary_scores(
    released: pl.DataFrame, others: pl.DataFrame, canaries: pl.DataFrame
) -> NDArray[np.float64]:
    """Return (n_canaries,) float64: higher where the release holds more of a canary than without.

    The intruder knows all records but which canaries are among them. For each column and each pair
    of columns, the records of the release that share the canary's values are compared with those
    expected: `others` and half of the canaries. Each difference counts by its precision, which
    the differences themselves show: pairs that the mechanism keeps well weigh most.

    Notes
    -----
    Cost: O(d² · rows). What is summed is the likelihood ratio of Gaussian noise on each count.

    """
    columns = list(_codes(released, others, canaries))
    ends = np.cumsum([released.height, others.height])
    total = np.zeros(canaries.height)
    for codes in _marginals(columns):
        cells = int(codes.max(initial=0)) + 1
        shown, known, ours = np.split(codes, ends)
        expected = np.bincount(known, minlength=cells) + np.bincount(ours, minlength=cells) / 2
        difference = np.bincount(shown, minlength=cells) - expected
        seen = difference[expected > 0]
        total += difference[ours] / max(float(np.mean(seen**2)), 1.0)
    return total


def _codes(*tables: pl.DataFrame) -> Iterator[NDArray[np.int64]]:
    """Yield a column's values in all tables, one after the other, as numbers from 0."""
    for name in tables[0].columns:
        column = pl.concat([table[name].cast(pl.String) for table in tables])
        yield column.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()


def _marginals(columns: list[NDArray[np.int64]]) -> Iterator[NDArray[np.int64]]:
    """Yield the cells of each column and of each pair of columns, numbered from 0."""
    yield from columns
    for first, second in combinations(columns, 2):
        joint = first * (second.max(initial=0) + 1) + second
        yield np.unique(joint, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, slots=True, repr=False)
class Audit(Result):
    """An audit of one run of a mechanism.

    Attributes
    ----------
    mechanism
        Its name.
    epsilon, delta
        What it states.
    canaries
        Records that were put in or left out by a coin each.
    guesses, correct
        How many were guessed, and how many of these rightly, in the attempt with the highest bound.
    lower_bound
        ε is at least this, but for `significance`.
    largest_bound
        What the bound would be had all guesses been right: no audit with so many canaries shows
        more.
    significance
        Probability that the bound is above the true ε, at most.
    seed
        Of the canaries and their coins; the mechanism does not know it.

    """

    _shown: ClassVar[tuple[str, ...]] = ("mechanism", "epsilon", "lower_bound")

    mechanism: str
    epsilon: float
    delta: float
    canaries: int
    guesses: int
    correct: int
    lower_bound: float
    largest_bound: float
    significance: float
    seed: int

    @property
    def satisfied(self) -> bool:
        """Whether the audit found nothing that contradicts the stated ε and δ."""
        return self.lower_bound <= self.epsilon

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**asdict(self), "satisfied": self.satisfied}

    def tables(self) -> list[ResultTable]:
        """Return the figures, one a row."""
        rows = [
            ("stated", f"epsilon {self.epsilon:g}, delta {self.delta:g}"),
            ("canaries", f"{self.canaries:,}"),
            ("guesses", f"{self.guesses:,}, {self.correct:,} of them right"),
            (
                "epsilon is at least",
                f"{self.lower_bound:.2f} (confidence {1 - self.significance:.0%})",
            ),
        ]
        return [ResultTable(("audit", self.mechanism), rows, notes=self.notes)]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the figures mean, in sentences."""
        if not self.satisfied:
            return ("The mechanism is not as private as it states: do not release its tables.",)
        blunders = (
            "The audit found nothing that contradicts the stated epsilon. It finds blunders, not "
            "small excesses: the guarantee rests on the proof."
        )
        if self.largest_bound > self.epsilon:
            return (blunders,)
        few = (
            f"With {self.canaries:,} canaries no audit shows an epsilon above "
            f"{self.largest_bound:.1f}: audit at a smaller epsilon, or with more canaries."
        )
        return blunders, few


SHARES = (0.02, 0.1, 0.4, 0.8)
"""Shares of the canaries that are guessed; the best bound counts, each at its part of the 5 %."""

LEAST = 100
"""Fewer canaries show hardly anything: all guessed rightly, 100 show that ε is at least 3.5."""

Mechanism = Callable[[pl.DataFrame], pl.DataFrame]
Scores = Callable[[pl.DataFrame, pl.DataFrame, pl.DataFrame], NDArray[np.float64]]


def audit_mechanism(
    mechanism: Mechanism,
    others: pl.DataFrame,
    canaries: pl.DataFrame,
    *,
    name: str,
    epsilon: float,
    delta: float,
    significance: float = 0.05,
    seed: int = 0,
    scores: Scores = canary_scores,
) -> Audit:
    """Run a mechanism once, and return a lower bound of its ε.

    Parameters
    ----------
    mechanism
        Takes a table and returns what it releases.
    others
        Records that are in the table anyway.
    canaries
        At least 100 records with the same columns; each is put in with probability 1/2.
    name, epsilon, delta
        The mechanism's name, and what it states.
    significance
        Probability, in (0, 1), that the bound is above the true ε.
    seed
        Of the coins.
    scores
        How much a release looks as if each canary was in: takes the release, the other records
        and the canaries.

    Raises
    ------
    DataError
        There are fewer than 100 canaries.

    """
    if canaries.height < LEAST:
        raise DataError(
            f"an audit needs at least {LEAST} canaries to show anything; got {canaries.height}"
        )
    random = np.random.default_rng([seed, canaries.height])
    put_in = random.random(canaries.height) < 0.5
    table = pl.concat([others, canaries.filter(pl.Series(put_in))])
    released = mechanism(table[random.permutation(table.height)])
    marks = scores(released, others, canaries)
    bound_of = partial(
        guess_bound, canaries.height, delta=delta, significance=significance / len(SHARES)
    )
    counts = [round(share * canaries.height) for share in SHARES]
    attempts = [(guesses, right_guesses(marks, put_in, guesses)) for guesses in counts]
    bound, guesses, correct = max((bound_of(*attempt), *attempt) for attempt in attempts)
    return Audit(
        name,
        epsilon,
        delta,
        canaries.height,
        guesses,
        correct,
        bound,
        max(bound_of(guesses, guesses) for guesses in counts),
        significance,
        seed,
    )
