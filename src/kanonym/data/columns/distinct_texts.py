"""The distinct values of a text column of few, and the code of each row, without hashing texts."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.kernels.classes.grouping import take
from kanonym.kernels.classes.pairs import number_pairs


def distinct_texts(column: pl.Series) -> tuple[pl.Series, NDArray[np.int32]] | None:
    """Return distinct non-null values ascending and (n_rows,) codes; null is the last code.

    Returns None where it would take long: of many different values, and of long ones that are
    stored anew for each row.

    column: (n_rows,) of text.

    Notes
    -----
    Arrow has sixteen bytes of each text: up to twelve letters lie in them, of a longer one its
    length, its beginning and its place. Equal bytes are equal texts; unequal bytes may be, and
    are compared as texts. Cost O(n_rows), some nanoseconds each.

    """
    codes = np.empty(len(column), np.int32)
    texts: list[pl.Series] = []
    start, n_found = 0, 0
    for chunk in column.get_chunks():
        own = codes[start : start + len(chunk)]
        is_known = chunk.is_not_null().to_numpy() if chunk.null_count() else np.empty(0, np.bool_)
        first = number_pairs(_views(chunk), is_known, own)
        if not len(first) and chunk.null_count() < len(chunk):
            return None
        if n_found:
            own[own >= 0] += np.int32(n_found)
        texts.append(chunk.gather(first))
        start, n_found = start + len(chunk), n_found + len(first)
    found = pl.concat(texts)
    values = found.unique().sort()
    place = np.append(values.search_sorted(found).to_numpy(), len(values)).astype(np.int32)
    take(place, codes, codes)  # null, -1, reads the last entry
    return values.alias(column.name), codes


def _views(chunk: pl.Series) -> NDArray[np.uint64]:
    """Return the (n, 2) words that Arrow has of each text of one chunk."""
    # Its name is left out: Arrow refuses some.
    array = chunk.alias("").to_arrow(compat_level=pl.CompatLevel.newest())
    words = np.frombuffer(array.buffers()[1], np.uint64).reshape(-1, 2)
    return words[array.offset : array.offset + len(array)]
