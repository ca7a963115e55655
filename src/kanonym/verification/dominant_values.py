"""The commonest sensitive value of each class: how much of the class it has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.data.partition import Classes, Distribution
from kanonym.verification.verdict import LargestShare, VerificationWarning

NEARLY_ALL = 0.95
"""A value that so many of a class have is as good as known of everybody in it: whoever
guesses it is wrong at most once in twenty, and in classes of fewer records never."""
DOUBT_LEFT = 0.5
"""The class must also leave at most half of the doubt that the whole table leaves about the
value: that 95 % of a class share what 94 % of all have tells nobody anything."""


class _CommonestValue(NamedTuple):
    """The commonest value of each class that has a value.

    Attributes
    ----------
    shares, records, table_shares
        (n,) float64, int64, float64: of the class, its records with a value, of the table.

    """

    shares: NDArray[np.float64]
    records: NDArray[np.int64]
    table_shares: NDArray[np.float64]


def largest_share(attribute: str, distribution: Distribution) -> LargestShare | None:
    """Return the share of the commonest value in the worst class; None without a value."""
    found = _commonest(distribution)
    if not len(found.shares):
        return None
    worst = np.lexsort((found.records, found.shares))[-1]
    return LargestShare(
        attribute,
        float(found.shares[worst]),
        int(found.records[worst]),
        float(found.table_shares[worst]),
    )


def dominant_value(
    attribute: str, distribution: Distribution, judged: NDArray[np.bool_]
) -> VerificationWarning | None:
    """Return a warning where classes are nearly all one value; None where none is.

    judged: as of `dominance`.
    """
    found = _commonest(distribution)
    doubt, left = 1 - found.table_shares, 1 - found.shares
    slack = 1e-12
    hollow = (found.shares >= NEARLY_ALL - slack) & (left <= DOUBT_LEFT * doubt + slack)
    hollow &= found.shares > found.table_shares + slack
    hollow &= judged[np.diff(distribution.offsets) > 0]
    classes, records = int(hollow.sum()), int(found.records[hollow].sum())
    if not classes:
        return None
    share = float(found.shares[hollow].max())
    return VerificationWarning(
        "dominant-value",
        (attribute,),
        f"{attribute}: in {classes:,} of {len(hollow):,} classes ({records:,} records) at least "
        f"{NEARLY_ALL:.0%} share one value, up to {_percent(share)}: it is practically known for "
        f"everybody there. Require entropy l-diversity, a higher l, or t-closeness of it",
        {"share": share, "classes": classes, "records": records},
    )


def dominance(
    classes: Classes, attributes: list[str], judged: NDArray[np.bool_] | None = None
) -> tuple[tuple[LargestShare, ...], list[VerificationWarning]]:
    """Return the largest share of each sensitive attribute, and what warns of them.

    judged: (n_classes,) bool; None for all. Where null matches every value, records of other
    classes may be meant as well, and a class by itself tells less than its share says.
    """
    of = np.ones(len(classes.sizes), np.bool_) if judged is None else judged
    held = {name: classes.distributions[name] for name in attributes}
    shares = [largest_share(name, one) for name, one in held.items()]
    warned = [dominant_value(name, one, of) for name, one in held.items()]
    return tuple(one for one in shares if one), [one for one in warned if one]


def _commonest(distribution: Distribution) -> _CommonestValue:
    offsets, counts = distribution.offsets, distribution.counts
    held = np.flatnonzero(np.diff(offsets))
    if not len(held):
        none = np.zeros(0)
        return _CommonestValue(none, np.zeros(0, np.int64), none)
    starts = offsets[held]
    records = np.add.reduceat(counts, starts)
    most = np.maximum.reduceat(counts, starts)
    table = distribution.table / max(int(distribution.table.sum()), 1)
    # Of values that are equally common in a class the rarest in the table tells most.
    own = np.repeat(np.arange(len(held)), np.diff(offsets)[held])
    rarity = np.where(counts == most[own], table[distribution.values], np.inf)
    return _CommonestValue(most / records, records, np.minimum.reduceat(rarity, starts))


def _percent(share: float) -> str:
    return "100 %" if share == 1 else f"{min(100 * share, 99.9):.1f} %"
