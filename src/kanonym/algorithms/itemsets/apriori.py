"""One cut through the hierarchy of items for all records, found greedily."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kanonym.algorithms.itemsets.base import ItemAlgorithm, ItemProblem, ItemRecoding
from kanonym.algorithms.itemsets.cut_search import Cut, CutSearch
from kanonym.algorithms.itemsets.loss_bound import least_loss
from kanonym.data.errors import InfeasibleError
from kanonym.data.item_tree import DROPPED
from kanonym.models.base import check_flag


@dataclass(frozen=True, slots=True)
class Apriori(ItemAlgorithm):
    """Every item is released under one label in all records, or dropped.

    Greedy: labels of rare itemsets are raised to their parents, or dropped, best ratio of
    rare itemsets to loss first; known itemsets of one item come first, then of two, and so on.
    Raising alone and raising with dropping are both tried, and the better one is kept; each of its
    decisions is then undone where that is safe. The account has the loss, and a lower bound of what
    any cut loses.

    Cost: the itemsets of at most `m` items of all records once, then those of the records that
    each raised label touches.

    Parameters
    ----------
    drop
        Whether items may be dropped. Without, two rare items that are far apart in the hierarchy
        can raise everything to its root.

    References
    ----------
    Terrovitis, Mamoulis and Kalnis (2008), "Privacy-preserving anonymization of set-valued data",
    algorithm AA. Deviations: rare itemsets are counted all at once instead of record by record,
    several labels are raised in a round, items may be dropped, and decisions are undone at the end.

    """

    drop: bool = True

    type: ClassVar[str] = "apriori"
    within_classes: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_flag(self.type, "drop", self.drop)

    def recode(self, problem: ItemProblem) -> ItemRecoding:
        """Return the labels of every set; see `ItemAlgorithm.recode`."""
        search = search_of(problem)
        return recoding_of(search, best_cut(search, may_drop=self.drop), may_drop=self.drop)


def search_of(problem: ItemProblem) -> CutSearch:
    """Return the search over the sets of a problem."""
    return CutSearch(problem.tree, problem.offsets, problem.items, problem.k, problem.m)


def best_cut(search: CutSearch, *, may_drop: bool, start: Cut | None = None) -> Cut:
    """Return the best of the cuts that greedy searches find from a first cut; items if None."""
    first = np.arange(search.tree.n_items, dtype=np.int32) if start is None else start
    found: Cut | None = None
    if may_drop:
        found = search.greedy(first, may_drop=True)
    limit = np.inf if found is None else search.loss(found)
    if limit > 0:
        raised = search.greedy(first, may_drop=False, limit=limit)
        found = raised if raised is not None and search.loss(raised) <= limit else found
    if found is None:
        raise InfeasibleError(
            f"no cut through the hierarchy of items gives known itemsets {search.k} records: fewer "
            "records have any item. Let items be dropped (drop: true), or require less"
        )
    return search.refined(found, may_drop=may_drop)


def recoding_of(search: CutSearch, cut: Cut, *, may_drop: bool) -> ItemRecoding:
    """Return the sets that a cut releases, with the account of the search."""
    return ItemRecoding(*search.recoded(cut), account_of(search, cut, may_drop=may_drop))


def account_of(search: CutSearch, cut: Cut, *, may_drop: bool) -> dict[str, Any]:
    """Return what is told of a cut: its loss, what any cut loses at least, what it drops."""
    mask = search.occurrences > 0
    return {
        "loss": search.loss(cut),
        "loss_at_least": least_loss(search, may_drop=may_drop),
        "labels": len(np.unique(cut[mask & (cut != DROPPED)])),
        "items_dropped": int((mask & (cut == DROPPED)).sum()),
    }
