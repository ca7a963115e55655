"""An algorithm carried out again: what it refused because of sensitive values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kanonym.algorithms.base import Problem
from kanonym.algorithms.criteria import compile_criteria
from kanonym.data.refusals import Refusals, Replay
from kanonym.engines.decision import Decision, EncodedDecision
from kanonym.engines.local import LocalEngine, resolve_seed
from kanonym.engines.run import Run
from kanonym.engines.stopwatch import Stopwatch
from kanonym.kernels.classes.disclosure import DISTINCT
from kanonym.pipeline.planning import resolve_policy
from kanonym.policy import Policy

ELSEWHERE = "the encoded table stayed on its engine: read the table into this process"


def decide_again(original: Any, policy: Policy) -> EncodedDecision:
    """Return what a policy decides about a table in this process; nothing is written."""
    policy = resolve_policy(policy, {})
    engine = LocalEngine(original)
    schema = policy.schema_for(engine.columns)
    run = Run(policy, schema, resolve_seed(policy.seed), None, Stopwatch())
    return engine.read(run).decide()


def replay(decision: Decision, policy: Policy) -> Replay | str:
    """Return what an algorithm refused, or why that is not known.

    decision: of the policy, about a table in this process.
    """
    if not isinstance(decision, EncodedDecision) or decision.refinement is None:
        return ELSEWHERE
    problem, found = decision.refinement
    table = problem.table
    if len(table.tuple_of_row) != decision.rows_in or table.population is not None:
        return ELSEWHERE
    if not table.domains or not decision.rows_in:
        return "there is no quasi-identifier, or no record"
    asked = _least(problem)
    if isinstance(asked, str):
        return asked
    attribute, least = asked
    refusals = policy.algorithm.refusals(problem, found)
    if refusals is None:
        return f"nobody knows how to replay {policy.algorithm.type} with these parameters"
    by_size = policy.algorithm.classes_by_size(problem, found)
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
    held = of_row >= 0
    classes = np.zeros(units.n_units, np.int32)
    classes[of_row[held]] = decision.labels[held]
    sizes = np.bincount(of_row[held], minlength=units.n_units)
    return replace(refusals, units=replace(units, of_row=of_row, sizes=sizes, classes=classes))
