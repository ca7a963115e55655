"""Re-identification by similarity: who in open data is nearest to which anonymized record.

The similarity of two records at distance d is 1 / (1 + d), d Euclidean between values that are
standardized: less the mean, which SIGO rounds to two decimals, over the standard
deviation around that rounded mean. An attribute that does not vary parts nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.sigo.anonymizers import Clusters, check_kinds
from kanonym.sigo.attributes import Attribute, identities, read_attribute, round_half_away
from kanonym.sigo.records import NULL, Records, go_numbers, json_lines

Points = NDArray[np.float64]


class Reidentification(NamedTuple):
    """What a search of open data found: JSON Lines, how many, and what to beware of."""

    printed: bytes
    n_found: int
    warnings: tuple[str, ...]


def reidentify(
    original: Records,
    masked: Records,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    threshold: float = 0.5,
) -> Reidentification:
    """Find for each record of open data the most similar anonymized ones.

    Anonymized records with equal quasi-identifiers are a group, which gives a sensitive value
    away if all of it have the same. A record of the open data whose nearest group gives its values
    away is printed, if they are similar enough. Of groups that are equally near, the one
    that comes first in the file is taken.

    Notes
    -----
    Each file is standardized with its own mean and deviation, each group counting once. Other
    columns of numbers that the open data have add their standardized value to the distance,
    as in SIGO, and are warned of. Cost O((n + m) log m) for m groups of few attributes.

    """
    original.require(quasi_identifiers)
    masked.require([*quasi_identifiers, *sensitive])
    if not len(masked):
        raise DataError(f"{masked.where} holds no record: there is nothing to compare with")
    if not len(original):
        return Reidentification(b"", 0, (f"{original.where} holds no record",))
    known = _points(masked, quasi_identifiers)
    first, group = _groups(known)
    given = [
        _has_common_value(identities(masked.columns[name]), group, len(first)) for name in sensitive
    ]
    asked = standardize(_points(original, quasi_identifiers))
    nearest, distance = _nearest(standardize(known[first]), asked)
    beside = _other_columns(original, {*quasi_identifiers, *sensitive})
    if beside:
        others = standardize(np.column_stack(list(beside.values())))
        distance = np.sqrt(distance**2 + (others**2).sum(axis=1))
    similarity = 1 / (1 + distance)
    told = np.all([shared[nearest] for shared in given], axis=0)
    rows = np.flatnonzero(told & (similarity >= np.float32(threshold).astype(np.float64)))
    of_rows = first[nearest[rows]]
    values = [pl.lit(masked.columns[name].gather(of_rows)) for name in sensitive]
    listed = pl.format("[{}]", pl.concat_str(values, separator=","))
    printed = {
        "sensitive": pl.select(listed).to_series(),
        "similarity": go_numbers(round_half_away(100 * similarity[rows], 2)),
    }
    warnings = [
        f"{name} of {original.where} is not a quasi-identifier but a number: as in SIGO it adds to "
        "every distance; leave the column out if it should not"
        for name in beside
    ]
    return Reidentification(json_lines(original, rows, printed), len(rows), tuple(warnings))


def reidentify_in_clusters(
    records: Records, attributes: Sequence[Attribute], clusters: Clusters, flag: str, given: str
) -> dict[str, pl.Series]:
    """Re-identify inside of a merged file, cluster by cluster: `-a reidentification`.

    Notes
    -----
    Values are standardized inside of each cluster, over all its records. If the
    anonymized records share one value, it is found with similarity 1. Of those equally near the
    last one in printed order is taken. Cost: a product of both numbers for each cluster.

    """
    check_kinds(attributes, "reidentification")
    records.require([flag, given])
    is_open = _flags(records, flag)[clusters.order]
    without = np.flatnonzero(np.logical_and.reduceat(is_open, clusters.starts[:-1]))
    if len(without):
        place = records.place(int(clusters.order[clusters.starts[without[0]]]))
        raise DataError(
            f"the cluster of {place} has no anonymized record: ask for -l 2 with -s {flag}"
        )
    cells = records.columns[given].gather(clusters.order)
    values = identities(cells).to_numpy()
    points = np.column_stack([attribute.values[clusters.order] for attribute in attributes])
    source = np.full(len(records), -1)
    similarity = np.zeros(len(records))
    for start, stop in pairwise(clusters.starts.tolist()):
        inside = np.arange(start, stop)
        open_here, masked_here = inside[is_open[start:stop]], inside[~is_open[start:stop]]
        if len(set(values[masked_here])) == 1 and values[masked_here[0]] != NULL:
            source[open_here], similarity[open_here] = masked_here[0], 1.0
        elif (points[masked_here] != points[masked_here[0]]).any():
            scaled = standardize(points[start:stop])
            backwards = masked_here[::-1]
            nearest, distance = _nearest(scaled[backwards - start], scaled[open_here - start])
            source[open_here], similarity[open_here] = backwards[nearest], 1 / (1 + distance)
    column = pl.Series(source >= 0)
    nothing = pl.Series([None], dtype=pl.String).new_from_index(0, len(column))
    return {
        given: cells.fill_null(NULL).gather(np.maximum(source, 0)).zip_with(column, nothing),
        "similarity": go_numbers(similarity).zip_with(column, nothing),
    }


def standardize(points: Points) -> Points:
    """Return (n, d) columns less their mean, rounded to two decimals, over their deviation.

    The deviation is that around the rounded mean, of a population. Where it is 0, the
    column is 0. Sums run in the order of the rows.
    """
    mean = round_half_away(points.cumsum(axis=0)[-1] / len(points), 2)
    apart = points - mean
    deviation = np.sqrt((apart**2).cumsum(axis=0)[-1] / len(points))
    constant = (points == points[0]).all(axis=0) | (deviation == 0)
    return np.where(constant, 0.0, apart / np.where(constant, 1.0, deviation))


def _points(records: Records, names: Sequence[str]) -> Points:
    attributes = [read_attribute(records, name) for name in names]
    check_kinds(attributes, "reidentification")
    return np.column_stack([attribute.values for attribute in attributes])


def _other_columns(records: Records, known: set[str]) -> dict[str, NDArray[np.float64]]:
    """Return the other columns that are numbers throughout."""
    found = {}
    for name, cells in records.columns.items():
        numbers = cells.cast(pl.Float64, strict=False)
        if name not in known and numbers.is_finite().fill_null(value=False).all():
            found[name] = numbers.to_numpy()
    return found


def _groups(points: Points) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first record of each group of equal ones, ascending, and each record's group."""
    _, first, group = np.unique(points, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[group.ravel()]


def _has_common_value(
    cells: pl.Series, group: NDArray[np.int64], n_groups: int
) -> NDArray[np.bool_]:
    """Return (n_groups,) bool: whether all records of a group have one value, not null."""
    _, codes = np.unique(cells.to_numpy(), return_inverse=True)
    least, most = np.full(n_groups, len(codes)), np.full(n_groups, -1)
    np.minimum.at(least, group, codes)
    np.maximum.at(most, group, codes)
    is_null = np.zeros(n_groups, np.bool_)
    is_null[group[(cells == NULL).to_numpy()]] = True
    result: NDArray[np.bool_] = (least == most) & ~is_null
    return result


def _nearest(points: Points, asked: Points) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return place and distance of the point nearest to each one asked; the first of equals."""
    from kanonym.evaluation.attacks.matching.lookup import nearest_points  # noqa: PLC0415 - scipy, for who needs it

    return nearest_points(points, asked)


def _flags(records: Records, flag: str) -> NDArray[np.bool_]:
    cells = records.columns[flag].fill_null(NULL).str.strip_chars('"')
    flags = cells.replace_strict(
        {"0": False, "false": False, "1": True, "true": True}, default=None, return_dtype=pl.Boolean
    )
    if flags.null_count():
        row = int(flags.is_null().arg_max() or 0)
        value = records.columns[flag][row] or "missing"
        raise DataError(
            f"{records.place(row)}: {flag!r} is {value}; it must be 0 for an anonymized record, "
            "1 for one to re-identify"
        )
    return flags.to_numpy()
