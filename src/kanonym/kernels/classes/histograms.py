"""Histograms of classes, and their penalties."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Floats, Int32s, Ints, UInt64s
from kanonym.kernels.compile import Int, kernel, part

SLOTS = 1 << 15
"""Places of the table of `distinct_histograms`; a power of two."""


@kernel
def class_histograms(
    labels: Int32s, codes: Int32s, weights: Ints, n_classes: int, n_values: int
) -> tuple[Ints, Int32s, Ints]:
    """Count the records of each class by value.

    Two counting sorts, first by value and then by class, so that the values of a class arrive in
    order and equal ones meet: O(n + n_classes + n_values), no comparison.

    labels: (n,) int32 class of each tuple, below `n_classes`; negative ones are skipped.
    codes: (n,) int32 value of each tuple, below `n_values`; negative ones are skipped.
    weights: (n,) int64 number of records of each tuple; tuples without a record are skipped. Or
        (0,): one record each.
    n_classes, n_values: Number of classes and of values. Returns: offsets (n_classes + 1,) int64,
        values (n_entries,) int32 ascending within a class, counts (n_entries,) int64: the sparse
        rows of `Distribution`.
    """
    weighted = len(weights) > 0
    n = len(labels)
    start_of_value = np.zeros(n_values + 1, np.int64)
    end_of_class = np.zeros(n_classes + 1, np.int32)  # of the entries so far
    for i in range(n):
        if labels[i] >= 0 and codes[i] >= 0 and (not weighted or weights[i] > 0):
            start_of_value[codes[i] + 1] += 1
            end_of_class[labels[i] + 1] += 1
    for value in range(n_values):
        start_of_value[value + 1] += start_of_value[value]
    for label in range(n_classes):
        end_of_class[label + 1] += end_of_class[label]

    n_kept = int(end_of_class[n_classes])
    n_weights = n_kept if weighted else 0
    class_by_value = np.empty(n_kept, np.int32)
    weight_by_value = np.empty(n_weights, np.int64)
    for i in range(n):
        if labels[i] >= 0 and codes[i] >= 0 and (not weighted or weights[i] > 0):
            at = start_of_value[codes[i]]
            start_of_value[codes[i]] = at + 1
            class_by_value[at] = labels[i]
            if weighted:
                weight_by_value[at] = weights[i]

    values = np.empty(n_kept, np.int32)
    weight_by_class = np.empty(n_weights, np.int64)
    at = 0
    for value in range(n_values):
        for k in range(at, start_of_value[value]):  # which is where the value ends by now
            place = end_of_class[class_by_value[k]]
            end_of_class[class_by_value[k]] = place + 1
            values[place] = value
            if weighted:
                weight_by_class[place] = weight_by_value[k]
        at = start_of_value[value]

    offsets = np.zeros(n_classes + 1, np.int64)
    counts = np.empty(n_kept, np.int64)
    end = 0
    at = 0
    for label in range(n_classes):
        start = end
        for j in range(at, end_of_class[label]):
            weight = weight_by_class[j] if weighted else 1
            if end > start and values[end - 1] == values[j]:
                counts[end - 1] += weight
            else:
                values[end] = values[j]
                counts[end] = weight
                end += 1
        at = end_of_class[label]
        offsets[label + 1] = end
    if 2 * end < n_kept:
        values, counts = values[:end].copy(), counts[:end].copy()
    return offsets, values[:end], counts[:end]


@kernel
def key_histograms(keys: UInt64s, width: int) -> tuple[Ints, Ints, Int32s, Ints]:
    """Count the records of each class by value, where each record is one sorted key.

    O(n), all of it in order: the fastest way where hardly two records are of one class.

    keys: (n,) uint64, ascending: the value in the low `width` bits, the class above them.
    width: Bits of a value, from 0 to 63. Returns: sizes (n_classes,) int64; offsets, values and
        counts as of `class_histograms`, classes in the order of their keys.
    """
    down = np.uint64(width)
    mask = (np.uint64(1) << down) - np.uint64(1)
    n = len(keys)
    n_entries, n_classes = min(n, 1), min(n, 1)
    for i in range(1, n):
        n_entries += keys[i] != keys[i - 1]
        n_classes += keys[i] >> down != keys[i - 1] >> down
    sizes = np.zeros(n_classes, np.int64)
    offsets = np.zeros(n_classes + 1, np.int64)
    values = np.empty(n_entries, np.int32)
    counts = np.zeros(n_entries, np.int64)
    entry, label = -1, -1
    for i in range(n):
        if i == 0 or keys[i] != keys[i - 1]:
            entry += 1
            values[entry] = keys[i] & mask
            if i == 0 or keys[i] >> down != keys[i - 1] >> down:
                label += 1
            offsets[label + 1] = entry + 1
        counts[entry] += 1
        sizes[label] += 1
    return sizes, offsets, values, counts


@kernel
def distinct_histograms(offsets: Ints, values: Int32s, counts: Ints) -> tuple[Ints, Ints]:
    """Find classes whose histograms stand for those of all classes.

    Whatever is measured of a histogram needs to be measured once for equal ones: where classes are
    small, there are few different histograms. O(n_entries). At most half of `SLOTS` histograms are
    remembered, so that the table stays in the processor's cache: classes with another one stand for
    themselves, and two of them may be equal.

    offsets, values, counts: Histograms, as of `class_histograms`.
    Returns: classes (n_distinct,) int64, ascending: every class has the histogram of one of them.
        numbers (n_distinct,) int64, how many classes each of them stands for.
    """
    n_classes = len(offsets) - 1
    slots = np.full(SLOTS, -1, np.int64)
    n_remembered = 0
    classes = np.empty(n_classes, np.int64)
    numbers = np.empty(n_classes, np.int64)
    n_distinct = 0
    for label in range(n_classes):
        start, stop = offsets[label], offsets[label + 1]
        state = np.uint64(stop - start)
        for j in range(start, stop):
            state = (state ^ np.uint64(values[j])) * np.uint64(0x9E3779B97F4A7C15)
            state = (state ^ np.uint64(counts[j])) * np.uint64(0xBF58476D1CE4E5B9)
            state ^= state >> np.uint64(31)
        slot = state & np.uint64(SLOTS - 1)
        found = slots[slot]
        while found >= 0:
            other = offsets[classes[found]]
            equal = offsets[classes[found] + 1] - other == stop - start
            j = start
            while equal and j < stop:
                same = other + j - start
                equal = values[j] == values[same] and counts[j] == counts[same]
                j += 1
            if equal:
                break
            slot = (slot + np.uint64(1)) & np.uint64(SLOTS - 1)
            found = slots[slot]
        if found >= 0:
            numbers[found] += 1
            continue
        if n_remembered < SLOTS // 2:
            slots[slot] = n_distinct
            n_remembered += 1
        classes[n_distinct] = label
        numbers[n_distinct] = 1
        n_distinct += 1
    return classes[:n_distinct].copy(), numbers[:n_distinct].copy()


RANGE, SET, TREE = 0, 1, 2

_LARGEST = np.int32(np.iinfo(np.int32).max)
"""Not asked for in a kernel: with its machine code, that would load much of numba."""


class Costs(NamedTuple):
    """What a class loses in each attribute, as a function of its codes.

    Codes of all attributes share one axis; each attribute owns a stretch of it.

    attributes: (d, 4) int64: kind (RANGE: distance of the outer positions; SET: number of distinct
        codes; TREE: lowest common ancestor), first place on the axis of codes, first code that no
        range has (of exceptions or null), number of levels of a TREE or 0.
    positions: (n_codes,) float64, place of each code: in [0, 1] for RANGE, code times the loss of
        one more distinct code for SET.
    ancestors: (n_levels, n_codes) int32, labels by level.
    losses: (n_levels, n_codes) float64 in [0, 1], loss of the label above each code.
    weights: (d,) float64 in [0, 1], what a suppressed value loses; the others are multiplied by it.
    """

    attributes: Ints
    positions: Floats
    ancestors: Int32s
    losses: Floats
    weights: Floats


@part
def span_loss(a: Int, low: Int, high: Int, costs: Costs) -> float:
    """Return the loss in [0, 1] of releasing codes low to high of a RANGE or TREE attribute.

    For SET, the share of the domain between the two: an upper bound.
    """
    if low == high:
        return 0.0
    kind = costs.attributes[a, 0]
    offset = costs.attributes[a, 1]
    if kind == TREE:
        level = 1
        while costs.ancestors[level, offset + low] != costs.ancestors[level, offset + high]:
            level += 1
        return float(costs.losses[level, offset + low])
    if high >= costs.attributes[a, 2] and kind == RANGE:
        return float(costs.positions[offset + high])
    return float(costs.positions[offset + high] - costs.positions[offset + low])


@kernel
def class_bounds(labels: Int32s, codes: Int32s, n_classes: Int) -> tuple[Int32s, Int32s]:
    """Return (n_classes, d) int32 smallest and largest code of each class.

    labels: (n,) int32, negative ones are skipped. codes: (n, d) int32.
    """
    n, d = codes.shape
    low = np.full((n_classes, d), _LARGEST, np.int32)
    high = np.full((n_classes, d), -1, np.int32)
    for i in range(n):
        label = labels[i]
        if label >= 0:
            for a in range(d):
                low[label, a] = min(low[label, a], codes[i, a])
                high[label, a] = max(high[label, a], codes[i, a])
    return low, high


@kernel
def span_losses(a: Int, low: Int32s, high: Int32s, costs: Costs) -> Floats:
    """Return (n_classes,) float64: the loss of each class in one RANGE or TREE attribute."""
    losses = np.empty(len(low), np.float64)
    for i in range(len(low)):
        losses[i] = span_loss(np.int64(a), np.int64(low[i]), np.int64(high[i]), costs)
    return losses
