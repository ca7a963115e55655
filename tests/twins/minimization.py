"""Slow, obvious twins of minimization: every pruning, whole levels, GCP record by record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from statistics import median

import numpy as np


def prunings(nodes, base, v=0) -> Iterator[tuple[int, ...]]:
    """Yield the cells of every pruning of the tree above some cells."""
    yield (v,)
    if v not in base:
        lefts = list(prunings(nodes, base, v + 1))
        rights = list(prunings(nodes, base, int(nodes.right[v])))
        yield from (left + right for left, right in product(lefts, rights))


def representative(rows: Sequence[Sequence[float]], labels: Sequence[object]) -> int:
    """Return the first row of the most frequent label that is nearest to the median."""
    most = max(sorted(set(labels)), key=labels.count)
    inside = [i for i, label in enumerate(labels) if label == most]
    middle = [median(rows[i][c] for i in inside) for c in range(len(rows[0]))]
    distances = {i: sum((a - b) ** 2 for a, b in zip(rows[i], middle, strict=True)) for i in inside}
    least = min(distances.values())
    return next(i for i in inside if distances[i] <= least * (1 + 1e-12))


def path_to(tree, row) -> list[int]:
    """Return scikit-learn's nodes from the root to the leaf of one row."""
    node, path = 0, []
    while True:
        path.append(node)
        if tree.children_left[node] < 0:
            return path
        left = np.float32(row[tree.feature[node]]) <= tree.threshold[node]
        node = int(tree.children_left[node] if left else tree.children_right[node])


def box_of(tree, node, low, high) -> list[tuple[float, float]]:
    """Return the range of one node in each column, cut to the domain."""
    box = list(zip(low, high, strict=True))
    while node:
        is_left = node in tree.children_left
        above = int(
            np.flatnonzero((tree.children_left if is_left else tree.children_right) == node)[0]
        )
        column, cut = int(tree.feature[above]), float(tree.threshold[above])
        a, b = box[column]
        box[column] = (a, min(b, cut)) if is_left else (max(a, cut), b)
        node = above
    return box


def levels(fitted, records, grown, validation, model) -> list[dict[str, float]]:
    """Return relative accuracy and GCP of cutting a tree of numbers at each depth, deepest first.

    Every feature is minimized; cells are right where the known implementation merges their ranges
    wrongly. model: from (m, c) records to (m,) predictions, numbers or labels.
    """
    tree = fitted.tree_
    own = model(records)
    paths = [path_to(tree, row) for row in records]
    low, high = records.min(axis=0).tolist(), records.max(axis=0).tolist()
    found = []
    for depth in range(fitted.get_depth(), -1, -1):
        cells = [path[min(depth, len(path) - 1)] for path in paths]
        changed = records.copy()
        widths = {}
        for cell in set(cells):
            rows = [i for i in grown.tolist() if cells[i] == cell]
            labels = own[rows].tolist() if own.dtype.kind in "iU" else [0] * len(rows)
            chosen = rows[representative(records[rows].tolist(), labels)]
            changed[[i for i in range(len(records)) if cells[i] == cell]] = records[chosen]
            box = box_of(tree, cell, low, high)
            shares = [
                (b - a) / (top - bottom) if top > bottom else 0.0
                for (a, b), bottom, top in zip(box, low, high, strict=True)
            ]
            widths[cell] = sum(shares) / len(shares)
        answers, before = model(changed[validation]), own[validation]
        if own.dtype.kind == "f":
            total = float(((before - before.mean()) ** 2).sum())
            accuracy = 1 - float(((answers - before) ** 2).sum()) / total if total else 1.0
        else:
            accuracy = float((answers == before).mean())
        gcp = sum(widths[cell] for cell in cells) / len(cells)
        found.append({"cells": len(set(cells)), "accuracy": accuracy, "gcp": gcp})
    return found


def level_by_level(found: Sequence[dict[str, float]], target: float) -> dict[str, float] | None:
    """Return the last level that is reached by pruning upward while the target is kept."""
    reached = None
    for level in found:
        if level["accuracy"] < target:
            break
        reached = level
    return reached


def width(cell, name, domain) -> float:
    """Return the width of one feature of a cell, over its domain."""
    if name in cell["categories"]:
        return (len(cell["categories"][name]) - 1) / max(1, len(domain) - 1)
    low, high = domain
    a, b = cell["ranges"][name]
    a, b = low if a is None else max(a, low), high if b is None else min(b, high)
    return (b - a) / (high - low) if high > low else 0.0


def gcp(cells, columns, domains) -> float:
    """Return the GCP of records from the cells' own words, by finding the cell of each.

    cells: `Minimizer.cells_`, no feature exempted. columns: values by feature. domains: the
    smallest and largest number, or the list of categories, by feature.
    """
    n = len(next(iter(columns.values())))
    total = 0.0
    for i in range(n):
        record = {name: values[i] for name, values in columns.items()}
        (cell,) = [cell for cell in cells if holds(cell, record)]
        total += sum(width(cell, name, domain) for name, domain in domains.items())
    return total / (n * len(domains))


def holds(cell, record) -> bool:
    """Tell whether a record lies in the ranges and categories of a cell."""
    for name, (low, high) in cell["ranges"].items():
        value = np.float32(record[name])  # as scikit-learn's trees compare
        if (low is not None and value <= low) or (high is not None and value > high):
            return False
    return all(record[name] in some for name, some in cell["categories"].items())
