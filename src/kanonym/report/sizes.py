"""How large the classes of a release are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

import numpy as np

MOST_BARS = 24


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """The sizes of the released classes.

    Attributes
    ----------
    smallest, median, mean, largest
        Over classes; 0 for a release without a record.
    labels, classes, records
        One entry a bar: sizes, number of classes of these sizes, their records.

    """

    smallest: int
    median: float
    mean: float
    largest: int
    labels: tuple[str, ...]
    classes: tuple[int, ...]
    records: tuple[int, ...]

    @classmethod
    def of(cls, classes_of_size: Mapping[int, int]) -> ClassSizes:
        """Summarize `{size: number of classes}`; the largest 1 % share an open last bar."""
        if not classes_of_size:
            return cls(0, 0.0, 0.0, 0, (), (), ())
        sizes = np.array(sorted(classes_of_size), np.int64)
        classes = np.array([classes_of_size[size] for size in sizes.tolist()], np.int64)
        upto = np.cumsum(classes)
        n, smallest = int(upto[-1]), int(sizes[0])
        top = int(sizes[np.searchsorted(upto, 0.99 * n)])
        width = next(
            digit * 10**power
            for power in count()
            for digit in (1, 2, 5)
            if (top - smallest) // (digit * 10**power) < MOST_BARS
        )
        last = (top - smallest) // width
        bar = np.minimum((sizes - smallest) // width, last)
        starts = [smallest + width * i for i in range(last + 1)]
        labels = [f"{s}" if width == 1 else f"{s}–{s + width - 1}" for s in starts]
        if sizes[-1] >= starts[-1] + width:
            labels[-1] = f"{starts[-1]}+"
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
