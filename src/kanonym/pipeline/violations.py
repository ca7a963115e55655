"""How many records of a table as it is violate a policy, before anything is recoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.criteria import classes_of
from kanonym.data import frames
from kanonym.data.item_sets import encode_sets, names_of_sets, read_sets, tree_of
from kanonym.data.results.result import Result, ResultTable
from kanonym.engines.local import bind_actions, encoded_columns
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task, prepare
from kanonym.kernels.classes.grouping import group_rows
from kanonym.models.known_items import KnownItems
from kanonym.models.rare_item_records import records_with_rare_items
from kanonym.pipeline.conventions import parse_with_policy
from kanonym.pipeline.planning import task_of
from kanonym.policy import Policy


@dataclass(frozen=True, slots=True, repr=False)
class ModelViolations(Result):
    """The records that violate one model: those of the classes that fail it.

    Attributes
    ----------
    type, attribute
        The model.
    records
        Their number. Of a model of the whole table, all records or none. Of a model of itemsets,
        those with known items that too few records share. None where nothing can be counted: of
        differential privacy, which is a promise of the draw, and of too many itemsets.

    """

    type: str
    attribute: str | None
    records: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        named = {} if self.attribute is None else {"attribute": self.attribute}
        return {"type": self.type, **named, "records": self.records}

    def tables(self) -> list[ResultTable]:
        """Return one row."""
        named = self.type if self.attribute is None else f"{self.type} of {self.attribute}"
        number = "not counted" if self.records is None else f"{self.records:,}"
        return [ResultTable(("model", "records"), [(named, number)], frozenset({1}))]


@dataclass(frozen=True, slots=True, repr=False)
class Violations(Result):
    """The records of a table that violate a policy as they are.

    Attributes
    ----------
    rows
        Records of the table.
    records
        Records that violate at least one model that is counted.
    uniques
        Records that are alone in their class.
    models
        One `ModelViolations` a model, in the policy's order.

    """

    rows: int
    records: int
    uniques: int
    models: tuple[ModelViolations, ...]

    @property
    def uncounted(self) -> tuple[str, ...]:
        """The models that are not counted."""
        return tuple(one.type for one in self.models if one.records is None)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "rows": self.rows,
            "records": self.records,
            "uniques": self.uniques,
            "models": [one.to_dict() for one in self.models],
        }

    def tables(self) -> list[ResultTable]:
        """Return a row for each model."""
        rows = [row for one in self.models for table in one.tables() for row in table.rows]
        lead = f"violating {self.records:,} of {self.rows:,} records"
        return [ResultTable(("model", "records"), rows, frozenset({1}), lead)]


def count_violations(frame: Any, policy: Policy) -> Violations:
    """Count the records that violate a policy as the table is: nothing is recoded.

    Parameters
    ----------
    frame
        A table of this process, of any kind that `anonymize` takes; it may have identifiers.
    policy
        What is required. Actions before the algorithm are carried out; none writes a file.

    Raises
    ------
    SchemaError, HierarchyError, DataError
        A column is missing, has no role, or has values that its hierarchy cannot take.

    Notes
    -----
    Cost: encoding the table and grouping its tuples once.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [23, 23, 41], "disease": ["flu", "flu", "cold"]})
    >>> policy = Policy.from_columns(quasi_identifiers=["age"], sensitive=["disease"], k=2, l=2)
    >>> found = count_violations(table, policy)
    >>> found.records, found.uniques, [one.records for one in found.models]
    (3, 1, [1, 3])

    """
    native = parse_with_policy(frame, policy)
    task = task_of(policy, native)
    acting = bind_actions(native, task.schema, policy.seed).rehearsed()
    for name in acting.actions:
        acting.before(name)
    columns = encoded_columns(native, policy, acting)
    table = prepare(task, columns, frames.n_rows(native), Stopwatch()).table
    if not table.n_rows:
        none = tuple(ModelViolations(one.type, one.attribute, 0) for one in policy.models)
        return Violations(0, 0, 0, none)
    groups = group_rows(
        [table.codes[:, a] for a in range(table.codes.shape[1])],
        [domain.size for domain in table.domains],
    )
    classes = classes_of(table, groups.labels, len(groups.sizes))
    class_of_row = groups.labels[table.tuple_of_row]
    failing = np.zeros(table.n_rows, np.bool_)
    found = []
    for model in policy.models:
        fails = None
        if model.guarantee != "mechanism":
            fails = ~model.satisfied(classes)[class_of_row]
            if model.known_items is not None:
                rare = _with_rare_items(native, task, model.known_items, class_of_row)
                fails = None if rare is None else fails | rare
        records = None if fails is None else int(fails.sum())
        failing |= False if fails is None else fails
        found.append(ModelViolations(model.type, model.attribute, records))
    return Violations(
        table.n_rows,
        int(failing.sum()),
        int((classes.sizes == 1).sum()),
        tuple(found),
    )


def _with_rare_items(
    native: Any, task: Task, asked: KnownItems, class_of_row: NDArray[np.int32]
) -> NDArray[np.bool_] | None:
    """Return (n_rows,) bool: which records have known items that too few share; None: not known."""
    attributes = names_of_sets(task.schema.attributes)
    lists = {name: read_sets(frames.column(native, name), one) for name, one in attributes.items()}
    sets = encode_sets(tree_of(attributes, lists), lists, frames.n_rows(native))
    within = class_of_row if asked.by_class else np.zeros_like(class_of_row)
    return records_with_rare_items(sets.offsets, sets.nodes, within, asked.k, asked.m)
