"""How well a score tells members from other persons: ROC area, its interval, and thresholds."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from kanonym.evaluation.attacks.result import CONFIDENCE, SuccessCount
from kanonym.kernels.arrays import Floats

ROUNDING = 1e-9
"""What keeps one hundredth of 300 persons at 3."""


def area(members: Floats, others: Floats) -> float:
    """Return the area under the ROC curve of (n_members,) and (n_others,) scores, in [0, 1].

    It is the probability that a member scores higher than another person, equal scores
    counting half. Both have at least one person. Cost O(n log n).
    """
    return float(_placements(members, others).mean())


def area_interval(
    members: Floats, others: Floats, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return the confidence interval of `area`, inside of [0, 1].

    members, others: (n_members,) and (n_others,) scores of persons drawn independently; at least
    two each.

    Notes
    -----
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44(3), 837-845: the variance of the
    shares of others below each member, and of members above each other person. It takes equal
    scores as they are. The interval is that of log(area / (1 - area)), for near 0 and 1 the one
    around the area itself is too short (Pepe 2003, The Statistical Evaluation of Medical Tests,
    chapter 5). Where all members are on one side of all others that variance is 0,
    which says nothing: there each member is matched with another person, and the interval is
    Wilson's for that many pairs, all of them right or all wrong. Cost O(n log n).
    """
    found = area(members, others)
    if found in (0.0, 1.0):
        pairs = min(len(members), len(others))
        return SuccessCount(found * pairs, pairs).interval(confidence)
    above, below = _placements(members, others), _placements(-others, -members)
    variance = above.var(ddof=1) / len(members) + below.var(ddof=1) / len(others)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(variance)
    reach /= found * (1 - found)
    odds = math.log(found / (1 - found))
    return _area_of(odds - reach), _area_of(odds + reach)


def _area_of(odds: float) -> float:
    """Return the area of logarithmic odds; of any size, without overflow."""
    return (1 + math.tanh(odds / 2)) / 2


def best_threshold(members: Floats, others: Floats) -> float:
    """Return the score from which on taking persons for members gains most.

    Gain is the true minus the false positive rate; of equally good scores the lowest.
    """
    scores = np.unique(np.concatenate([members, others]))
    true = 1 - np.searchsorted(np.sort(members), scores) / len(members)
    false = 1 - np.searchsorted(np.sort(others), scores) / len(others)
    return float(scores[(true - false).argmax()])


def advantage(members: Floats, others: Floats, threshold: float) -> float:
    """Return the true minus the false positive rate of a threshold, in [-1, 1].

    Yeom, Giacomelli, Fredrikson and Jha (2018, CSF, definition 4).
    """
    return float((members >= threshold).mean() - (others >= threshold).mean())


def true_positive_rate(members: Floats, others: Floats, false: float) -> float:
    """Return the true positive rate at a false positive rate, read off the ROC curve.

    false: in [0, 1). Of persons with equal scores, where not all can be taken for members, an equal
        share of both kinds is: equal scores of everybody give `false` itself. Cost O(n log n).
    """
    allowed = int(false * len(others) + ROUNDING)
    threshold = np.sort(others)[len(others) - 1 - allowed]
    share = (false - (others > threshold).mean()) / (others == threshold).mean()
    tied = max(0.0, share) * (members == threshold).mean()
    return float((members > threshold).mean() + tied)


def _placements(members: Floats, others: Floats) -> Floats:
    """Return (n_members,) float64: the share of others below each member, equal ones half."""
    ranked = np.sort(others)
    below = np.searchsorted(ranked, members)
    upto = np.searchsorted(ranked, members, side="right")
    return np.asarray((below + upto) / (2 * len(others)))
