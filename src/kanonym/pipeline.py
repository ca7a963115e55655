"""The flow: a table and a policy in, a verified release out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from kanonym.algorithms.cell_suppression import CellSuppression
from kanonym.data import files, frames
from kanonym.data.errors import InfeasibleError, PolicyError, SchemaError
from kanonym.data.hierarchy import Automatic, HierarchySource
from kanonym.data.schema import Identifier, QuasiIdentifier, Role, Schema, Sensitive
from kanonym.data.table import value_codes
from kanonym.engine import Outcome, Stopwatch, Task, run, sensitive_names
from kanonym.metrics.disclosure import Measurement, measure_table
from kanonym.metrics.risk import PersonRisk, person_risk
from kanonym.models import KAnonymity
from kanonym.policy import Policy
from kanonym.policy.algorithms import target_of
from kanonym.release import Release
from kanonym.transforms import perturbation
from kanonym.transforms.actions import Acting, changed_after, unwrapped
from kanonym.transforms.ordering import released_rows
from kanonym.transforms.persons import PopulationColumn
from kanonym.transforms.recoding import released_names
from kanonym.verification import (
    Counting,
    SensitiveColumn,
    Verification,
    classes_of_values,
    k_wildcard,
    record_counts,
    verify_columns,
)


def anonymize(
    frame: Any,
    policy: Policy | None = None,
    *,
    progress: Callable[[str], None] | None = None,
    **short: Any,
) -> Release:
    """Release a table that satisfies a policy.

    Parameters
    ----------
    frame
        A pandas or polars DataFrame, a polars LazyFrame or a pyarrow Table.
    policy
        What is asked; or leave it out and use the short forms.
    progress
        Called with the name of each stage as it begins, and with `stage: sentence` for
        what a stage tells: `encode` of hierarchies that it builds because none was
        given, `algorithm` of a long search.
    short
        Parts of `Policy.short`: `quasi_identifiers`, `sensitive`, `identifiers`,
        `hierarchies`, `k`, `l`, `t`, `others`, and the options of `Policy`.

    Raises
    ------
    PolicyError, SchemaError, HierarchyError, DataError
        Something that was given is wrong; the message says what and where.
    InfeasibleError
        No release satisfies the policy; or, as a last defence, verification of the
        released values found a class that does not.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [23, 25, 41, 42], "disease": ["flu", "flu", "cold", "flu"]})
    >>> release = anonymize(
    ...     table, quasi_identifiers=["age"], sensitive=["disease"], k=2, keep_order=True
    ... )
    >>> release.frame["age"].to_list()
    ['[23, 25]', '[23, 25]', '[41, 42]', '[41, 42]']
    >>> release.verification.satisfied
    True

    """
    policy = one_policy(policy, short)
    watch = Stopwatch(progress)
    with watch.stage("read"):
        native = frames.eager(frame)
        task = task_of(policy, native)
    schema, n_rows = task.schema, frames.n_rows(native)
    acting = acting_on(native, schema, policy.seed)
    for name in acting.actions:
        acting.before(name)
    outcome = run(task, as_counted(native, policy, acting), n_rows, watch)
    with watch.stage("recode"):
        named = [name for name in schema.names(Role.IDENTIFIER) if name in acting.actions]
        after = outcome.changed(acting)
        changed = {column.name: column for columns in after.values() for column in columns}
        named += schema.names(Role.SENSITIVE) + schema.names(Role.INSENSITIVE)
        rows = released_rows(
            outcome.labels,
            [one for one in outcome.recoded if one.name not in acting.changed_after],
            [*(name for name in named if name not in changed), *changed],
            lambda name: changed[name] if name in changed else acting.before(name),
            None if policy.keep_order else policy.seed,
        )
        released = frames.assemble(
            native, rows, outcome.columns(schema, rows, acting, after), frame
        )
    with watch.stage("verify"):
        checked = frames.eager(released)
        names = [column.name for part in outcome.recoded for column in part.columns]
        known = [frames.column(checked, name) for name in names]
        # Suppression shifts the distribution that t-closeness and the like compare with:
        # what counts is that of the input.
        persons_of = entities_of(policy)

        def seen(name: str) -> pl.Series:
            # Who is who is not released, or as a pseudonym: persons are those of the input.
            if name in persons_of:
                return frames.column(native, name).gather(rows)
            return frames.column(checked, name)

        hidden = _seen_by_models(
            seen, schema, policy, acting.before if len(rows) < n_rows else None
        )
        levels = outcome.levels_of(rows)
        persons = task.population and [
            PopulationColumn(
                task.population(domain.name),
                domain.hierarchy,
                None if levels is None else np.ascontiguousarray(levels[:, a]),
            )
            for a, domain in enumerate(outcome.table.domains)
        ]
        verification = verify_columns(
            known,
            hidden,
            policy.models,
            len(rows),
            population=persons,
            counting=_counting(policy),
        )
        _require(verification, acting)
    return Release(
        frame=released,
        policy=policy,
        schema=schema,
        verification=verification,
        rows_in=n_rows,
        rows_out=len(rows),
        suppressed=n_rows - len(rows),
        outcome=outcome,
        seconds=watch.seconds,
        rows=rows,
        persons=_persons_at_risk(native, persons_of, outcome),
    )


def verify(
    frame: Any,
    policy: Policy,
    *,
    original: Any = None,
    count: str | None = None,
) -> Verification:
    """Check a released table against a policy, from its values alone.

    Parameters
    ----------
    frame
        The released table: it has no identifiers, and a quasi-identifier may be two
        columns `name_min` and `name_max`.
    policy
        What is required.
    original
        The table before anonymization: t-closeness and the like then compare classes
        with its distribution, not with the released one. They differ where records
        were suppressed.
    count
        A column of record counts, for the aggregate form.

    Raises
    ------
    SchemaError
        A quasi-identifier or a sensitive attribute of the policy is missing, or an
        identifier is still there.

    """
    native = frames.eager(frame)
    columns = frames.column_names(native)
    left = [
        name
        for name in columns
        if isinstance(one := policy.attributes.get(name), Identifier) and not one.action
    ]
    if left:
        raise SchemaError(
            f"the table still has the identifiers {', '.join(left)}: it is no release. "
            "Drop them; to measure a table before its release, use measure"
        )
    counts = None if count is None else record_counts(frames.column(native, count))
    if original is not None:
        schema = policy.schema_for(frames.column_names(frames.eager(original)))
    else:
        schema = policy.schema_for(_before_release(policy, columns, count))
    names = released_columns(schema.names(Role.QUASI_IDENTIFIER), columns)
    missing = [name for name in sensitive_names(schema, policy.models) if name not in columns]
    persons = [name for name in missing if isinstance(policy.attributes.get(name), Identifier)]
    persons += [name for name in entities_of(policy) if _perturbed(policy, name)]
    if persons:
        raise SchemaError(
            f"k-anonymity counts persons by {persons[0]!r}, which the released table lacks. "
            "To check it afterwards, release a pseudonym of it (action surrogate); or leave entity "
            "out, and records are counted"
        )
    if missing:
        raise _lacking(missing, columns)
    return verify_columns(
        [frames.column(native, name) for name in names],
        _seen_by_models(
            partial(frames.column, native),
            schema,
            policy,
            None if original is None else partial(frames.column, frames.eager(original)),
        ),
        policy.models,
        frames.n_rows(native),
        counts,
        _persons(policy, schema),
        _counting(policy),
    )


def released_columns(quasi_identifiers: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the columns of a table that hold quasi-identifiers, one or two of each.

    quasi_identifiers: their names in the original. columns: those of the table, which may be
    a release with `name_min` and `name_max` in the place of a name.

    Raises
    ------
    SchemaError
        A quasi-identifier has no column.

    """
    found: list[str] = []
    missing: list[str] = []
    for name in quasi_identifiers:
        both = released_names(name, "range")
        if name in columns:
            found.append(name)
        elif set(both) <= set(columns):
            found += both
        else:
            missing.append(name)
    if missing:
        raise _lacking(missing, columns)
    return found


