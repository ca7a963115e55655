"""Which releases nothing beats, and where getting more private begins to cost too much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEAST_BEND = 0.05
"""A frontier that bends less, as a share of the way, is taken for straight."""


@dataclass(frozen=True, slots=True)
class Knee:
    """Where a frontier bends most."""

    place: int
    gained: float
    paid: float


def frontier(privacy: NDArray[np.float64], loss: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the places of the releases that no other one beats, the least private first.

    One beats another if it is better in one of the two and no worse in the other. Of equal
    releases the first is there.

    privacy: (n,) float64, more is more private.
    loss: (n,) float64, lower is better. NaN in either leaves a release out.

    Notes
    -----
    Cost: a sort.

    """
    able = np.flatnonzero(np.isfinite(privacy) & np.isfinite(loss))
    order = able[np.lexsort((able, loss[able], -privacy[able]))]
    first = np.ones(len(order), np.bool_)
    first[1:] = loss[order][1:] < np.minimum.accumulate(loss[order])[:-1]
    return order[first][::-1].astype(np.int64)


def knee(privacy: NDArray[np.float64], loss: NDArray[np.float64]) -> Knee | None:
    """Return where a frontier bends most, None where it has no knee.

    privacy: (n,) float64, ascending, above 0.
    loss: (n,) float64, ascending.

    Notes
    -----
    Kneedle (Satopaa et al. 2011, "Finding a 'Kneedle' in a haystack", §III): both axes are
    scaled to [0, 1], and the knee is where the curve lies farthest below the line between its
    ends. Deviations: the axis of privacy is logarithmic, so that a step from 2 to 4 counts as
    much as one from 20 to 40; the points are few and exact, so nothing is smoothed; of
    several bends the largest is taken, the least private of equal ones; and a largest distance
    of less than 0.05 is none. Cost O(n).

    """
    if len(privacy) < 3:
        return None
    across = np.log(privacy)
    gained = (across - across[0]) / (across[-1] - across[0])
    paid = (loss - loss[0]) / (loss[-1] - loss[0])
    below = gained - paid
    place = int(below.argmax())
    if below[place] < LEAST_BEND:
        return None
    return Knee(place, float(gained[place]), float(paid[place]))
