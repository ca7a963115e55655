"""Slow, obvious twins: what models see in classes, histograms, separation and groupings."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations

Values = Sequence[int]
Paths = dict[int, Sequence[int]]  # value: its labels, from level 1 up to the root


def share(values: Values, value: int) -> Fraction:
    """Return the share of a value, 0 in an empty list."""
    return Fraction(list(values).count(value), len(values)) if values else Fraction(0)


def distinct(values: Values) -> int:
    """Return the number of distinct values."""
    return len(set(values))


def entropy(values: Values) -> float:
    """Return exp(H); 0 for an empty class."""
    if not values:
        return 0.0
    shares = [float(share(values, value)) for value in set(values)]
    return math.exp(-sum(q * math.log(q) for q in shares))


def recursive(values: Values, l: int) -> float:
    """Return r_1 / (r_l + ... + r_m), counts descending; infinite with fewer than l values."""
    counts = sorted(Counter(values).values(), reverse=True)
    if not counts or len(counts) < l:
        return math.inf
    return float(Fraction(counts[0], sum(counts[l - 1 :])))


def alpha(values: Values) -> float:
    """Return the largest share."""
    return float(max((share(values, value) for value in set(values)), default=Fraction(0)))


def t_equal(values: Values, table: Values) -> float:
    """Return half the sum of the absolute differences of shares."""
    if not values:
        return 0.0
    return float(sum(abs(share(values, v) - share(table, v)) for v in set(table)) / 2)


def t_ordered(values: Values, table: Values) -> float:
    """Return the sum of absolute differences of cumulative shares, / (values - 1)."""
    domain = sorted(set(table))
    if not values or len(domain) == 1:
        return 0.0
    ahead, moved = Fraction(0), Fraction(0)
    for value in domain:
        ahead += share(values, value) - share(table, value)
        moved += abs(ahead)
    return float(moved / (len(domain) - 1))


def t_hierarchical(values: Values, table: Values, paths: Paths) -> float:
    """Return the earth mover's distance over the tree, as the flow through its edges.

    Two leaves that meet at level h are h / H apart; with 2 h edges between them, an
    edge is 1 / (2 H) long, and what passes the edge above a node is the difference
    of the shares below it.
    """
    if not values:
        return 0.0
    height = len(next(iter(paths.values())))
    moved = Fraction(0)
    for level in range(height):
        nodes: dict[int, Fraction] = defaultdict(Fraction)
        for value, labels in paths.items():
            node = value if level == 0 else labels[level - 1]
            nodes[node] += share(values, value) - share(table, value)
        moved += sum(abs(difference) for difference in nodes.values())
    return float(moved / (2 * height))


def gains(values: Values, table: Values) -> dict[int, float]:
    """Return (q - p) / p of every value that gained."""
    return {
        v: float(share(values, v) / share(table, v) - 1)
        for v in set(values)
        if share(values, v) > share(table, v)
    }


def beta_basic(values: Values, table: Values) -> float:
    """Return the largest gain."""
    return max(gains(values, table).values(), default=0.0)


def beta_excess(values: Values, table: Values) -> float:
    """Return the largest gain / (-ln p)."""
    return max(
        (gain / -math.log(share(table, v)) for v, gain in gains(values, table).items()), default=0.0
    )


def beta_enhanced(values: Values, table: Values) -> float:
    """Return the largest min(gain, -ln p)."""
    return max(
        (min(gain, -math.log(share(table, v))) for v, gain in gains(values, table).items()),
        default=0.0,
    )


def delta(values: Values, table: Values) -> float:
    """Return the largest |ln(q / p)| over present values."""
    return max(
        (abs(math.log(share(values, v) / share(table, v))) for v in set(values)), default=0.0
    )


def kl(values: Values, table: Values) -> float:
    """Return the sum of q ln(q / p)."""
    return math.fsum(
        float(share(values, v)) * math.log(share(values, v) / share(table, v)) for v in set(values)
    )


def total_variation(values: Values, table: Values) -> float:
    """Return the largest |q - p| over the table's values."""
    if not values:
        return 0.0
    return float(max(abs(share(values, v) - share(table, v)) for v in set(table)))


def diversity_percent(values: Values) -> float:
    """Return 100 * distinct values / records."""
    return float(Fraction(100 * distinct(values), len(values))) if values else 0.0


BY_CLASS: dict[str, Callable[[Values], float]] = {
    "DISTINCT": distinct,
    "ENTROPY": entropy,
    "ALPHA": alpha,
    "DIVERSITY_PERCENT": diversity_percent,
}
"""Twins that look at the class alone, by the kernel's constant."""

BY_TABLE: dict[str, Callable[[Values, Values], float]] = {
    "T_EQUAL": t_equal,
    "T_ORDERED": t_ordered,
    "BETA_BASIC": beta_basic,
    "BETA_EXCESS": beta_excess,
    "BETA_ENHANCED": beta_enhanced,
    "DELTA": delta,
    "KL": kl,
    "TOTAL_VARIATION": total_variation,
}
"""Twins that compare the class with the table, by the kernel's constant."""


