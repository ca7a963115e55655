"""Orders of the records, and their cuts into classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kanonym.algorithms.base import Problem, without_conditions
from kanonym.algorithms.mondrian import tree_order
from kanonym.algorithms.workload import GuidingTarget
from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.balance import LARGE
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.disclosure import DISTINCT, ENTROPY, RECURSIVE
from kanonym.kernels.classes.histograms import RANGE, Costs
from kanonym.kernels.partitioning.class_joining import join_failing
from kanonym.kernels.partitioning.segmentation import Limits, Purity, cut, first_fit
from kanonym.kernels.partitioning.workspace import hilbert, serpentine

LARGE_CLASS = 64
"""Classes of so many records and more are cut by piece."""

FINEST = 16
"""A Hilbert curve divides each attribute into 2 to this power, or what 64 bits leave it."""


def ascending_cardinality(table: EncodedTable) -> list[int]:
    """Return the attributes by their number of values in the table, fewest first."""
    sizes = [int(domain.observed.sum()) for domain in table.domains]
    return [int(a) for a in np.argsort(sizes, kind="stable")]


def lexicographic_order(table: EncodedTable, columns: Sequence[int]) -> Ints:
    """Sort by the codes of some attributes, the first one first; equal ones by tuple."""
    bits = [max(int(table.domains[a].size - 1).bit_length(), 1) for a in columns]
    if sum(bits) < 64:
        keys = np.zeros(len(table.codes), np.int64)
        for a, width in zip(columns, bits, strict=True):
            keys = (keys << width) | table.codes[:, a]
        return np.argsort(keys, kind="stable")
    return np.lexsort([table.codes[:, a] for a in reversed(columns)])


def serpentine_order(table: EncodedTable, columns: Sequence[int]) -> Ints:
    """Sort so that each attribute ascends and descends in turn, as its neighbours ask."""
    order = lexicographic_order(table, columns)
    return order[serpentine(np.ascontiguousarray(table.codes[order][:, columns]))]


def hilbert_order(table: EncodedTable, costs: Costs) -> Ints:
    """Sort along a Hilbert curve through the attributes, each scaled to what it may lose."""
    n, d = table.codes.shape
    used = min(d, 64)
    bits = min(FINEST, 64 // used)
    cells = np.empty((n, used), np.uint64)
    # Of more than 64 attributes those of most values take part.
    columns = np.sort(ascending_cardinality(table)[-used:])
    for place, a in enumerate(columns):
        kind, first = costs.attributes[a, :2]
        size = table.domains[a].size
        shares = np.arange(size) / max(size - 1, 1) * costs.weights[a]
        if kind == RANGE:
            shares = costs.positions[first : first + size]
        scaled = np.minimum(shares * 2.0**bits, 2**bits - 1).astype(np.uint64)
        cells[:, place] = scaled[table.codes[:, a]]
    return np.argsort(hilbert(cells, bits), kind="stable")


def kd_order(
    table: EncodedTable, costs: Costs, criteria: Criteria, aim: GuidingTarget | None = None
) -> tuple[Ints, Int32s | None]:
    """Sort as the tree of Mondrian's strict cuts holds the tuples.

    Returns the order and, where more than a small class size is asked for, the classes of that
    division, which satisfies the criteria: (n_tuples,) int32 by place, ascending.

    aim: the target that guides the cuts, if one does.
    """
    if len(criteria.thresholds) or criteria.min_size >= LARGE_CLASS:
        return tree_order(table, costs, criteria, aim)
    finer = without_conditions(criteria, max(criteria.min_size // 3, 1))
    return tree_order(table, costs, finer, aim)[0], None


CHANCE = 0.01
"""How probable it is, up to a factor, that all places inside of a small class are closed."""

FLAT = 8
"""From so many times k on, the probability does not fall any further, up to `LARGE` k."""


def closed_places(problem: Problem, criteria: Criteria) -> Bools | None:
    """Return (n_rows,) bool, where no class starts; None where nothing is left to chance.

    Runs of places are closed. All places inside of a class of s records are closed by one of the
    runs with a probability of at least `CHANCE` · (1 + s / 2 k)⁻³: a run begins at a place with
    probability 3 `CHANCE` / 2 k, and is longer than m places with probability (1 + m / 2 k)⁻⁴.
    Others close the places of classes of `FLAT` k to `LARGE` k records, with the probability that
    is reached at `FLAT` k, and of larger ones with one that falls as the size grows.
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
    closed: Bools = np.cumsum(depth[:-1]) > 0
    closed[:1] = False
    return closed


Way = Literal["optimal", "by record", "by piece", "by class"]

APART, NEAR = True, False
"""Whether classes have to start where those of a known division do."""

PIECES = LARGE_CLASS // 2
"""So many pieces make k records, where k is large."""

