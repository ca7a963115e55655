"""MONA: blocks of a large table, and ONA inside of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import PAIRWISE, Algorithm, Problem, Recodes
from kanonym.algorithms.microaggregation.ona import improve_groups
from kanonym.algorithms.microaggregation.records import microaggregate
from kanonym.data.message import gettext as _
from kanonym.data.partition import Partition
from kanonym.data.schema import Recoding
from kanonym.kernels.microaggregation.blocks import blocks
from kanonym.kernels.parallel import parallel
from kanonym.models.base import check_flag, check_integer

WIDTH = 12
"""A class deals with so many others."""

ABOVE = 2.0
"""Classes are dissolved, once, if they lose more than so many mean losses."""


@dataclass(frozen=True, slots=True)
class MONA(Algorithm):
    """Microaggregation of large tables: blocks of records, and in each a search like ONA's.

    Quasi-identifiers are numbers without missing values. Where no recoding is asked for,
    each class releases its mean.

    Parameters
    ----------
    block
        Most records of a block, at least 2; it may have 2 k in any case. Larger blocks lose
        less and take more time.
    standardize
        As of `ONA`.

    Notes
    -----
    The table is halved at the median of the column with the largest variance, its halves
    in the same way, and so on until all have at most `block` records. In each block,
    the classes of `MDAV` are improved as `ONA` does it, with less effort: a class deals with
    the 12 classes of the nearest means; then those whose squared error is above twice the
    average are dissolved, once. Blocks are worked on side by side; the result does not
    depend on how many at a time.

    All classes have k to 2 k - 1 records. Records are numbered as by `MDAV`, and equal
    values go by number: the values that are released do not depend on the order of the
    input.

    The account tells how far the squared error may be from the least: see `ONA`.

    Cost O(n d log(n / block)) for the blocks, and MDAV's O(block² d / k) for each at the worst.

    After Thaeter and Reischuk 2021 (see `ONA`): MONA, on the blocks of MONDRIAN_V; their ρ
    is our `block`. Deviations: those of `ONA`, and the smaller effort.

    """

    block: int = 20_000
    standardize: bool = True

    type: ClassVar[str] = "mona"
    summary: ClassVar[str] = _("As ona, for large tables.")
    recodes: ClassVar[Recodes] = "spans"
    recoding: ClassVar[Recoding | None] = "mean"
    by_size: ClassVar[bool] = True
    needs_values: ClassVar[bool] = True
    needs_numbers: ClassVar[bool] = True
    largest_fragment: ClassVar[int | None] = PAIRWISE

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_integer(self.type, "block", self.block, 2)
        check_flag(self.type, "standardize", self.standardize)

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes of k to 2 k - 1 records; as `ONA.partition`."""
        table, models = problem.table, problem.models
        return microaggregate(
            table, models, self.type, self._group_by_blocks, standardize=self.standardize
        )

    def _group_by_blocks(
        self, rows: NDArray[np.float64], weights: NDArray[np.float64], k: int
    ) -> tuple[NDArray[np.int32], int]:
        """Group the records of each block."""
        records, bounds = blocks(rows, weights, max(self.block, 2 * k))
        members = [np.sort(part) for part in np.split(records, bounds[1:-1])]

        def group_block(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int32], int]:
            return improve_groups(rows[numbers], weights, k, width=WIDTH, rounds=1, above=ABOVE)

        labels = np.empty(len(rows), np.int32)
        n_groups = 0
        for numbers, (found, count) in zip(members, parallel(group_block, members), strict=True):
            labels[numbers] = found + n_groups
            n_groups += count
        return labels, n_groups
