"""A table, its lattice, and what is required: prepared for a search."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kanonym.algorithms.base import ancestors_of, table_counts
from kanonym.algorithms.options import Bounds
from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.hierarchy import Hierarchy
from kanonym.data.table import EncodedTable, MergedTable, records_of
from kanonym.kernels.arrays import Floats, Int32s, Ints, UInt64s
from kanonym.kernels.classes.disclosure import DISTINCT, SIZE
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.lattice.walk import FLOOR, FLOOR_LOST, HIGH, HIGHEST, LOW, LOWEST, WEIGHT, Axes
from kanonym.metrics.information_loss import BoundMetric, Metric, Terms
from kanonym.models.base import PrivacyModel, check_integer, check_number

"""A level, or the lowest and the highest one."""

Room = tuple[UInt64s, Int32s, UInt64s, Int32s]
"""Memory for the keys and counts of two frequency sets."""

WORD_BITS = 64


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """Everything that a search reads.

    lowest, highest: (d,) int64, the levels allowed.
    order: (d,) int64, the attributes in the order in which a search fixes them: those without a
    choice first, then those with the most values.
    secrets: (n_combinations, s) int32: the sensitive codes behind the last field of `keys`.
    required: (4,) int64, as `kernels.lattice.walk.try_levels` reads it.
    """

    table: EncodedTable
    trees: tuple[Hierarchy, ...]
    metric: BoundMetric
    models: tuple[PrivacyModel, ...]
    checks: tuple[PrivacyModel, ...]
    references: tuple[tuple[Ints, Int32s], ...]
    lowest: Ints
    highest: Ints
    order: Ints
    axes: Axes
    keys: UInt64s
    counts: Int32s
    secrets: Int32s
    required: Ints
    exact: bool
    remembers: bool
    bounded_by_classes: bool
    memory: list[Room]
    steps: int | None = None
    seen: list[tuple[float, tuple[int, ...]]] | None = None

    @property
    def size(self) -> int:
        """Number of nodes of the lattice."""
        return math.prod((self.highest - self.lowest + 1).tolist())

    @property
    def budget(self) -> int:
        """Most records that may be suppressed."""
        return int(self.required[2])

    @property
    def names(self) -> list[str]:
        """The quasi-identifiers."""
        return [domain.name for domain in self.table.domains]

    def in_table_order(self, levels: Sequence[int]) -> Ints:
        """Return (d,) int64 levels by attribute of the table, for levels in search order.

        Attributes that are not fixed yet stand at their lowest level.
        """
        result = self.lowest.copy()
        result[self.order[: len(levels)]] = levels
        return result


def prepare_space(
    table: EncodedTable,
    metric: Metric,
    models: Sequence[PrivacyModel],
    suppression_limit: float,
    levels: Mapping[str, Bounds],
    weights: Mapping[str, float],
) -> SearchSpace:
    """Prepare a search."""
    trees = hierarchies(table)
    lowest, highest = level_bounds(table, levels)
    if isinstance(table, MergedTable):
        lowest = np.maximum(lowest, table.lowest)
    metric_here = metric.bind(table, weights)
    terms = metric_here.terms()
    budget = int(suppression_limit * table.n_rows + 1e-9)
    if not all(model.suppressible for model in models):
        budget = 0
    size, population, only_sizes = _required_sizes(models)
    exact = only_sizes and terms is not None and _suppression_costs_most(terms)
    drops = exact or (only_sizes and terms is None and metric_here.lost_alike)
    kept, lost = _losses(trees, terms)
    whole = _total_losses(table, trees, kept)
    order = _order(trees, lowest, highest)
    keys, counts, secrets, fields = _frequency_set(table, trees, order, lowest, highest)
    scale = np.zeros((len(trees), 5))
    scale[:, HIGH] = 1.0
    if terms is not None:
        scale[:, LOW], scale[:, HIGH] = terms.low, terms.high - terms.low
        scale[:, WEIGHT] = terms.weights
    geometric = terms is not None and terms.geometric
    axes = Axes(
        fields=fields,
        labels=_labels(trees, order, lowest),
        kept=kept[order],
        lost=lost[order],
        lost_least=_least_losses(trees, lost)[order],
        scale=scale[order],
        whole=whole[order],
        charged=np.array([0.0 if terms is None else terms.charged]),
        rest=np.full(len(trees) + 1, float(geometric)),
        form=np.array([geometric, terms is not None and terms.rounded], np.int64),
    )
    _set_floors(axes)
    return SearchSpace(
        table=table,
        trees=trees,
        metric=metric_here,
        models=tuple(models),
        checks=tuple(model for model in models if _excludes_nodes_below(model, budget)),
        references=tuple(
            (table_counts(table, j), ancestors_of(table, j)) for j in range(len(table.sensitive))
        ),
        lowest=lowest,
        highest=highest,
        order=order,
        axes=axes,
        keys=keys,
        counts=counts,
        secrets=secrets,
        required=np.array([size, population, budget, drops], np.int64),
        exact=exact,
        remembers=exact and not _costs_the_same(terms),
        bounded_by_classes=terms is None,
        memory=[],
    )


def narrow_space(
    space: SearchSpace, lowest: Ints, highest: Ints, order: Ints | None = None
) -> SearchSpace:
    """Return a part of the lattice: levels between closer bounds.

    order: of the attributes; None orders them anew.
    """
    if order is None:
        order = _order(space.trees, lowest, highest)
    keys, counts, secrets, fields = _frequency_set(space.table, space.trees, order, lowest, highest)
    place = np.argsort(space.order)[order]
    before = space.axes
    axes = before._replace(
        fields=fields,
        labels=_labels(space.trees, order, lowest),
        kept=before.kept[place],
        lost=before.lost[place],
        lost_least=before.lost_least[place],
        scale=before.scale[place],
        whole=before.whole[place],
        rest=np.full(len(order) + 1, float(before.form[0])),
    )
    _set_floors(axes)
    return replace(
        space,
        lowest=lowest,
        highest=highest,
        order=order,
        axes=axes,
        keys=keys,
        counts=counts,
        secrets=secrets,
        memory=[],
    )


def hierarchies(table: EncodedTable) -> tuple[Hierarchy, ...]:
    """Return the hierarchy of every quasi-identifier."""
    found = []
    for domain in table.domains:
        if domain.hierarchy is None:
            raise SchemaError(f"column {domain.name!r} has no hierarchy")
        found.append(domain.hierarchy)
    return tuple(found)


def level_bounds(table: EncodedTable, levels: Mapping[str, Bounds]) -> tuple[Ints, Ints]:
    """Return (d,) lowest and (d,) highest levels, as they are asked for."""
    trees = hierarchies(table)
    names = [domain.name for domain in table.domains]
    for name in levels:
        if name not in names:
            raise PolicyError(
                f"levels: {name!r} is not a quasi-identifier; there are {', '.join(names)}"
            )
    lowest = np.zeros(len(trees), np.int64)
    highest = np.array([tree.n_levels - 1 for tree in trees], np.int64)
    for a, name in enumerate(names):
        if name in levels:
            given = levels[name]
            low, high = (given, given) if isinstance(given, int) else (given[0], given[-1])
            if not 0 <= low <= high <= highest[a]:
                said = low if low == high else f"{low} to {high}"
                raise PolicyError(
                    f"levels: {name} is {said}; its hierarchy has the levels 0 to {highest[a]}"
                )
            lowest[a], highest[a] = low, high
    return lowest, highest


def count_nodes(table: EncodedTable, levels: Mapping[str, Bounds]) -> int:
    """Return the number of nodes between the levels that are asked for."""
    lowest, highest = level_bounds(table, levels)
    return math.prod((highest - lowest + 1).tolist())


def _order(trees: Sequence[Hierarchy], lowest: Ints, highest: Ints) -> Ints:
    """Return (d,) int64: the order in which attributes are fixed."""
    width = [len(tree.labels[low]) for tree, low in zip(trees, lowest.tolist(), strict=True)]
    return np.array(
        sorted(range(len(trees)), key=lambda a: (highest[a] > lowest[a], -width[a], a)), np.int64
    )


def _required_sizes(models: Sequence[PrivacyModel]) -> tuple[int, int, bool]:
    """Return the smallest class, of the table and of the population, and if that is all."""
    size, population, only_sizes = 1, 0, True
    for model in models:
        if model.least_persons:
            population = max(population, model.least_persons)
            continue
        criteria = model.criteria()
        for criterion in criteria:
            if criterion.measure in (SIZE, DISTINCT):
                size = max(size, math.ceil(criterion.threshold))
            only_sizes &= criterion.measure == SIZE
        only_sizes &= bool(criteria)
    return size, population, only_sizes


def _excludes_nodes_below(model: PrivacyModel, budget: int) -> bool:
    """Say whether a node that fails a model rules out all below it, sizes being known anyway."""
    criteria = model.criteria()
    if model.least_persons or (criteria and all(c.measure == SIZE for c in criteria)):
        return False
    return model.monotone == "suppression" or (budget == 0 and model.monotone == "generalization")


def _suppression_costs_most(terms: Terms) -> bool:
    """Say whether no record loses more when it is kept than when it is suppressed."""
    return not any(
        (kept > lost).any()
        for by_level, if_lost in zip(terms.kept, terms.lost, strict=True)
        for kept, lost in zip(by_level, if_lost, strict=True)
    )


def _costs_the_same(terms: Terms | None) -> bool:
    """Say whether suppressed records lose the same whatever their labels."""
    return (
        terms is not None
        and terms.charged == 0
        and not any((lost != lost[:1]).any() for by_level in terms.lost for lost in by_level)
    )


def _losses(trees: Sequence[Hierarchy], terms: Terms | None) -> tuple[Floats, Floats]:
    """Return (d, n_levels, n_labels) what a record loses that is kept, and that is not."""
    shape = (
        len(trees),
        max(tree.n_levels for tree in trees),
        # A hierarchy over no value has no labels.
        max(1, *(len(tree.labels[0]) for tree in trees)),
    )
    kept, lost = np.zeros(shape), np.zeros(shape)
    if terms is None:
        return kept, lost
    for a, tree in enumerate(trees):
        for level in range(tree.n_levels):
            n = len(tree.labels[level])
            # A record that suppression makes cheaper counts as suppressed in a bound.
            kept[a, level, :n] = np.minimum(terms.kept[a][level], terms.lost[a][level])
            lost[a, level, :n] = terms.lost[a][level]
    return kept, lost


def _least_losses(trees: Sequence[Hierarchy], lost: Floats) -> Floats:
    """Return (d, n_levels) the smallest loss of a suppressed record."""
    least = np.zeros(lost.shape[:2])
    for a, tree in enumerate(trees):
        for level in range(tree.n_levels):
            least[a, level] = lost[a, level, : len(tree.labels[level]) or 1].min()
    return least


def _total_losses(table: EncodedTable, trees: Sequence[Hierarchy], kept: Floats) -> Floats:
    """Return (d, n_levels) what all records lose at each level."""
    whole = np.zeros(kept.shape[:2])
    for a, tree in enumerate(trees):
        records = records_of(table, a)
        for level in range(tree.n_levels):
            whole[a, level] = records @ kept[a, level, tree.codes[level]]
    return whole


def _labels(trees: Sequence[Hierarchy], order: Ints, lowest: Ints) -> Int32s:
    """Return (d, n_levels, n_codes) labels of the labels of the lowest level, in search order."""
    n_codes = max(1, *(len(trees[a].labels[lowest[a]]) for a in order))
    labels = np.zeros((len(trees), max(tree.n_levels for tree in trees), n_codes), np.int32)
    for place, a in enumerate(order.tolist()):
        tree, low = trees[a], int(lowest[a])
        starts = np.searchsorted(tree.codes[low], np.arange(len(tree.labels[low])))
        for level in range(low, tree.n_levels):
            labels[place, level, : len(starts)] = tree.codes[level, starts]
    return labels


def _set_floors(axes: Axes) -> None:
    """Write what each attribute loses at its lowest level, and what suppression adds to it."""
    for place, low in enumerate(axes.fields[:-1, LOWEST].tolist()):
        n = int(axes.labels[place, low].max()) + 1
        more = (axes.lost - axes.kept)[place, low, :n].min()
        axes.scale[place, FLOOR], axes.scale[place, FLOOR_LOST] = axes.whole[place, low], more


def _frequency_set(
    table: EncodedTable, trees: Sequence[Hierarchy], order: Ints, lowest: Ints, highest: Ints
) -> tuple[UInt64s, Int32s, Int32s, Ints]:
    """Return keys, counts, sensitive combinations and fields (see `kernels.lattice.walk.Axes`)."""
    columns, sizes = [], []
    for a in order.tolist():
        level = int(lowest[a])
        codes = np.ascontiguousarray(table.codes[:, a])
        columns.append(trees[a].codes[level].take(codes) if level else codes)
        sizes.append(len(trees[a].labels[level]))
    secrets = np.zeros((1, 0), np.int32)
    columns.append(np.zeros(len(table.codes), np.int32))
    if table.sensitive:
        # Null that does not count is -1: shifted, it is one more value.
        shifted = [
            np.ascontiguousarray(table.sensitive_codes[:, j] + 1)
            for j in range(len(table.sensitive))
        ]
        combined = group_rows(shifted, [domain.size + 1 for domain in table.sensitive])
        secrets = combined.codes - 1
        columns[-1] = combined.labels
    sizes.append(len(secrets))
    groups = group_rows(columns, sizes)
    counts = [np.bincount(groups.labels, table.weights, len(groups.sizes))]
    if table.population is not None:
        counts.append(np.bincount(groups.labels, table.population, len(groups.sizes)))
    fields = np.zeros((len(sizes), 5), np.int64)
    fields[:-1, LOWEST], fields[:-1, HIGHEST] = lowest[order], highest[order]
    word, free = 0, WORD_BITS
    for field, size in zip(fields, sizes, strict=True):
        width = max(size - 1, 0).bit_length()
        if width > free:
            word, free = word + 1, WORD_BITS
        free -= width
        field[:3] = word, free, width
    keys = np.zeros((word + 1, len(groups.sizes)), np.uint64)
    for i, (into, shift, width) in enumerate(fields[:, :3].tolist()):
        if width:
            keys[into] |= groups.codes[:, i].astype(np.uint64) << np.uint64(shift)
    return keys, np.stack(counts).astype(np.int32), secrets, fields


def check_search(
    algorithm: str, levels: Mapping[str, Bounds], steps: int | None, seconds: float | None
) -> None:
    """Refuse parameters of a search that are out of their range."""
    if steps is not None:
        check_integer(algorithm, "steps", steps, 1)
    if seconds is not None:
        check_number(algorithm, "seconds", seconds, above=0)
    for attribute, given in levels.items():
        pair = tuple(given) if isinstance(given, Sequence) else (given,)
        whole = all(isinstance(one, int) and not isinstance(one, bool) for one in pair)
        if not 1 <= len(pair) <= 2 or not whole or not 0 <= pair[0] <= pair[-1]:
            raise PolicyError(
                f"{algorithm}: levels of {attribute} is {given!r}; it must be a level, "
                "or the lowest and the highest"
            )
