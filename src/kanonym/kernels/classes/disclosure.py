"""Measures of one equivalence class: its size, and what its sensitive values give away.

Every privacy model compares one of these measures with a threshold, and this module
is the only place that computes them. p is a value's share of the records of the
table, q its share of the records of the class; logarithms are natural.

A class is its histogram: present values ascending, and their counts. A class
without any value (all null, nulls excluded) has 0 in every measure, infinity in
`RECURSIVE`: it is not diverse, and it tells nothing.
"""

from __future__ import annotations

import math

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.compile import Int, kernel, part

SIZE = 0
"""Number of records; the histogram is not looked at."""
DISTINCT = 1
"""Number of distinct values."""
ENTROPY = 2
"""exp(H) with H = -sum of q ln q: the number of equally frequent values of equal entropy."""
RECURSIVE = 3
"""r_1 / (r_l + ... + r_m), counts descending; infinite with fewer than l values."""
ALPHA = 4
"""Largest q."""
T_EQUAL = 5
"""Earth mover's distance where all values are equally far apart: half the sum of |q - p|."""
T_ORDERED = 6
"""Earth mover's distance over the rank of the values that the table holds, in [0, 1]."""
T_HIERARCHICAL = 7
"""Earth mover's distance over the tree of values, in [0, 1]; NaN without a tree."""
BETA_BASIC = 8
"""Largest (q - p) / p."""
BETA_EXCESS = 9
"""Largest ((q - p) / p) / (-ln p): enhanced beta-likeness wants at most 1."""
BETA_ENHANCED = 10
"""Largest min((q - p) / p, -ln p) over values that gained (q > p)."""
DELTA = 11
"""Largest |ln(q / p)| over present values."""
KL = 12
"""Kullback-Leibler divergence, sum of q ln(q / p)."""
TOTAL_VARIATION = 13
"""Largest |q - p|, absent values (q = 0) included."""
DIVERSITY_PERCENT = 14
"""100 * distinct values / records that have a value."""

GE = 0
LE = 1
LT = 2
RELATIONS = {">=": GE, "<=": LE, "<": LT}
"""Codes of the relations that `holds` knows."""

TOLERANCE = 1e-12

SHARE = 0
CUMULATIVE = 1
CUMULATIVE_SUM = 2
RANK = 3
BY_SHARE = 4
LEVELS = 5


def reference_shares(table: Ints, ancestors: Int32s) -> Floats:
    """Prepare the distribution of the table that classes are compared with.

    Counts of 0 after the last value change no measure: attributes of different sizes stack once
    their tables and ancestors are padded with zeros.

    table: (n_values,) int64 counts of the table.
    ancestors: (n_levels, n_values) int32 labels as in `Distribution`, or (0, 0). Returns: (5 +
        n_levels, n_values) float64, C order. By row: share p; cumulative share P; running sum of P
        over values that the table holds; number of such values up to and including this one; codes
        by descending share; then, for each level, the share of the value's ancestor.
    """
    n_values = len(table)
    reference = np.zeros((LEVELS + ancestors.shape[0], n_values))
    share = table / max(int(table.sum()), 1)
    observed = table > 0
    reference[SHARE] = share
    reference[CUMULATIVE] = np.cumsum(share)
    reference[CUMULATIVE_SUM] = np.cumsum(np.where(observed, reference[CUMULATIVE], 0.0))
    reference[RANK] = np.cumsum(observed)
    reference[BY_SHARE] = np.argsort(-share, kind="stable")
    for level, labels in enumerate(ancestors):
        reference[LEVELS + level] = np.bincount(labels, weights=share)[labels]
    return reference


@part
def holds(value: float, relation: int, threshold: float) -> bool:
    """Say whether a measured value satisfies `>=` (GE), `<=` (LE) or `<` (LT) of a threshold.

    Values within 1e-12 (relative above 1, absolute below) of the threshold count as
    equal to it: sums of shares that are equal on paper, as 4/9, differ in their last
    bits. Equal satisfies `>=` and `<=`, never `<`. NaN satisfies nothing.
    """
    slack = TOLERANCE * max(1.0, abs(threshold))
    if relation == GE:
        return value >= threshold - slack
    if relation == LE:
        return value <= threshold + slack
    return value < threshold - slack


