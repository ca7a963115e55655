"""Slow twins of `kanonym.profiling.separation` and `minimal`: every pair, every set."""

from __future__ import annotations

from collections import Counter
from itertools import combinations


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
