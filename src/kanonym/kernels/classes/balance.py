"""Balance of values in classes, and choices left to chance."""

from __future__ import annotations

import math

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.compile import Int, kernel, part

FLAT = 16
"""From so many times the least size on, the chance to stay whole falls no further,"""

LARGE = 64
"""up to so many times the least size; then it falls in proportion to the size."""

SKIPPED = 0.05
"""How probable it is that the best cut of a node is passed over, whatever it would leave."""


@part
def is_left_whole(criteria: Criteria, total: Int, box: Ints) -> bool:
    """Say whether a node is not to be cut, whatever its sensitive values are.

    The probability is `criteria.chance` for a node of twice the least size. It falls with the
    cube of the size up to `FLAT` times the least, and from `LARGE` times the least with the size;
    it is never 0. Nodes of one size and box are the same on every engine.

    total: records of the node. box: (2, d) its lowest and highest codes.
    """
    if criteria.chance <= 0.0 or len(criteria.thresholds) == 0:
        return False
    least = criteria.min_size
    ratio = 2.0 * least / min(total, FLAT * least)
    larger = max(1.0, total / (LARGE * least))
    return _uniform(criteria, total, box, np.uint64(0)) * larger < criteria.chance * ratio**3


@part
def skipped_cuts(criteria: Criteria, total: Int, box: Ints) -> int:
    """Return how many of the best cuts of a node are tried last, whatever they would leave.

    j or more are with probability `SKIPPED` / j, in nodes of more than `FLAT` times the least size
    with one that falls in proportion to the size: that the best j cuts were not made does not
    prove that sensitive values forbade them. Parameters as of `is_left_whole`.
    """
    if criteria.chance <= 0.0 or len(criteria.thresholds) == 0:
        return 0
    larger = max(1.0, total / (FLAT * criteria.min_size))
    drawn = max(_uniform(criteria, total, box, np.uint64(1)) * larger, 1e-9)
    return math.floor(SKIPPED / drawn)


@part
def _uniform(criteria: Criteria, total: Int, box: Ints, purpose: np.uint64) -> float:
    """Return a number in [0, 1) that follows from the seed, the node and the purpose."""
    state = _mixed(_mixed(np.uint64(criteria.key), purpose), np.uint64(total))
    for side in range(2):
        for a in range(box.shape[1]):
            state = _mixed(state, np.uint64(box[side, a] + 1))
    return float(state >> np.uint64(11)) * 2.0**-53


@part
def _mixed(state: np.uint64, value: np.uint64) -> np.uint64:
    """Return a state with one more value in it: a step of SplitMix64 (Steele et al. 2014)."""
    z = (state ^ value) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


SWEEPS = 30
"""Times that every class is looked at, at most."""

TIE = 1e-9
"""A change of the sum of differences below this is rounding."""


@kernel
def balance_values(
    codes: Int32s,
    weights: Ints,
    unique: Bools,
    starts: Ints,
    cells: Int32s,
    targets: Floats,
    choice: Int32s,
    penalty: float,
) -> int:
    """Choose a value of each class for each column, so that tables are near their targets.

    Coordinate descent: class by class and column by column, the value is taken that lowers the sum
    of absolute differences most, until none does. Of equal ones the lower is taken in every second
    class and the higher in the others. O(n · d²) a sweep.

    codes: (n, d) int32, the tuples; those of a class stand together.
    weights: (n,) int64, records of each tuple.
    unique: (n,) bool, whether it is one record's, and no other's in the table.
    starts: (n_classes + 1,) int64, the first tuple of each class.
    cells: (d, n_codes) int32, the cell of each code in the tables of two columns.
    targets: One table below the other, records in each cell: (n_codes,) float64 a column, then
        (cells_a, cells_b) for each two columns a < b, where cells is the largest cell + 1. Becomes
        the choice's difference to it.
    choice: (n_classes, d) int32, a code of the class each: where the search starts, and its end.
    penalty: What releasing exactly the values of a unique tuple costs, in differences per record of
        the class. Returns: Number of sweeps.
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
