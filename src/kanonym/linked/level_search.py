"""The levels of all quasi-identifiers of all tables that lose least and protect every person."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

Levels = tuple[int, ...]

MOST_NODES = 4_000
"""Combinations of levels that are tried in the order of their loss before the search descends."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the search found.

    Attributes
    ----------
    levels
        One for each column.
    loss
        Mean loss of the columns, in [0, 1].
    checked, size
        Combinations that were tried, and all that there are.
    optimal
        Whether none with less loss is satisfying.

    """

    levels: Levels
    loss: float
    checked: int
    size: int
    optimal: bool


def find_levels(
    losses: Sequence[Sequence[float]],
    satisfies: Callable[[Levels], bool],
    most: int = MOST_NODES,
) -> Found | None:
    """Return the satisfying levels of least mean loss; None where not even the roots satisfy.

    Parameters
    ----------
    losses
        By column the loss of each level, which never falls from one level to the next.
    satisfies
        Whether a combination of levels protects everybody.
    most
        Combinations to try in the order of their loss. Beyond, the search starts at the roots and
        goes down one level at a time, where that saves most, as long as levels satisfy.

    Notes
    -----
    Combinations come in the order of their loss, so the first that satisfies is the best, whatever
    `satisfies` is like. Ties: the lexicographically lower levels.

    """
    tops = tuple(len(one) - 1 for one in losses)
    size = prod(top + 1 for top in tops)

    def loss_of(levels: Levels) -> float:
        every = [one[level] for one, level in zip(losses, levels, strict=True)]
        return sum(every) / max(len(every), 1)

    bottom = (0,) * len(tops)
    queue, seen, checked = [(loss_of(bottom), bottom)], {bottom}, 0
    while queue and checked < most:
        loss, levels = heapq.heappop(queue)
        checked += 1
        if satisfies(levels):
            return Found(levels, loss, checked, size, optimal=True)
        for above in _neighbours(levels, tops, 1):
            if above not in seen:
                seen.add(above)
                heapq.heappush(queue, (loss_of(above), above))
    if not queue or not satisfies(tops):
        return None
    levels, checked = tops, checked + 1
    while True:
        below = sorted((loss_of(one), one) for one in _neighbours(levels, tops, -1))
        for _, one in below:
            checked += 1
            if satisfies(one):
                levels = one
                break
        else:
            return Found(levels, loss_of(levels), checked, size, optimal=False)


def _neighbours(levels: Levels, tops: Levels, step: int) -> list[Levels]:
    """Return the levels with one of them a step higher or lower."""
    return [
        (*levels[:i], level + step, *levels[i + 1 :])
        for i, level in enumerate(levels)
        if 0 <= level + step <= tops[i]
    ]
