"""A slow, obvious twin of t-closeness-first microaggregation: every distance is computed."""

from __future__ import annotations

from collections.abc import Sequence

from naive_mdav import Record, Space


def subsets_of(n: int, k: int) -> list[list[int]]:
    """Divide record numbers into k stretches; the middle ones have those that are left over."""
    sizes = [n // k] * k
    for turn in range(n % k):
        sizes[((k - 1) // 2, k // 2)[turn % 2]] += 1
    numbers = iter(range(n))
    return [[next(numbers) for _ in range(size)] for size in sizes]


def t_closeness_first(
    records: Sequence[Record], weights: Sequence[float], k: int
) -> list[list[int]]:
    """Return the groups of records by number, in the order of their formation.

    Records stand in the order of their sensitive values; n modulo k is less than n // k.
    """
    space = Space(records, weights)
    subsets = subsets_of(len(records), k)
    to_come = len(records) // k
    groups: list[list[int]] = []

    def take(subset: list[int], chosen: int) -> int:
        nearest = space.nearest(records[chosen], subset, 1)[0]
        subset.remove(nearest)
        return nearest

    while to_come:
        for turn in range(min(2, to_come)):
            left = [i for subset in subsets for i in subset]
            chosen = space.farthest(records[chosen] if turn else space.centroid(left), left)  # noqa: F821
            groups.append([take(subset, chosen) for subset in subsets])
            to_come -= 1
            longest = max(subsets, key=len)
            if len(longest) > to_come:
                groups[-1].append(take(longest, chosen))
    return groups
