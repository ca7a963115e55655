"""Classes of a size, joined with each other where they fail what is asked beyond that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import Problem
from kanonym.algorithms.segmentation.cuts import Cut
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.partitioning.class_joining import join_failing

SMALLEST = 4
"""The classes that are joined have so many records at least: smaller ones nearly always fail."""

LARGEST = 1 << 17
"""In larger tables no classes are joined: it would take longer than all else."""

EFFORT = 1 << 28
"""Classes look at so many values of others when they first look for a partner,"""

REACH = 32
"""And at so many others on either side at least."""

HISTOGRAMS = 1 << 24
"""Counts of sensitive values by class that are kept at most."""

CHANCE = 0.01
"""How probable it is that a class is joined whatever its sensitive values are."""


@dataclass(frozen=True, slots=True)
class JoinedClasses:
    """Classes that were joined, and the cut that they come from.

    labels: (n_rows,) int32, the class of each record in that order.
    """

    order: str
    columns: Sequence[int]
    base: Cut
    labels: NDArray[np.int32]
    loss: float
    account: dict[str, object]


def join_until_satisfied(
    problem: Problem,
    criteria: Criteria,
    tuples: NDArray[np.int64],
    labels: NDArray[np.int32],
) -> tuple[NDArray[np.int32], float] | None:
    """Return classes that satisfy the criteria, made by joining; and their loss.

    tuples: (n,) int64, the tuple of each record. labels: (n,) int32, its class; classes of near
    numbers are near each other, and made without regard to sensitive values. None where the
    sensitive attributes have too many values for so many classes, or joining takes too long.

    Who knows the quasi-identifiers knows the classes that were joined, and that one of them
    failed, or was drawn: where the problem has a key, a class is joined by chance alone with
    probability `CHANCE`.
    """
    table, costs = problem.table, problem.costs
    n_classes = int(labels.max()) + 1
    s, _, n_values = criteria.references.shape
    if n_classes * s * n_values > HISTOGRAMS:
        return None
    below = np.uint64(0)
    random = np.random.default_rng([problem.key or 0, table.n_rows])
    draws = random.integers(0, np.iinfo(np.uint64).max, n_classes, np.uint64)
    if problem.key is not None:
        below = np.uint64(int(CHANCE * 2.0**64))
    reach = max(EFFORT // (n_classes * table.codes.shape[1]), REACH)
    codes = np.ascontiguousarray(table.codes[tuples])
    hidden = np.ascontiguousarray(table.sensitive_codes[tuples])
    found = labels.astype(np.int32)
    loss = join_failing(codes, hidden, found, (draws, below), reach, costs, criteria)
    return (found, loss) if np.isfinite(loss) else None
