"""An order for values that have none: the one in which their associations show most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.synthesis.copula.axes import normal_scores

Floats = NDArray[np.float64]

ROUNDS = 6
"""Rounds in which each attribute is ordered again after the order of the others."""

INDICATORS = 16
"""Of an attribute that has no order yet, so many values are looked at, the most frequent."""


class Attribute(NamedTuple):
    """An attribute as it is counted.

    codes: (n,) int64, `len(shares)` for no value.
    shares: (r,) float64, positive, sum 1.
    """

    codes: NDArray[np.int64]
    shares: Floats
    is_nominal: bool


class Order(NamedTuple):
    """The order found for an attribute.

    order: (r,) int64, codes in their new order.
    """

    order: NDArray[np.int64]
    chance: float


def order_nominal(attributes: Sequence[Attribute]) -> Mapping[int, Order]:
    """Order the values of every nominal attribute with more than two of them.

    Notes
    -----
    Reciprocal averaging: a value's score is the mean of what its records have in the other
    attributes, along the direction in which these means differ most; the values are put into
    the order of their scores, take the normal scores of that order, and the next attribute is
    ordered after them, six rounds. At first, attributes without an order take part with
    their 16 most frequent values one by one. Deviation from correspondence analysis: normal
    scores, because the copula has them, and no division by rarity, so that one record of two
    rare values does not make the first axis. Cost O(n) a pair for the tables, then
    O(rounds · r · d²).

    References
    ----------
    Hill (1973), "Reciprocal averaging: an eigenvector method of ordination", J. Ecology 61(1);
    Greenacre (1984), "Theory and Applications of Correspondence Analysis", sections 4.1 and 5.1.

    """
    wanted = [i for i, one in enumerate(attributes) if one.is_nominal and len(one.shares) > 2]
    n_values = sum(len(attributes[i].shares) - 1 for i in wanted)
    tables = {i: _tables(attributes, i) for i in wanted}
    scores: dict[int, Floats] = {
        i: _standard(normal_scores(_lines(one.shares)), one.shares)
        for i, one in enumerate(attributes)
        if len(one.shares) > 1 and i not in wanted
    }
    found: dict[int, Order] = {}
    for _ in range(ROUNDS):
        for i in wanted:
            features: list[Floats] = []
            for j, table in tables[i].items():
                features += [table.means(scores[j])] if j in scores else table.indicators()
            found[i] = _order_values(np.array(features).T, attributes[i], n_values)
            shares = attributes[i].shares[found[i].order]
            new = np.empty(len(shares))
            new[found[i].order] = _standard(normal_scores(_lines(shares)), shares)
            scores[i] = new
    return found


class _Table:
    """The records of each pair of values of two attributes, pairs without any left out."""

    def __init__(self, own: Attribute, other: Attribute) -> None:
        r, c = len(own.shares), len(other.shares)
        key = own.codes * (c + 1) + other.codes
        if (r + 1) * (c + 1) <= 4 * len(key):
            counts = np.bincount(key)
            cells = np.flatnonzero(counts)
            counts = counts[cells]
        else:
            cells, counts = np.unique(key, return_counts=True)
        rows, columns = np.divmod(cells, c + 1)
        held = (rows < r) & (columns < c)
        self.rows, self.columns, self.counts = rows[held], columns[held], counts[held]
        self.totals = np.maximum(np.bincount(self.rows, self.counts, minlength=r), 1.0)
        self.shares = other.shares

    def means(self, scores: Floats) -> Floats:
        """Return (r,) mean scores of the partner; the mean of all, 0, where the two never meet."""
        sums = np.bincount(self.rows, self.counts * scores[self.columns], len(self.totals))
        result: Floats = sums / self.totals
        return result

    def indicators(self) -> list[Floats]:
        """Return the same for being each of the partner's most frequent values."""
        shares, most = self.shares, np.argsort(-self.shares, kind="stable")[:INDICATORS]
        spread = np.sqrt(shares * (1 - shares))
        each = np.arange(len(shares))
        return [self.means(((each == one) - shares[one]) / spread[one]) for one in most]


def _tables(attributes: Sequence[Attribute], i: int) -> dict[int, _Table]:
    """Return the tables of an attribute beside each other one that varies."""
    return {
        j: _Table(attributes[i], other)
        for j, other in enumerate(attributes)
        if j != i and len(other.shares) > 1
    }


def _order_values(features: Floats, attribute: Attribute, n_values: int) -> Order:
    """Order values by the direction in which their (r, f) features differ most.

    What such a direction explains where nothing goes with anything: the largest eigenvalue of
    r means of f features, or of the table of all `n_values` values that are ordered after each
    other, by the law of Marchenko and Pastur, whichever is more.
    """
    r = len(attribute.shares)
    if not features.size:
        return Order(np.arange(r), 0.0)
    shares = attribute.shares[:, None]
    features = features - (features * shares).sum(axis=0)
    strengths, directions = np.linalg.eigh(features.T @ (features * shares))
    direction = directions[:, -1]
    # The sign of an eigenvector is anybody's guess: fix it.
    direction = direction * np.sign(direction[np.argmax(np.abs(direction))])
    n = int((attribute.codes < r).sum())
    f = features.shape[1]
    alone = (math.sqrt(r - 1) + math.sqrt(f)) ** 2 / n
    together = (2 * math.sqrt(n_values / n) + n_values / n) ** 2 / f
    by_chance = max(alone, together)
    strongest = float(strengths[-1])
    order = np.argsort(np.round(features @ direction, 9), kind="stable")
    loose = strongest * (1.0 - by_chance)
    return Order(order, by_chance / loose if loose > 0.0 else 1.0)


def _lines(shares: Floats) -> Floats:
    lines: Floats = np.concatenate([[0.0], np.cumsum(shares)])
    lines[-1] = 1.0
    return lines


def _standard(scores: Floats, shares: Floats) -> Floats:
    centred = scores - scores @ shares
    result: Floats = centred / np.sqrt(centred**2 @ shares)
    return result
