"""Classes whose texts begin alike: different values that tell nearly the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kanonym.data.partition import Distribution
from kanonym.verification.finding import Finding, FindingKind
from kanonym.verification.findings.dominant_value import NEARLY_ALL
from kanonym.verification.findings.near_values import MOST_OF_TABLE

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class SimilarValues(FindingKind):
    """Classes whose texts begin alike."""

    type = "similar-values"
    part = "attributes"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of each sensitive attribute that has such classes."""
        found = []
        for attribute, distribution in view.distributions.items():
            classes, records = alike_classes(distribution, view.judged(attribute))
            if not classes:
                continue
            n_classes = len(distribution.offsets) - 1
            found.append(
                self.finding(
                    [attribute],
                    f"{attribute}: in {classes:,} of {n_classes:,} classes ({records:,} "
                    f"{view.unit}) at least {NEARLY_ALL:.0%} of the values begin with the same "
                    "word or code: what they have in common is known for everybody there. "
                    "l-diversity counts them as different; give it a hierarchy and require "
                    "t-closeness with distance: hierarchical",
                    {"classes": classes, "records": records},
                )
            )
        return found


def alike_classes(distribution: Distribution, judged: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the number of classes whose values begin alike, and of their records.

    judged: (n_classes,) bool, the classes that are looked at.

    Notes
    -----
    A class is told where values of one beginning are `NEARLY_ALL` of its records, null counted
    apart, and at most `MOST_OF_TABLE` of those of the table. Classes that are nearly all one
    value are left to `dominant-value`. The similarity attack of Li, Li, Venkatasubramanian
    (2007), section 3, for codes and texts without a hierarchy; the rule of what is similar is
    ours. Cost: O(e) of e entries, and a sort
    of those of large classes and of classes in which all begin alike.

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
    held = np.bincount(own, distribution.counts[entries])
    of_table = np.bincount(labels, distribution.table, n_labels)
    is_rare = (of_table <= MOST_OF_TABLE * distribution.table.sum())[keys % n_labels]
    told = np.zeros(n_classes, np.bool_)
    told[(keys // n_labels)[is_rare & (held >= enough[keys // n_labels])]] = True
    told[classes[distribution.counts >= enough[classes]]] = False
    told &= judged
    return int(told.sum()), int(records[told].sum())
