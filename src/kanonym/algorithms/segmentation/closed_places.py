"""Places of an order where no class starts, drawn whatever the sensitive values are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import Problem
from kanonym.kernels.classes.chance import LARGEST
from kanonym.kernels.classes.conditions import Criteria

CHANCE = 0.01
"""How probable it is that all places inside of a class of 2 k records are closed."""

FLAT = 8
"""From so many times k on, the probability does not fall any further."""


def closed_places(problem: Problem, criteria: Criteria) -> NDArray[np.bool_] | None:
    """Return (n_rows,) bool, where no class starts; None where nothing is left to chance.

    Runs of places are closed. Those inside of a class of s records, k or more from both of its
    ends, are all closed by one of the runs with a probability of about `CHANCE` · (2 k / s)³: a
    run begins at a place with probability 3 `CHANCE` / 2 k, and is longer than m places with
    probability (1 + m / 2 k)⁻⁴. Others close the places of classes of `FLAT` k to `LARGEST` k
    records, with the probability that is reached at `FLAT` k. A closed place costs more than a
    node of Mondrian that is left whole, for neighbours in the order may be far from each other.
    """
    if problem.key is None or not len(criteria.thresholds):
        return None
    n, width = problem.table.n_rows, 2.0 * criteria.min_size
    # A fragment of a table has draws of its own.
    random = np.random.default_rng([problem.key, n])
    short = np.flatnonzero(random.random(n) < 3 * CHANCE / width)
    lengths = np.ceil(width * (random.random(len(short)) ** -0.25 - 1))
    lengths = np.minimum(lengths, FLAT * criteria.min_size)
    most = LARGEST * criteria.min_size
    long = np.flatnonzero(random.random(n) < CHANCE * (2 / FLAT) ** 3 / most)
    begins = np.append(short, long)
    ends = begins + np.append(lengths, np.full(len(long), 2 * most)).astype(np.int64)
    depth = np.zeros(n + 1, np.int64)
    np.add.at(depth, begins, 1)
    np.add.at(depth, np.minimum(ends, n), -1)
    closed: NDArray[np.bool_] = np.cumsum(depth[:-1]) > 0
    closed[:1] = False
    return closed
