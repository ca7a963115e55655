"""Classes whose numbers or dates lie close together: different values that tell nearly the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kanonym.data.partition import Distribution
from kanonym.verification.finding import Finding, FindingKind
from kanonym.verification.findings.dominant_value import NEARLY_ALL

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView

NEAR = 0.05
"""Values are close within this share of the range that the middle `MIDDLE` of all values has."""
MIDDLE = 0.9
"""Not the whole range: one income of millions would make all others close."""
MOST_OF_TABLE = 0.5
"""An interval that holds more of the table tells little: most people have such a value."""


class NearValues(FindingKind):
    """Classes whose numbers or dates lie close together."""

    type = "near-values"
    part = "attributes"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of each sensitive attribute that has such classes."""
        found = []
        for attribute, distribution in view.distributions.items():
            classes, records = close_classes(distribution, view.judged(attribute))
            if not classes:
                continue
            n_classes = len(distribution.offsets) - 1
            found.append(
                self.finding(
                    [attribute],
                    f"{attribute}: in {classes:,} of {n_classes:,} classes ({records:,} "
                    f"{view.unit}) at least {NEARLY_ALL:.0%} of the values differ by at most "
                    f"{NEAR:.0%} of the range of most values: each is known nearly for everybody "
                    "there. l-diversity counts them as different; require t-closeness of it with "
                    "distance: ordered",
                    {"classes": classes, "records": records},
                )
            )
        return found


def close_classes(distribution: Distribution, judged: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the number of classes whose values are close, and of their records.

    judged: (n_classes,) bool, the classes that are looked at.

    Notes
    -----
    A class is told where an interval of at most `NEAR` of the range holds `NEARLY_ALL` of its
    records, null counted as outside, and at most `MOST_OF_TABLE` of those of the table. Classes
    that are nearly all one value are left to `dominant-value`. The similarity attack of Li, Li,
    Venkatasubramanian (2007), section 3; the bounds are ours. Cost: O(e log e) of e entries.

    """
    if distribution.numbers is None:
        return 0, 0
    by_number = np.argsort(distribution.numbers)  # NaN, which is null, at the end
    numbers = distribution.numbers[by_number]
    numbers = numbers[~np.isnan(numbers)]
    below = np.concatenate([[0], np.cumsum(distribution.table[by_number[: len(numbers)]])])
    ends = np.searchsorted(below[1:], below[-1] * np.array([1 - MIDDLE, 1 + MIDDLE]) / 2)
    if not below[-1] or numbers[ends[0]] == numbers[ends[1]]:
        return 0, 0
    with np.errstate(over="ignore"):
        width = NEAR * float(np.diff(numbers[ends])[0])
        if not np.isfinite(width):  # infinities are far from all
            return 0, 0
        reach = np.searchsorted(numbers, numbers + width * (1 + 1e-12), side="right")

    n_classes = len(distribution.offsets) - 1
    classes = np.repeat(np.arange(n_classes), np.diff(distribution.offsets))
    records = np.bincount(classes, distribution.counts, n_classes)
    rank = np.empty(len(by_number), np.int64)
    rank[by_number] = np.arange(len(by_number))
    place = rank[distribution.values]
    keys = classes * len(by_number) + place
    order = np.argsort(keys, kind="stable")
    order = order[place[order] < len(numbers)]
    keys, classes, place = keys[order], classes[order], place[order]
    held = np.concatenate([[0], np.cumsum(distribution.counts[order])])

    # The interval from each value of a class to the last one of the class that is near it.
    after = np.searchsorted(keys, classes * len(by_number) + reach[place])
    start = np.arange(len(keys))
    enough = NEARLY_ALL * records[classes] - 1e-9
    of_table = below[place[after - 1] + 1] - below[place]
    close = (held[after] - held[start] >= enough) & (of_table <= MOST_OF_TABLE * below[-1])
    told = np.zeros(n_classes, np.bool_)
    told[classes[close]] = True
    told[classes[np.diff(held) >= enough]] = False
    told &= judged
    return int(told.sum()), int(records[told].sum())
