"""What guesses about canaries show of ε: a lower bound from one run of a mechanism."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

PRECISION = 1e-9
LARGEST = 64.0


def guess_bound(
    canaries: int, guesses: int, correct: int, *, delta: float = 0.0, significance: float = 0.05
) -> float:
    """Return a lower bound of ε that guesses about canaries show; 0.0 where they show nothing.

    Each of the canaries was put into the table, or left out, by a fair coin of its own. Whoever
    sees what the mechanism released says of some of them whether they were in it. If the
    mechanism is (ε, δ)-differentially private (one record more or less), then `correct` right
    answers are improbable where ε is small: the bound is the largest ε that is rejected.

    Notes
    -----
    Cost: O(guesses) for each of about 40 bisections. Source: Steinke, Nasr, Jagielski, *Privacy
    auditing with one (1) training run*, NeurIPS 2023, theorem 5.2 (its form with δ).

    """
    if not 0 <= correct <= guesses <= canaries or canaries < 1:
        raise ValueError(
            f"0 <= correct <= guesses <= canaries and canaries >= 1 must hold; "
            f"got {correct}, {guesses}, {canaries}"
        )
    if _chance(canaries, guesses, correct, 0.0, delta) >= significance:
        return 0.0
    low, high = 0.0, LARGEST
    while high - low > PRECISION:
        middle = (low + high) / 2
        if _chance(canaries, guesses, correct, middle, delta) < significance:
            low = middle
        else:
            high = middle
    return low


def _chance(canaries: int, guesses: int, correct: int, epsilon: float, delta: float) -> float:
    """Return the largest probability that an (ε, δ) mechanism allows so many right guesses."""
    right = 1 / (1 + math.exp(-epsilon))
    tail = binom.sf(np.arange(correct, -1, -1) - 1, guesses, right)
    if delta == 0.0 or correct == 0:
        return float(tail[0])
    steps = np.arange(1, correct + 1)
    slope = float(np.max((tail[1:] - tail[0]) / steps))
    return float(tail[0]) + 2 * canaries * delta * slope


def right_guesses(scores: NDArray[np.float64], put_in: NDArray[np.bool_], guesses: int) -> int:
    """Return how many guesses are right: half the highest scores as in, half the lowest as out.

    scores: (n_canaries,) float64, higher where a canary seems to be in.
    put_in: (n_canaries,) bool, which were put in.
    """
    order = np.argsort(-scores, kind="stable")
    above = guesses - guesses // 2
    below = order[len(order) - guesses // 2 :]
    return int(put_in[order[:above]].sum() + (~put_in[below]).sum())
