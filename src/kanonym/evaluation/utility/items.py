"""What recoding cost the items of sets."""

from __future__ import annotations

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.evaluation.pair.tables import PairedSets, TablePair
from kanonym.evaluation.utility import Measure
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.itemsets import count_itemsets
from kanonym.metrics.measured_value import Meaning, MeasuredValue

TOP = 100
"""Frequent itemsets that are compared."""

NO_SETS = Message("no column holds sets of items in both tables")
NO_ITEMS = Message("the original has no item")
NOT_ALIGNED = Message(
    "items have labels of several levels, and it is unknown which original record each released "
    "record was"
)

ITEM_LOSS = Meaning(
    name="item-loss",
    unit="share of the hierarchy",
    source=(
        "NCP as of the other columns: mean over occurrences of items of (items under the label - 1)"
        " / (all items - 1); 1 for dropped ones"
    ),
    title=_("Items: loss (NCP)"),
    counted=_("share of the domain"),
)
ITEM_NCP = Meaning(
    name="item-ncp",
    unit="share of the hierarchy",
    source=(
        "Terrovitis, Mamoulis and Kalnis 2008, §3.3: mean over occurrences of items of items under "
        "the label / all items, 0 for an item that is released as itself; here 1 for dropped ones"
    ),
    title=_("Items: loss as Terrovitis counts it"),
    counted=_("share of the domain"),
)
DROPPED = Meaning(
    name="items-dropped",
    unit="share of occurrences",
    source="occurrences of items that no released label covers / all occurrences",
    title=_("Items: share that is dropped"),
    counted=_("share of the items of all records"),
)
LABELS = Meaning(
    name="item-labels",
    high=float("inf"),
    better="higher",
    unit="labels",
    source="distinct labels in the release; `original`: distinct items in the original",
    title=_("Items: distinct labels"),
    counted=_("labels"),
)
TOP_CHANGED = Meaning(
    name="frequent-itemsets-lost",
    unit="share of itemsets",
    source=(
        "Terrovitis, Mamoulis and Kalnis 2008, §5.1 (tKd): share of the 100 most frequent itemsets "
        "of the original that are not among those of the release; here of one and two items"
    ),
    title=_("Items: frequent itemsets that are lost (tKd)"),
    counted=_("share of the frequent itemsets"),
)
PAIR_ERROR = Meaning(
    name="item-pair-error",
    high=2.0,
    unit="relative error",
    source=(
        "Terrovitis, Mamoulis and Kalnis 2008, §5.1 (RE): mean over the pairs of items of the "
        "original of |a - b| / ((a + b) / 2), a records that have both, b estimated from pairs of "
        "labels, spread evenly over their items"
    ),
    title=_("Items: relative error of pairs"),
    counted=_("error / true count"),
)


def _nodes_of_occurrences(pair: TablePair, sets: PairedSets) -> Ints | None:
    """Return the label of each occurrence of an item in a released record, -1 where dropped."""
    tree, used = sets.tree, sets.used
    items = sets.original.nodes.astype(np.int64)
    lowest = np.full(len(items), -1, np.int64)
    if pair.rows is not None:
        place = np.full(sets.original.n_rows, -1, np.int64)
        place[pair.rows] = np.arange(len(pair.rows))
        owner = place[np.repeat(np.arange(sets.original.n_rows), np.diff(sets.original.offsets))]
        items, owner = items[owner >= 0], owner[owner >= 0]
        lowest = lowest[: len(items)]
        rows = np.repeat(np.arange(sets.released.n_rows), np.diff(sets.released.offsets))
        held = np.sort(rows * tree.n_nodes + sets.released.nodes)
        node = items.copy()
        while (node >= 0).any() and len(held):
            key = owner * tree.n_nodes + node
            at = np.minimum(np.searchsorted(held, key), len(held) - 1)
            met = (node >= 0) & (lowest < 0) & (held[at] == key)
            lowest[met] = node[met]
            node = np.where(node >= 0, tree.parents[node], -1)
        return lowest
    node = items.copy()
    several = False
    while (node >= 0).any():
        met = (node >= 0) & used[node]
        several |= bool((met & (lowest >= 0)).any())
        lowest = np.where(met & (lowest < 0), node, lowest)
        node = np.where(node >= 0, tree.parents[node], -1)
    return None if several else lowest


