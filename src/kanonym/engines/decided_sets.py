"""Sets of items in a decision: recoded once it is known which records are released together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from kanonym.algorithms.itemsets.base import ItemProblem
from kanonym.algorithms.itemsets.parts import recode_classes
from kanonym.data.item_sets import (
    EncodedSets,
    encode_sets,
    names_of_sets,
    read_sets,
    released_column,
    tree_of,
)
from kanonym.data.schema import Schema
from kanonym.engines.decision import DecidedSets, Decision
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task
from kanonym.kernels.itemsets.counting import recode_sets


def with_sets(
    decision: Decision, task: Task, column: Callable[[str], pl.Series], watch: Stopwatch
) -> Decision:
    """Return a decision with the labels of all sets of items; the same where there are none.

    column: gives a column of the table, lists included.

    Raises
    ------
    DataError, HierarchyError
        A column holds no sets, or an item is not in its hierarchy.
    InfeasibleError
        No recoding of the items satisfies the models.

    """
    attributes = names_of_sets(task.schema.attributes)
    if not attributes:
        return decision
    with watch.stage("encode"):
        lists = {name: read_sets(column(name), one) for name, one in attributes.items()}
        given = encode_sets(tree_of(attributes, lists), lists, len(decision.labels))
    (asked,) = [one.known_items for one in task.models if one.known_items is not None]
    kept = np.flatnonzero(decision.labels >= 0)
    part = given.rows(kept)
    problem = ItemProblem(part.tree, part.offsets, part.nodes, asked.k, asked.m)
    with watch.stage("algorithm"):
        if asked.by_class:
            found = recode_classes(task.item_algorithm, problem, decision.labels[kept])
        else:
            found = task.item_algorithm.recode(problem)
    # Back to all records of the input: those that are suppressed release nothing.
    place = np.full(len(decision.labels), len(kept))
    place[kept] = np.arange(len(kept))
    offsets = np.append(found.offsets, found.offsets[-1])
    own = np.arange(part.tree.n_nodes, dtype=np.int32)
    released = EncodedSets(part.tree, *recode_sets(offsets, found.labels, place, own))
    emptied = (np.diff(part.offsets) > 0) & (np.diff(found.offsets) == 0)
    account = {
        "type": task.item_algorithm.type,
        **found.account,
        "records_emptied": int(emptied.sum()),
    }
    return replace(decision, sets=DecidedSets(given, released, account))


def released_sets(decision: Decision, schema: Schema) -> dict[str, pl.Series]:
    """Return the columns of sets as they are released, in the order of the input, by attribute."""
    if decision.sets is None:
        return {}
    attributes = names_of_sets(schema.attributes)
    return {
        name: released_column(decision.sets.released, number, one)
        for number, (name, one) in enumerate(attributes.items())
    }


def texts_of_sets(columns: Mapping[str, pl.Series]) -> dict[str, pl.Series]:
    """Return columns of sets as texts, by which records can be sorted."""
    return {
        name: one.list.join("\x1f") if isinstance(one.dtype, pl.List) else one
        for name, one in columns.items()
    }
