"""Slow twin of the search for different histograms."""

from __future__ import annotations

from collections.abc import Sequence


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
