"""Search for a cut of the item hierarchy, greedy or optimal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanonym.data.errors import PolicyError
from kanonym.data.item_sets import DROPPED, ItemTree
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.itemsets import count_itemsets, pack, recode_sets

BATCH = 0.05
"""Share of the moves of a round that are made at once: the best ones."""

Sets = tuple[Ints, Int32s]


@dataclass(frozen=True)
class CutSearch:
    """Sets of items, and how many records every known itemset must have.

    offsets, items: (n + 1,) int64 and int32: the items of each record, ascending and distinct.
    """

    tree: ItemTree
    offsets: Ints
    items: Int32s
    k: int
    m: int

    @cached_property
    def occurrences(self) -> Ints:
        """(n_items,) int64: records that have each item."""
        return np.bincount(self.items, minlength=self.tree.n_items).astype(np.int64)

    @cached_property
    def bits(self) -> int:
        """Bits of a label in the key of an itemset."""
        bits = max(int(self.tree.n_nodes - 1).bit_length(), 1)
        if bits * self.m > 62:
            raise PolicyError(
                f"itemsets of {self.m} out of {self.tree.n_nodes:,} labels are too many to be "
                f"counted: m is at most {62 // bits} here"
            )
        return bits

    @cached_property
    def _rows_by_item(self) -> Ints:
        """(n_occurrences,) int64: the records of the first item, then of the second, and so on."""
        rows = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        found: Ints = rows[np.argsort(self.items, kind="stable")]
        return found

    @cached_property
    def _ends(self) -> Ints:
        """(n_items + 1,) int64: where the records of each item start in `_rows_by_item`."""
        return np.append(0, np.cumsum(self.occurrences))

    def rows_with(self, items: Bools) -> Ints:
        """Return the records, ascending, that have one of the items; (n_items,) bool."""
        edges = np.flatnonzero(np.diff(items, prepend=False, append=False)).tolist()
        touched = np.zeros(len(self.offsets) - 1, np.bool_)
        for low, high in zip(edges[::2], edges[1::2], strict=True):
            touched[self._rows_by_item[self._ends[low] : self._ends[high]]] = True
        return np.flatnonzero(touched)

    def loss(self, cut: Int32s) -> float:
        """Return the NCP of a cut: the mean over all occurrences of items."""
        total = int(self.occurrences.sum())
        return float(self.occurrences @ self.cost_of(cut)) / total if total else 0.0

    def cost_of(self, cut: Int32s) -> Floats:
        """Return (n_items,) float64: what releasing each item by a cut costs; dropped 1."""
        return np.where(cut == DROPPED, 1.0, self.tree.costs[cut])

    def recoded(self, cut: Int32s, rows: Ints | None = None) -> Sets:
        """Return the sets of labels of all records, or of some."""
        if rows is None:
            rows = np.arange(len(self.offsets) - 1)
        return recode_sets(self.offsets, self.items, rows, cut)

    def rare(self, sets: Sets, size: int, wanted: Bools) -> Int32s:
        """Return (n, size) int32: the itemsets with a wanted label that too few records have."""
        keys, counts = count_itemsets(*sets, size, wanted, self.bits)
        keys = keys[counts < self.k]
        shifts = self.bits * np.arange(size - 1, -1, -1)
        found: Ints = (keys[:, None] >> shifts) & ((1 << self.bits) - 1)
        return found.astype(np.int32)

    def greedy(self, start: Int32s, *, may_drop: bool, limit: float = np.inf) -> Int32s | None:
        """Return a cut without rare itemsets; None where raising alone finds none.

        limit: the largest loss of interest; None as soon as a cut loses more, as those after it do.
        """
        cut = start.copy()
        rare: list[Int32s] = []
        for largest in range(1, self.m + 1):
            sets = self.recoded(cut)
            rare.append(self.rare(sets, largest, np.ones(self.tree.n_nodes, np.bool_)))
            while any(len(one) for one in rare):
                moves = self._moves(cut, rare, may_drop=may_drop)
                if not moves:
                    return None
                if limit < np.inf and self.loss(cut) > limit:
                    return None
                before = cut.copy()
                raised = np.zeros(self.tree.n_nodes, np.bool_)
                for low, high, label in moves:
                    cut[low : high + 1] = label
                    if label != DROPPED:
                        raised[label] = True
                changed = np.zeros(self.tree.n_nodes, np.bool_)
                old = before[before != cut]
                changed[old[old != DROPPED]] = True
                rare = [one[~changed[one].any(axis=1)] for one in rare]
                if raised.any():
                    items = np.flatnonzero(raised[cut] & (cut != DROPPED))
                    mask = np.zeros(self.tree.n_items, np.bool_)
                    mask[items] = True
                    touched = self.recoded(cut, self.rows_with(mask))
                    rare = [
                        np.concatenate([one, self.rare(touched, size, raised)])
                        for size, one in enumerate(rare, 1)
                    ]
        return cut

    def _moves(
        self, cut: Int32s, rare: Sequence[Int32s], *, may_drop: bool
    ) -> list[tuple[int, int, int]]:
        """Return the best moves of a round: the items from, to, and their new label."""
        tree = self.tree
        weighted = np.append(0.0, np.cumsum(self.occurrences * self.cost_of(cut)))
        total = self._ends

        def loss_of(nodes: Int32s, cost: Floats) -> Floats:
            low, high = tree.first[nodes], tree.last[nodes] + 1
            added = (total[high] - total[low]) * cost - (weighted[high] - weighted[low])
            kept: Floats = np.maximum(added, 1e-9)
            return kept

        labels = _touched(rare, tree.n_nodes)
        above = [tree.parents[one] for one in rare]
        parents = _touched(above, tree.n_nodes, distinct=False)
        up = np.flatnonzero(parents).astype(np.int32)
        ratio = parents[up] / loss_of(up, tree.costs[up])
        candidates = [(tree.first[up], tree.last[up], up, ratio)]
        if may_drop:
            down = np.flatnonzero(labels).astype(np.int32)
            ratio = labels[down] / loss_of(down, np.ones(len(down)))
            gone = np.full(len(down), DROPPED, np.int32)
            candidates.append((tree.first[down], tree.last[down], gone, ratio))
        low, high, label, ratio = (np.concatenate(parts) for parts in zip(*candidates, strict=True))
        taken = np.zeros(tree.n_items, np.bool_)
        moves: list[tuple[int, int, int]] = []
        most = max(1, int(BATCH * len(ratio)))
        for i in np.argsort(-ratio, kind="stable").tolist():
            if taken[low[i] : high[i] + 1].any():
                continue
            taken[low[i] : high[i] + 1] = True
            moves.append((int(low[i]), int(high[i]), int(label[i])))
            if len(moves) == most:
                break
        return moves

    def refined(self, cut: Int32s, *, may_drop: bool) -> Int32s:
        """Undo what can be undone: split labels into those below, release dropped items."""
        cut = cut.copy()
        improved = True
        while improved:
            improved = False
            used = np.unique(cut[cut != DROPPED])
            gains = np.array([self._weight(int(one)) for one in used])
            for node in used[np.argsort(-gains, kind="stable")].tolist():
                if len(self.tree.children[node]):
                    improved |= self._split(cut, node, may_drop=may_drop)
            dropped = np.flatnonzero(cut == DROPPED)
            for item in dropped[np.argsort(-self.occurrences[dropped], kind="stable")].tolist():
                if self.occurrences[item]:
                    improved |= self._release(cut, item)
        return cut

    def _weight(self, node: int) -> float:
        low, high = self.tree.first[node], self.tree.last[node] + 1
        return float(self.occurrences[low:high].sum() * self.tree.costs[node])

    def _split(self, cut: Int32s, node: int, *, may_drop: bool) -> bool:
        """Release the labels below a label in its place, if that is safe and loses less."""
        low, high = int(self.tree.first[node]), int(self.tree.last[node]) + 1
        trial = cut.copy()
        for child in self.tree.children[node].tolist():
            trial[self.tree.first[child] : self.tree.last[child] + 1] = child
        occurrences = self.occurrences[low:high]
        before = float(occurrences @ self.cost_of(cut)[low:high])
        mask = np.zeros(self.tree.n_items, np.bool_)
        mask[low:high] = True
        new = np.zeros(self.tree.n_nodes, np.bool_)
        new[self.tree.children[node]] = True
        sets = self.recoded(trial, self.rows_with(mask))
        rare = []
        for size in range(1, self.m + 1):
            rare.append(self.rare(sets, size, new))
            if len(rare[-1]) and not may_drop:
                return False
        while any(len(one) for one in rare):
            touched = _touched(rare, self.tree.n_nodes) * new
            own = np.flatnonzero(touched)
            loss = [max(self._drop_loss(trial, int(one)), 1e-9) for one in own]
            worst = own[np.argmax(touched[own] / np.array(loss))]
            trial[self.tree.first[worst] : self.tree.last[worst] + 1] = DROPPED
            rare = [one[~(one == worst).any(axis=1)] for one in rare]
            if float(occurrences @ self.cost_of(trial)[low:high]) >= before:
                return False
        if float(occurrences @ self.cost_of(trial)[low:high]) >= before:
            return False
        cut[:] = trial
        return True

    def _drop_loss(self, cut: Int32s, node: int) -> float:
        low, high = int(self.tree.first[node]), int(self.tree.last[node]) + 1
        return float(self.occurrences[low:high] @ (1 - self.cost_of(cut)[low:high]))

    def _release(self, cut: Int32s, item: int) -> bool:
        """Release a dropped item as itself, if that is safe."""
        trial = cut.copy()
        trial[item] = item
        mask = np.zeros(self.tree.n_items, np.bool_)
        mask[item] = True
        sets = self.recoded(trial, self.rows_with(mask))
        new = np.zeros(self.tree.n_nodes, np.bool_)
        new[item] = True
        if any(len(self.rare(sets, size, new)) for size in range(1, self.m + 1)):
            return False
        cut[:] = trial
        return True


def _touched(rare: Sequence[Int32s], n_nodes: int, *, distinct: bool = True) -> Ints:
    """Return (n_nodes,) int64: how many rare itemsets have each node.

    distinct: whether no itemset has a node twice.
    """
    found = np.zeros(n_nodes, np.int64)
    for one in rare:
        held = one.ravel()
        if not distinct and one.shape[1] > 1:
            ordered = np.sort(one, axis=1) if one.shape[1] > 2 else one
            again = ordered[:, 1:] == ordered[:, :-1]
            held = np.concatenate([ordered[:, 0], ordered[:, 1:][~again]])
        found += np.bincount(held[held >= 0], minlength=n_nodes)
    return found


MOST = 2
"""Itemsets up to this size are looked at: larger ones cost more than they add."""


def least_loss(search: CutSearch, *, may_drop: bool) -> float:
    """Return a lower bound of the loss of any cut without rare itemsets.

    An item that fewer than k records have is raised to an ancestor of at least k occurrences, or
    dropped. Of two items that fewer than k records have together, one is raised or dropped. What
    such choices cost at least is a fractional packing of the rare itemsets, found greedily.
    """
    total = int(search.occurrences.sum())
    if not total:
        return 0.0
    needed = single_costs(search, may_drop=may_drop)
    base = search.occurrences * needed
    parents = search.tree.parents[: search.tree.n_items]
    raised = np.where(parents >= 0, search.tree.costs[parents], 1.0 if may_drop else np.inf)
    room = np.maximum(search.occurrences * raised - base, 0.0)
    bound = float(base.sum())
    if search.m >= MOST:
        mask = np.ones(search.tree.n_nodes, np.bool_)
        pairs = search.rare((search.offsets, search.items), MOST, mask)
        # The dearest first; ties by item, so that the order of the records has no part in it.
        ordered = np.lexsort((*pairs.T, -room[pairs].min(axis=1, initial=np.inf)))
        bound += float(pack(pairs[ordered], room))
    return min(bound / total, 1.0)


def single_costs(search: CutSearch, *, may_drop: bool) -> Floats:
    """Return (n_items,) float64: the least cost of each item's label, for known single items."""
    tree, total = search.tree, np.append(0, np.cumsum(search.occurrences))
    held = total[tree.last + 1] - total[tree.first]
    node = np.arange(tree.n_items)
    while True:
        rare = (node >= 0) & (held[node] < search.k)
        if not rare.any():
            break
        node = np.where(rare, tree.parents[node], node)
    costs = np.where(node >= 0, tree.costs[node], 1.0)
    return np.minimum(costs, 1.0) if may_drop else costs
