"""Cells that later blanks made needless: they are shown again."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.cell_suppression.patterns import Keys, Pieces, released_codes
from kanonym.kernels.cells.unblanking import unblank_pieces
from kanonym.kernels.classes.grouping import group_rows


def unblank(keys: Keys, pieces: Pieces, k: int, size: int) -> Pieces:
    """Show cells again as long as every combination of `size` attributes has k records.

    A cell that was blanked early is not needed any more once another one of its rare
    combinations is blank. Important attributes come first, and no piece can show another cell
    in the end. Null is a value.

    Cost: in each of a few rounds, `size` groupings for each combination.
    """
    blanks = pieces.blanks.copy()
    before = None
    while before != (before := int(blanks.sum())):
        for a in keys.order[::-1].tolist():
            blanks[_shown(keys, pieces._replace(blanks=blanks), k, size, a), a] = False
    return pieces._replace(blanks=blanks)


def _shown(keys: Keys, pieces: Pieces, k: int, size: int, a: int) -> NDArray[np.int64]:
    """Return the pieces that can show one attribute again."""
    rows = np.flatnonzero(pieces.blanks[:, a] & ~keys.is_null[pieces.keys, a])
    codes = released_codes(keys, pieces)
    moves, sizes, n_classes = np.empty((0, 2, len(rows)), np.int64), [], 0
    for others in combinations([b for b in range(len(keys.costs)) if b != a], size - 1):
        own = keys.codes[pieces.keys[rows], a]
        columns = [
            np.append(codes[:, a], own),
            *(np.append(codes[:, b], codes[rows, b]) for b in others),
        ]
        groups = group_rows(columns, (keys.null_codes[[a, *others]] + 1).tolist())
        labels = groups.labels[: len(codes)]
        records = np.bincount(labels, pieces.weights, len(groups.sizes)).astype(np.int64)
        classes = np.stack([labels[rows], groups.labels[len(codes) :]])
        left = records[classes[0]] - pieces.weights[rows]
        joined = records[classes[1]] + pieces.weights[rows]
        fits = ((left == 0) | (left >= k)) & (joined >= k)
        rows, moves = rows[fits], moves[:, :, fits]
        held, places = np.unique(classes[:, fits], return_inverse=True)
        moves = np.concatenate([moves, places.reshape(1, 2, -1) + n_classes])
        sizes.append(records[held])
        n_classes += len(held)
    shown = unblank_pieces(moves, np.concatenate(sizes), pieces.weights[rows], np.int64(k))
    return rows[shown]
