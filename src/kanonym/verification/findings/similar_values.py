"""Find classes whose texts begin alike."""

from __future__ import annotations

import numpy as np

from kanonym.data.partition import Distribution
from kanonym.kernels.arrays import Bools
from kanonym.verification.findings.near_values import MOST_OF_TABLE, alike_values, count_judged
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import NEARLY_ALL


@finding_kind(
    "similar-values",
    "attributes",
    "In {classes} of the classes, with {records} of the records, nearly all values of "
    "“{columns}” begin with the same word or code: they are different, but what they have in "
    "common is known.",
)
def similar_values(view: ReleaseView) -> Evidence:
    return alike_values(
        view,
        alike_classes,
        "begin with the same word or code: what they have in common is known for everybody there. "
        "l-diversity counts them as different; give it a hierarchy and require t-closeness with "
        "distance: hierarchical",
    )


def alike_classes(distribution: Distribution, judged: Bools) -> tuple[int, int]:
    """Return the number of judged classes, (n_classes,) bool, that begin alike; their records.

    Notes
    -----
    A class is told where values of one beginning are `NEARLY_ALL` of its records, null counted
    apart, and at most `MOST_OF_TABLE` of those of the table. Classes that are nearly all one
    value are left to `dominant-value`. The similarity attack of Li, Li, Venkatasubramanian
    (2007), section 3, for codes and texts without a hierarchy; the rule of what is similar is
    ours. Cost: O(e) of e entries, and a sort of those of large classes and of classes in which
    all begin alike.

    """
    labels = distribution.beginnings
    if labels is None or not len(distribution.values):
        return 0, 0
    n_classes, n_labels = len(distribution.offsets) - 1, int(labels.max()) + 1
    lengths = np.diff(distribution.offsets)
    classes = np.repeat(np.arange(n_classes), lengths)
    records = np.bincount(classes, distribution.counts, n_classes)
    enough = NEARLY_ALL * records - 1e-9
    # In a class of few records all must begin alike, which shows without counting.
    starts = distribution.offsets[:-1][lengths > 0]
    of_entries = labels[distribution.values]
    is_open = records > enough + 1
    is_open[lengths > 0] |= np.minimum.reduceat(of_entries, starts) == np.maximum.reduceat(
        of_entries, starts
    )
    entries = np.flatnonzero(is_open[classes])
    keys, own = np.unique(classes[entries] * n_labels + of_entries[entries], return_inverse=True)
    alike = np.bincount(own, distribution.counts[entries])
    of_table = np.bincount(labels, distribution.table, n_labels)
    is_rare = (of_table <= MOST_OF_TABLE * distribution.table.sum())[keys % n_labels]
    beginning = (keys // n_labels)[is_rare & (alike >= enough[keys // n_labels])]
    one_value = classes[distribution.counts >= enough[classes]]
    return count_judged(beginning, one_value, records, judged)
