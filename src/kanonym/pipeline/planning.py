"""What a policy asks of a table, how texts in it are read, and whether the table fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

import numpy as np

from kanonym.actions.registry import record_actions, works_on_values
from kanonym.algorithms.base import classes_of, require_feasible
from kanonym.data import frames
from kanonym.data.errors import PolicyError
from kanonym.data.item_sets import EncodedSets, encode_sets, names_of_sets, read_sets, tree_of
from kanonym.data.person_key import columns_of
from kanonym.data.readings import (
    NumberReading,
    Reading,
    canonical_table,
    declared_form,
    detect_readings,
    settle_readings,
    typed_table,
)
from kanonym.data.results import ShortRepr
from kanonym.data.schema import (
    Attribute,
    QuasiIdentifier,
    Role,
    Schema,
    Sensitive,
    readings_of,
    with_missing,
)
from kanonym.data.table import EncodedTable
from kanonym.engines import engine_of, is_local
from kanonym.engines.base import Engine, Request, require_abilities
from kanonym.engines.local import LocalEngine, bind_actions, encoded_columns, encoded_table
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Prepared, Task, prepare
from kanonym.kernels.arrays import Bools, Int32s
from kanonym.kernels.classes.grouping import group_rows
from kanonym.metrics.record_risk import person_risk
from kanonym.models.itemsets import KnownItems, records_with_rare_items
from kanonym.policy import Policy, PolicySource
from kanonym.policy.algorithms import target_of
from kanonym.policy.definition import policy_from
from kanonym.policy.keywords import Keywords
from kanonym.policy.overrides import override
from kanonym.profiling.persons import ProposedPersons, proposed_persons


def resolve_policy(policy: PolicySource | None, **short: Unpack[Keywords]) -> Policy:
    """Return the policy that is given, with the values of short forms in the place of its own."""
    found = Policy.from_columns(**short) if policy is None else override(policy_from(policy), short)
    if "models" not in found.model_fields_set:
        raise PolicyError("models: is missing; say what every class must satisfy, such as k")
    return found


def task_of(policy: Policy, native: Any) -> Task:
    """Return what a policy asks of a table in this process."""
    return Task.of(policy, policy.schema_for(frames.column_names(native)))


def required_abilities(policy: Policy, schema: Schema) -> list[Request]:
    """Return what a release needs that not every engine can do."""
    requests: list[Request] = []
    for name, attribute in schema.attributes.items():
        requests += [
            Request("row-actions", f"attribute {name!r}, action {kind}")
            for kind in record_actions(attribute.action or ())
        ]
        if attribute.role is Role.SET:
            requests.append(Request("item-sets", f"attribute {name!r}, role set"))
    target = target_of(policy.algorithm, schema)
    if target is not None and schema.attributes[target].action:
        # It guides the algorithm as it came in; on an engine only what actions leave is counted.
        requests.append(Request("row-actions", f"target {target!r}, which has an action"))
    requests += [
        Request("sampling", model.type) for model in policy.models if model.sampling is not None
    ]
    if policy.keep_order:
        requests.append(Request("record-order", "keep_order"))
    return requests


def uncounted_entities(policy: Policy, columns: Sequence[str]) -> list[str]:
    """Return the identifiers that count persons and that the columns of a release lack."""
    return [
        model.entity
        for model in policy.models
        if model.entity
        and model.attribute == model.entity
        and any(one not in columns or policy.perturbs(one) for one in columns_of([model.entity]))
    ]


READ_BY = ("intervals", "dates", "automatic")
"""Hierarchies of values; all others are about the texts of a column."""


_OTHERS: dict[Role, Attribute] = {
    Role.QUASI_IDENTIFIER: QuasiIdentifier(),
    Role.SENSITIVE: Sensitive(),
}


def with_readings(
    policy: Policy,
    frame: Any,
    told: Callable[[str], None] | None = None,
    *,
    lenient: bool = False,
    released: bool = False,
    decimals: Mapping[str, int] | None = None,
) -> tuple[Policy, tuple[str, ...]]:
    """Return a policy that says how columns write dates and numbers, where it does not.

    decimals: of columns of numbers, as of `files.read_table`; labels are written with as many.
    """
    if not is_local(frame):
        if told is not None:
            for sentence in _undeclared_readings(policy, frame):
                told(sentence)
        return policy, ()
    native = frames.to_eager(frame)
    default = _OTHERS.get(policy.others or Role.INSENSITIVE)
    default = default if default is None else with_missing(default, policy.missing)
    every = {name: policy.attributes.get(name, default) for name in frames.column_names(native)}
    asked = {
        name: attribute
        for name, attribute in every.items()
        if isinstance(attribute, QuasiIdentifier | Sensitive) and _is_open(attribute)
    }
    missing = {name: [str(word) for word in one.missing] for name, one in asked.items()}
    detection = detect_readings(
        native, list(asked), lenient=lenient, missing=missing, bands=not released
    )
    sentences = list(detection.sentences)
    if not lenient:
        settle_readings(native, readings_of(policy.attributes), sentences.append)
    if told is not None:
        for sentence in sentences:
            told(sentence)
    fixed = {
        name: Reading(NumberReading(decimals=number))
        for name, number in (decimals or {}).items()
        if isinstance(asked.get(name), QuasiIdentifier)
    }
    if not detection.readings and not fixed:
        return policy, detection.notes
    attributes = dict(policy.attributes)
    for name, reading in {**detection.readings, **fixed}.items():
        attributes[name] = replace(asked[name], **declared_form(reading))
    parts = {name: getattr(policy, name) for name in type(policy).model_fields}
    return type(policy)(**{**parts, "attributes": attributes}), detection.notes


def _undeclared_readings(policy: Policy, frame: Any) -> list[str]:
    """Return sentences about texts on an engine whose first records seem to be dates or numbers."""
    engine = engine_of(frame)
    found, _ = with_readings(policy, engine.sample(engine.columns), lenient=True)
    return [
        f"column {name!r}: the first texts are of type {one.type}"
        + (f", written as {one.format}" if one.format else "")
        + "; on an engine they are read only if the policy declares it, as kanonym profile does"
        for name, one in found.attributes.items()
        if isinstance(one, QuasiIdentifier | Sensitive)
        and one != policy.attributes.get(name)
        and one.type is not None
    ]


def parse_with_policy(
    frame: Any, policy: Policy | None, told: Callable[[str], None] | None = None
) -> Any:
    """Return a table of this process with values in columns whose texts the policy explains.

    told: called with a sentence for each column with exceptions.
    """
    native = frames.to_eager(frame)
    if not isinstance(policy, Policy):  # what is none is refused where its columns are asked for
        return native
    return typed_table(native, settle_readings(native, readings_of(policy.attributes), told))


def to_canonical(frame: Any, policy: Policy | None, original: Any = None) -> Any:
    """Return a released table with values, without exceptions of the original, and plain labels."""
    native = frames.to_eager(frame)
    if not isinstance(policy, Policy):
        return native
    readings = readings_of(policy.attributes)
    if original is not None and readings:
        readings = settle_readings(frames.to_eager(original), readings)
    return canonical_table(native, readings)


def _is_open(one: QuasiIdentifier | Sensitive) -> bool:
    """Whether a column of texts may be read as something else."""
    hierarchy = one.hierarchy
    of_values = hierarchy is None or getattr(hierarchy, "kind", None) in READ_BY
    return one.type is None and works_on_values(one.action or ()) and of_values


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
            "proposed_persons": [person.to_dict() for person in self.persons],
        }


def check_policy(frame: Any, policy: Policy, engine: Engine | None = None) -> PolicyCheck:
    """Check columns, types and hierarchies of a table, and that a release may exist.

    engine: where the table is, if not in this process; it must be able to do what is asked.
    """
    given = frames.to_eager(frame)
    if engine is not None:
        require_abilities(engine, required_abilities(policy, policy.schema_for(engine.columns)))
    native, task, ready = _prepare(given, policy)
    _encode_sets(native, task)
    if ready.table.n_rows and not (policy.suppression_limit or task.samples):
        require_feasible(ready.table, policy.models)
    return PolicyCheck(
        rows=ready.table.n_rows,
        roles={name: str(attribute.role) for name, attribute in task.schema.attributes.items()},
        distinct=int((ready.table.weights > 0).sum()),
        built_hierarchies=dict(ready.built),
        persons=() if policy.entities else proposed_persons(LocalEngine(given).records()),
    )


def _prepare(given: Any, policy: Policy, *, rehearsed: bool = False) -> tuple[Any, Task, Prepared]:
    """Return a table as it is read, what is asked of it, and what an algorithm would see."""
    task = task_of(policy, given)
    native = encoded_table(given, policy, task.schema)
    acting = bind_actions(native, task.schema, policy.seed)
    acting = acting.rehearsed() if rehearsed else acting
    for name in acting.actions:
        acting.before(name)
    columns = encoded_columns(native, policy, acting)
    return native, task, prepare(task, columns, frames.n_rows(native), Stopwatch())


def _encode_sets(native: Any, task: Task) -> EncodedSets:
    """Return the sets of items of a table."""
    sets = names_of_sets(task.schema.attributes)
    lists = {name: read_sets(frames.raw_column(native, name), one) for name, one in sets.items()}
    return encode_sets(tree_of(sets, lists), lists, frames.n_rows(native))


@dataclass(frozen=True, slots=True, repr=False)
class ModelViolations(ShortRepr):
    """The records that violate one model, those of the classes that fail it; or their persons."""

    type: str
    attribute: str | None
    number: int | None
    best: float | None = None
    """What one class of all records achieves, where that is not enough: no release has more."""


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
        return tuple(model.type for model in self.models if model.number is None)


def count_violations(frame: Any, policy: Policy) -> Violations:
    """Count the records, or the persons, that violate a policy as the table is."""
    native, task, ready = _prepare(frames.to_eager(frame), policy, rehearsed=True)
    table = ready.table
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

    def count(rows: Bools) -> int:
        return int(rows.sum()) if persons is None else len(np.unique(persons[rows]))

    found = []
    whole = classes_of(table, np.zeros(len(table.weights), np.int32), 1)
    for model in policy.models:
        fails, best = None, None
        if model.guarantee != "mechanism":
            fails = ~model.satisfied(classes)[class_of_row]
            best = None if model.satisfied(whole).all() else model.achieved(whole)
            if model.known_items is not None:
                rare = _with_rare_items(native, task, model.known_items, class_of_row)
                fails = None if rare is None else fails | rare
        number = None if fails is None else count(fails)
        failing |= False if fails is None else fails
        found.append(ModelViolations(model.type, model.attribute, number, best))
    uniques = int((classes.sizes == 1).sum())
    if persons is not None:
        uniques = person_risk(class_of_row, len(groups.sizes), persons).uniques
    total = count(np.ones_like(failing))
    return Violations(unit, total, count(failing), uniques, tuple(found))


def persons_of_tuples(table: EncodedTable, entities: Sequence[str]) -> Int32s | None:
    """Return whose records tuples are, -1 for nobody; None where no model counts persons."""
    names = [domain.name for domain in table.sensitive]
    places = [names.index(entity) for entity in entities if entity in names]
    return table.sensitive_codes[:, places[0]] if places else None


def _with_rare_items(
    native: Any, task: Task, asked: KnownItems, class_of_row: Int32s
) -> Bools | None:
    """Return (n_rows,) bool: which records have known items that too few share; None: not known."""
    sets = _encode_sets(native, task)
    within = class_of_row if asked.by_class else np.zeros_like(class_of_row)
    return records_with_rare_items(sets.offsets, sets.nodes, within, asked.k, asked.m)
