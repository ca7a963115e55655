"""From decisions to released values, group by group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import SchemaError
from kanonym.data.hierarchy import Hierarchy
from kanonym.data.hierarchy.base import ROOT
from kanonym.data.hierarchy.labels import set_label
from kanonym.data.partition import SUPPRESSED, Partition, RecodedAttribute
from kanonym.data.schema import QuasiIdentifier, Recoding
from kanonym.data.table import Domain, EncodedTable, Kind, encode_column, value_codes
from kanonym.kernels.classes.grouping import group_rows, sort_rows, take
from kanonym.kernels.classes.histograms import Costs, class_bounds, class_histograms, span_losses
from kanonym.kernels.parallel import parallel
from kanonym.kernels.swapping import shuffle
from kanonym.recoding.balance import values_of_codes, with_balanced_values
from kanonym.recoding.centroids import centroids
from kanonym.recoding.generalization import generalize, joined_levels


def mix_equal_records(
    table: EncodedTable,
    partition: Partition,
    names: Sequence[str],
    column: Callable[[str], pl.Series],
    seed: int,
) -> Partition:
    """Return a partition in which chance decides which of the records of a tuple is in which class.

    How many of them are in each class stays. Records are sorted by all that distinguishes them
    before they are shuffled: the same records in any order are then divided in the same way, and
    neither their order nor their values tell who is in which class.

    Notes
    -----
    Cost: two passes over the records, and a sort of those whose tuples are divided.

    """
    if not partition.by_row or not names:
        return partition
    labels, tuple_of_row = partition.labels, table.tuple_of_row
    any_label = np.empty(len(table.weights), np.int32)
    any_label[tuple_of_row] = labels
    is_divided = np.zeros(len(table.weights), np.bool_)
    is_divided[tuple_of_row[labels != any_label[tuple_of_row]]] = True
    rows = np.flatnonzero(is_divided[tuple_of_row])
    if not len(rows):
        return partition

    def code_column(name: str) -> tuple[NDArray[np.int32], int]:
        domain, codes = encode_column(column(name).gather(rows), by_value=True)
        return codes, domain.size

    keys = parallel(code_column, names)
    tuples, size = tuple_of_row[rows], len(table.weights)
    mixed = sort_rows([tuples, *(codes for codes, _ in keys)], [size, *(size for _, size in keys)])
    shuffle(mixed, seed)
    mixed = mixed[sort_rows([tuples[mixed]], [size])]
    by_label = sort_rows([tuples, labels[rows] + np.int32(1)], [size, partition.n_classes + 1])
    labels = labels.copy()
    labels[rows[mixed]] = labels[rows[by_label]]
    return replace(partition, labels=labels)


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


def expand_groups(recoded: RecodedAttribute, groups: NDArray[np.int32]) -> RecodedAttribute:
    """Return an attribute that was recoded by group as every class releases it.

    groups: (n_classes,) int32, the group of each class.
    """
    return replace(
        recoded,
        label_of_class=recoded.label_of_class[groups],
        low=recoded.low[groups],
        high=recoded.high[groups],
        loss=recoded.loss[groups],
    )


def joined_groups(groups: NDArray[np.int32], joined: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return (n_joined, d) int32: the groups of joined classes, those that meet in one made one.

    Where classes of equal released values are joined, the joined groups release them, too:
    so do their mean, median, mode, span and set.

    groups: (n_classes, d) int32, the groups before.
    joined: (n_classes,) int32, the class that each becomes part of.
    """
    n_joined = int(joined.max(initial=-1)) + 1
    own = np.empty((n_joined, groups.shape[1]), np.int32)
    for a, column in enumerate(groups.T):
        own[joined, a] = _connected_groups(column, joined, n_joined)[column]
    return renumber_groups(own)


