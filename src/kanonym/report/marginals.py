"""One quasi-identifier's distribution, in the original table and as the release tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kanonym.data.merged import records_of
from kanonym.kernels.histograms import class_histograms
from kanonym.report.bars import bars_of
from kanonym.report.language import ENGLISH, Speech
from kanonym.report.released import Extent

if TYPE_CHECKING:
    from kanonym.data.partition import Partition
    from kanonym.data.recoded import RecodedAttribute
    from kanonym.data.table import EncodedTable


@dataclass(frozen=True, slots=True)
class Marginal:
    """Numbers of records by value of one attribute.

    Attributes
    ----------
    name, kind
        The attribute and the kind of its domain.
    labels
        One text a bar.
    before, after
        Records of each bar: in the original table, and in the release with the
        records of every class spread evenly over what was released for it.
        Suppressed records are missing from `after`.

    """

    name: str
    kind: str
    labels: tuple[str, ...]
    before: tuple[int, ...]
    after: tuple[float, ...]


def marginal_of(
    table: EncodedTable,
    partition: Partition,
    column: int,
    recoded: RecodedAttribute,
    sizes: NDArray[np.int64],
    floor: int,
    speech: Speech = ENGLISH,
) -> Marginal:
    """Count one quasi-identifier before and after.

    Parameters
    ----------
    table, partition
        The original table and its classes.
    column
        Which quasi-identifier.
    recoded
        That attribute after recoding.
    sizes
        (n_classes,) records of each class.
    floor
        Fewest records that a bar of the original table may show (0 is shown).
    speech
        The language of the labels.

    Notes
    -----
    Costs one pass over the tuples; for the `set` recoding two counting sorts of them.

    """
    domain = table.domains[column]
    before = records_of(table, column)
    bars = bars_of(domain, before, floor, speech=speech)
    if recoded.recoding == "set":
        after = _over_sets(table, partition, column, sizes)
    else:
        after = _over_intervals(Extent.of(domain, recoded), sizes, domain.size)
    n_bars = len(bars.labels)
    summed = np.bincount(bars.bar_of_code, before, minlength=n_bars).astype(np.int64)
    spread = np.bincount(bars.bar_of_code, after, minlength=n_bars).round(2)
    return Marginal(
        domain.name, domain.kind, bars.labels, tuple(summed.tolist()), tuple(spread.tolist())
    )


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
    codes, weights = table.codes[:, column], table.weights
    if partition.by_row:
        codes, weights = codes[table.tuple_of_row], np.ones(table.n_rows, np.int64)
    labels, n_labels = partition.givers(column)
    if partition.groups is not None:
        sizes = np.bincount(partition.groups[:, column], sizes, n_labels).astype(np.int64)
    n_codes = table.domains[column].size
    offsets, members, _ = class_histograms(
        labels, np.ascontiguousarray(codes), weights, n_labels, n_codes
    )
    width = np.diff(offsets)
    return np.bincount(members, np.repeat(sizes / width, width), n_codes).astype(np.float64)
