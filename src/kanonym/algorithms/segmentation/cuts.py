"""Cuts of an order: which records are units, and how classes are made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import Problem
from kanonym.algorithms.criteria import without_conditions
from kanonym.algorithms.segmentation.closed_places import closed_places
from kanonym.algorithms.segmentation.orders import LARGE
from kanonym.algorithms.workload import GuidingTarget
from kanonym.data.table import EncodedTable
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.disclosure import DISTINCT, ENTROPY, RECURSIVE
from kanonym.kernels.partitioning.segmentation import Limits, Purity, cut, first_fit

Way = Literal["optimal", "by record", "by piece", "by class"]

APART, NEAR = True, False
"""Whether classes have to start where those of a known division do."""

PIECES = LARGE // 2
"""So many pieces make k records, where k is large."""

REACH = 256
"""Classes that are cut by record have at most so many, or twice as many as are asked for."""

UNITS = 16
"""What satisfies the criteria is divided into up to so many units, of k records at least."""


UNGUIDED = Purity(np.zeros(0, np.int64), np.zeros(0, np.int64), 0.0)
"""There is no target."""

UNLIMITED = np.array([np.inf])
"""No loss is too much."""


@dataclass(frozen=True, slots=True)
class Cut:
    """An order of the records and the classes that it is cut into.

    tuples: (n_rows,) int64, the tuple of each record in that order.
    starts: (n_classes + 1,) int64, the places where classes start, and n_rows.
    places: (m,) int64, ascending, the places where a class could start, and n_rows.
    """

    tuples: NDArray[np.int64]
    starts: NDArray[np.int64]
    loss: float
    way: Way
    places: NDArray[np.int64]

    @property
    def labels(self) -> NDArray[np.int32]:
        """(n_rows,) int32, the class of each record in that order, ascending."""
        is_start = np.zeros(len(self.tuples), np.int32)
        is_start[self.starts[1:-1]] = 1
        return np.cumsum(is_start, dtype=np.int32)


def cutting_method(criteria: Criteria) -> Way:
    """Say how an order is cut for these criteria.

    `optimal`: a class that satisfies them goes on to do so when it grows, and the best of
    all cuts is found. `by record`: a class may start at any record, but of longer classes
    not all are looked at. `by piece`: likewise, but of large classes one may start at
    every (k / 32)-th record only. `by class`: classes of k records are made first, and
    neighbours joined, because what is asked compares a class with the table, and takes many
    records.
    """
    measures = set(criteria.conditions[:, 0].tolist())
    if not measures <= {DISTINCT, ENTROPY, RECURSIVE}:
        return "by class"
    if criteria.min_size >= LARGE:
        return "by piece"
    return "optimal" if measures <= {DISTINCT} else "by record"


def may_fail_when_grown(criteria: Criteria) -> bool:
    """Say whether a class that satisfies the criteria may fail them when it grows."""
    return not set(criteria.conditions[:, 0].tolist()) <= {DISTINCT}


def cut_order(
    problem: Problem,
    criteria: Criteria,
    order: NDArray[np.int64],
    known: NDArray[np.int32] | None = None,
    aim: GuidingTarget | None = None,
    enough: NDArray[np.float64] = UNLIMITED,
) -> Cut:
    """Cut an order of tuples into classes that satisfy the criteria of the problem's models.

    order: (n_tuples,) int64. known: (n_tuples,) int32, ascending, the classes by place in
    that order of a division that satisfies the criteria, if there is one; what is found
    loses no more than that one, unless a class of it has more than `REACH` units. aim: the
    target, if there is one; its impurity counts as much as the loss, each as a share of what
    one class of all records has. enough: (1,) float64, which other threads may lower: where the
    cut loses more, it is given up.
    """
    table, costs = problem.table, problem.costs
    place = _record_places(table, order)
    tuples = order[place]
    codes = np.ascontiguousarray(table.codes[tuples])
    hidden = np.ascontiguousarray(table.sensitive_codes[tuples])
    purity = UNGUIDED
    if aim is not None:
        hidden = np.column_stack([hidden, aim.codes[tuples]])
        purity = _purity(aim, table)
    n = len(tuples)
    way = cutting_method(criteria)
    is_start = np.zeros(n, np.bool_)
    is_start[0] = True
    if known is not None:
        is_start[1:] = np.diff(known[place]) != 0
    units = _piece_starts(codes, is_start, max(criteria.min_size // PIECES, 1))
    closed = closed_places(problem, criteria)
    if closed is not None:
        if way == "by class":  # what is known satisfies the criteria, and its joins may not
            closed &= ~is_start
        units = np.append(units[:-1][~closed[units[:-1]]], n)
    is_start = is_start[units[:-1]]
    anywhere = np.ones(len(is_start), np.bool_)
    reach = max(2 * criteria.min_size, REACH)
    if way != "by class":
        looked = anywhere if known is None or way == "optimal" else is_start
        limits = Limits(looked, NEAR, reach, np.zeros(len(units)), enough)
        starts, losses, complete = cut(codes, hidden, units, limits, costs, criteria, purity)
        if not len(starts) or np.isfinite(losses[-1]):
            way = way if complete or way != "optimal" else "by record"
            return Cut(tuples, units[starts], _whole(losses), way, units)
    size = without_conditions(criteria, criteria.min_size)
    limits = Limits(anywhere, NEAR, reach, np.zeros(len(units)), enough)
    if known is not None:
        limits = limits._replace(known=is_start, apart=APART)
    chosen, losses, _ = cut(codes, hidden, units, limits, costs, size, purity)
    if not len(chosen):
        return Cut(tuples, chosen, _whole(losses), "by class", units)
    units = units[chosen]
    is_start = first_fit(hidden, units, criteria) if known is None else is_start[chosen[:-1]]
    # A class of many units is made of fewer and longer ones.
    label = np.cumsum(is_start) - 1
    first = np.flatnonzero(is_start)
    step = np.diff(np.append(first, len(label))) // UNITS + 1
    kept = (np.arange(len(label)) - first[label]) % step[label] == 0
    units, is_start = np.append(units[:-1][kept], n), is_start[kept]
    # Classes lose no less than the units that they consist of.
    left = losses[-1] - np.append(losses[:-1][kept], losses[-1])
    limits = Limits(is_start, NEAR, 4 * UNITS, left, enough)
    starts, losses, _ = cut(codes, hidden, units, limits, costs, criteria, purity)
    return Cut(tuples, units[starts], _whole(losses), "by class", units)


def _whole(losses: NDArray[np.float64]) -> float:
    """Return the loss of a whole order, infinite where its cut was given up."""
    return float(losses[-1]) if len(losses) else np.inf


def _purity(aim: GuidingTarget, table: EncodedTable) -> Purity:
    """Return what impurity loses: as much as the quasi-identifiers where all is one class."""
    target, whole = aim.target, aim.impurity(np.zeros(len(table.weights), np.int64), table.weights)
    worth = table.n_rows * len(table.domains) / whole if whole > 0 else 0.0
    return Purity(target.values, target.curve, worth)


def _piece_starts(
    codes: NDArray[np.int32], is_start: NDArray[np.bool_], size: int
) -> NDArray[np.int64]:
    """Return where pieces of up to `size` records start, and the number of records.

    Long runs of equal records, and what starts a known class, are not inside of a piece.
    """
    n = len(codes)
    starts = is_start | (np.arange(n) % size == 0)
    changes = np.flatnonzero((codes[1:] != codes[:-1]).any(axis=1)) + 1
    bounds = np.concatenate([[0], changes, [n]])
    long = np.diff(bounds) >= size
    starts[bounds[:-1][long]] = True
    starts[bounds[1:][long][bounds[1:][long] < n]] = True
    return np.append(np.flatnonzero(starts), n)


def _record_places(table: EncodedTable, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (n_rows,) int64: the place in an order of tuples, record by record.

    Tuples that differ in sensitive values or the target alone are mixed evenly, so that few
    records of them are as diverse as all, and no class tells of equal persons what only their
    targets do.
    """
    weights = table.weights[order]
    place = np.repeat(np.arange(len(order)), weights)
    if not table.sensitive and table.target is None:
        return place
    within = np.arange(len(place)) - (np.cumsum(weights) - weights)[place]
    codes = table.codes[order]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    run = np.cumsum(fresh)[place]
    return place[np.lexsort([(within + 0.5) / weights[place], run])]
