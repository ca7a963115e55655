"""Which of a class's sensitive values is whose, by what all classes together say of likeness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr

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

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, repr=False)
class ClassShares(ShortRepr):
    """Which values each class has.

    classes: (n_persons,) int64, the class of each person, ascending from 0 without a gap.
    shares: (n_classes, n_values) float64, rows add up to 1.
    """

    classes: Codes
    shares: Matrix

    @property
    def sizes(self) -> Codes:
        """(n_classes,) int64 persons."""
        return np.bincount(self.classes)


def assign_values(profiles: Sequence[Codes], held: ClassShares) -> Matrix:
    """Return (n_persons, n_values) float64: how likely each person has each value of the class.

    profiles: known columns as codes from 0, (n_persons,) each.

    Notes
    -----
    Kifer (2009), SIGMOD, section 4: a naive Bayes classifier is learned from the assignment so
    far, at first the shares of the classes, and the assignment from its likelihoods; persons add
    up to 1, and in each class values to as many persons as have them (iterative proportional
    fitting). His assignment is of one value a person, drawn; this one is of probabilities. Rare
    values are smoothed towards everybody, not towards equal shares: where all persons are in one
    class there is nothing to learn, and nothing is learned.
    Cost O(rounds · alternations · n_persons · n_values).

    """
    found = held.shares[held.classes]
    for _ in range(ROUNDS):
        last = found
        found = weigh_values(profiles, learn_likelihoods(profiles, profiles, found), held)
        if np.abs(found - last).sum() <= STILL * len(found):
            break
    return found


def learn_likelihoods(
    profiles: Sequence[Codes], domains: Sequence[Codes], weights: Matrix
) -> list[Matrix]:
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
    profiles: Sequence[Codes], likelihoods: Sequence[Matrix], held: ClassShares
) -> Matrix:
    """Return (n_persons, n_values) float64: the shares of the class by likelihoods, scaled."""
    logs = np.zeros((len(held.classes), held.shares.shape[1]))
    for codes, likelihood in zip(profiles, likelihoods, strict=True):
        logs += likelihood[codes]
    possible = held.shares[held.classes]
    logs = np.where(possible > 0, logs, -np.inf)
    found = possible * np.exp(logs - logs.max(axis=1, keepdims=True))
    starts = np.searchsorted(held.classes, np.arange(len(held.shares)))
    wanted = held.shares * held.sizes[:, None]
    for _ in range(ALTERNATIONS):
        found /= found.sum(axis=1, keepdims=True)
        sums = np.add.reduceat(found, starts, axis=0)
        factors = np.divide(wanted, sums, out=np.ones_like(sums), where=sums > 0)
        if (np.abs(factors - 1) <= CLOSE).all():
            break
        found *= factors[held.classes]
    found /= found.sum(axis=1, keepdims=True)
    return np.asarray(found)
