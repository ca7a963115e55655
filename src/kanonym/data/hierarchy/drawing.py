"""A hierarchy drawn as text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

Labels = tuple[tuple[str | None, ...], ...]


def draw(labels: Labels, codes: NDArray[np.int32], children: int, lines: int) -> str:
    """Return the tree as text: see `Hierarchy.show`."""
    top, span = len(labels) - 1, (0, codes.shape[1])
    drawn = list(islice(_branch(labels, codes, top, span, children), lines))
    if len(drawn) == lines:
        drawn = list(_branch(labels, codes, top, span, children, open_all=False))
    return "\n".join([f"{labels[top][0]} ({codes.shape[1]})", *drawn])


def _branch(
    labels: Labels,
    codes: NDArray[np.int32],
    level: int,
    span: tuple[int, int],
    children: int,
    *,
    open_all: bool = True,
) -> Iterator[str]:
    """Draw what lies below the label of `level` that covers the leaves of `span`."""
    if level == 0 or span[0] == span[1]:
        return
    row = codes[level - 1]
    first, last = int(row[span[0]]), int(row[span[1] - 1])
    shown = range(first, min(last + 1, first + children))
    for code in shown:
        end = code == last
        below = (int(np.searchsorted(row, code)), int(np.searchsorted(row, code, "right")))
        name = labels[level - 1][code]
        size = "" if level == 1 else f" ({below[1] - below[0]})"
        yield f"{'└' if end else '├'}── {'null' if name is None else name}{size}"
        if open_all or code == first:
            margin = "    " if end else "│   "
            for line in _branch(labels, codes, level - 1, below, children, open_all=open_all):
                yield margin + line
    if shown.stop <= last:
        yield f"└── … {last + 1 - shown.stop} more"
