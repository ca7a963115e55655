"""Why a record is suppressed or generalized, and what an algorithm refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from kanonym.algorithms.base import Problem, classes_of, compile_criteria, table_counts
from kanonym.data.partition import Refusals, Replay
from kanonym.data.readings import MARK
from kanonym.data.results import ShortRepr
from kanonym.data.table import Domain, EncodedTable
from kanonym.engines.base import Run
from kanonym.engines.decision import Decision, EncodedDecision
from kanonym.engines.local import LocalEngine, resolve_seed
from kanonym.engines.stopwatch import Stopwatch
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.disclosure import DISTINCT, SIZE
from kanonym.models import PrivacyModel
from kanonym.pipeline.planning import resolve_policy
from kanonym.policy import Policy

ELSEWHERE = "the encoded table stayed on its engine: read the table into this process"


def decide_again(original: Any, policy: Policy) -> EncodedDecision:
    """Return what a policy decides about a table in this process; nothing is written."""
    policy = resolve_policy(policy)
    engine = LocalEngine(original)
    schema = policy.schema_for(engine.columns)
    run = Run(policy, schema, resolve_seed(policy.seed), None, Stopwatch())
    return engine.read(run).decide()


def replay(decision: Decision, policy: Policy) -> Replay | str:
    """Return what an algorithm refused, or why that is not known."""
    if not isinstance(decision, EncodedDecision) or decision.refinement is None:
        return ELSEWHERE
    problem, partition = decision.refinement
    table = problem.table
    if len(table.tuple_of_row) != decision.rows_in or table.population is not None:
        return ELSEWHERE
    if not table.domains or not decision.rows_in:
        return "there is no quasi-identifier, or no record"
    asked = _least(problem)
    if isinstance(asked, str):
        return asked
    attribute, least = asked
    refusals = policy.algorithm.refusals(problem, partition)
    if refusals is None:
        return f"nobody knows how to replay {policy.algorithm.type} with these parameters"
    by_size = policy.algorithm.classes_by_size(problem, partition)
    domain = table.sensitive[attribute]
    values = [*domain.texts, *["null"] * domain.has_null]
    return Replay(
        _relabel_refusals(refusals, decision),
        domain.name,
        least,
        tuple(values),
        table.sensitive_codes[table.tuple_of_row, attribute],
        None if by_size is None else by_size[table.tuple_of_row],
    )


def _least(problem: Problem) -> tuple[int, int] | str:
    """Return the place of the one attribute that models look at, and the distinct values asked."""
    criteria = compile_criteria(problem.models, problem.table)
    measures, attributes = criteria.conditions[:, 0], criteria.conditions[:, 1]
    if not len(measures):
        return "no model of a sensitive attribute guides the algorithm: it refuses nothing for one"
    if set(measures.tolist()) != {DISTINCT} or len(set(attributes.tolist())) > 1:
        return "only l-diversity of distinct values of one attribute is replayed"
    if any(model.entity is not None for model in problem.models):
        return "persons have several records, and the replay counts records"
    return int(attributes[0]), int(np.ceil(criteria.thresholds.max()))


def _relabel_refusals(refusals: Refusals, decision: EncodedDecision) -> Refusals:
    """Return refusals with the classes that are released: some may have been joined."""
    units = refusals.units
    of_row = np.where(decision.labels >= 0, units.of_row, np.int32(-1))
    mask = of_row >= 0
    classes = np.zeros(units.n_units, np.int32)
    classes[of_row[mask]] = decision.labels[mask]
    sizes = np.bincount(of_row[mask], minlength=units.n_units)
    return replace(refusals, units=replace(units, of_row=of_row, sizes=sizes, classes=classes))


@dataclass(frozen=True, slots=True)
class Failure:
    """A condition that a class would not meet."""

    model: str
    attribute: str | None
    counts_records: bool
    measured: float
    required: float
    relation: str


@dataclass(frozen=True, slots=True, repr=False)
class Reason(ShortRepr):
    """Why a value is not released as it is, or a record not at all."""

    _shown: ClassVar[tuple[str, ...]] = ("attribute", "records", "failure", "others")

    attribute: str | None
    value: str | None
    records: int
    at_levels: bool = False
    failure: Failure | None = None
    others: bool = False


_Trial = tuple[Reason, Ints, Ints]
"""What is asked of a record: a reason without failure, a class of rows, the rest of its class."""


def reasons_of_records(
    decision: EncodedDecision, models: Sequence[PrivacyModel], rows: Sequence[int]
) -> list[tuple[Reason, ...]]:
    """Return why each of some records was suppressed, or why values of it are generalized.

    Of a generalized value it is asked what would be if the class released this attribute as it
    is; of a suppressed record, if it were released at the levels of the release, where all
    classes have the same, else with its own values. Cost O(n) a record.
    """
    table, labels = decision.table, decision.labels
    trials = [_trials_of(decision, labels, row) for row in rows]
    parts = [part for several in trials for _, *both in several for part in both]
    failures = iter(_failures(table, models, parts) if parts else ())
    reasons = []
    for trial in trials:
        pairs = [(reason, next(failures), next(failures)) for reason, _, _ in trial]
        reasons.append(
            tuple(
                replace(reason, failure=own or rest, others=own is None and rest is not None)
                for reason, own, rest in pairs
            )
        )
    return reasons


def _trials_of(decision: EncodedDecision, labels: Int32s, row: int) -> list[_Trial]:
    table = decision.table
    label = int(labels[row])
    if label < 0:
        return [_trial_of_suppressed(decision, labels, row)]
    members = np.flatnonzero(labels == label)
    codes = table.codes[table.tuple_of_row[members]]
    own = table.codes[table.tuple_of_row[row]]
    by_name = {domain.name: a for a, domain in enumerate(table.domains)}
    found = []
    for recoded in decision.recoded:
        a = by_name[recoded.name]
        if recoded.low[label] == recoded.high[label]:
            continue
        same = codes[:, a] == own[a]
        reason = Reason(recoded.name, _text(table.domains[a], int(own[a])), int(same.sum()))
        found.append((reason, members[same], members[~same]))
    return found


def _trial_of_suppressed(decision: EncodedDecision, labels: Int32s, row: int) -> _Trial:
    """Return the class that a suppressed record would be in."""
    table = decision.table
    levels = decision.partition.levels
    if levels is not None and (
        not len(levels) or (levels < 0).any() or (levels != levels[0]).any()
    ):
        levels = None  # not all classes are released at the same ones
    alike = np.ones(len(table.codes), np.bool_)
    for a, domain in enumerate(table.domains):
        codes = table.codes[:, a]
        if levels is not None and domain.hierarchy is not None:
            codes = domain.hierarchy.codes[int(levels[0, a])][codes]
        alike &= codes == codes[table.tuple_of_row[row]]
    own = np.flatnonzero(alike[table.tuple_of_row] & (labels < 0))
    if levels is None:
        own = np.flatnonzero(alike[table.tuple_of_row])
    return Reason(None, None, len(own), levels is not None), own, own[:0]


def _text(domain: Domain, code: int) -> str | None:
    if code == domain.null_code:
        return None
    if code >= domain.apart:
        return domain.exceptions[code - domain.apart].removeprefix(MARK)
    return str(domain.values[code])


def _failures(
    table: EncodedTable, models: Sequence[PrivacyModel], parts: Sequence[Ints]
) -> list[Failure | None]:
    """Return the first condition that each part of the records fails as a class of its own."""
    rows = table.tuple_of_row[np.concatenate(parts)]
    sizes = [len(one) for one in parts]
    labels = np.repeat(np.arange(len(parts), dtype=np.int32), sizes)
    part = replace(
        table,
        codes=table.codes[rows],
        sensitive_codes=np.ascontiguousarray(table.sensitive_codes[rows]),
        weights=np.ones(len(rows), np.int64),
        population=None,
    )
    classes = classes_of(part, labels, len(parts))
    distributions = {  # compared with those of the whole table
        domain.name: replace(classes.distributions[domain.name], table=table_counts(table, j))
        for j, domain in enumerate(table.sensitive)
    }
    classes = replace(classes, distributions=distributions)
    failures: list[Failure | None] = [None] * len(parts)
    for model in reversed(models):
        for criterion in reversed(model.criteria()):
            measured = criterion.measure_classes(classes)
            failing = ~criterion.satisfied(classes) & (classes.sizes > 0)
            for place in np.flatnonzero(failing):
                failures[place] = Failure(
                    model.type,
                    criterion.attribute,
                    criterion.measure == SIZE,
                    float(measured[place]),
                    criterion.threshold,
                    criterion.relation,
                )
    return failures
