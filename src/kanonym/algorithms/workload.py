"""The target that guides an algorithm: what kernels know of it, and how well classes tell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from kanonym.data.errors import DataError, PolicyError
from kanonym.data.table import Domain, EncodedTable
from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.histograms import class_histograms
from kanonym.kernels.parallel import parallel
from kanonym.kernels.partitioning.target_cuts import (
    NO_NUMBER,
    Target,
    gain_workspace,
    refine_by_gain,
)

FEW = 20
"""Numbers and dates of more distinct values are predicted as numbers, others as categories."""

CATEGORIES = 256
"""Most categories of a target."""

BIT = 1 << 20
"""A bit of entropy, in the units of kernels: integers add up to the same in any order."""

EXACT_BITS = 52
"""Sums of so many bits are exact in float64, too."""

GRAIN = 1 << 13
"""Nodes of more tuples are cut one by one; smaller ones are refined whole, in parallel."""


@dataclass(frozen=True, slots=True)
class GuidingTarget:
    """What an algorithm is guided by.

    codes: (n_tuples,) int32 codes of the target, -1 where a record has none.
    """

    task: Literal["classification", "regression"]
    target: Target
    codes: Int32s

    @property
    def columns(self) -> Int32s:
        """The target of each tuple as `target_cuts` has it: (n_tuples, 1 or 2) int32."""
        if self.task == "classification":
            return self.codes[:, np.newaxis]
        numbers = np.where(self.codes >= 0, self.target.values[self.codes], NO_NUMBER)
        return np.stack([numbers >> 32, numbers & 0xFFFFFFFF], axis=1).astype(np.int32)

    def account(self, labels: Int32s, weights: Ints) -> dict[str, object]:
        """Return the task, and the share of the target's impurity that is left inside of classes.

        It is 1 where classes tell nothing about the target, 0 where they tell all, and None
        where it has one value.

        labels, weights: (n_tuples,), the class of each tuple, or of each record of a
        `GuidingTarget` about records; and the number of its records.
        """
        before = self.impurity(np.zeros(len(labels), np.int32), weights)
        left = self.impurity(labels, weights)
        return {"task": self.task, "impurity": left / before if before > 0 else None}

    def impurity(self, labels: Int32s, weights: Ints) -> float:
        """Return entropy times records, or squared deviation from the mean, summed over classes.

        It is in the units of `target`. Parameters are those of `account`.
        """
        mask = self.codes >= 0
        codes, labels, counts = self.codes[mask], labels[mask], weights[mask]
        sizes = np.bincount(labels, counts)
        known = np.where(sizes > 0, sizes, 1)
        if self.task == "regression":
            values = self.target.values[codes].astype(np.float64)
            means = np.bincount(labels, counts * values) / known
            return float((counts * (values - means[labels]) ** 2).sum())
        n_classes, n_values = len(sizes), len(self.target.values)
        _, _, mixed = class_histograms(labels, codes, counts, n_classes, n_values)
        return BIT * float((sizes * np.log2(known)).sum() - (mixed * np.log2(mixed)).sum())


def guiding_target(table: EncodedTable, name: str) -> GuidingTarget:
    """Return what kernels need to know of the target of an encoded table.

    name: the target, as the algorithm's parameter has it.
    """
    if table.target is None or table.target_codes is None:
        raise PolicyError(f"target: the table was encoded without the column {name!r}")
    domain, codes = table.target, table.target_codes
    if domain.kind in ("number", "temporal") and domain.size > FEW:
        mask = codes >= 0
        values = _distance_units(domain, codes[mask], table.weights[mask], table.n_rows)
        return GuidingTarget("regression", Target(values, np.zeros(0, np.int64), 0.0), codes)
    if domain.size > CATEGORIES:
        raise DataError(
            f"target {name!r} has {domain.size} categories; at most {CATEGORIES} can guide an "
            f"algorithm. Use a column with fewer or with numbers, or group its values first"
        )
    sizes = np.arange(1, table.n_rows + 1, dtype=np.float64)
    curve = np.zeros(table.n_rows + 1, np.int64)
    curve[1:] = np.rint(sizes * np.log2(sizes) * BIT)
    # Each value of the curve is rounded by half a unit: less than their sum is no gain.
    least = 1.5 * (domain.size + 1)
    return GuidingTarget(
        "classification", Target(np.zeros(domain.size, np.int64), curve, least), codes
    )


def _distance_units(domain: Domain, codes: Int32s, weights: Ints, n_rows: int) -> Ints:
    """Return (size,) int64: how far each value is from the mean, the farthest in most units."""
    physical = domain.values.to_physical() if domain.kind == "temporal" else domain.values
    if physical.dtype.is_float():
        numbers = physical.cast(float).to_numpy()
        if not np.isfinite(numbers).all():
            raise DataError(
                f"target {domain.name!r} has a number that is infinite; replace it, or leave the "
                "cell empty: records without a target guide nothing"
            )
        above = numbers / 2 - numbers[0] / 2  # halves: their difference is never infinite
    else:
        # As Python's numbers: large ones near each other would become equal as floats.
        exact = np.array(physical.to_list(), object)
        above = (exact - exact[0]).astype(float)
    scaled = above / above.max()
    scaled -= (scaled[codes] * weights).sum() / max(weights.sum(), 1)
    bits = EXACT_BITS - int(n_rows).bit_length()
    units: Ints = np.rint(scaled / np.abs(scaled).max() * 2.0**bits).astype(np.int64)
    return units


def refine_guided(
    records: Int32s, d: int, criteria: Criteria, aim: GuidingTarget, is_start: Bools
) -> None:
    """Cut a table wherever a cut gains, on all cores; what becomes of a node depends on it alone.

    records: as `target_cuts` has them, d quasi-identifiers. is_start: (n,) bool, set to True
    where what is left starts.
    """

    def advance(node: tuple[int, int]) -> list[tuple[int, int]]:
        start, stop = node
        large = stop - start > GRAIN
        work = gain_workspace(stop - start, d)
        middle = int(
            refine_by_gain(records, start, stop, criteria, aim.target, work, is_start, large)
        )
        return [(start, middle), (middle, stop)] if large and middle >= 0 else []

    nodes = [(0, len(records))]
    while nodes:
        nodes = [node for cut in parallel(advance, nodes) for node in cut]
