"""What a policy asks of a table."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import polars as pl

from kanonym.algorithms.cell_suppression import CellSuppression
from kanonym.data import files, frames
from kanonym.data.conventions import typed_table
from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.hierarchy import Automatic
from kanonym.data.schema import QuasiIdentifier, Schema, conventions_of
from kanonym.data.sorting import sorting_key
from kanonym.engines.task import Task
from kanonym.models import KAnonymity
from kanonym.policy import Policy
from kanonym.policy.algorithms import target_of
from kanonym.policy.overriding import override
from kanonym.transforms import perturbation
from kanonym.transforms.actions import Acting, unwrapped
from kanonym.transforms.persons import PopulationColumn
from kanonym.verification import (
    Counting,
)


def is_elsewhere(frame: Any) -> bool:
    """Whether a table is on an engine outside of this process; imports none."""
    return type(frame).__module__.partition(".")[0] in ("kanonym", "duckdb", "_duckdb", "pyspark")


def one_policy(policy: Policy | str | os.PathLike[str] | None, short: Mapping[str, Any]) -> Policy:
    """Return the policy that is given, with the values of short forms in the place of its own."""
    if policy is None:
        return Policy.short(**short)
    if isinstance(policy, str | os.PathLike):
        policy = Policy.from_file(policy)
    if not isinstance(policy, Policy):
        raise PolicyError(
            f"policy must be a Policy or the path of a policy file, not {type(policy).__name__}"
        )
    return override(policy, short)


def task_of(policy: Policy, native: Any) -> Task:
    """Return what a policy asks an engine to do with a table."""
    schema = policy.schema_for(frames.column_names(native))
    return task_for(policy, schema, partial(frames.column, native))


def task_for(policy: Policy, schema: Schema, column: Callable[[str], pl.Series]) -> Task:
    """Return what a policy asks an engine to do with columns, which `column` gives by name."""
    target = target_of(policy.algorithm, schema)
    return Task(
        schema=schema,
        models=policy.models,
        algorithm=policy.algorithm,
        recoding=policy.recoding,
        suppression_limit=policy.suppression_limit,
        population=population_of(policy),
        keep_integers=policy.keep_integers,
        target=None if target is None else column(target),
    )


def entities_of(policy: Policy) -> list[str]:
    """Return the identifiers by which k-anonymity counts persons."""
    return [one.entity for one in policy.models if isinstance(one, KAnonymity) and one.entity]


def as_counted(native: Any, policy: Policy, acting: Acting) -> Callable[[str], pl.Series]:
    """Return what gives the columns that an engine looks at: as actions leave them.

    Persons are those of the input, whatever is released in the place of their identifier.
    """
    persons = entities_of(policy)

    def column(name: str) -> pl.Series:
        return frames.column(native, name) if name in persons else acting.before(name)

    return column


def acting_on(native: Any, schema: Schema, seed: int | None) -> Acting:
    """Return the columns of a table as the actions of its attributes leave them.

    seed: None draws one anew from the system's source; the result has it.
    """
    seed = drawn_seed() if seed is None else seed
    actions = {name: one.action for name, one in schema.attributes.items() if one.action}
    return Acting(partial(frames.column, native), actions, seed)


def drawn_seed() -> int:
    """Return a seed from the system's source, for a release that asks for none."""
    return secrets.randbits(128)


def sorting_keys(
    native: Any, acting: Acting, changed: Mapping[str, pl.Series] = MappingProxyType({})
) -> Callable[[str], pl.Series]:
    """Return what gives the columns that records are sorted by before they are shuffled.

    changed: the columns that actions changed after the algorithm.
    """

    def key(name: str) -> pl.Series:
        if name in changed:
            return changed[name]
        return acting.before(name) if name in acting.actions else sorting_key(native, name)

    return key


def population_of(policy: Policy) -> Callable[[str], pl.Series] | None:
    """Return what gives the columns of the policy's population table, if it has one."""
    given = policy.population
    if given is None:
        return None
    path = isinstance(given, str | os.PathLike)
    if path:
        files.refuse_url(os.fspath(given))  # a policy is kept and passed on, keys and all
    table = files.read_table(os.fspath(given)) if path else frames.eager(given)
    table = typed_table(table, conventions_of(policy.attributes))
    where = f" {os.fspath(given)}" if path else ""

    def column(name: str) -> pl.Series:
        names = frames.column_names(table)
        if name not in names:
            raise SchemaError(
                f"the population table{where} has no column {name!r}, which is a "
                f"quasi-identifier. It has: {', '.join(names)}"
            )
        return frames.column(table, name)

    return column


def persons_of_policy(policy: Policy, schema: Schema) -> list[PopulationColumn] | None:
    """Return the quasi-identifiers of the policy's population table, if it has one."""
    column = population_of(policy)
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
    if not isinstance(algorithm, CellSuppression):
        return None
    return Counting(algorithm.nulls, algorithm.subsets)


def perturbed(policy: Policy, name: str) -> bool:
    """Whether the released identifiers of persons are no pseudonyms of them."""
    actions = unwrapped(policy.attributes[name].action) if name in policy.attributes else []
    return any(isinstance(one, perturbation.ACTIONS) for one in actions)
