"""A slow, obvious twin of the pairing of ranks: lists of who is still free."""

from __future__ import annotations

from collections.abc import Sequence


def swapped(draws: Sequence[float], reach: int) -> list[int]:
    """Return each rank's partner, itself where there is none."""
    partner = list(range(len(draws)))
    decided: set[int] = set()
    for rank, draw in enumerate(draws):
        if rank in decided:
            continue
        decided.add(rank)
        within = range(rank + 1, min(len(draws), rank + reach + 1))
        free = [other for other in within if other not in decided]
        if free:
            other = free[int(draw * len(free))]
            decided.add(other)
            partner[rank], partner[other] = other, rank
    return partner
