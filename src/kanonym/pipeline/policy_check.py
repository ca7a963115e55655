"""What a policy means for a table before anything is recoded: whether it fits, what violates it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.criteria import classes_of, require_feasible
from kanonym.data import frames
from kanonym.data.item_sets import encode_sets, names_of_sets, read_sets, tree_of
from kanonym.data.results.short_repr import ShortRepr
from kanonym.data.table import EncodedTable
from kanonym.engines.local import LocalEngine, bind_actions, encoded_columns, encoded_table
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task, prepare
from kanonym.kernels.classes.grouping import group_rows
from kanonym.metrics.person_risk import person_risk
from kanonym.models.known_items import KnownItems
from kanonym.models.rare_item_records import records_with_rare_items
from kanonym.pipeline.planning import task_of
from kanonym.policy import Policy
from kanonym.profiling.persons import ProposedPersons, proposed_persons


@dataclass(frozen=True, slots=True)
class PolicyCheck:
    """What a policy means for a table."""

    rows: int
    roles: dict[str, str]
    distinct: int
    built_hierarchies: dict[str, str]
    persons: tuple[ProposedPersons, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "rows": self.rows,
            "roles": self.roles,
            "distinct": self.distinct,
            "built_hierarchies": self.built_hierarchies,
            "proposed_persons": [one.to_dict() for one in self.persons],
        }


def check_policy(frame: Any, policy: Policy) -> PolicyCheck:
    """Check columns, types and hierarchies of a table, and that a release may exist."""
    given = frames.to_eager(frame)
    task = task_of(policy, given)
    native = encoded_table(given, policy, task.schema)
    acting = bind_actions(native, task.schema, policy.seed)
    for name in acting.actions:
        acting.before(name)
    ready = prepare(
        task, encoded_columns(native, policy, acting), frames.n_rows(native), Stopwatch()
    )
    sets = names_of_sets(task.schema.attributes)
    lists = {name: read_sets(frames.raw_column(native, name), one) for name, one in sets.items()}
    encode_sets(tree_of(sets, lists), lists, frames.n_rows(native))
    if ready.table.n_rows and not (policy.suppression_limit or task.samples):
        require_feasible(ready.table, policy.models)
    return PolicyCheck(
        rows=ready.table.n_rows,
        roles={name: str(one.role) for name, one in task.schema.attributes.items()},
        distinct=int((ready.table.weights > 0).sum()),
        built_hierarchies=dict(ready.built),
        persons=() if policy.entities else proposed_persons(LocalEngine(given).records()),
    )


@dataclass(frozen=True, slots=True, repr=False)
class ModelViolations(ShortRepr):
    """The records that violate one model, those of the classes that fail it; or their persons."""

    type: str
    attribute: str | None
    number: int | None


@dataclass(frozen=True, slots=True, repr=False)
class Violations(ShortRepr):
    """The records of a table that violate a policy as they are, or their persons."""

    unit: Literal["record", "person"]
    total: int
    number: int
    uniques: int
    models: tuple[ModelViolations, ...]

    @property
    def uncounted(self) -> tuple[str, ...]:
        """The models that are not counted."""
        return tuple(one.type for one in self.models if one.number is None)


def count_violations(frame: Any, policy: Policy) -> Violations:
    """Count the records, or the persons, that violate a policy as the table is."""
    native = frames.to_eager(frame)
    task = task_of(policy, native)
    native = encoded_table(native, policy, task.schema)
    acting = bind_actions(native, task.schema, policy.seed).rehearsed()
    for name in acting.actions:
        acting.before(name)
    columns = encoded_columns(native, policy, acting)
    table = prepare(task, columns, frames.n_rows(native), Stopwatch()).table
    of_tuple = persons_of_tuples(table, policy.entities)
    unit: Literal["record", "person"] = "record" if of_tuple is None else "person"
    if not table.n_rows:
        none = tuple(ModelViolations(one.type, one.attribute, 0) for one in policy.models)
        return Violations(unit, 0, 0, 0, none)
    groups = group_rows(
        [table.codes[:, a] for a in range(table.codes.shape[1])],
        [domain.size for domain in table.domains],
    )
    classes = classes_of(table, groups.labels, len(groups.sizes))
    class_of_row = groups.labels[table.tuple_of_row]
    persons = None if of_tuple is None else of_tuple[table.tuple_of_row]
    failing = np.zeros(table.n_rows, np.bool_)

    def count(rows: NDArray[np.bool_]) -> int:
        return int(rows.sum()) if persons is None else len(np.unique(persons[rows]))

    found = []
    for model in policy.models:
        fails = None
        if model.guarantee != "mechanism":
            fails = ~model.satisfied(classes)[class_of_row]
            if model.known_items is not None:
                rare = _with_rare_items(native, task, model.known_items, class_of_row)
                fails = None if rare is None else fails | rare
        number = None if fails is None else count(fails)
        failing |= False if fails is None else fails
        found.append(ModelViolations(model.type, model.attribute, number))
    uniques = int((classes.sizes == 1).sum())
    if persons is not None:
        uniques = person_risk(class_of_row, len(groups.sizes), persons).uniques
    total = count(np.ones_like(failing))
    return Violations(unit, total, count(failing), uniques, tuple(found))


def persons_of_tuples(table: EncodedTable, entities: Sequence[str]) -> NDArray[np.int32] | None:
    """Return whose records tuples are, -1 for nobody; None where no model counts persons."""
    names = [domain.name for domain in table.sensitive]
    places = [names.index(one) for one in entities if one in names]
    return table.sensitive_codes[:, places[0]] if places else None


def _with_rare_items(
    native: Any, task: Task, asked: KnownItems, class_of_row: NDArray[np.int32]
) -> NDArray[np.bool_] | None:
    """Return (n_rows,) bool: which records have known items that too few share; None: not known."""
    attributes = names_of_sets(task.schema.attributes)
    lists = {name: read_sets(frames.column(native, name), one) for name, one in attributes.items()}
    sets = encode_sets(tree_of(attributes, lists), lists, frames.n_rows(native))
    within = class_of_row if asked.by_class else np.zeros_like(class_of_row)
    return records_with_rare_items(sets.offsets, sets.nodes, within, asked.k, asked.m)
