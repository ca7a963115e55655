"""From a release to the recoding behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.data.partition import Partition
from kanonym.data.recoded_attribute import RecodedAttribute
from kanonym.data.schema import QuasiIdentifier, Schema
from kanonym.data.table import Domain, EncodedTable
from kanonym.engines.decision import EncodedDecision
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task, prepare
from kanonym.kernels.classes.histograms import class_histograms
from kanonym.kernels.classes.penalty import class_bounds
from kanonym.series.boxes import Boxes, Side
from kanonym.series.hierarchies import rule_of
from kanonym.series.known_attribute import KnownAttribute
from kanonym.series.levels import Levels

Columns = Callable[[str], pl.Series]
Recoding = Levels | Boxes


def learn_recoding(task: Task, decision: EncodedDecision, column: Columns) -> Recoding:
    """Return the recoding of a release: levels where it has one an attribute, else boxes.

    Parameters
    ----------
    task, decision
        What was asked, and what was decided.
    column
        Gives the columns that the algorithm looked at.

    Raises
    ------
    PolicyError
        Boxes of classes overlap, so that nobody can say where a record belongs.

    """
    known = tuple(
        _known_attribute(task.schema, domain, column) for domain in decision.table.domains
    )
    levels = decision.account.get("levels")
    if levels is not None:
        return Levels(known, tuple(int(levels[one.name]) for one in known))
    boxes = _boxes(known, decision, decision.partition)
    if not _boxes_agree(boxes, decision):
        # Classes that release the same values were joined, and what they span overlaps
        # with others: before that they may not.
        boxes = _boxes(known, decision, _partition_before_joining(task, decision, column))
        if not _boxes_agree(boxes, decision):
            raise PolicyError(
                f"{task.algorithm.type} makes classes that overlap: a new record could belong to "
                "several of them, so there is no recoding to keep. Fit with full-domain, or with "
                "mondrian and strict cuts"
            )
    return boxes


def _known_attribute(schema: Schema, domain: Domain, column: Columns) -> KnownAttribute:
    """Return what is known of one quasi-identifier."""
    values, hierarchy = column(domain.name), domain.hierarchy
    if hierarchy is None:
        return KnownAttribute(domain.name, values.dtype)
    attribute = schema.attributes[domain.name]
    source = attribute.hierarchy if isinstance(attribute, QuasiIdentifier) else None

    def count_values() -> tuple[pl.Series, NDArray[np.int64]]:
        held = values.value_counts(name="*")
        return held[domain.name], held["*"].cast(pl.Int64).to_numpy()

    return KnownAttribute(
        domain.name, values.dtype, hierarchy, rule_of(source, hierarchy, count_values)
    )


def _boxes(
    known: Sequence[KnownAttribute], decision: EncodedDecision, partition: Partition
) -> Boxes:
    """Return the boxes of a partition, and what the classes of the decision release.

    partition: that of the decision, or one whose classes lie each within one of its.
    """
    table, own = decision.table, partition is decision.partition
    codes, weights = _codes_by_label(table, partition)
    n = partition.n_classes
    class_of_box = np.arange(n)
    low, high = class_bounds(partition.labels, codes, n)
    if not own:
        joined = _classes_of_decision(decision, partition)
        class_of_box[partition.labels[partition.labels >= 0]] = joined[partition.labels >= 0]
    sides = []
    for a, (one, recoded) in enumerate(zip(known, decision.recoded, strict=True)):
        domain = table.domains[a]
        listed = recoded.recoding == "set" or (
            domain.kind == "nominal" and domain.hierarchy is None
        )
        if listed:
            offsets, members = _members(partition, codes, weights, a, domain)
        else:
            bounds = (recoded.low, recoded.high) if own else (low[:, a], high[:, a])
            offsets, members = np.arange(0, 2 * n + 1, 2), np.stack(bounds, axis=1).ravel()
        sides.append(_side(one, recoded, domain, offsets, members, listed=listed))
    loss = np.sum([one.loss for one in decision.recoded], axis=0)[class_of_box]
    return _reorder_boxes(Boxes(tuple(sides), class_of_box), np.argsort(loss, kind="stable"))


def _side(
    known: KnownAttribute,
    recoded: RecodedAttribute,
    domain: Domain,
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    *,
    listed: bool,
) -> Side:
    """Return the sides of all boxes along one attribute, from codes by box."""
    values = domain.values.extend_constant(None, 1) if domain.has_null else domain.values
    return Side(
        known,
        "hierarchy" if recoded.recoding == "value" else recoded.recoding,
        values.gather(codes.astype(np.uint32)),
        offsets,
        listed,
        tuple(column.gather(recoded.label_of_class) for column in recoded.columns),
        recoded.loss,
    )


def _members(
    partition: Partition,
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    a: int,
    domain: Domain,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the distinct codes of each class in one attribute, one class after the other."""
    givers, n_givers = partition.value_groups(a)
    column = np.ascontiguousarray(codes[:, a])
    offsets, members, _ = class_histograms(givers, column, weights, n_givers, domain.size)
    if partition.groups is None:
        return offsets, members
    parts = [members[offsets[giver] : offsets[giver + 1]] for giver in partition.groups[:, a]]
    return np.cumsum([0, *map(len, parts)]), np.concatenate([np.zeros(0, np.int32), *parts])