def renumber_groups(groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return (n_classes, d) groups with those of each attribute numbered from 0, in their order."""
    own = np.empty_like(groups)
    for a, column in enumerate(groups.T):
        own[:, a] = np.unique(column, return_inverse=True)[1]
    return own


def _connected_groups(
    groups: NDArray[np.int32], joined: NDArray[np.int32], n_joined: int
) -> NDArray[np.int32]:
    """Return (n_groups,) int32: the lowest of the groups that each one is connected to."""
    root = np.arange(int(groups.max(initial=-1)) + 1, dtype=np.int32)
    while True:
        lowest = np.full(n_joined, len(root), np.int32)
        np.minimum.at(lowest, joined, root[groups])
        hooked = root.copy()
        np.minimum.at(hooked, root[groups], lowest[joined])
        hooked = hooked[hooked]
        if np.array_equal(hooked, root):
            return root
        root = hooked


ALLOWED: dict[Kind, tuple[Recoding, ...]] = {
    "number": ("interval", "range", "set", "hierarchy", "mean", "median", "mode", "balanced"),
    "temporal": ("interval", "range", "set", "hierarchy", "median", "mode", "balanced"),
    "ordered": ("interval", "range", "set", "hierarchy", "median", "mode", "balanced"),
    "nominal": ("set", "hierarchy", "mode", "balanced"),
}
"""Recodings that have a meaning for each kind of attribute; the first is its default."""

CENTROIDS: dict[Kind, Recoding] = {
    "number": "mean",
    "temporal": "median",
    "ordered": "median",
    "nominal": "mode",
}
"""The centroid of each kind of attribute: the default of algorithms that microaggregate."""


def choose_recoding(
    name: str, attribute: QuasiIdentifier, kind: Kind, default: Recoding | None
) -> Recoding:
    """Return the recoding of one attribute: its own, the policy's where it fits, or the kind's.

    A policy-wide `set` means intervals for numbers, dates and ordered categories.
    """
    allowed = ALLOWED[kind]
    if attribute.recoding is not None:
        if attribute.recoding not in allowed:
            raise SchemaError(
                f"attribute {name!r} is {kind}: recoding {attribute.recoding!r} does not apply; "
                f"choose one of {', '.join(allowed)}"
            )
        return attribute.recoding
    if default == "set":
        return allowed[0]
    if default in allowed and (default != "hierarchy" or attribute.hierarchy is not None):
        return default
    return "hierarchy" if attribute.hierarchy is not None else allowed[0]


def recode(
    table: EncodedTable,
    partition: Partition,
    recodings: Sequence[Recoding],
    costs: Costs,
    dtypes: Sequence[pl.DataType] | None = None,
    *,
    keep_integers: bool = False,
) -> tuple[RecodedAttribute, ...]:
    """Give every class of a partition its released values.

    Notes
    -----
    Cost O(n_tuples · d + n_classes · d log n_classes).

    """
    codes, weights = table.codes, table.weights
    if partition.by_row:
        codes = codes[table.tuple_of_row]
        weights = np.ones(len(codes), np.int64)
    if partition.chosen is None:
        partition = with_balanced_values(table, partition, recodings)
    if partition.levels is not None:
        return generalize(table.domains, partition.levels, codes, partition.labels, dtypes)

    together = None  # of all attributes, where they have the same groups: one pass
    if partition.groups is None:
        together = class_bounds(partition.labels, codes, partition.n_classes)

    def attribute(a: int) -> RecodedAttribute:
        domain, recoding = table.domains[a], recodings[a]
        givers, n_givers = partition.value_groups(a)
        column = np.ascontiguousarray(codes[:, a])
        low, high = together or class_bounds(givers, column[:, None], n_givers)
        own = a if together else 0
        bounds = np.ascontiguousarray(low[:, own]), np.ascontiguousarray(high[:, own])
        if recoding in ("set", "mean", "median", "mode"):
            histograms = class_histograms(givers, column, weights, n_givers, domain.size)
        if recoding == "set":
            loss = (np.diff(histograms[0]) - 1) * _unit(costs, a)
            labels, label_of_class = _sets(domain, *histograms[:2])
        else:
            loss = span_losses(a, *bounds, costs)
            if recoding == "balanced":
                labels, label_of_class = (), np.zeros(n_givers, np.int32)
            elif recoding in ("mean", "median", "mode"):
                labels, label_of_class = centroids(
                    domain,
                    recoding,
                    histograms,
                    None if dtypes is None else dtypes[a],
                    keep_integers=keep_integers,
                )
            else:
                labels, label_of_class = _spans(domain, recoding, *bounds)
        one = RecodedAttribute(domain.name, recoding, labels, label_of_class, *bounds, loss)
        one = one if partition.groups is None else expand_groups(one, partition.groups[:, a])
        if recoding != "balanced":
            return one
        dtype = None if dtypes is None else dtypes[a]
        chosen = np.empty(0, np.int32) if partition.chosen is None else partition.chosen[:, a]
        labels, label_of_class = values_of_codes(domain, chosen, dtype)
        return replace(one, columns=labels, label_of_class=label_of_class)

    return tuple(parallel(attribute, range(len(recodings))))


def released_names(name: str, recoding: Recoding) -> list[str]:
    """Return the names of the columns that an attribute is released as."""
    return [f"{name}_min", f"{name}_max"] if recoding == "range" else [name]


def join_equal(
    table: EncodedTable, partition: Partition, recoded: Sequence[RecodedAttribute]
) -> Partition:
    """Join classes that release the same values, which are one class to everybody else.

    Returns the partition itself where there are none. They come of recodings that
    widen (hierarchy) or shrink (mean, median, mode) a class, of classes that overlap,
    of labels that read the same at two levels, and of nulls. Intervals of classes that
    do not overlap need no look.
    """
    distinct = not partition.by_row and all(
        attribute.recoding in ("interval", "range")
        and domain.kind in ("number", "temporal")
        and not domain.has_null
        and not domain.exceptions
        for domain, attribute in zip(table.domains, recoded, strict=True)
    )
    if distinct or not partition.n_classes:
        return partition
    coded = [(value_codes(column), one) for one in recoded for column in one.columns]
    groups = group_rows(
        [codes[one.label_of_class] for (codes, _), one in coded], [size for (_, size), _ in coded]
    )
    if len(groups.sizes) == partition.n_classes:
        return partition
    return relabel_classes(table, partition, groups.labels)


def relabel_classes(
    table: EncodedTable, partition: Partition, labels: NDArray[np.int32]
) -> Partition:
    """Join classes: (n_classes,) int32 new labels, none left out; the suppressed stay so.

    Where the partition has levels, joined classes go up to the first that they share; where
    it has groups, those that meet in a joined class are one from then on.
    """
    # The label of the suppressed, -1, reads the entry that is appended.
    old_to_new = np.append(labels, np.int32(SUPPRESSED))
    groups = None if partition.groups is None else joined_groups(partition.groups, labels)
    n_classes = int(labels.max(initial=-1)) + 1
    chosen = partition.chosen
    if chosen is not None:  # a value of one of the joined classes is one of theirs
        chosen = chosen[np.unique(labels, return_index=True)[1]]
    joined = replace(
        partition,
        labels=old_to_new[partition.labels],
        n_classes=n_classes,
        groups=groups,
        chosen=chosen,
    )
    if partition.levels is None:
        return joined
    codes = table.codes[table.tuple_of_row] if partition.by_row else table.codes
    levels = joined_levels(table.domains, partition.levels, labels, codes, joined.labels)
    return replace(joined, levels=levels)


def _unit(costs: Costs, a: int) -> float:
    """Return what one more distinct code costs in a SET attribute."""
    first = int(costs.attributes[a, 1])
    last = int(costs.attributes[a + 1, 1]) if a + 1 < len(costs.attributes) else None
    own = costs.positions[first:last]
    return float(own[1]) if len(own) > 1 else 0.0


def _spans(
    domain: Domain, recoding: Recoding, low: NDArray[np.int32], high: NDArray[np.int32]
) -> tuple[tuple[pl.Series, ...], NDArray[np.int32]]:
    """Label each class by its outer codes: as interval, two columns or common ancestor."""
    groups = group_rows([low, high], [domain.size, domain.size])
    low, high = low[groups.first], high[groups.first]
    if recoding == "hierarchy" and domain.hierarchy is not None:
        names = _ancestors(domain.name, domain.hierarchy, low, high)
        # Spans below one node share its label.
        labels = names.unique(maintain_order=True)
        place = pl.int_range(len(labels), dtype=pl.Int32, eager=True)
        merged = names.replace_strict(labels, place).to_numpy() if len(names) else groups.labels
        return (labels,), merged[groups.labels]
    mixed = (high >= domain.apart) & (low != high)
    if recoding == "range":  # null where there is none
        values = domain.values.extend_constant(None, 1)
        lowest = values.gather(np.where(mixed, len(domain.values), low))
        highest = values.gather(np.where(mixed, len(domain.values), high))
        return (
            lowest.alias(released_names(domain.name, recoding)[0]),
            highest.alias(released_names(domain.name, recoding)[1]),
        ), groups.labels
    texts = domain.texts
    texts = texts.extend_constant(None, 1) if domain.has_null else texts
    frame = pl.DataFrame(
        {"low": texts.gather(low), "high": texts.gather(high), "one": low == high, "mixed": mixed}
    )
    labels = frame.select(
        pl.when("one")
        .then("low")
        .when("mixed")
        .then(pl.lit(ROOT))
        .otherwise(pl.format("[{}, {}]", "low", "high"))
        .alias(domain.name)
    ).to_series()
    return (labels,), groups.labels


def _ancestors(
    name: str, hierarchy: Hierarchy, low: NDArray[np.int32], high: NDArray[np.int32]
) -> pl.Series:
    """Return the label of the lowest common ancestor of each pair of leaves."""
    levels = hierarchy.meet(low, high)
    names = np.empty(len(low), object)
    for level, labels in enumerate(hierarchy.labels):
        met = levels == level
        names[met] = np.array(labels, object)[hierarchy.codes[level, low[met]]]
    return pl.Series(name, names.tolist(), dtype=pl.String)


def _sets(
    domain: Domain, offsets: NDArray[np.int64], values: NDArray[np.int32]
) -> tuple[tuple[pl.Series, ...], NDArray[np.int32]]:
    """Label each class by its distinct values: one alone as itself, several as `{a, b}`.

    Sets read in the order of their values, null last, whatever order the codes stand in. A set
    with an exception and other values is the root.
    """
    in_order = domain.values.arg_sort(nulls_last=True).to_numpy()
    ranks = np.arange(domain.size, dtype=np.int32)
    ranks[in_order] = np.arange(len(in_order), dtype=np.int32)
    owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    ranked = ranks[values]
    packed = ranked[np.lexsort((ranked, owners))].tobytes()
    named = set(domain.exceptions)
    known: dict[bytes, int] = {}
    label_of_class = np.array(
        [
            known.setdefault(packed[start:stop], len(known))
            for start, stop in pairwise((offsets * ranked.itemsize).tolist())
        ],
        np.int32,
    )
    texts = [*domain.texts.gather(in_order).to_list(), *([None] * domain.has_null)]
    lists = [[texts[rank] for rank in np.frombuffer(key, np.int32)] for key in known]
    labels = [
        ROOT if len(members) > 1 and not named.isdisjoint(members) else set_label(members)
        for members in lists
    ]
    return (pl.Series(domain.name, labels, dtype=pl.String),), label_of_class
