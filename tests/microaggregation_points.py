"""Small random records with weights and kinds of attributes, for the microaggregating kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from kanonym.kernels.microaggregation.mdav import NOMINAL, NUMBER, ORDERED
from tables import pick


class Case:
    """Records, weights, kinds, and a k that they have.

    Values are whole numbers, so that sums are exact and ties are ties to both.
    """

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        d = pick(rng, [1, 2, 3, 5])
        n = pick(rng, [1, 2, 5, 12, 40, 150])
        spread = pick(rng, [1, 2, 5, 100, 10**6])
        self.kinds = np.zeros(d, np.int8)
        if rng.random() < 0.6:
            self.kinds[:] = rng.choice([NUMBER, ORDERED, NOMINAL], d)
        self.rows = rng.integers(-spread, spread, (n, d)).astype(float)
        if rng.random() < 0.3:
            self.rows[rng.integers(n), 0] = 1e9
        coded = self.kinds != NUMBER
        self.rows[:, coded] = np.abs(self.rows[:, coded]) % pick(rng, [2, 3, 20])
        if rng.random() < 0.3:
            self.rows[:, rng.integers(d)] = 7.0
        if rng.random() < 0.3:
            self.rows = self.rows[np.sort(rng.integers(0, n, n))]
        self.weights = np.array([pick(rng, [1.0, 0.1, 1 / 3, 0.0]) for _ in range(d)])
        self.k = min(pick(rng, [1, 2, 3, 5, n - 1, n, n // 2, n // 3]), n) or 1

    def plain(self) -> tuple[list[list[float]], list[float], int, list[int]]:
        """Return records, weights, k and kinds as the twins take them."""
        return self.rows.tolist(), self.weights.tolist(), self.k, self.kinds.tolist()


cases = st.builds(Case, st.integers(0, 2**32 - 1))


def labels_of(groups: Sequence[Sequence[int]]) -> list[int]:
    """Return the group of each record by number."""
    place = {i: label for label, group in enumerate(groups) for i in group}
    return [place[i] for i in range(len(place))]
