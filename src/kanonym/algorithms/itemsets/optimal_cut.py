"""The cut through the hierarchy of items that loses least, on small hierarchies."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from kanonym.algorithms.itemsets.apriori import best_cut, recoding_of, search_of
from kanonym.algorithms.itemsets.base import ItemAlgorithm, ItemProblem, ItemRecoding
from kanonym.algorithms.itemsets.cut_search import Cut, CutSearch, single_costs
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.item_sets import DROPPED, ItemTree
from kanonym.models.base import check_flag

MOST_CUTS = 1_000_000


@dataclass(frozen=True, slots=True)
class OptimalCut(ItemAlgorithm):
    """Of all cuts through the hierarchy, the one that loses least; exact, for few items.

    Branch and bound: labels are decided one after the other, from the root down. A branch ends
    where decided labels have a rare itemset, or lose as much as the best cut so far. Refuses more
    than a million cuts: their number grows as the product over subtrees.

    Parameters
    ----------
    drop
        Whether items may be dropped.

    References
    ----------
    Terrovitis, Mamoulis and Kalnis (2008), algorithm OA, which walks the lattice of cuts breadth
    first and drops nothing.

    """

    drop: bool = True

    type: ClassVar[str] = "optimal-cut"
    within_classes: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_flag(self.type, "drop", self.drop)

    def recode(self, problem: ItemProblem) -> ItemRecoding:
        """Return the labels of every set; see `ItemAlgorithm.recode`."""
        cuts = number_of_cuts(problem.tree, may_drop=self.drop)
        if cuts > MOST_CUTS:
            raise PolicyError(
                f"optimal-cut: the hierarchy has {_number(cuts)} cuts, more than the "
                f"{MOST_CUTS:,} that are searched; choose apriori"
            )
        search = search_of(problem)
        cut = best_of_all_cuts(search, may_drop=self.drop)
        found = recoding_of(search, cut, may_drop=self.drop)
        return replace(
            found, account={**found.account, "loss_at_least": search.loss(cut), "optimal": True}
        )


def number_of_cuts(tree: ItemTree, *, may_drop: bool) -> int:
    """Return how many cuts a hierarchy has: 1 + the product over the children of each node."""
    found = [2 if may_drop else 1] * tree.n_items
    for node in range(tree.n_items, tree.n_nodes):  # children stand before their parents
        found.append(1 + math.prod(found[one] for one in tree.children[node].tolist()))
    return math.prod(found[node] for node in np.flatnonzero(tree.parents < 0).tolist())


def best_of_all_cuts(search: CutSearch, *, may_drop: bool) -> Cut:
    """Return the cut that loses least."""
    tree, weights = search.tree, search.occurrences
    least = np.append(0.0, np.cumsum(weights * single_costs(search, may_drop=may_drop)))
    try:
        best = best_cut(search, may_drop=may_drop)
        lowest = search.loss(best) * weights.sum()
    except InfeasibleError:
        best, lowest = None, math.inf

    def label_of(cut: Cut, node: int, label: int) -> Cut:
        chosen = cut.copy()
        chosen[tree.first[node] : tree.last[node] + 1] = label
        return chosen

    def is_safe(cut: Cut, label: int) -> bool:
        new = np.zeros(tree.n_nodes, np.bool_)
        new[label] = True
        sets = search.recoded(cut)
        return not any(len(search.rare(sets, size, new)) for size in range(1, search.m + 1))

    # A state: the cut so far, what it loses, and the nodes that are still to be decided.
    nothing = np.full(tree.n_items, DROPPED, np.int32)
    roots = np.flatnonzero(tree.parents < 0).tolist()
    states = [(nothing, 0.0, tuple(roots))]
    while states:
        cut, lost, left = states.pop()
        bound = lost + sum(least[tree.last[one] + 1] - least[tree.first[one]] for one in left)
        if bound >= lowest - 1e-9:
            continue
        if not left:
            best, lowest = cut, lost
            continue
        node, rest = left[0], left[1:]
        held = int(weights[tree.first[node] : tree.last[node] + 1].sum())
        if may_drop and node < tree.n_items and held:
            states.append((cut, lost + held, rest))
        labelled = label_of(cut, node, node)
        if is_safe(labelled, node):
            states.append((labelled, lost + held * float(tree.costs[node]), rest))
        if len(tree.children[node]):
            states.append((cut, lost, (*tree.children[node].tolist(), *rest)))
    if best is None:
        return best_cut(search, may_drop=may_drop)  # which says why
    return best


def _number(number: int) -> str:
    """Return a number as text: its power of ten where it is long."""
    digits = int(math.log10(number))
    return f"{number:,}" if digits < 9 else f"about 10^{digits}"
