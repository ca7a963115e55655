"""The centroid of each class: its mean, its median or its most frequent value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.columns.values import text_of
from kanonym.data.hierarchy.base import ROOT
from kanonym.data.readings.bounds import ends_with_bound, sides_of
from kanonym.data.schema import Recoding
from kanonym.data.table import Domain
from kanonym.recoding.generalization import all_values, restore_type


def centroids(
    domain: Domain,
    recoding: Recoding,
    histograms: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]],
    dtype: pl.DataType | None = None,
    *,
    keep_integers: bool = False,
) -> tuple[tuple[pl.Series, ...], NDArray[np.int32]]:
    """Label each class by its mean, median or most frequent value.

    Mean and median are of the values that are present; a class of nulls stays null. Of an
    even number of records, numbers have the mean of the two in the middle as their median,
    other values the lower one. Among values of equal frequency the mode is the one of the
    lowest code.

    Returns
    -------
    One column of labels, and the (n_classes,) int32 place of each class in it.

    """
    offsets, codes, counts = histograms
    n_classes = len(offsets) - 1
    owners = np.repeat(np.arange(n_classes), np.diff(offsets))
    if recoding == "mode":
        column = all_values(domain)
        used, inverse = np.unique(_modes(owners, codes, counts), return_inverse=True)
        return (restore_type(column.gather(used), dtype),), inverse.astype(np.int32)
    if domain.exceptions:
        return _beside_exceptions(domain, recoding, histograms, keep_integers=keep_integers)
    held = codes != domain.null_code
    owners, codes, counts = owners[held], codes[held], counts[held]
    # Each run of entries is a class that has a value.
    classes, starts = np.unique(owners, return_index=True)
    sizes = np.add.reduceat(counts, starts) if len(starts) else counts
    if recoding == "median":
        upto = np.cumsum(counts)
        before = np.cumsum(sizes) - sizes
        lower = codes[np.searchsorted(upto, before + (sizes + 1) // 2)]
        upper = codes[np.searchsorted(upto, before + sizes // 2 + 1)]
    place = np.full(n_classes, len(classes), np.int32)
    place[classes] = np.arange(len(classes), dtype=np.int32)
    if recoding == "median" and domain.kind != "number":
        found = domain.values.gather(lower)
    elif keep_integers and domain.values.dtype.is_integer():
        # Sums of integers may need more than 64 bits.
        whole = np.array(domain.values.to_list(), object)
        if recoding == "median":
            rounded = _divide_rounded(whole[lower] + whole[upper], 2)
        else:
            terms = whole[codes] * counts.astype(object)
            sums = np.add.reduceat(terms, starts) if len(starts) else terms
            rounded = _divide_rounded(sums, sizes.astype(object))
        found = pl.Series(domain.name, rounded.tolist(), dtype=domain.values.dtype)
    else:
        values = domain.values.cast(pl.Float64).to_numpy()
        # A bound counts as its number, and alone stays a bound.
        line = sides_of(values)[0] if any(ends_with_bound(values)) else values
        if recoding == "median":
            centres = np.where(lower == upper, values[lower], (line[lower] + line[upper]) / 2)
        else:
            centres = _means(line[codes], counts, starts, sizes)
            alone = np.diff(np.append(starts, len(codes))) == 1
            centres[alone] = values[codes[starts[alone]]]
        found = pl.Series(domain.name, centres, dtype=pl.Float64)
    if len(classes) < n_classes:
        found = found.extend_constant(None, 1)
    return (found,), place


def _beside_exceptions(
    domain: Domain,
    recoding: Recoding,
    histograms: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]],
    *,
    keep_integers: bool,
) -> tuple[tuple[pl.Series, ...], NDArray[np.int32]]:
    """Label each class as text: one exception as itself, others with exceptions as `*`."""
    offsets, codes, counts = histograms
    n_classes = len(offsets) - 1
    owners = np.repeat(np.arange(n_classes), np.diff(offsets))
    last = domain.apart + len(domain.exceptions)
    is_exception = (codes >= domain.apart) & (codes < last)
    plain = replace(
        domain,
        values=domain.values.head(domain.apart),
        observed=domain.observed[: domain.apart + domain.has_null],
        exceptions=(),
    )
    others = np.where(codes >= last, np.int32(domain.apart), codes)[~is_exception]
    starts = np.concatenate([[0], np.cumsum(np.bincount(owners[~is_exception], None, n_classes))])
    (found,), place = centroids(
        plain,
        recoding,
        (starts.astype(np.int64), others, counts[~is_exception]),
        keep_integers=keep_integers,
    )
    labels = np.array(text_of(found).to_list(), object)[place]
    held = np.unique(owners[is_exception])
    alone = np.diff(offsets)[held] == 1
    labels[held] = ROOT
    first = codes[offsets[:-1][held[alone]]] - domain.apart
    labels[held[alone]] = np.array(domain.exceptions, object)[first]
    column = pl.Series(domain.name, labels.tolist(), dtype=pl.String)
    distinct = column.unique(maintain_order=True)
    numbers = pl.int_range(len(distinct), dtype=pl.Int32, eager=True)
    return (distinct,), column.replace_strict(distinct, numbers).to_numpy()


def _modes(
    owners: NDArray[np.int64], codes: NDArray[np.int32], counts: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return the most frequent code of each class, of equally frequent ones the lowest."""
    entries = pl.DataFrame({"class": owners, "code": codes, "count": counts})
    top = entries.sort("class", "count", "code", descending=[False, True, False])
    return top.unique("class", keep="first", maintain_order=True)["code"].to_numpy()


def _means(
    values: NDArray[np.float64],
    counts: NDArray[np.int64],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the mean of each run; rounding does not lead out of its range."""
    if not len(starts):
        return values
    means = np.add.reduceat(values * counts, starts) / sizes
    outer = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return np.asarray(np.clip(means, *outer))


def _divide_rounded(numerators: NDArray[Any], denominators: Any) -> NDArray[Any]:
    """Return quotients of Python's integers, rounded half to even."""
    floors, rests = numerators // denominators, numerators % denominators
    up = (2 * rests > denominators) | ((2 * rests == denominators) & (floors % 2 == 1))
    return np.asarray(floors + up)
