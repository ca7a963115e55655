"""Sets of items in a decision: recoded once it is known which records are released together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from kanonym.algorithms.itemsets.apriori import recode_classes
from kanonym.algorithms.itemsets.base import ItemProblem
from kanonym.algorithms.itemsets.classes import ClassSpans, merged_classes
from kanonym.data import item_sets
from kanonym.data.schema import Schema
from kanonym.engines.decision import DecidedSets, EncodedDecision, decide
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Prepared, Task
from kanonym.kernels.classes.histograms import Costs, class_histograms
from kanonym.kernels.itemsets import recode_sets
from kanonym.models.base import lost_by_joining
from kanonym.recoding.recode import relabel_classes


def with_sets(
    decision: EncodedDecision,
    ready: Prepared,
    task: Task,
    column: Callable[[str], pl.Series],
    watch: Stopwatch,
) -> EncodedDecision:
    """Return a decision with the labels of all sets of items; the same where there are none.

    Where the items of each class are recoded apart, neighbouring classes are merged if that loses
    less in all.

    ready: what was decided about; column: gives a column of the table, lists included.
    """
    attributes = item_sets.names_of_sets(task.schema.attributes)
    if not attributes:
        return decision
    with watch.stage("encode"):
        lists = {name: item_sets.read_sets(column(name), one) for name, one in attributes.items()}
        given = item_sets.encode_sets(
            item_sets.tree_of(attributes, lists), lists, len(decision.labels)
        )
    (items,) = [model.known_items for model in task.models if model.known_items is not None]
    kept = np.flatnonzero(decision.labels >= 0)
    part = given.rows(kept)
    problem = ItemProblem(part.tree, part.offsets, part.nodes, items.k, items.m)
    merged = 0
    if items.by_class:
        formed = decision.n_classes
        decision = _with_merged_classes(decision, ready, task, problem, watch)
        merged = formed - decision.n_classes
    with watch.stage("algorithm"):
        if items.by_class:
            recoding = recode_classes(task.item_algorithm, problem, decision.labels[kept])
        else:
            recoding = task.item_algorithm.recode(problem)
    # Back to all records of the input: those that are suppressed release nothing.
    place = np.full(len(decision.labels), len(kept))
    place[kept] = np.arange(len(kept))
    offsets = np.append(recoding.offsets, recoding.offsets[-1])
    own = np.arange(part.tree.n_nodes, dtype=np.int32)
    released = item_sets.EncodedSets(part.tree, *recode_sets(offsets, recoding.labels, place, own))
    emptied = (np.diff(part.offsets) > 0) & (np.diff(recoding.offsets) == 0)
    account = {
        "type": task.item_algorithm.type,
        **recoding.account,
        **({"classes_merged": merged} if items.by_class else {}),
        "records_emptied": int(emptied.sum()),
    }
    return replace(decision, sets=DecidedSets(given, released, account))


def _with_merged_classes(
    decision: EncodedDecision, ready: Prepared, task: Task, problem: ItemProblem, watch: Stopwatch
) -> EncodedDecision:
    """Return a decision with fewer, larger classes where quasi-identifiers and items lose less."""
    partition = decision.partition
    fixed = partition.levels is not None or partition.groups is not None or task.samples
    if fixed or any(lost_by_joining(model) for model in task.models):
        return decision
    with watch.stage("algorithm"):
        labels = decision.labels[decision.labels >= 0]
        groups = merged_classes(
            task.item_algorithm, problem, labels, _class_spans(decision, ready.costs)
        )
    if int(groups.max(initial=-1)) + 1 == decision.n_classes:
        return decision
    merged = decide(task, ready, watch, relabel_classes(decision.table, partition, groups))
    return replace(merged, refinement=decision.refinement)


def _class_spans(decision: EncodedDecision, costs: Costs) -> ClassSpans:
    table, labels = decision.table, decision.labels
    distinct = {}
    for a, attribute in enumerate(decision.recoded):
        if attribute.recoding == "set":
            codes = np.ascontiguousarray(table.codes[table.tuple_of_row, a])
            every = np.ones(len(codes), np.int64)
            size = table.domains[a].size
            offsets, held, _ = class_histograms(labels, codes, every, decision.n_classes, size)
            distinct[a] = np.split(held, offsets[1:-1])
    return ClassSpans(
        np.column_stack([one.low for one in decision.recoded]),
        np.column_stack([one.high for one in decision.recoded]),
        decision.class_sizes,
        costs,
        distinct,
    )


def released_sets(decision: EncodedDecision, schema: Schema) -> dict[str, pl.Series]:
    """Return the columns of sets as they are released, in the order of the input, by attribute."""
    if decision.sets is None:
        return {}
    attributes = item_sets.names_of_sets(schema.attributes)
    return {
        name: item_sets.released_column(decision.sets.released, number, one)
        for number, (name, one) in enumerate(attributes.items())
    }


def texts_of_sets(columns: Mapping[str, pl.Series]) -> dict[str, pl.Series]:
    """Return columns of sets as texts, by which records can be sorted."""
    return {
        name: column.list.join("\x1f") if isinstance(column.dtype, pl.List) else column
        for name, column in columns.items()
    }
