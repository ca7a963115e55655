"""What a recoding decides about a batch: its classes, and who is not in one of the fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kanonym.data.partition import SUPPRESSED, Partition
from kanonym.data.recoded_attribute import RecodedAttribute
from kanonym.data.results.short_repr import ShortRepr
from kanonym.data.table import EncodedTable


@dataclass(frozen=True, repr=False)
class BatchDecision(ShortRepr):
    """The classes of a batch.

    Attributes
    ----------
    table
        The encoded batch.
    partition, recoded
        Its classes, no two of which release the same values, and what each releases.
    strange
        (n_tuples, d) bool: values that the recoding does not know.
    outside
        (n_tuples,) bool: tuples of known values that fall in no class of the fit.

    """

    table: EncodedTable
    partition: Partition
    recoded: tuple[RecodedAttribute, ...]
    strange: NDArray[np.bool_]
    outside: NDArray[np.bool_]

    def suppress_classes(self, classes: NDArray[np.bool_]) -> BatchDecision:
        """Suppress the records of some classes: (n_classes,) bool."""
        kept = ~classes
        place = np.full(len(kept) + 1, SUPPRESSED, np.int32)  # the last for the suppressed
        place[:-1][kept] = np.arange(kept.sum(), dtype=np.int32)
        partition = self.partition
        return replace(
            self,
            partition=replace(
                partition,
                labels=place[partition.labels],
                n_classes=int(kept.sum()),
                levels=None if partition.levels is None else partition.levels[kept],
            ),
            recoded=select_classes(self.recoded, np.flatnonzero(kept)),
        )


def select_classes(
    recoded: Sequence[RecodedAttribute], classes: NDArray[np.int64]
) -> tuple[RecodedAttribute, ...]:
    """Return what some classes release."""
    return tuple(
        replace(
            one,
            label_of_class=one.label_of_class[classes],
            low=one.low[classes],
            high=one.high[classes],
            loss=one.loss[classes],
        )
        for one in recoded
    )
