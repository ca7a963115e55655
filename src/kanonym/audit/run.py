"""An audit: canaries are put into a table by coins, and guessed from what a mechanism released."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.audit.canary_scores import canary_scores
from kanonym.audit.result import Audit
from kanonym.data.errors import DataError
from kanonym.differential_privacy.audit_bound import guess_bound, right_guesses

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