def _lacking(missing: Sequence[str], columns: Sequence[str]) -> SchemaError:
    return SchemaError(
        f"the released table has no column for: {', '.join(missing)}. It has: {', '.join(columns)}"
    )


def measure(
    frame: Any,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    hierarchies: Mapping[str, HierarchySource] | None = None,
) -> Measurement:
    """Measure every privacy model on any table, without a threshold.

    Parameters
    ----------
    frame
        Any table, released or not.
    quasi_identifiers, sensitive
        Names of columns.
    hierarchies
        Of sensitive attributes, for t-closeness with hierarchical distance.

    Raises
    ------
    SchemaError
        No such column, or a column in two roles.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [23, 23, 41, 41], "disease": ["flu", "cold", "flu", "flu"]})
    >>> measured = measure(table, quasi_identifiers=["age"], sensitive=["disease"])
    >>> measured.k, measured.attributes["disease"].l_distinct
    (2, 1)

    """
    native = frames.eager(frame)
    trees = hierarchies or {}
    roles: dict[str, Any] = {name: QuasiIdentifier() for name in _list(quasi_identifiers)}
    for name in _list(sensitive):
        if name in roles:
            raise SchemaError(
                f"column {name!r} is both quasi-identifying and sensitive; choose one"
            )
        roles[name] = Sensitive(trees.get(name))
    stray = [name for name in trees if not isinstance(roles.get(name), Sensitive)]
    if stray:
        raise SchemaError(
            f"hierarchy of {stray[0]!r}: only sensitive attributes are measured by one"
        )
    Schema.resolve(frames.column_names(native), roles, Role.INSENSITIVE)
    known = [frames.column(native, name) for name in quasi_identifiers]
    hidden = [SensitiveColumn(frames.column(native, name), trees.get(name)) for name in sensitive]
    classes = classes_of_values(known, hidden, frames.n_rows(native))
    return measure_table(classes, k_wildcard(known))


