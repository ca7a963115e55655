"""A release of one table, as verification sees it."""

from __future__ import annotations

from typing import Any

from kanonym.data.hierarchy import Automatic
from kanonym.data.item_sets import EncodedSets
from kanonym.data.schema import QuasiIdentifier, Schema
from kanonym.differential_privacy.public_hierarchies import public_hierarchy
from kanonym.engines.base import Run
from kanonym.engines.decision import Decision
from kanonym.engines.task import population_of
from kanonym.models.differential import sampling_model
from kanonym.policy import Policy
from kanonym.verification.checked_classes import PopulationColumn
from kanonym.verification.release_view import Mechanism, ReleaseView
from kanonym.verification.released_classes import Columns, Counting, Table


def view_of_release(
    run: Run, decision: Decision, staged: Columns, original: Table, sets: EncodedSets | None = None
) -> ReleaseView:
    """Return what was staged of a decision, as verification sees it.

    original: the released records before any action; of suppressed ones nothing is looked at,
    for what is found is published. sets: the released sets of items.
    """
    return ReleaseView(
        policy=run.policy,
        schema=run.schema,
        released=staged,
        labels=decision.columns,
        original=original,
        # Suppression shifts the distribution that t-closeness and the like compare with: what
        # counts is that of the input. What is told of it is of the released records.
        reference=decision.original,
        population=population_columns(run.policy, run.schema),
        counting=counting_of(run.policy),
        sets=sets,
        mechanism=mechanism_of(run.policy, staged, recorded=run.recorded),
        hides_refusals=run.policy.hides_refusals,
    )


def population_columns(policy: Policy, schema: Schema) -> list[PopulationColumn] | None:
    """Return the quasi-identifiers of the policy's population table, if it has one."""
    column = population_of(policy, schema.readings)
    if column is None:
        return None
    return [
        PopulationColumn(column(name), attribute.hierarchy or Automatic())
        for name, attribute in schema.attributes.items()
        if isinstance(attribute, QuasiIdentifier)
    ]


def counting_of(policy: Policy) -> Counting | None:
    """Return how the policy counts k, None for the records of each class."""
    algorithm = policy.algorithm
    return None if algorithm.nulls is None else Counting(algorithm.nulls, algorithm.subsets)


def mechanism_of(
    policy: Policy, released: Columns, *, recorded: bool | None = None
) -> Mechanism | None:
    """Return what shows of a mechanism in a release; None where the policy asks for none.

    Each column must have the labels of one level that the policy allows, and there must be no
    other column. That records were sampled cannot be seen; a seed in the policy repeats it.
    recorded: as of `Mechanism`.
    """
    model = sampling_model(policy.models)
    if model is None:
        return None
    from kanonym.algorithms.full_domain.private import allowed_levels  # noqa: PLC0415 - loads much

    algorithm: Any = policy.algorithm
    known = {
        name: public_hierarchy(name, attribute)
        for name, attribute in policy.attributes.items()
        if isinstance(attribute, QuasiIdentifier)
    }
    taken = released.take(list(known))
    foreign = [name for name in released.columns if name not in known]
    for name, hierarchy in known.items():
        allowed = allowed_levels(
            hierarchy.tree, algorithm.levels.get(name), algorithm.degree, hierarchy.lowest
        )
        if not set(hierarchy.levels_of(taken.column(name))) & set(allowed):
            foreign.append(name)
    return Mechanism(tuple(foreign), model.delta, policy.seed is not None, recorded)