CUT_REACH = 256
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

    tuples: Ints
    starts: Ints
    loss: float
    way: Way
    places: Ints

    @property
    def labels(self) -> Int32s:
        """(n_rows,) int32, the class of each record in that order, ascending."""
        is_start = np.zeros(len(self.tuples), np.int32)
        is_start[self.starts[1:-1]] = 1
        return np.cumsum(is_start, dtype=np.int32)


def cutting_method(criteria: Criteria) -> Way:
    """Say how an order is cut for these criteria.

    `optimal`: a class that satisfies them goes on to do so when it grows, and the best of all cuts
    is found. `by record`: a class may start at any record, but of longer classes not all are looked
    at. `by piece`: likewise, but of large classes one may start at every (k / 32)-th record only.
    `by class`: classes of k records are made first, and neighbours joined, because what is asked
    compares a class with the table, and takes many records.
    """
    measures = set(criteria.conditions[:, 0].tolist())
    if not measures <= {DISTINCT, ENTROPY, RECURSIVE}:
        return "by class"
    if criteria.min_size >= LARGE_CLASS:
        return "by piece"
    return "optimal" if measures <= {DISTINCT} else "by record"


def may_fail_when_grown(criteria: Criteria) -> bool:
    """Say whether a class that satisfies the criteria may fail them when it grows."""
    return not set(criteria.conditions[:, 0].tolist()) <= {DISTINCT}


def cut_order(
    problem: Problem,
    criteria: Criteria,
    order: Ints,
    known: Int32s | None = None,
    aim: GuidingTarget | None = None,
    enough: Floats = UNLIMITED,
) -> Cut:
    """Cut an order of tuples into classes that satisfy the criteria of the problem's models.

    order: (n_tuples,) int64. known: (n_tuples,) int32, ascending, the classes by place in
    that order of a division that satisfies the criteria, if there is one; what is found
    loses no more than that one, unless a class of it has more than `CUT_REACH` units. aim: the
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
        purity = _purity(aim, table, costs)
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
    reach = max(2 * criteria.min_size, CUT_REACH)
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


def _whole(losses: Floats) -> float:
    """Return the loss of a whole order, infinite where its cut was given up."""
    return float(losses[-1]) if len(losses) else np.inf


def _purity(aim: GuidingTarget, table: EncodedTable, costs: Costs) -> Purity:
    """Return what impurity loses: as much as the quasi-identifiers where all is one class."""
    target, whole = aim.target, aim.impurity(np.zeros(len(table.weights), np.int64), table.weights)
    worth = table.n_rows * float(costs.weights.sum()) / whole if whole > 0 else 0.0
    return Purity(target.values, target.curve, worth)


def _piece_starts(codes: Int32s, is_start: Bools, size: int) -> Ints:
    """Return where pieces of up to `size` records start, and the number of records."""
    n = len(codes)
    starts = is_start | (np.arange(n) % size == 0)
    changes = np.flatnonzero((codes[1:] != codes[:-1]).any(axis=1)) + 1
    bounds = np.concatenate([[0], changes, [n]])
    long = np.diff(bounds) >= size
    starts[bounds[:-1][long]] = True
    starts[bounds[1:][long][bounds[1:][long] < n]] = True
    return np.append(np.flatnonzero(starts), n)


def _record_places(table: EncodedTable, order: Ints) -> Ints:
    """Return (n_rows,) int64: the place in an order of tuples, record by record."""
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

CHANCE_OF_JOINED = 0.01
"""How probable it is that a class is joined whatever its sensitive values are."""


@dataclass(frozen=True, slots=True)
class JoinedClasses:
    """Classes that were joined, and the cut that they come from.

    labels: (n_rows,) int32, the class of each record in that order.
    """

    order: str
    columns: Sequence[int]
    base: Cut
    labels: Int32s
    loss: float
    account: dict[str, object]


def join_until_satisfied(
    problem: Problem, criteria: Criteria, tuples: Ints, labels: Int32s
) -> tuple[Int32s, float] | None:
    """Return classes that satisfy the criteria, made by joining; and their loss.

    tuples: (n,) int64, the tuple of each record. labels: (n,) int32, its class; classes of near
    numbers are near each other, and made without regard to sensitive values. None where the
    sensitive attributes have too many values for so many classes, or joining takes too long.

    Who knows the quasi-identifiers knows the classes that were joined, and that one of them
    failed, or was drawn: where the problem has a key, a class is joined by chance alone with
    probability `CHANCE_OF_JOINED`.
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
        below = np.uint64(int(CHANCE_OF_JOINED * 2.0**64))
    reach = max(EFFORT // (n_classes * table.codes.shape[1]), REACH)
    codes = np.ascontiguousarray(table.codes[tuples])
    hidden = np.ascontiguousarray(table.sensitive_codes[tuples])
    found = labels.astype(np.int32)
    loss = join_failing(codes, hidden, found, (draws, below), reach, costs, criteria)
    return (found, loss) if np.isfinite(loss) else None
