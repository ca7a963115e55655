"""One value of each class and column, chosen so that one- and two-way tables hardly change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel

SWEEPS = 30
"""Times that every class is looked at, at most."""

TIE = 1e-9
"""A change of the sum of differences below this is rounding."""


@kernel
def balance_values(
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    unique: NDArray[np.bool_],
    starts: NDArray[np.int64],
    cells: NDArray[np.int32],
    targets: NDArray[np.float64],
    choice: NDArray[np.int32],
    penalty: float,
) -> int:
    """Choose a value of each class for each column, so that tables are near their targets.

    Parameters
    ----------
    codes
        (n, d) int32, the tuples; those of a class stand together.
    weights
        (n,) int64, records of each tuple.
    unique
        (n,) bool, whether it is one record's, and no other's in the table.
    starts
        (n_classes + 1,) int64, the first tuple of each class.
    cells
        (d, n_codes) int32, the cell of each code in the tables of two columns.
    targets
        One table below the other, records in each cell: (n_codes,) float64 a column, then
        (cells_a, cells_b) for each two columns a < b, where cells is the largest cell + 1.
        Becomes the choice's difference to it.
    choice
        (n_classes, d) int32, a code of the class each: where the search starts, and its end.
    penalty
        What releasing exactly the values of a unique tuple costs, in differences per record of
        the class.

    Returns
    -------
    Number of sweeps.

    Notes
    -----
    Coordinate descent: class by class and column by column, the value is taken that lowers
    the sum of absolute differences most, until none does. Of equal ones the lower is taken in
    every second class and the higher in the others. O(n · d²) a sweep.

    """
    d, n_codes = cells.shape
    n_classes = len(starts) - 1
    sizes = np.empty(d, np.int64)
    for a in range(d):
        sizes[a] = cells[a].max() + 1
    place = np.zeros((d, d), np.int64)
    end = d * n_codes
    for a in range(d):
        for b in range(a + 1, d):
            place[a, b] = end
            place[b, a] = end
            end += sizes[a] * sizes[b]
    size_of = np.zeros(n_classes, np.int64)
    for c in range(n_classes):
        for i in range(starts[c], starts[c + 1]):
            size_of[c] += weights[i]
    difference = targets
    for i in range(len(difference)):
        difference[i] = -difference[i]
    for c in range(n_classes):
        for a in range(d):
            difference[a * n_codes + choice[c, a]] += size_of[c]
            own = cells[a, choice[c, a]]
            for b in range(a + 1, d):
                at = place[a, b] + own * sizes[b] + cells[b, choice[c, b]]
                difference[at] += size_of[c]

    apart = np.zeros(len(codes), np.int64)  # columns in which a tuple differs from the choice
    copied = np.zeros(n_codes, np.bool_)
    seen = np.full(n_codes, -1, np.int64)
    visit = 0
    for sweep in range(SWEEPS):
        moved = False
        for c in range(n_classes):
            first, last, w = starts[c], starts[c + 1], float(size_of[c])
            for i in range(first, last):
                apart[i] = 0
                for a in range(d):
                    apart[i] += codes[i, a] != choice[c, a]
            for a in range(d):
                old = choice[c, a]
                varied = False
                for i in range(first, last):
                    varied |= codes[i, a] != old
                if not varied:
                    continue
                for i in range(first, last):
                    if unique[i] and apart[i] == (codes[i, a] != old):
                        copied[codes[i, a]] = True
                best, least = old, -TIE
                kept = 0.0  # what leaving the old value changes
                at = a * n_codes + old
                kept += abs(difference[at] - w) - abs(difference[at])
                for b in range(d):
                    if b != a:
                        own, other = cells[a, old], cells[b, choice[c, b]]
                        if a < b:
                            at = place[a, b] + own * sizes[b] + other
                        else:
                            at = place[a, b] + other * sizes[a] + own
                        kept += abs(difference[at] - w) - abs(difference[at])
                if copied[old]:
                    kept -= penalty * w
                visit += 1
                seen[old] = visit
                for k in range(last - first):
                    i = first + k if c % 2 == 0 else last - 1 - k
                    new = codes[i, a]
                    if seen[new] == visit:
                        continue
                    seen[new] = visit
                    at = a * n_codes + new
                    gained = kept + abs(difference[at] + w) - abs(difference[at])
                    same = cells[a, new] == cells[a, old]
                    for b in range(d):
                        if b != a:
                            own, other = cells[a, new], cells[b, choice[c, b]]
                            if a < b:
                                at = place[a, b] + own * sizes[b] + other
                            else:
                                at = place[a, b] + other * sizes[a] + own
                            held = difference[at]
                            if same:  # the record leaves this cell and comes back
                                gained += abs(held) - abs(held - w)
                            else:
                                gained += abs(held + w) - abs(held)
                    if copied[new]:
                        gained += penalty * w
                    if gained < least - TIE:
                        best, least = new, gained
                for i in range(first, last):
                    copied[codes[i, a]] = False
                if best == old:
                    continue
                moved = True
                for code, step in ((old, -w), (best, w)):
                    difference[a * n_codes + code] += step
                    for b in range(d):
                        if b != a:
                            own, other = cells[a, code], cells[b, choice[c, b]]
                            if a < b:
                                at = place[a, b] + own * sizes[b] + other
                            else:
                                at = place[a, b] + other * sizes[a] + own
                            difference[at] += step
                for i in range(first, last):
                    apart[i] += (codes[i, a] != best) - (codes[i, a] != old)
                choice[c, a] = best
        if not moved:
            return sweep + 1
    return SWEEPS
