"""Apriori anonymization, whole or in parts of records (LRA) or items (VPA)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from kanonym.algorithms.itemsets.base import ItemAlgorithm, ItemProblem, ItemRecoding
from kanonym.algorithms.itemsets.cut_search import CutSearch, least_loss, single_costs
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.item_sets import DROPPED, ItemTree
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.itemsets import recode_sets
from kanonym.models.base import check_flag, check_integer


def recode_parts(
    algorithm: ItemAlgorithm, problem: ItemProblem, parts: Sequence[Ints]
) -> ItemRecoding:
    """Return the sets that an algorithm releases of each part.

    parts: (n_part,) int64 records; together all records, each once.
    """
    own = np.arange(problem.tree.n_items, dtype=np.int32)
    lost = 0.0
    sets = []
    for rows in parts:
        offsets, items = recode_sets(problem.offsets, problem.items, rows, own)
        recoding = algorithm.recode(replace(problem, offsets=offsets, items=items))
        lost += float(recoding.account["loss"]) * len(items)
        sets.append((recoding.offsets, recoding.labels))
    total = len(problem.items)
    account = {"loss": lost / total if total else 0.0, "parts": len(parts)}
    return ItemRecoding(*_joined(parts, sets), account)


def recode_classes(
    algorithm: ItemAlgorithm, problem: ItemProblem, class_of_row: Int32s
) -> ItemRecoding:
    """Return the sets that an algorithm releases of each equivalence class.

    class_of_row: (n,) int32, the class of each record, from 0.
    """
    order = np.argsort(class_of_row, kind="stable")
    bounds = np.cumsum(np.bincount(class_of_row))[:-1]
    return recode_parts(algorithm, problem, np.split(order, bounds))


def _joined(parts: Sequence[Ints], sets: Sequence[tuple[Ints, Int32s]]) -> tuple[Ints, Int32s]:
    """Return the sets of all parts in the order of the records."""
    if not sets:
        return np.zeros(1, np.int64), np.zeros(0, np.int32)
    lengths = np.concatenate([np.diff(offsets) for offsets, _ in sets])
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    labels = np.concatenate([labels for _, labels in sets])
    place = np.argsort(np.concatenate(list(parts)), kind="stable")
    highest = int(labels.max(initial=-1)) + 1
    return recode_sets(offsets, labels, place, np.arange(highest, dtype=np.int32))


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
    title: ClassVar[str] = _("Apriori (sets of items)")
    within_classes: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_flag(self.type, "drop", self.drop)

    def recode(self, problem: ItemProblem) -> ItemRecoding:
        """Return the labels of every set; see `ItemAlgorithm.recode`."""
        search = search_of(problem)
        return recoding_of(search, best_cut(search, may_drop=self.drop), may_drop=self.drop)


def search_of(problem: ItemProblem) -> CutSearch:
    """Return the search over the sets of a problem."""
    return CutSearch(problem.tree, problem.offsets, problem.items, problem.k, problem.m)


def best_cut(search: CutSearch, *, may_drop: bool, start: Int32s | None = None) -> Int32s:
    """Return the best of the cuts that greedy searches find from a first cut; items if None."""
    first = np.arange(search.tree.n_items, dtype=np.int32) if start is None else start
    found: Int32s | None = None
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


def recoding_of(search: CutSearch, cut: Int32s, *, may_drop: bool) -> ItemRecoding:
    """Return the sets that a cut releases, with the account of the search."""
    return ItemRecoding(*search.recoded(cut), account_of(search, cut, may_drop=may_drop))


def account_of(search: CutSearch, cut: Int32s, *, may_drop: bool) -> dict[str, Any]:
    """Return what is told of a cut: its loss, what any cut loses at least, what it drops."""
    mask = search.occurrences > 0
    return {
        "loss": search.loss(cut),
        "loss_at_least": least_loss(search, may_drop=may_drop),
        "labels": len(np.unique(cut[mask & (cut != DROPPED)])),
        "items_dropped": int((mask & (cut == DROPPED)).sum()),
    }


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
    title: ClassVar[str] = _("Local apriori (sets of items)")

    def __post_init__(self) -> None:
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


def gray_order(offsets: Ints, labels: Int32s) -> Ints:
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
    title: ClassVar[str] = _("Partitioned apriori (sets of items)")

    def __post_init__(self) -> None:
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
    title: ClassVar[str] = _("Optimal cut (sets of items)")
    within_classes: ClassVar[bool] = True

    def __post_init__(self) -> None:
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


def best_of_all_cuts(search: CutSearch, *, may_drop: bool) -> Int32s:
    """Return the cut that loses least."""
    tree, weights = search.tree, search.occurrences
    least = np.append(0.0, np.cumsum(weights * single_costs(search, may_drop=may_drop)))
    try:
        best = best_cut(search, may_drop=may_drop)
        lowest = search.loss(best) * weights.sum()
    except InfeasibleError:
        best, lowest = None, math.inf

    def label_of(cut: Int32s, node: int, label: int) -> Int32s:
        chosen = cut.copy()
        chosen[tree.first[node] : tree.last[node] + 1] = label
        return chosen

    def is_safe(cut: Int32s, label: int) -> bool:
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
