"""Cut an order of records into classes: dynamic programming over where each class ends."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.disclosure import DISTINCT, class_measure, holds
from kanonym.kernels.classes.histograms import SET, Costs, span_loss
from kanonym.kernels.compile import Int, kernel, part


class Extent(NamedTuple):
    """What a class spans so far, as `widen` keeps it.

    bounds: (d, 2) int64 lowest and highest code; the lowest is -1 in an empty class.
    losses: (d,) float64 loss of each attribute.
    stamps: (n_codes,) int64: the last class that a code was seen in, for SET attributes.
    """

    bounds: Ints
    losses: Floats
    stamps: Ints


class Limits(NamedTuple):
    """Which classes are looked at.

    known: (m,) bool, units at which the classes of some division start: unless `apart`, its classes
        are looked at in any case, if they are within reach. True throughout if there is none.
    apart: Whether a class has to start at each of these units.
    reach: No class has more units.
    left: (m + 1,) float64: what units from each one on lose at the least.
    enough: (1,) float64, which other threads may lower: an order that loses more is of no use.
    """

    known: Bools
    apart: bool
    reach: int
    left: Floats
    enough: Floats


class Purity(NamedTuple):
    """What mixing values of a target in one class loses, beside what its span does.

    values: (n_values,) int64 numbers by code; of categories only their number is read.
    curve: (n + 1,) int64 proportional to x log x, for categories; empty for numbers.
    worth: Loss of a unit of entropy times records, or of squared deviation from the mean; 0 where
        there is no target.
    """

    values: Ints
    curve: Ints
    worth: float


class Tally(NamedTuple):
    """Histograms of the sensitive attributes of a class, values ascending.

    values: (s, n_values) int32.
    counts: (s, n_values) int64.
    sizes: (s, 2) int64: number of distinct values, and of records that have one.
    """

    values: Int32s
    counts: Ints
    sizes: Ints


@kernel
def cut(
    codes: Int32s,
    hidden: Int32s,
    units: Ints,
    limits: Limits,
    costs: Costs,
    criteria: Criteria,
    purity: Purity,
) -> tuple[Ints, Floats, bool]:
    """Cut an order of units into classes of least loss, each of which satisfies the criteria.

    codes: (n, d) int32 records in their order.
    hidden: (n, s) int32 their sensitive codes, -1 for a null that does not count; with a target,
        (n, s + 1), its codes last.
    units: (m + 1,) int64, where each unit starts, and n: units are not parted.
    limits: Which classes are looked at.
    costs: What a span of codes loses.
    criteria: What every class satisfies.
    purity: What a class loses besides, if there is a target. Returns: (n_classes + 1,) int64, the
        units at which classes start, and m; (n_classes + 1,) float64 loss of what is before each of
        them, summed over records and attributes, with that of impurity; whether reach left out no
        class. Where no cut within reach satisfies the criteria the last loss is infinite and the
        starts are of no use; where every cut loses more than is enough, there are none.

    Notes
    -----
    Best loss of the first i units = least over j < i of the best of the first j, and the loss of a
    class of units j to i - 1. A class is not looked at if it consists of two that satisfy the
    criteria, the right one as short as may be: both together lose no more, and neither do they mix
    more values of the target. Where a class that satisfies the criteria goes on to do so when it
    grows (a number of records, of distinct values), the cut is therefore the best of all cuts; else
    it is the best of those that the rule leaves. Ties go to the shorter last class. Cost O(m r d)
    for classes of at most r units that are looked at; r is 2 k where only the size is asked for.
    """
    n, d = codes.shape
    mask, apart, reach = limits.known, limits.apart, limits.reach
    m = len(units) - 1
    best = np.full(m + 1, math.inf)
    best[0] = 0.0
    came_from = np.zeros(m + 1, np.int64)
    as_next = np.ones(n, np.bool_)
    for i in range(n - 1):
        for a in range(d):
            if codes[i, a] != codes[i + 1, a]:
                as_next[i] = False
                break
    as_next[n - 1] = False
    extent = Extent(
        np.empty((d, 2), np.int64), np.empty(d), np.zeros(len(costs.positions), np.int64)
    )
    asked = len(criteria.thresholds) > 0
    lasting = True
    for c in range(len(criteria.thresholds)):
        lasting = lasting and criteria.conditions[c, 0] == DISTINCT
    whole, rest = _tally(criteria), _tally(criteria)
    guided = purity.worth > 0
    mixture = np.zeros(len(purity.values) if len(purity.curve) else 0, np.int64)
    sums = np.zeros(4)
    complete = True
    # The unit at which the shortest class that satisfies the criteria starts, by where it ends.
    shortest_at = np.full(m + 1, -1)
    stuck = 0
    for end in range(1, m + 1):
        last = units[end] - 1
        _begin_class(codes, last, costs, extent, end)
        if asked:
            _clear(whole)
        counted = last + 1
        if guided:
            mixture[:] = 0
            sums[:] = 0.0
        loss = 0.0
        shortest = -1
        passed = done = False
        farthest = max(end - reach, 0)
        for start in range(end - 1, farthest - 1, -1):
            for i in range(units[start + 1] - 1, units[start] - 1, -1):
                if not as_next[i] and i < last:
                    loss += widen(codes, i, costs, extent, end)
                if guided:
                    _mix(hidden[i, -1], purity, mixture, sums)
            size = units[end] - units[start]
            if not done and best[end] < math.inf:
                # The rest of the class before its shortest end was looked at when that was the end.
                first = shortest_at[shortest]
                done = start == first
                if start < first:
                    done = lasting
                    if not lasting:
                        _clear(rest)
                        for i in range(units[start], units[shortest]):
                            _count(rest, hidden, i)
                        done = _satisfies(rest, criteria)
            if done and (passed or apart):
                break
            if size >= criteria.min_size:
                total = best[start] + size * loss
                if guided:
                    total += purity.worth * _impurity(purity, sums)
                if shortest < 0 or total < best[end]:
                    fits = True
                    if asked and not (lasting and shortest >= 0):
                        while counted > units[start]:
                            counted -= 1
                            _count(whole, hidden, counted)
                        fits = _satisfies(whole, criteria)
                    if fits and shortest < 0:
                        shortest = start
                    if fits and total < best[end]:
                        best[end] = total
                        came_from[end] = start
            passed = passed or mask[start]
            if apart and mask[start]:
                break
            complete = complete and (start > farthest or start == 0)
        shortest_at[end] = shortest
        # No class that begins after this place has one to follow, or it is of no use.
        useful = best[end] < math.inf and best[end] + limits.left[end] <= limits.enough[0]
        stuck = 0 if useful else stuck + 1
        if stuck > reach:
            if best[end - reach : end + 1].min() < math.inf:
                return np.empty(0, np.int64), np.empty(0), complete
            break
    starts = np.empty(m + 1, np.int64)
    at, n_classes = m, 0
    while at > 0:
        starts[n_classes] = at
        at = came_from[at]
        n_classes += 1
    starts[n_classes] = 0
    starts = starts[: n_classes + 1][::-1].copy()
    return starts, best[starts], complete


@kernel
def first_fit(hidden: Int32s, units: Ints, criteria: Criteria) -> Bools:
    """Join units from the left until they satisfy the criteria, and begin anew.

    hidden, units: as in `cut`. Returns (m,) bool, where classes start. What is left at the
    end goes to the last classes, as many as it takes. Cost O(n log v) for v values.
    """
    m = len(units) - 1
    starts = np.zeros(m, np.bool_)
    tally = _tally(criteria)
    start = np.int64(0)
    for unit in range(m):
        for i in range(units[unit], units[unit + 1]):
            _count(tally, hidden, i)
        if units[unit + 1] - units[start] >= criteria.min_size and _satisfies(tally, criteria):
            starts[start] = True
            start = np.int64(unit + 1)
            _clear(tally)
    while start > 0 and start < m:
        before = start - 1
        while not starts[before]:
            before -= 1
        for i in range(units[before], units[start]):
            _count(tally, hidden, i)
        start = before
        if units[m] - units[start] >= criteria.min_size and _satisfies(tally, criteria):
            break
        starts[start] = False
    starts[start % m] = True
    return starts


@part
def _begin_class(codes: Int32s, i: Int, costs: Costs, extent: Extent, stamp: Int) -> None:
    """Begin a class with one record. stamp: number of the class."""
    for a in range(codes.shape[1]):
        code = np.int64(codes[i, a])
        extent.bounds[a, 0] = extent.bounds[a, 1] = code
        extent.losses[a] = 0.0
        if costs.attributes[a, 0] == SET:
            extent.stamps[costs.attributes[a, 1] + code] = stamp


@part
def widen(codes: Int32s, i: Int, costs: Costs, extent: Extent, stamp: Int) -> float:
    """Add a record to a class; return what its loss grows by."""
    grown = 0.0
    for a in range(codes.shape[1]):
        code = np.int64(codes[i, a])
        kind, first = costs.attributes[a, 0], costs.attributes[a, 1]
        if kind == SET:
            if extent.stamps[first + code] != stamp:
                extent.stamps[first + code] = stamp
                grown += costs.positions[first + 1]
            continue
        low, high = extent.bounds[a, 0], extent.bounds[a, 1]
        if code < low or code > high:
            low, high = min(low, code), max(high, code)
            extent.bounds[a, 0], extent.bounds[a, 1] = low, high
            loss = span_loss(np.int64(a), low, high, costs)
            grown += loss - extent.losses[a]
            extent.losses[a] = loss
    return grown


@part
def _mix(code: Int, purity: Purity, mixture: Ints, sums: Floats) -> None:
    """Add a record's target to those of a class.

    mixture: (n_values,) int64 records of each category. sums: (4,) float64 records that have a
    target, their sum and sum of squares, and the sum of the curve over categories.
    """
    if code < 0:
        return
    sums[0] += 1
    if len(purity.curve):
        held = mixture[code]
        sums[3] += purity.curve[held + 1] - purity.curve[held]
        mixture[code] = held + 1
    else:
        value = float(purity.values[code])
        sums[1] += value
        sums[2] += value * value


@part
def _impurity(purity: Purity, sums: Floats) -> float:
    """Return entropy times records, or the squared error, of what `_mix` has added."""
    known = sums[0]
    if known == 0:
        return 0.0
    if len(purity.curve):
        return float(purity.curve[int(known)] - sums[3])
    return float(max(sums[2] - sums[1] * sums[1] / known, 0.0))


@part
def _tally(criteria: Criteria) -> Tally:
    """Return histograms of nothing."""
    s, _, n_values = criteria.references.shape
    return Tally(
        np.empty((s, n_values), np.int32),
        np.empty((s, n_values), np.int64),
        np.zeros((s, 2), np.int64),
    )


@part
def _clear(tally: Tally) -> None:
    for j in range(len(tally.sizes)):
        tally.sizes[j, 0] = tally.sizes[j, 1] = 0


@part
def _count(tally: Tally, hidden: Int32s, i: Int) -> None:
    """Add a record to histograms."""
    for j in range(len(tally.sizes)):
        code = hidden[i, j]
        if code < 0:
            continue
        values, counts, m = tally.values[j], tally.counts[j], tally.sizes[j, 0]
        low, high = np.int64(0), m
        while low < high:
            middle = (low + high) // 2
            if values[middle] < code:
                low = middle + 1
            else:
                high = middle
        if low == m or values[low] != code:
            for at in range(m, low, -1):
                values[at] = values[at - 1]
                counts[at] = counts[at - 1]
            values[low] = code
            counts[low] = 0
            tally.sizes[j, 0] += 1
        counts[low] += 1
        tally.sizes[j, 1] += 1


@part
def _satisfies(tally: Tally, criteria: Criteria) -> bool:
    """Say whether histograms satisfy every condition."""
    for c in range(len(criteria.thresholds)):
        j = criteria.conditions[c, 1]
        measured = class_measure(
            criteria.conditions[c, 0],
            tally.values[j],
            tally.counts[j],
            tally.sizes[j, 0],
            tally.sizes[j, 1],
            criteria.references[j],
            criteria.ancestors[j][: criteria.conditions[c, 4]],
            criteria.conditions[c, 3],
        )
        if not holds(measured, criteria.conditions[c, 2], criteria.thresholds[c]):
            return False
    return True
