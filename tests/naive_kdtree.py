"""A slow, obvious twin of SIGO's kd-tree: row numbers in lists, sorted at every attempt."""

from __future__ import annotations

from collections.abc import Sequence

from naive_mondrian import Row, Satisfies


def kdtree(rows: Sequence[Row], satisfies: Satisfies, k: int) -> list[list[int]]:
    """Return the classes in depth-first order, row numbers as the sorts have left them.

    Every row has the weight 1. The whole is not asked whether it satisfies anything.
    """
    d = len(rows[0].codes)

    def grown(numbers: list[int], turn: int) -> list[list[int]]:
        if len(numbers) >= 2 * k:
            for a in [(turn + step) % d for step in range(d)]:
                codes = [row.codes[a] for row in rows]
                numbers = sorted(numbers, key=codes.__getitem__)
                last = codes[numbers[len(numbers) // 2 - 1]]
                lower = [i for i in numbers if codes[i] <= last]
                upper = numbers[len(lower) :]
                both = [[rows[i] for i in side] for side in (lower, upper)]
                if len(upper) >= k and all(satisfies(side) for side in both):
                    return grown(lower, a + 1) + grown(upper, a + 1)
        return [numbers]

    return grown(list(range(len(rows))), 0)
