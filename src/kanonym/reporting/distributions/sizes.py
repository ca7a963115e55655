"""How large the classes of a release are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count, pairwise

import numpy as np

FEW_BARS = 12
WIDE = 10
"""From this ratio of the largest to the smallest size on, bars grow: 5–9, 10–19, 20–49."""


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """The sizes of the released classes."""

    smallest: int
    median: float
    mean: float
    largest: int
    labels: tuple[str, ...]
    classes: tuple[int, ...]
    records: tuple[int, ...]

    @classmethod
    def of(cls, classes_of_size: Mapping[int, int]) -> ClassSizes:
        """Summarize `{size: number of classes}`; the largest 1 % share the last bar."""
        if not classes_of_size:
            return cls(0, 0.0, 0.0, 0, (), (), ())
        sizes = np.array(sorted(classes_of_size), np.int64)
        classes = np.array([classes_of_size[size] for size in sizes.tolist()], np.int64)
        upto = np.cumsum(classes)
        n, smallest = int(upto[-1]), int(sizes[0])
        top = int(sizes[np.searchsorted(upto, 0.99 * n)])
        grown = top >= WIDE * smallest
        starts = _growing_starts(smallest, top) if grown else _even_starts(smallest, top)
        bar = np.searchsorted(starts, sizes, side="right") - 1
        labels = [f"{a}" if a == b - 1 else f"{a}–{b - 1}" for a, b in pairwise(starts)]
        alone = sizes[-1] == starts[-1]
        labels.append(f"{starts[-1]}" if alone else f"{starts[-1]}+")
        middle = sizes[np.searchsorted(upto, [(n + 1) // 2, n // 2 + 1])]
        return cls(
            smallest=smallest,
            median=float(middle.mean()),
            mean=float((sizes * classes).sum() / n),
            largest=int(sizes[-1]),
            labels=tuple(labels),
            classes=tuple(np.bincount(bar, classes).astype(int).tolist()),
            records=tuple(np.bincount(bar, classes * sizes).astype(int).tolist()),
        )


def _even_starts(smallest: int, top: int) -> list[int]:
    """Return where bars of one width begin."""
    width = next(
        digit * 10**power
        for power in count()
        for digit in (1, 2, 5)
        if (top - smallest) // (digit * 10**power) < FEW_BARS
    )
    return list(range(smallest, top + 1, width))


def _growing_starts(smallest: int, top: int) -> list[int]:
    """Return the smallest size, and the sizes 1, 2 and 5 times a power of ten above it."""
    powers = range(len(str(top)))
    steps = (digit * 10**power for power in powers for digit in (1, 2, 5))
    return [smallest, *(step for step in steps if smallest < step <= top)]
