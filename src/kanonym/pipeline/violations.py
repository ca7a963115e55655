"""How many records of a table as it is violate a policy, before anything is recoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kanonym.algorithms.criteria import classes_of
from kanonym.data import frames
from kanonym.data.results.result import Result, ResultTable
from kanonym.engines.local import bind_actions, encoded_columns
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import prepare
from kanonym.kernels.classes.grouping import group_rows
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
        Their number. Of a model of the whole table, all records or none. None of a model of
        itemsets: classes do not show what violates it.

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
    failing = np.zeros(len(groups.sizes), np.bool_)
    found = []
    for model in policy.models:
        fails = ~model.satisfied(classes)
        failing |= fails
        counted = model.guarantee != "itemsets"
        records = int(classes.sizes[fails].sum()) if counted else None
        found.append(ModelViolations(model.type, model.attribute, records))
    return Violations(
        table.n_rows,
        int(classes.sizes[failing].sum()),
        int((classes.sizes == 1).sum()),
        tuple(found),
    )