@part
def class_measure(
    measure: Int,
    values: Int32s,
    counts: Ints,
    m: Int,
    total: Int,
    reference: Floats,
    ancestors: Int32s,
    argument: Int,
) -> float:
    """Return one measure of one class.

    Time O(m) times: log n_values for `T_ORDERED`, n_levels for `T_HIERARCHICAL`, log m for
    `TOTAL_VARIATION`, at worst l for `RECURSIVE`.

    measure: One of this module's measures (`SIZE`, `DISTINCT`, ...).
    values, counts: (at least m,) int32 codes ascending and int64 counts, each at least 1; entries
        from m on are not read. Every value must have a positive count in the table.
    m: Number of distinct values of the class.
    total: Sum of the m counts; for `SIZE` the number of records.
    reference: The table's distribution, from `reference_shares`.
    ancestors: (n_levels, n_values) int32, C order; the values of one label are neighbours in code
        order, the last level is the root. (0, 0) without a hierarchy.
    argument: l for `RECURSIVE`; not read by the others.
    """
    if measure == SIZE:
        return float(total)
    if measure == RECURSIVE:
        return _recursive(counts, m, total, argument)
    if total == 0:
        return 0.0
    if measure == DISTINCT:
        return float(m)
    if measure == DIVERSITY_PERCENT:
        return 100.0 * m / total
    if measure == T_ORDERED:
        return _ordered_distance(values, counts, m, total, reference)
    if measure == T_HIERARCHICAL:
        return _hierarchical_distance(values, counts, m, total, reference, ancestors)
    if measure == TOTAL_VARIATION:
        return _pointwise_distance(values, counts, m, total, reference)
    result = 0.0
    for i in range(m):
        q = counts[i] / total
        p = reference[SHARE, values[i]]
        if measure == ENTROPY:
            result -= q * math.log(q)
        elif measure == ALPHA:
            result = max(result, q)
        elif measure == T_EQUAL:
            result += max(q - p, 0.0)
        elif measure == DELTA:
            result = max(result, abs(math.log(q / p)))
        elif measure == KL:
            result += q * math.log(q / p)
        elif q > p:
            gain = (q - p) / p
            if measure == BETA_EXCESS:
                gain /= -math.log(p)
            elif measure == BETA_ENHANCED:
                gain = min(gain, -math.log(p))
            result = max(result, gain)
    if measure == ENTROPY:
        return math.exp(result)
    return result


@part
def _recursive(counts: Ints, m: Int, total: Int, l: Int) -> float:
    """Return r_1 / (r_l + ... + r_m): the tail is the total without the l - 1 largest."""
    if m < l or m == 0:
        return math.inf
    largest = 0
    bound = total + 1
    taken = 0
    tail = total
    while taken < l - 1 or largest == 0:
        count = 0
        repeated = 0
        for i in range(m):
            if counts[i] == count:
                repeated += 1
            elif count < counts[i] < bound:
                count = int(counts[i])
                repeated = 1
        largest = max(largest, count)
        repeated = min(repeated, int(l) - 1 - taken)
        tail -= repeated * count
        taken += repeated
        bound = count
    return largest / tail


@part
def _ordered_distance(values: Int32s, counts: Ints, m: Int, total: Int, reference: Floats) -> float:
    """Sum |Q_i - P_i| over the table's values, / (their number - 1).

    Between two present values Q is constant and P ascends, so one binary search
    splits the stretch into a part with P below Q and a part with P above it.
    """
    n_values = reference.shape[1]
    n_observed = reference[RANK, n_values - 1]
    if n_observed <= 1:
        return 0.0
    distance = 0.0
    below = 0
    for i in range(m + 1):
        start = values[i - 1] if i > 0 else 0
        stop = values[i] if i < m else n_values
        q = below / total
        low, high = start, stop
        while low < high:
            middle = (low + high) // 2
            if reference[CUMULATIVE, middle] < q:
                low = middle + 1
            else:
                high = middle
        distance += _stretch_distance(q, start, low, reference) - _stretch_distance(
            q, low, stop, reference
        )
        if i < m:
            below += counts[i]
    # Rounding may leave a little less than nothing.
    return float(max(distance, 0.0) / (n_observed - 1.0))