def _loss(meaning: Meaning, pair: TablePair) -> MeasuredValue:
    sets = pair.sets
    if sets is None or not len(sets.original.nodes):
        return MeasuredValue(meaning, None, reason=NO_SETS if sets is None else NO_ITEMS)
    nodes = _nodes_of_occurrences(pair, sets)
    if nodes is None:
        return MeasuredValue(meaning, None, reason=NOT_ALIGNED)
    tree = sets.tree
    if meaning is ITEM_LOSS:
        costs = tree.costs
    elif meaning is ITEM_NCP:
        costs = np.where(tree.covered > 1, tree.covered / tree.domain, 0.0)
    else:
        costs = np.zeros(tree.n_nodes)
    if not len(nodes):
        return MeasuredValue(meaning, 0.0)
    return MeasuredValue(meaning, float(np.where(nodes < 0, 1.0, costs[nodes]).mean()))


def _labels(pair: TablePair) -> MeasuredValue:
    if pair.sets is None:
        return MeasuredValue(LABELS, None, reason=NO_SETS)
    distinct = float(len(np.unique(pair.sets.original.nodes)))
    return MeasuredValue(LABELS, float(pair.sets.used.sum()), {"original": distinct})


def _counts(offsets: Ints, nodes: Int32s, size: int, n_nodes: int) -> tuple[Ints, Ints]:
    """Return itemsets of one or two as a * n_nodes + b, ascending, and their counts."""
    bits = max(int(n_nodes - 1).bit_length(), 1)
    keys, counts = count_itemsets(offsets, nodes, size, np.ones(n_nodes, np.bool_), bits)
    low = keys & ((1 << bits) - 1)
    plain = (keys >> bits) * n_nodes + low if size == 2 else low
    order = np.argsort(plain)
    return plain[order], counts[order]


def _top(offsets: Ints, nodes: Int32s, n_nodes: int) -> set[tuple[int, int]]:
    """Return the most frequent itemsets of one and two, ties by number."""
    found = [
        (-int(count), size, int(key))
        for size in (1, 2)
        for key, count in zip(*_counts(offsets, nodes, size, n_nodes), strict=True)
    ]
    return {(size, key) for _, size, key in sorted(found)[:TOP]}


def _top_changed(pair: TablePair) -> MeasuredValue:
    sets = pair.sets
    if sets is None or not len(sets.original.nodes):
        return MeasuredValue(TOP_CHANGED, None, reason=NO_SETS if sets is None else NO_ITEMS)
    n = sets.tree.n_nodes
    before = _top(sets.original.offsets, sets.original.nodes, n)
    after = _top(sets.released.offsets, sets.released.nodes, n)
    return MeasuredValue(TOP_CHANGED, 1 - len(before & after) / len(before))


def _pair_error(pair: TablePair) -> MeasuredValue:
    sets = pair.sets
    if sets is None:
        return MeasuredValue(PAIR_ERROR, None, reason=NO_SETS)
    tree = sets.tree
    keys, counts = _counts(sets.original.offsets, sets.original.nodes, 2, tree.n_nodes)
    if not len(keys):
        return MeasuredValue(PAIR_ERROR, None, reason=Message("no record has two items"))
    held, numbers = _counts(sets.released.offsets, sets.released.nodes, 2, tree.n_nodes)
    estimates = np.zeros(len(keys))
    first = keys // tree.n_nodes
    while (first >= 0).any():
        second = keys % tree.n_nodes
        while (second >= 0).any():
            low, high = np.minimum(first, second), np.maximum(first, second)
            key = low * tree.n_nodes + high
            at = np.minimum(np.searchsorted(held, key), max(len(held) - 1, 0))
            met = (low >= 0) & (held[at] == key) if len(held) else np.zeros(len(keys), np.bool_)
            shared = tree.covered[low] * tree.covered[high]
            estimates += np.where(met, numbers[at] if len(held) else 0, 0) / shared
            second = np.where(second >= 0, tree.parents[second], -1)
        first = np.where(first >= 0, tree.parents[first], -1)
    error = np.abs(counts - estimates) / ((counts + estimates) / 2)
    return MeasuredValue(PAIR_ERROR, float(error.mean()))


ITEM_MEASURES: tuple[Measure, ...] = (
    Measure(ITEM_LOSS, lambda pair, _: _loss(ITEM_LOSS, pair)),
    Measure(ITEM_NCP, lambda pair, _: _loss(ITEM_NCP, pair)),
    Measure(DROPPED, lambda pair, _: _loss(DROPPED, pair)),
    Measure(LABELS, lambda pair, _: _labels(pair)),
    Measure(TOP_CHANGED, lambda pair, _: _top_changed(pair)),
    Measure(PAIR_ERROR, lambda pair, _: _pair_error(pair)),
)
"""Measures of sets of items."""
