"""From released labels back to levels: how many persons of a population could be meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.columns.value_texts import text_of
from kanonym.data.errors import SchemaError
from kanonym.data.hierarchy import Hierarchy, HierarchySource
from kanonym.data.table import encode_column
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.parallel import parallel

NEEDED = "; k-map and delta-presence need recoding 'hierarchy'"
"""What models ask of a release, behind the message that one of its values is no label."""


class PopulationColumn(NamedTuple):
    """One quasi-identifier in the population table: (n_persons,) values."""

    values: pl.Series
    hierarchy: HierarchySource | None


def count_persons(
    released: Sequence[pl.Series],
    population: Sequence[PopulationColumn],
    first: NDArray[np.int64],
    needed: str = NEEDED,
) -> tuple[NDArray[np.int64], int]:
    """Count the persons with the values of each class, (n_classes,) int64, and of none."""
    if len(released) != len(population):
        raise SchemaError(
            "the release has other columns than the population table has quasi-identifiers: "
            "k-map and delta-presence need recoding 'hierarchy' throughout"
        )
    if not len(first):
        return np.zeros(0, np.int64), len(population[0].values) if population else 0
    encoded = parallel(lambda one: encode_column(one.values, _required_hierarchy(one)), population)
    trees = [domain.hierarchy for domain, _ in encoded if domain.hierarchy is not None]
    persons = group_rows([codes for _, codes in encoded], [tree.size for tree in trees])
    levels = np.zeros((len(first), len(trees)), np.int32)
    labels = np.zeros((len(first), len(trees)), np.int32)
    for a, (tree, column) in enumerate(zip(trees, released, strict=True)):
        levels[:, a], labels[:, a] = _read_levels(tree, column.gather(first), needed)
    counts = np.zeros(len(first), np.int64)
    reached = np.zeros(len(persons.sizes), np.bool_)
    ways = group_rows(_columns(levels), [tree.n_levels for tree in trees])
    for way, row in enumerate(ways.codes.tolist()):
        own = np.flatnonzero(ways.labels == way)
        columns = [
            np.concatenate([labels[own, a], tree.codes[level][persons.codes[:, a]]])
            for a, (tree, level) in enumerate(zip(trees, row, strict=True))
        ]
        sizes = [len(tree.labels[level]) for tree, level in zip(trees, row, strict=True)]
        groups = group_rows(columns, sizes)
        of_class, of_person = groups.labels[: len(own)], groups.labels[len(own) :]
        counts[own] = np.bincount(of_person, persons.sizes, len(groups.sizes))[of_class]
        reached |= np.isin(of_person, of_class)
    return counts, int(persons.sizes[~reached].sum())


def _columns(codes: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    return [np.ascontiguousarray(codes[:, a]) for a in range(codes.shape[1])]


def _required_hierarchy(column: PopulationColumn) -> HierarchySource:
    if column.hierarchy is None:
        raise SchemaError(
            f"quasi-identifier {column.values.name!r} has no hierarchy: k-map and delta-presence "
            "need recoding 'hierarchy'"
        )
    return column.hierarchy


def _read_levels(
    tree: Hierarchy, released: pl.Series, needed: str
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return (n,) int32 levels and labels of released values.

    The level is the lowest that has all of the values, as after full-domain generalization,
    else the lowest of each: where a label stands at several, the fewest persons are meant.
    """
    distinct = released.unique(maintain_order=True)
    place = released.replace_strict(
        distinct, pl.int_range(len(distinct), dtype=pl.Int64, eager=True), return_dtype=pl.Int64
    ).to_numpy()
    texts = text_of(distinct).to_list()
    found = np.empty((tree.n_levels, len(texts)), np.int32)
    for level, names in enumerate(tree.labels):
        number = {name: i for i, name in enumerate(names)}
        found[level] = [number.get(text, -1) for text in texts]
    if distinct.dtype != pl.String:
        # A number may read otherwise than its label: 1.50 and 1.5.
        leaves = tree.leaf_of(distinct)
        found[0] = np.where(found[0] < 0, leaves, found[0])
    known = found >= 0
    if not known.any(axis=0).all():
        wrong = distinct[int(np.argmin(known.any(axis=0)))]
        raise SchemaError(
            f"column {released.name!r}: {wrong!r} is not a label of its hierarchy{needed}"
        )
    shared = np.flatnonzero(known.all(axis=1))
    lowest = np.full(len(texts), shared[0]) if len(shared) else np.argmax(known, axis=0)
    levels = lowest[place].astype(np.int32)
    return levels, found[levels, place]
