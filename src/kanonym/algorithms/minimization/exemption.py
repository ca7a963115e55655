"""Which features to leave untouched where the cells alone miss the target."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Step = tuple[tuple[int, ...], float]
"""The features exempted so far, in order, and the relative accuracy with them."""


def exempt_features(
    accuracies_of: Callable[[NDArray[np.bool_]], NDArray[np.float64]],
    price: NDArray[np.float64],
    regained: NDArray[np.float64],
    target: float,
    accuracy: float,
) -> list[Step]:
    """Exempt features one by one until the target is met, and return the steps.

    accuracies_of: from (n_sets, n_features) bool, the features exempted, to the (n_sets,) relative
    accuracies. Many sets at once cost little more than one.
    price: (n_features,) float64: what exempting each gives up.
    regained: (n_features,) float64: the GCP that generalizing each again regains.

    Notes
    -----
    The next one is that of the lowest price per accuracy gained, the first of equals. One that
    gains nothing goes at its price, since it may gain with another. Where several went
    without a gain, the order was blind: then features that turn out not to be needed are
    generalized again, each tried once, the one that regains most first.

    Cost: the model is asked at most n_features² / 2 times about the validation records, in
    2 · log n_features batches a step. Features are tried in the order of their prices, first two,
    then twice as many each time; once one is cheaper than the next one's price, the rest
    cannot be better, so that mostly a few are tried.

    References
    ----------
    Goldsteen et al. (2021), sec. 4.1. The rule for no gain is that of their implementation,
    which takes nothing back.

    """
    exempted = np.zeros(len(price), np.bool_)
    steps: list[Step] = []
    blind = 0
    while accuracy < target and not exempted.all():
        best, lowest, reached = -1, np.inf, accuracy
        left = np.flatnonzero(~exempted)
        left = left[np.argsort(price[left], kind="stable")]
        answers: list[float] = []
        for place, feature in enumerate(left.tolist()):
            if price[feature] / max(1.0, 1 - accuracy) > lowest:
                break  # no accuracy is above 1: neither this one nor a dearer one is the best
            if place == len(answers):
                tried = left[place : 2 * place + 2]
                sets = np.tile(exempted, (len(tried), 1))
                sets[np.arange(len(tried)), tried] = True
                answers += accuracies_of(sets).tolist()
            answer = answers[place]
            gained = answer - accuracy
            asked = float(price[feature] / gained if gained > 0 else price[feature])
            if (asked, feature) < (lowest, best) or best < 0:
                best, lowest, reached = feature, asked, answer
        exempted[best] = True
        blind += reached <= accuracy
        accuracy = reached
        before = steps[-1][0] if steps else ()
        steps.append(((*before, best), accuracy))
    if blind < 2:
        return steps
    for feature in np.argsort(-regained, kind="stable").tolist():
        if not exempted[feature]:
            continue
        exempted[feature] = False
        accuracy = float(accuracies_of(exempted[None])[0])
        if accuracy >= target:
            steps.append((tuple(f for f in steps[-1][0] if f != feature), accuracy))
        else:
            exempted[feature] = True
    return steps