def class_histograms(
    labels: Sequence[int], codes: Sequence[int], weights: Sequence[int], n_classes: int
) -> list[dict[int, int]]:
    """Return {value: records} of every class, values ascending."""
    histograms: list[dict[int, int]] = [{} for _ in range(n_classes)]
    for label, code, weight in zip(labels, codes, weights, strict=True):
        if label >= 0 and code >= 0 and weight > 0:
            histograms[label][code] = histograms[label].get(code, 0) + weight
    return [dict(sorted(histogram.items())) for histogram in histograms]


def group_rows(
    rows: Sequence[Sequence[int]],
) -> tuple[list[int], list[int], list[int], list[list[int]]]:
    """Return the group of each row, and by group its size, first row and codes, ascending."""
    rows = [list(row) for row in rows]
    codes = sorted(map(list, set(map(tuple, rows))))
    labels = [codes.index(row) for row in rows]
    return labels, [rows.count(one) for one in codes], [rows.index(one) for one in codes], codes


def wildcard_sizes(tuples: Sequence[Sequence[int | None]], weights: Sequence[int]) -> list[int]:
    """Return the records that are compatible with each tuple, None matching everything."""

    def compatible(one: Sequence[int | None], other: Sequence[int | None]) -> bool:
        pairs = zip(one, other, strict=True)
        return all(a == b or a is None or b is None for a, b in pairs)

    return [
        sum(weight for other, weight in zip(tuples, weights, strict=True) if compatible(one, other))
        for one in tuples
    ]


def distinct_histograms(
    histograms: Sequence[dict[int, int]], remembered: int
) -> tuple[list[int], list[int]]:
    """Return the first class of each histogram, and how many classes have it.

    Only the first so many different histograms are remembered: any other class stands
    for itself.
    """
    place: dict[tuple[tuple[int, int], ...], int] = {}
    classes: list[int] = []
    numbers: list[int] = []
    for label, histogram in enumerate(histograms):
        key = tuple(sorted(histogram.items()))
        if key in place:
            numbers[place[key]] += 1
            continue
        if len(place) < remembered:
            place[key] = len(classes)
        classes.append(label)
        numbers.append(1)
    return classes, numbers


def separation(rows):
    """Count combinations, and pairs of equal records one by one."""
    counts = Counter(rows)
    return {
        "records": len(rows),
        "distinct": len(counts),
        "uniques": sum(count == 1 for count in counts.values()),
        "smallest": min(counts.values(), default=0),
        "together": sum(a == b for a, b in combinations(rows, 2)),
    }


def minimal_sets(columns, others):
    """Return the sets that reach the threshold, and do not without any one of their columns.

    The set without a column is none of them.
    """
    names = list(columns)
    n = len(next(iter(columns.values())))

    def reached(chosen):
        rows = list(zip(*(columns[name] for name in chosen), strict=True))
        return bool(chosen) and 2 * separation(rows)["together"] <= others * n

    return [
        chosen
        for size in range(1, len(names) + 1)
        for chosen in combinations(names, size)
        if reached(chosen)
        and not any(reached([one for one in chosen if one != left]) for left in chosen)
    ]


def groups(keys, values):
    """Return the values of each group."""
    held = defaultdict(list)
    for key, value in zip(keys, values, strict=True):
        held[key].append(value)
    return list(held.values())


def new_share(keys, values):
    """Return which share of the records but the first of each group has a new value in it."""
    found = groups(keys, values)
    repeats = len(keys) - len(found)
    return (sum(len(set(one)) for one in found) - len(found)) / repeats


def new_share_by_drawing(keys, values):
    """Return the same share where each record's value is drawn from all, with replacement."""
    shares = {value: count / len(values) for value, count in Counter(values).items()}
    sizes = [len(one) for one in groups(keys, keys)]
    expected = sum(1 - (1 - share) ** size for size in sizes for share in shares.values())
    return (expected - len(sizes)) / (len(keys) - len(sizes))


def new_share_of_permutations(keys, values):
    """Return the same share on average over all orders of the values."""
    found = [new_share(keys, order) for order in permutations(values)]
    return sum(found) / len(found)


def intraclass_correlation(keys, numbers):
    """Return that of numbers by the analysis of variance of one way."""
    found = groups(keys, numbers)
    n, k = len(keys), len(found)
    mean = sum(numbers) / n
    means = [sum(one) / len(one) for one in found]
    between = sum(len(one) * (m - mean) ** 2 for one, m in zip(found, means, strict=True)) / (k - 1)
    pairs = zip(found, means, strict=True)
    within = sum((value - m) ** 2 for one, m in pairs for value in one) / (n - k)
    size = (n - sum(len(one) ** 2 for one in found) / n) / (k - 1)
    whole = between + (size - 1) * within
    return (between - within) / whole if whole > 0 else 0.0