def _reorder_boxes(boxes: Boxes, order: NDArray[np.int64]) -> Boxes:
    """Return boxes in another order: the first of those that contain a record gets it."""
    sides = []
    for side in boxes.sides:
        lengths = np.diff(side.offsets)[order]
        starts = side.offsets[:-1][order]
        offsets = np.append(0, np.cumsum(lengths))
        places = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - starts, lengths)
        sides.append(
            Side(
                side.known,
                side.recoding,
                side.values.gather(places.astype(np.uint32)),
                offsets,
                side.listed,
                side.released,
                side.loss,
            )
        )
    return Boxes(tuple(sides), boxes.class_of_box[order])


def _codes_by_label(
    table: EncodedTable, partition: Partition
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return codes and weights of what the labels of a partition are about: tuples or records."""
    if not partition.by_row:
        return table.codes, table.weights
    return table.codes[table.tuple_of_row], np.ones(len(table.tuple_of_row), np.int64)


def _classes_of_decision(decision: EncodedDecision, partition: Partition) -> NDArray[np.int32]:
    """Return the class of the decision of each tuple or record of another partition."""
    return decision.labels if partition.by_row else decision.partition.labels


def _partition_before_joining(task: Task, decision: EncodedDecision, column: Columns) -> Partition:
    """Return the classes before those of equal released values were joined.

    The decision's own partition where some of them do not lie within one of its classes.
    """
    ready = prepare(task, column, len(decision.table.tuple_of_row), Stopwatch())
    found = task.algorithm.partition(task.problem(ready.table, ready.costs))
    kept = found.labels >= 0
    joined = _classes_of_decision(decision, found)
    pairs = np.unique(np.stack([found.labels[kept], joined[kept]], axis=1), axis=0)
    within = len(pairs) == found.n_classes and (pairs[:, 1] >= 0).all()
    return found if within else decision.partition


def _boxes_agree(boxes: Boxes, decision: EncodedDecision) -> bool:
    """Say whether boxes give every released record of the fit the class that it has."""
    table = decision.table
    placed = [
        side.known.place(_code_values(domain, table.codes[:, a]), side.values)
        for a, (side, domain) in enumerate(zip(boxes.sides, table.domains, strict=True))
    ]
    points = np.stack([one.codes for one in placed], axis=1)
    own = boxes.class_of(points, placed)
    if decision.partition.by_row:
        own = own[table.tuple_of_row]
    kept = decision.partition.labels >= 0
    return bool((own[kept] == decision.partition.labels[kept]).all())


def _code_values(domain: Domain, codes: NDArray[np.int32]) -> pl.Series:
    values = domain.values.extend_constant(None, 1) if domain.has_null else domain.values
    return values.gather(codes.astype(np.uint32))
