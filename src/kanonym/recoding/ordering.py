"""The order of released records: drawn from the seed, without a trace of the input's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.recoded_attribute import RecodedAttribute
from kanonym.data.table import encode_column
from kanonym.kernels.classes.grouping import group_rows, sort_rows, take
from kanonym.kernels.parallel import parallel
from kanonym.kernels.shuffle import shuffle


def released_rows(
    labels: NDArray[np.int32],
    recoded: Sequence[RecodedAttribute],
    untouched: Sequence[str],
    column: Callable[[str], pl.Series],
    seed: int | None,
) -> NDArray[np.int64]:
    """Return the records that are released, in the order of the release.

    Records are sorted by all that is released of them before they are shuffled:
    whoever knows the seed and undoes the shuffle finds nothing of the input's order,
    and the same records in any order give the same release.

    labels: (n_rows,) class of each record, negative for suppressed ones.

    Notes
    -----
    Cost: one radix sort, and one encoding an untouched column.

    """
    everything = int(labels.min(initial=0)) >= 0
    kept = np.empty(0, np.int64) if everything else np.flatnonzero(labels >= 0)
    n_kept = len(labels) if everything else len(kept)
    if seed is None or not n_kept:
        return np.arange(n_kept) if everything else kept

    def released_codes(of_record: NDArray[np.int32]) -> NDArray[np.int32]:
        return of_record if everything else of_record[kept]

    def code_column(name: str) -> tuple[NDArray[np.int32], int]:
        domain, codes = encode_column(column(name), by_value=True)
        return released_codes(codes), domain.size

    keys = parallel(code_column, untouched)
    if recoded:
        by_class = [part.label_of_class for part in recoded]
        classes = group_rows(by_class, [int(part.max()) + 1 for part in by_class])
        own = np.empty(n_kept, np.int32)
        take(classes.labels, released_codes(labels), own)
        keys.append((own, len(classes.sizes)))
    # Narrow row numbers: memory bounds the shuffle.
    rows = np.arange(n_kept, dtype=np.int32)
    if keys:
        rows = sort_rows([codes for codes, _ in keys], [size for _, size in keys])
    shuffle(rows, seed)
    return rows.astype(np.int64) if everything else kept[rows]
