"""Strict Mondrian by spans, where models count records alone: no tuple is moved in large nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.mondrian_histograms import Histogram, Tree, candidate_cuts
from kanonym.data.partition import Partition
from kanonym.data.table import EncodedTable
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.grouping import put, sort_rows, take
from kanonym.kernels.classes.histograms import Costs
from kanonym.kernels.parallel import cores, parallel
from kanonym.kernels.partitioning.span_cuts import refine_by_span
from kanonym.kernels.partitioning.workspace import TUPLES, descend

FRAGMENT = 1 << 15
"""Nodes of up to so many tuples lie in the cache: to cut them takes less than to count them."""


def counts_suffice(table: EncodedTable, criteria: Criteria) -> bool:
    """Whether the counts of values tell all cuts of large nodes, and are shorter than the table."""
    n_codes = sum(domain.size for domain in table.domains)
    fits = n_codes <= FRAGMENT // 2 and table.n_rows < 1 << (63 - TUPLES)
    return fits and not len(criteria.thresholds)


def partition_by_span(table: EncodedTable, costs: Costs, criteria: Criteria) -> Partition:
    """Cut nodes beside the median of their widest attribute: the classes of `mondrian.refine`.

    Nodes of more than `FRAGMENT` tuples are cut by the counts of their values, all nodes of a
    level in one pass over the table. What is left of them is cut by a kernel, in the cache.

    Notes
    -----
    Cost O(n d) a level of the tree.

    """
    n = len(table.weights)
    nodes = np.zeros(n, np.int32)
    tree = Tree(table.n_rows, n, costs, criteria, FRAGMENT)
    known, fresh = 0, tree.open_nodes
    while fresh:
        counted = _descend(table, nodes, tree, known, fresh)
        for number, histograms in zip(fresh, counted, strict=True):
            cuts = candidate_cuts(histograms, tree.nodes[number].records, costs, criteria)
            tree.grow(number, histograms, next(cuts, None))
        known, fresh = fresh[0], tree.open_nodes
    _descend(table, nodes, tree, known, [])
    leaves = list(_leaves(tree))
    place = np.zeros(len(tree.nodes), np.int32)
    place[leaves] = np.arange(len(leaves))
    take(place, nodes, nodes)
    order = sort_rows([nodes], [len(leaves)])
    bounds = np.cumsum([0, *(tree.nodes[leaf].tuples for leaf in leaves)])
    is_start = np.zeros(n, np.bool_)

    def finish(first: int) -> None:
        own = bounds[first : first + step + 1]
        refine_by_span(table.codes, table.weights, order, own, criteria.min_size, costs, is_start)

    step = len(leaves) // (8 * cores()) + 1
    parallel(finish, range(0, len(leaves), step))
    labels = nodes
    put(np.cumsum(is_start, dtype=np.int32) - np.int32(1), order, labels)
    return Partition(labels, int(is_start.sum()))


def _descend(
    table: EncodedTable, nodes: NDArray[np.int32], tree: Tree, known: int, counted: Sequence[int]
) -> list[list[Histogram]]:
    """Send tuples on to the sides of the latest cuts; return the histograms of some nodes.

    nodes: (n_tuples,) int32 the node of each tuple. known: nodes before this one are not cut
    anew.
    """
    cuts = np.full((len(tree.nodes), 4), -1, np.int32)
    for number, node in enumerate(tree.nodes[known:], known):
        if node.state == "cut":
            cuts[number] = node.attribute, node.code, node.left, node.right
    rows = np.full(len(tree.nodes), -1, np.int32)
    rows[list(counted)] = np.arange(len(counted))
    sizes = [domain.size for domain in table.domains]
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    n = len(nodes)
    parts = [slice(start, start + n // cores() + 1) for start in range(0, n, n // cores() + 1)]

    def count(part: slice) -> NDArray[np.int64]:
        counts = np.zeros((len(counted), first[-1]), np.int64)
        descend(table.codes[part], table.weights[part], nodes[part], cuts, rows, first, counts)
        return counts

    counts = sum(parallel(count, parts), np.zeros((len(counted), first[-1]), np.int64))
    return [[_histogram(row[start:stop]) for start, stop in pairwise(first)] for row in counts]


def _histogram(counts: NDArray[np.int64]) -> Histogram:
    codes = np.flatnonzero(counts)
    held = counts[codes]
    return Histogram(codes.astype(np.int32), held >> TUPLES, held & ((1 << TUPLES) - 1))


def _leaves(tree: Tree) -> Iterator[int]:
    """Yield the nodes that are not cut, from left to right."""
    waiting = [0]
    while waiting:
        number = waiting.pop()
        node = tree.nodes[number]
        if node.state == "cut":
            waiting += [node.right, node.left]
        else:
            yield number
