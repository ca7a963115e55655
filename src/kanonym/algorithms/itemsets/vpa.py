"""Vertical partitioning: a cut for each group of items first, then one for all together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanonym.algorithms.itemsets.apriori import best_cut, recoding_of, search_of
from kanonym.algorithms.itemsets.base import ItemAlgorithm, ItemProblem, ItemRecoding
from kanonym.algorithms.itemsets.cut_search import CutSearch
from kanonym.kernels.itemsets.counting import recode_sets
from kanonym.models.base import check_flag, check_integer


@dataclass(frozen=True, slots=True)
class VPA(ItemAlgorithm):
    """Items are divided into groups that are near in the hierarchy; each has its cut first.

    What is rare within a group is raised or dropped there, on short records; then all groups
    together continue from these cuts, as `apriori` does. It is faster for many items, and loses
    more or less than `apriori`, as it happens.

    Parameters
    ----------
    groups
        Number of groups of items.
    drop
        Whether items may be dropped.

    References
    ----------
    Terrovitis, Mamoulis and Kalnis (2011), "Local and global recoding methods for anonymizing
    set-valued data", algorithm VPA.

    """

    groups: int = 4
    drop: bool = True

    type: ClassVar[str] = "vpa"

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_integer(self.type, "groups", self.groups, 1)
        check_flag(self.type, "drop", self.drop)

    def recode(self, problem: ItemProblem) -> ItemRecoding:
        """Return the labels of every set; see `ItemAlgorithm.recode`."""
        tree = problem.tree
        cut = np.arange(tree.n_items, dtype=np.int32)
        rows = np.arange(problem.n_rows)
        for group in np.array_split(np.arange(tree.n_items, dtype=np.int32), self.groups):
            own = np.full(tree.n_items, -1, np.int32)
            own[group] = group
            sets = recode_sets(problem.offsets, problem.items, rows, own)
            found = CutSearch(tree, *sets, problem.k, problem.m).greedy(cut, may_drop=self.drop)
            cut = cut if found is None else found
        search = search_of(problem)
        return recoding_of(
            search, best_cut(search, may_drop=self.drop, start=cut), may_drop=self.drop
        )
