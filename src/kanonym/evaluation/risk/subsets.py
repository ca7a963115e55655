"""The risk by each subset of the quasi-identifiers: of an intruder who knows only some."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows

MOST_COLUMNS = 6
"""Of so many quasi-identifiers every subset is counted,"""
LARGEST_OF_MORE = 3
"""of more those of at most so many;"""
MOST_WORK, LEAST_CLASSES = 60_000_000, 10_000
"""fewer where subsets times classes, at least so many, are more than that."""


@dataclass(frozen=True, slots=True)
class SubsetRisk:
    """The records of the smallest class by some quasi-identifiers, and those alone in theirs."""

    columns: tuple[str, ...]
    k: int
    uniques: int


def subset_risks(codes: Mapping[str, Int32s], sizes: Ints) -> tuple[SubsetRisk, ...]:
    """Count classes by every subset of quasi-identifiers, the smallest subsets first.

    codes: by quasi-identifier, (n_classes,) int32, the value of each class by all of them.
    sizes: (n_classes,) int64, its records. Cost: a grouping of the classes by each subset.
    """
    most = len(codes) if len(codes) <= MOST_COLUMNS else LARGEST_OF_MORE
    cost = max(len(sizes), LEAST_CLASSES)
    while most > 1 and cost * sum(comb(len(codes), n) for n in range(1, most + 1)) > MOST_WORK:
        most -= 1
    domains = {name: int(own.max(initial=-1)) + 1 for name, own in codes.items()}
    found = []
    for size in range(1, most + 1):
        for names in combinations(codes, size):
            groups = group_rows([codes[name] for name in names], [domains[one] for one in names])
            records = np.bincount(groups.labels, sizes, len(groups.sizes))
            smallest = int(records.min()) if len(records) else 0
            found.append(SubsetRisk(names, smallest, int((records == 1).sum())))
    return tuple(found)
