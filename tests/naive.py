"""Slow, obvious twins of the compiled kernels: plain Python, no arrays, exact where they can be.

A class and a table are lists of values. p is a value's share in the table, q its share
in the class; shares are fractions, so only logarithms are rounded.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction

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
        (gain / -math.log(share(table, v)) for v, gain in gains(values, table).items()),
        default=0.0,
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
