"""A slow, obvious twin of k-member: every record is tried, losses are exact fractions."""

from __future__ import annotations

from collections.abc import Sequence

from naive_mondrian import Attribute, Row, loss


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
