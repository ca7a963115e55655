"""From a release to the recoding behind it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.data.partition import Partition
from kanonym.data.schema import QuasiIdentifier, Schema
from kanonym.data.table import Domain
from kanonym.engines.decision import EncodedDecision
from kanonym.engines.task import Task
from kanonym.kernels.classes.histograms import class_histograms
from kanonym.kernels.classes.penalty import class_bounds
from kanonym.series.known_attribute import KnownAttribute, rule_of, values_of
from kanonym.series.recodings import Boxes, Columns, Levels, Recoding, Side


def learn_recoding(task: Task, decision: EncodedDecision, column: Columns) -> Recoding:
    """Return the recoding of a release: levels where it has one an attribute, else boxes.

    column: gives the columns that the algorithm looked at. `PolicyError` where boxes of classes
    overlap, so that nobody can say where a record belongs.
    """
    known = tuple(_known_attribute(task.schema, one, column) for one in decision.table.domains)
    levels = decision.account.get("levels")
    if levels is not None:
        return Levels(known, tuple(int(levels[one.name]) for one in known))
    boxes = _boxes(known, decision, decision.partition)
    if not _boxes_agree(boxes, decision):
        # Classes that release the same values were joined, and what they span overlaps
        # with others: before that they may not.
        boxes = _boxes(known, decision, _partition_before_joining(decision))
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
    return KnownAttribute(domain.name, values.dtype, hierarchy, rule_of(source, hierarchy, values))


def _boxes(
    known: Sequence[KnownAttribute], decision: EncodedDecision, partition: Partition
) -> Boxes:
    """Return the boxes of a partition, and what the classes of the decision release.

    partition: that of the decision, or one whose classes lie each within one of its.
    """
    table, n, own = decision.table, partition.n_classes, partition is decision.partition
    codes, weights = table.codes, table.weights
    if partition.by_row:
        codes, weights = codes[table.tuple_of_row], np.ones(table.n_rows, np.int64)
    class_of_box = np.arange(n)
    low, high = class_bounds(partition.labels, codes, n)
    if not own:
        kept = partition.labels >= 0
        class_of_box[partition.labels[kept]] = _classes_of_decision(decision, partition)[kept]
    # The first box that contains a record gets it: one that loses little.
    loss = np.sum([one.loss for one in decision.recoded], axis=0)[class_of_box]
    order = np.argsort(loss, kind="stable")
    sides = []
    for a, (one, recoded) in enumerate(zip(known, decision.recoded, strict=True)):
        domain = table.domains[a]
        nominal = domain.kind == "nominal" and domain.hierarchy is None
        listed = recoded.recoding == "set" or nominal
        if listed:
            givers, n_givers = partition.value_groups(a)
            column = np.ascontiguousarray(codes[:, a])
            starts, held, _ = class_histograms(givers, column, weights, n_givers, domain.size)
            owners = order if partition.groups is None else partition.groups[order, a]
            lists = [held[starts[owner] : starts[owner + 1]] for owner in owners]
            offsets = np.cumsum([0, *map(len, lists)])
            members = np.concatenate([np.zeros(0, np.int32), *lists])
        else:
            bounds = (recoded.low, recoded.high) if own else (low[:, a], high[:, a])
            offsets, members = np.arange(0, 2 * n + 1, 2), np.stack(bounds, axis=1)[order].ravel()
        sides.append(
            Side(
                known=one,
                recoding="hierarchy" if recoded.recoding == "value" else recoded.recoding,
                values=values_of(domain, members),
                offsets=offsets,
                listed=listed,
                released=tuple(each.gather(recoded.label_of_class) for each in recoded.columns),
                loss=recoded.loss,
            )
        )
    return Boxes(tuple(sides), class_of_box[order])


def _classes_of_decision(decision: EncodedDecision, partition: Partition) -> NDArray[np.int32]:
    """Return the class of the decision of each tuple or record of another partition."""
    return decision.labels if partition.by_row else decision.partition.labels


def _partition_before_joining(decision: EncodedDecision) -> Partition:
    """Return the classes before those of equal released values were joined.

    The decision's own partition where some of them do not lie within one of its classes.
    """
    found = decision.partition if decision.refinement is None else decision.refinement[1]
    kept = found.labels >= 0
    joined = _classes_of_decision(decision, found)
    pairs = np.unique(np.stack([found.labels[kept], joined[kept]], axis=1), axis=0)
    within = len(pairs) == found.n_classes and (pairs[:, 1] >= 0).all()
    return found if within else decision.partition


def _boxes_agree(boxes: Boxes, decision: EncodedDecision) -> bool:
    """Say whether boxes give every released record of the fit the class that it has."""
    table = decision.table
    pairs = zip(table.domains, table.codes.T, strict=True)
    values = {domain.name: values_of(domain, codes) for domain, codes in pairs}
    placed = boxes.place(values.__getitem__)
    points = np.stack([one.codes for one in placed], axis=1)
    own = boxes.class_of(points, placed)
    if decision.partition.by_row:
        own = own[table.tuple_of_row]
    kept = decision.partition.labels >= 0
    return bool((own[kept] == decision.partition.labels[kept]).all())
