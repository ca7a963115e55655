"""Slow, obvious twins: k-member and the k-d tree."""

from __future__ import annotations

from collections.abc import Sequence

from twins.mondrian import Attribute, Row, Satisfies, loss


def k_member(
    rows: Sequence[Row], attributes: Sequence[Attribute], k: int, first: int
) -> list[list[int]]:
    """Return the classes as record numbers, in the order of their formation.

    Every row has the weight 1; rows are sorted. `first` is the record to begin with.
    """
    left = list(range(len(rows)))

    def lost(numbers: Sequence[int]) -> object:
        return loss([rows[i] for i in numbers], attributes)

    classes: list[list[int]] = []
    start = first
    while len(left) >= k:
        if classes:
            far = start
            start = max(left, key=lambda i: (lost([far, i]), -i))
        left.remove(start)
        one = [start]
        while len(one) < k:
            held = {rows[i] for i in one}
            nearest = min(left, key=lambda i: (lost([*one, i]), rows[i] not in held, i))
            left.remove(nearest)
            one.append(nearest)
        classes.append(one)
    for i in left:
        cheapest = min(classes, key=lambda one: lost([*one, i]) - lost(one))
        cheapest.append(i)
    return classes


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