def one_policy(policy: Policy | None, short: Mapping[str, Any]) -> Policy:
    """Return the policy that was given, or the one that the short forms state."""
    if policy is None:
        return Policy.short(**short)
    if not isinstance(policy, Policy):
        raise PolicyError(
            f"a policy is a Policy, not a {type(policy).__name__}; see Policy.from_file"
        )
    if short:
        raise PolicyError(f"give a policy or short forms, not both: {', '.join(short)}")
    return policy


def task_of(policy: Policy, native: Any) -> Task:
    """Return what a policy asks an engine to do with a table."""
    schema = policy.schema_for(frames.column_names(native))
    target = target_of(policy.algorithm, schema)
    return Task(
        schema=schema,
        models=policy.models,
        algorithm=policy.algorithm,
        recoding=policy.recoding,
        suppression_limit=policy.suppression_limit,
        population=_population(policy),
        keep_integers=policy.keep_integers,
        target=None if target is None else frames.column(native, target),
    )


def _population(policy: Policy) -> Callable[[str], pl.Series] | None:
    """Return what gives the columns of the policy's population table, if it has one."""
    given = policy.population
    if given is None:
        return None
    path = isinstance(given, str | os.PathLike)
    table = files.read_table(os.fspath(given)) if path else frames.eager(given)
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


def _persons(policy: Policy, schema: Schema) -> list[PopulationColumn] | None:
    """Return the quasi-identifiers of the policy's population table, if it has one."""
    column = _population(policy)
    if column is None:
        return None
    return [
        PopulationColumn(column(name), attribute.hierarchy or Automatic())
        for name, attribute in schema.attributes.items()
        if isinstance(attribute, QuasiIdentifier)
    ]


def _counting(policy: Policy) -> Counting | None:
    """Return how the policy counts k, None for the records of each class."""
    algorithm = policy.algorithm
    if not isinstance(algorithm, CellSuppression):
        return None
    return Counting(algorithm.nulls, algorithm.subsets)


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


def _perturbed(policy: Policy, name: str) -> bool:
    """Whether the released identifiers of persons are no pseudonyms of them."""
    actions = unwrapped(policy.attributes[name].action) if name in policy.attributes else []
    return any(isinstance(one, perturbation.ACTIONS) for one in actions)


def _persons_at_risk(native: Any, entities: Sequence[str], outcome: Outcome) -> PersonRisk | None:
    """Return the risk of persons, by the first entity that is counted; None without one."""
    if not entities:
        return None
    codes, _ = value_codes(frames.column(native, entities[0]))
    return person_risk(outcome.labels, outcome.partition.n_classes, codes)


def acting_on(native: Any, schema: Schema, seed: int) -> Acting:
    """Return the columns of a table as the actions of its attributes leave them."""
    actions = {name: one.action for name, one in schema.attributes.items() if one.action}
    return Acting(partial(frames.column, native), actions, seed)


def _require(verification: Verification, acting: Acting) -> None:
    if verification.satisfied is False:
        failed = [check.type for check in verification.checks if not check.satisfied]
        named = "; ".join(str(one["class"]) for one in verification.violating[:3])
        changed = acting.changed_after
        reason = "This is a defect of kanonym: please report it"
        if changed:
            reason = (
                f"Actions after the algorithm tear classes apart ({', '.join(changed)}): "
                "leave them out, or let them come before it"
            )
        raise InfeasibleError(
            f"the recoded table fails {', '.join(failed)} in {verification.n_violating} classes "
            f"({named}); nothing is released. {reason}"
        )


def _list(names: Sequence[str]) -> Sequence[str]:
    if isinstance(names, str):
        raise SchemaError(f"give a list of columns, not the text {names!r}")
    return names


def _seen_by_models(
    released: Callable[[str], pl.Series],
    schema: Schema,
    policy: Policy,
    original: Callable[[str], pl.Series] | None,
) -> list[SensitiveColumn]:
    """Return what verification looks at: sensitive attributes, and persons to be counted.

    released, original: give columns of the release and of the input; `original` may be None.
    Where released values are changed, no other ones are what classes are compared with.
    """
    named = sensitive_names(schema, policy.models)
    return [
        SensitiveColumn(
            released(name),
            attribute.hierarchy,
            attribute.nulls == "exclude",
            None if original is None or changed_after(attribute.action) else original(name),
        )
        if isinstance(attribute, Sensitive)
        else SensitiveColumn(released(name))
        for name, attribute in schema.attributes.items()
        if name in named
    ]


def _before_release(policy: Policy, columns: Sequence[str], count: str | None) -> list[str]:
    """Return the columns that the table had before it was released."""
    absent = [name for name in policy.attributes if name not in columns]
    made = {count, *(one for name in absent for one in released_names(name, "range"))}
    kept = [name for name in columns if name in policy.attributes or name not in made]
    return [*kept, *absent]
