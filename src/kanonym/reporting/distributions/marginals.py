"""One quasi-identifier's distribution, in the original table and as the release tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import gettext as _
from kanonym.language import ENGLISH, Translator
from kanonym.reporting.distributions.bars import Bars, bars_of
from kanonym.reporting.distributions.rectangles import (
    Extent,
    marks_of_intervals,
    marks_of_sets,
    released_counts,
    set_members,
)
from kanonym.reporting.document import round_count

if TYPE_CHECKING:
    from kanonym.data.partition import Partition, RecodedAttribute
    from kanonym.data.table import Domain, EncodedTable

MOST_BARS = 24
DWARFING = 2
"""A bar of all other values that is so many times as long as the next one is not drawn."""


@dataclass(frozen=True, slots=True)
class Marginal:
    """Numbers of records by value of one attribute, rounded to multiples of the floor."""

    name: str
    kind: str
    labels: tuple[str, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    rest: int | None = None

    @property
    def clipped_bar(self) -> int | None:
        """The bar of the rest where it is so long that all others beside it look alike."""
        if self.rest is None:
            return None
        bars = list(zip(self.before, self.after, strict=True))
        longest = max(max(bar) for place, bar in enumerate(bars) if place != self.rest)
        return self.rest if max(bars[self.rest]) > DWARFING * longest else None


def marginal_of(
    table: EncodedTable,
    partition: Partition,
    column: int,
    recoded: RecodedAttribute,
    sizes: NDArray[np.int64],
    floor: int,
    speech: Translator = ENGLISH,
) -> Marginal:
    """Count one quasi-identifier before and after.

    sizes: (n_classes,) records of each class.

    Notes
    -----
    Costs one pass over the tuples; for the `set` recoding three counting sorts of them.

    """
    domain = table.domains[column]
    before = released_counts(table, partition, column)
    extent = Extent.of(domain, recoded)
    if recoded.recoding == "set":
        after = _over_sets(table, partition, column, sizes)
        marks = marks_of_sets(table, partition, column)
    else:
        after = _over_intervals(extent, sizes, domain.size)
        marks = marks_of_intervals(extent, domain.size)
    bars = _bars_of_labels(domain, recoded, extent, speech)
    if bars is None:
        bars = bars_of(domain, before, floor, MOST_BARS, speech, marks)
    n_bars = len(bars.labels)
    summed, spread = (
        np.bincount(bars.bar_of_code, counts, minlength=n_bars) for counts in (before, after)
    )
    return Marginal(
        domain.name,
        domain.kind,
        bars.labels,
        tuple(round_count(number, floor) for number in summed.tolist()),
        tuple(round_count(number, floor) for number in spread.tolist()),
        bars.rest,
    )


def _bars_of_labels(
    domain: Domain, recoded: RecodedAttribute, extent: Extent, speech: Translator
) -> Bars | None:
    """Return one bar per released label where labels are few and do not overlap, else None."""
    if recoded.recoding != "hierarchy" or not len(extent.low):
        return None
    _values, first = np.unique(extent.low, return_index=True)
    low, high = extent.low[first], extent.high[first]
    spans = {*zip(extent.low.tolist(), extent.high.tolist(), strict=True)}
    if len(first) != len(spans) or len(first) > MOST_BARS or (low[1:] <= high[:-1]).any():
        return None
    labels = recoded.columns[0].gather(recoded.label_of_class[first].astype(np.int64)).to_list()
    texts = [speech.text(_("(missing)")) if label is None else str(label) for label in labels]
    # Values that no label covers have no record in the release.
    bar = np.maximum(np.searchsorted(low, np.arange(domain.size), side="right") - 1, 0)
    return Bars(tuple(texts), bar.astype(np.int64))


def _over_intervals(extent: Extent, sizes: NDArray[np.int64], n_codes: int) -> NDArray[np.float64]:
    """Spread each class over its interval of codes, by differences at both ends."""
    share = sizes / (extent.high - extent.low + 1)
    change = np.bincount(extent.low, share, minlength=n_codes + 1)
    change -= np.bincount(extent.high + 1, share, minlength=n_codes + 1)
    return np.maximum(np.cumsum(change)[:n_codes], 0.0)


def _over_sets(
    table: EncodedTable, partition: Partition, column: int, sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Spread each class over the distinct codes that its released set holds."""
    offsets, members, n_labels = set_members(table, partition, column)
    if partition.groups is not None:
        sizes = np.bincount(partition.groups[:, column], sizes, n_labels).astype(np.int64)
    width = np.diff(offsets)
    n_codes = table.domains[column].size
    return np.bincount(members, np.repeat(sizes / width, width), n_codes).astype(np.float64)
