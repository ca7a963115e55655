"""Find classes whose numbers or dates lie close together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanonym.data.partition import Distribution
from kanonym.kernels.arrays import Bools, Ints
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import NEARLY_ALL

NEAR = 0.05
"""Values are close within this share of the range that the middle `MIDDLE` of all values has."""
MIDDLE = 0.9
"""Not the whole range: one income of millions would make all others close."""
MOST_OF_TABLE = 0.5
"""An interval that holds more of the table tells little: most people have such a value."""


@finding_kind(
    "near-values",
    "attributes",
    "In {classes} of the classes, with {records} of the records, nearly all values of "
    "“{columns}” are close to each other: they are different, but each is known nearly.",
)
def near_values(view: ReleaseView) -> Evidence:
    return alike_values(
        view,
        close_classes,
        f"differ by at most {NEAR:.0%} of the range of most values: each is known nearly for "
        "everybody there. l-diversity counts them as different; require t-closeness of it with "
        "distance: ordered",
    )


def alike_values(
    view: ReleaseView, count: Callable[[Distribution, Bools], tuple[int, int]], alike: str
) -> Evidence:
    """Yield the attributes of which nearly all values of some classes are alike."""
    for name, distribution in view.distributions.items():
        classes, records = count(distribution, view.judged(name))
        if classes:
            message = (
                f"{name}: in {classes:,} of {len(distribution.offsets) - 1:,} classes "
                f"({records:,} {view.unit}) at least {NEARLY_ALL:.0%} of the values {alike}"
            )
            yield [name], message, {"classes": classes, "records": records}


def close_classes(distribution: Distribution, judged: Bools) -> tuple[int, int]:
    """Return the number of judged classes, (n_classes,) bool, with close values; their records.

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
    passed = np.concatenate([[0], np.cumsum(distribution.counts[order])])

    # The interval from each value of a class to the last one of the class that is near it.
    after = np.searchsorted(keys, classes * len(by_number) + reach[place])
    enough = NEARLY_ALL * records[classes] - 1e-9
    of_table = below[place[after - 1] + 1] - below[place]
    close = (passed[after] - passed[:-1] >= enough) & (of_table <= MOST_OF_TABLE * below[-1])
    return count_judged(classes[close], classes[np.diff(passed) >= enough], records, judged)


def count_judged(classes: Ints, one_value: Ints, records: Ints, judged: Bools) -> tuple[int, int]:
    """Return the number of classes that are judged and not all one value, and their records."""
    mask = np.zeros(len(records), np.bool_)
    mask[classes] = True
    mask[one_value] = False
    mask &= judged
    return int(mask.sum()), int(records[mask].sum())
