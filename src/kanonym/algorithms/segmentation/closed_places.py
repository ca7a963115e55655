"""Places of an order where no class starts, drawn whatever the sensitive values are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import Problem
from kanonym.kernels.classes.chance import LARGE
from kanonym.kernels.classes.conditions import Criteria

CHANCE = 0.01
"""How probable it is, up to a factor, that all places inside of a small class are closed."""

FLAT = 8
"""From so many times k on, the probability does not fall any further, up to `LARGE` k."""


def closed_places(problem: Problem, criteria: Criteria) -> NDArray[np.bool_] | None:
    """Return (n_rows,) bool, where no class starts; None where nothing is left to chance.

    Runs of places are closed. All places inside of a class of s records are closed by one of the
    runs with a probability of at least `CHANCE` · (1 + s / 2 k)⁻³: a run begins at a place with
    probability 3 `CHANCE` / 2 k, and is longer than m places with probability (1 + m / 2 k)⁻⁴.
    Others close the places of classes of `FLAT` k to `LARGE` k records, with the probability that
    is reached at `FLAT` k, and of larger ones with one that falls as the size grows. A closed
    place costs more than a node of Mondrian that is left whole, for neighbours in the order may be
    far from each other.
    """
    if problem.key is None or not len(criteria.thresholds):
        return None
    n, width = problem.table.n_rows, 2.0 * criteria.min_size
    # A fragment of a table has draws of its own. Runs may begin before the first place.
    random = np.random.default_rng([problem.key, n])
    short = np.flatnonzero(random.random(2 * n) < 3 * CHANCE / width)
    lengths = np.ceil(width * (random.random(len(short)) ** -0.25 - 1))
    lengths = np.minimum(lengths, FLAT * criteria.min_size)
    most = LARGE * criteria.min_size
    long = np.flatnonzero(random.random(2 * n) < CHANCE * (1 + FLAT / 2) ** -3 / most)
    longer = np.minimum(2 * most / (1 - random.random(len(long))), 2 * n)
    begins = np.append(short, long) - n
    ends = begins + np.append(lengths, longer).astype(np.int64)
    depth = np.zeros(n + 1, np.int64)
    np.add.at(depth, np.clip(begins, 0, n), 1)
    np.add.at(depth, np.clip(ends, 0, n), -1)
    closed: NDArray[np.bool_] = np.cumsum(depth[:-1]) > 0
    closed[:1] = False
    return closed
