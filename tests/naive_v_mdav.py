"""A slow, obvious twin of V-MDAV: every distance is computed, whoever is asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence

from naive_mdav import Record, Space


def v_mdav(
    records: Sequence[Record],
    weights: Sequence[float],
    k: int,
    kinds: Sequence[int] | None,
    gamma: float,
) -> list[list[int]]:
    """Return the groups of records by number, in the order of their formation."""
    space = Space(records, weights, kinds)
    left = list(range(len(records)))
    middle = space.centroid(left)
    groups: list[list[int]] = []
    while len(left) >= k:
        group = space.nearest(records[space.farthest(middle, left)], left, k)
        left = [i for i in left if i not in group]
        while left and len(group) < 2 * k - 1:
            d_in, joining = min((distance(space, i, group), i) for i in left)
            others = [i for i in left if i != joining]
            if not (gamma > 0 and d_in < gamma * distance(space, joining, others)):
                break
            group.append(joining)
            left = others
        groups.append(group)
    centroids = [space.centroid(group) for group in groups]
    for i in left:
        gaps = [space.squared(records[i], one) for one in centroids]
        groups[gaps.index(min(gaps))].append(i)
    return groups


def distance(space: Space, i: int, others: Sequence[int]) -> float:
    """Return the distance of a record to the nearest of others, infinite without one."""
    one = space.records[i]
    gaps = [space.squared(one, space.records[other]) for other in others]
    return math.sqrt(min(gaps, default=math.inf))
