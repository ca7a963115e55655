"""Local recoding: like records together, and one cut for each part of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.itemsets.apriori import Apriori, account_of, best_cut, search_of
from kanonym.algorithms.itemsets.base import ItemAlgorithm, ItemProblem, ItemRecoding
from kanonym.algorithms.itemsets.parts import recode_parts
from kanonym.models.base import check_flag, check_integer

MOST_LABELS = 64
"""Labels that the order looks at, the commonest ones: a bit of an integer each."""


@dataclass(frozen=True, slots=True)
class LRA(ItemAlgorithm):
    """Records are sorted so that like ones are near, and each part of the order has its own cut.

    In each part known items have k candidates or none, hence in all of them together. One item may
    be released as itself in one part and under a label in another: verification of such a release
    looks at all combinations of items that records may have. The order is the Gray order of the
    sets that one cut for all releases; where parts lose more than that one cut, it is released.

    Parameters
    ----------
    part_size
        Records of a part, at least; more records make cuts coarser, fewer make items rarer.
    drop
        Whether items may be dropped.

    References
    ----------
    Terrovitis, Mamoulis and Kalnis (2011), "Local and global recoding methods for anonymizing
    set-valued data", algorithm LRA.

    """

    part_size: int = 5000
    drop: bool = True

    type: ClassVar[str] = "lra"

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_integer(self.type, "part_size", self.part_size, 1)
        check_flag(self.type, "drop", self.drop)

    def recode(self, problem: ItemProblem) -> ItemRecoding:
        """Return the labels of every set; see `ItemAlgorithm.recode`."""
        search = search_of(problem)
        cut = best_cut(search, may_drop=self.drop)
        whole = search.recoded(cut)
        order = gray_order(*whole)
        size = max(self.part_size, problem.k)
        parts = np.array_split(order, max(1, len(order) // size))
        local = recode_parts(Apriori(self.drop), problem, parts)
        if local.account["loss"] < search.loss(cut):
            return local
        return ItemRecoding(*whole, account_of(search, cut, may_drop=self.drop))


def gray_order(offsets: NDArray[np.int64], labels: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return (n,) int64: records in the Gray order of their sets, commonest label first.

    offsets, labels: as of `ItemRecoding`.
    """
    n = len(offsets) - 1
    common = np.argsort(-np.bincount(labels, minlength=1), kind="stable")[:MOST_LABELS]
    row_of = np.repeat(np.arange(n), np.diff(offsets))
    parity, rank = np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    for label in common:
        parity[row_of[labels == label]] ^= np.uint64(1)
        rank = (rank << np.uint64(1)) | parity
    return np.argsort(rank, kind="stable")
