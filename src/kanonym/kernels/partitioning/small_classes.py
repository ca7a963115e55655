"""Classes that are too small: whom each one joins, and where single records go instead."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel
from kanonym.kernels.neighbours.kdtree import nearest, new_tree, rebuild, remove_points


@kernel
def merge_targets(
    centres: NDArray[np.float64], weights: NDArray[np.float64], sizes: NDArray[np.int64], k: int
) -> NDArray[np.int64]:
    """Join each class of fewer than k records with the class of the nearest centre.

    Parameters
    ----------
    centres
        (n_classes, d) float64, d at least 1.
    weights
        (d,) float64, at least 0: what a squared difference counts in a distance.
    sizes
        (n_classes,) int64 records of each class, at least 1 each and k together.
    k
        At least 1.

    Returns
    -------
    (n_classes,) int64, the class that each one ends in; a class that nobody left is its own.

    Notes
    -----
    The smallest class goes first, of equal ones the first. It joins the class whose centre
    is nearest, of equally near ones the first, and that class keeps its centre. Cost
    O(n_classes (d log n_classes + k)) in few attributes.

    """
    n, d = centres.shape
    into = np.arange(n)
    left = sizes.copy()
    tree = new_tree(centres, weights)
    rebuild(tree)
    n_left = built = n
    leaving = np.empty(1, np.int64)
    found = np.empty(1, np.int64)
    centre = np.empty(d)
    while True:
        smallest = np.int64(k)
        for i in range(n):
            if into[i] == i:
                smallest = min(smallest, left[i])
        if smallest >= k:
            break
        for i in range(n):
            if into[i] != i or left[i] != smallest:
                continue
            if 2 * n_left <= built:
                rebuild(tree)
                built = n_left
            leaving[0] = i
            remove_points(tree, leaving)
            n_left -= 1
            for a in range(d):
                centre[a] = centres[i, a]
            nearest(tree, centre, found)
            into[i] = found[0]
            left[found[0]] += left[i]
    for i in range(n):
        last = into[i]
        while into[last] != last:
            last = into[last]
        into[i] = last
    return into


@kernel
def nearest_centres(
    points: NDArray[np.float64], centres: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return (n,) int64: the nearest of (n_centres, d) centres to each of (n, d) points.

    weights: (d,) as of `merge_targets`. Of equally near ones the first. Cost O(n · n_centres · d).
    """
    found = np.zeros(len(points), np.int64)
    for i in range(len(points)):
        best = math.inf
        for c in range(len(centres)):
            distance = 0.0
            for a in range(len(weights)):
                gap = points[i, a] - centres[c, a]
                distance += gap * gap * weights[a]
            if distance < best:
                best = distance
                found[i] = c
    return found