@part
def _stretch_distance(q: float, start: int, stop: int, reference: Floats) -> float:
    """Sum q - P_i over the values i of [start, stop) that the table holds."""
    if start >= stop:
        return 0.0
    number = reference[RANK, stop - 1]
    shares = reference[CUMULATIVE_SUM, stop - 1]
    if start > 0:
        number -= reference[RANK, start - 1]
        shares -= reference[CUMULATIVE_SUM, start - 1]
    return float(number * q - shares)


@part
def _hierarchical_distance(
    values: Int32s, counts: Ints, m: Int, total: Int, reference: Floats, ancestors: Int32s
) -> float:
    """Sum over inner nodes of height / tree height * what moves between its children.

    A child with more of the class than of the table (q > p) sends its surplus, the
    others receive; what cannot be placed below a node goes on to its parent. Only
    nodes above present values can have a surplus.
    """
    height = ancestors.shape[0] - 1
    if height < 1:
        return math.nan
    distance = 0.0
    for level in range(1, height + 1):
        i = 0
        while i < m:
            node = ancestors[level, values[i]]
            node_p = reference[LEVELS + level, values[i]]
            node_q = 0.0
            surplus = 0.0
            while i < m and ancestors[level, values[i]] == node:
                child = ancestors[level - 1, values[i]]
                child_p = reference[LEVELS + level - 1, values[i]]
                records = 0
                while i < m and ancestors[level - 1, values[i]] == child:
                    records += counts[i]
                    i += 1
                child_q = records / total
                node_q += child_q
                surplus += max(child_q - child_p, 0.0)
            lack = max(node_p - node_q + surplus, 0.0)
            distance += level / height * min(surplus, lack)
    return distance


@part
def _pointwise_distance(
    values: Int32s, counts: Ints, m: Int, total: Int, reference: Floats
) -> float:
    """Return the largest |q - p|; of the absent values only the most frequent one counts."""
    largest = 0.0
    for i in range(m):
        largest = max(largest, abs(counts[i] / total - reference[SHARE, values[i]]))
    for rank in range(min(m + 1, reference.shape[1])):
        value = int(reference[BY_SHARE, rank])
        low, high = 0, int(m)
        while low < high:
            middle = (low + high) // 2
            if values[middle] < value:
                low = middle + 1
            else:
                high = middle
        if low == m or values[low] != value:
            return max(largest, float(reference[SHARE, value]))
    return largest


@kernel
def measure_classes(
    measure: int,
    offsets: Ints,
    values: Int32s,
    counts: Ints,
    sizes: Ints,
    reference: Floats,
    ancestors: Int32s,
    argument: int,
) -> Floats:
    """Return one measure of every class, (n_classes,) float64.

    measure, reference, ancestors, argument: As in `class_measure`.
    offsets, values, counts: Histograms of the classes, as in `Distribution`; not read for `SIZE`.
    sizes: (n_classes,) int64 numbers of records, read for `SIZE` alone.
    """
    n_classes = len(sizes)
    result = np.empty(n_classes, np.float64)
    for i in range(n_classes):
        if measure == SIZE:
            result[i] = sizes[i]
            continue
        start, stop = offsets[i], offsets[i + 1]
        total = 0
        for j in range(start, stop):
            total += int(counts[j])
        result[i] = class_measure(
            measure,
            values[start:stop],
            counts[start:stop],
            stop - start,
            int(total),  # not a literal 0, which would compile class_measure twice
            reference,
            ancestors,
            argument,
        )
    return result


@kernel
def hold_all(measured: Floats, relation: int, threshold: float) -> Bools:
    """Apply `holds` to every measured value: (n,) float64 to (n,) bool."""
    result = np.empty(len(measured), np.bool_)
    for i in range(len(measured)):
        result[i] = holds(measured[i], relation, threshold)
    return result
