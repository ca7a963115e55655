"""Perturbation: values are moved, swapped or drawn anew, so that none can be believed.

None of these actions gives k-anonymity, and none is differentially private but
`randomized-response`, for its own attribute. What each of them is good for and what
it leaves open stands in its `protects` and `exposes`. Nulls stay null throughout: who
has no value is released as it is.
"""

from __future__ import annotations

from kanonym.actions.base import Action
from kanonym.actions.perturbation.correlated_noise import CorrelatedNoise
from kanonym.actions.perturbation.noise import GaussianNoise, LaplaceNoise
from kanonym.actions.perturbation.pram import Pram
from kanonym.actions.perturbation.randomized_response import RandomizedResponse, estimated_shares
from kanonym.actions.perturbation.rank_swap import RankSwap
from kanonym.actions.perturbation.sample import sample_rows
from kanonym.actions.perturbation.shuffle import Shuffle
from kanonym.actions.perturbation.swap import Swap

__all__ = [
    "ACTIONS",
    "CorrelatedNoise",
    "GaussianNoise",
    "LaplaceNoise",
    "Pram",
    "RandomizedResponse",
    "RankSwap",
    "Shuffle",
    "Swap",
    "estimated_shares",
    "sample_rows",
]

ACTIONS: tuple[type[Action], ...] = (
    LaplaceNoise,
    GaussianNoise,
    CorrelatedNoise,
    RankSwap,
    Swap,
    Shuffle,
    Pram,
    RandomizedResponse,
)
