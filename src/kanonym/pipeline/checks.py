"""Any table, checked against a policy or measured without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from kanonym.actions.registry import has_late_actions
from kanonym.data import frames
from kanonym.data.conventions import changed_texts
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.item_sets import (
    EncodedSets,
    encode_sets,
    items_among,
    names_of_sets,
    read_sets,
    refuse_repeated_labels,
    tree_of,
)
from kanonym.data.schema import Identifier, QuasiIdentifier, Role, Schema, Sensitive
from kanonym.engines import Engine, LocalEngine, engine_of, is_local
from kanonym.engines.base import require_abilities
from kanonym.engines.frequency_set import FrequencySet, values_of
from kanonym.engines.task import sensitive_names
from kanonym.metrics.disclosure import Measurement, measure_table
from kanonym.pipeline.conventions import parse_with_policy, to_canonical
from kanonym.pipeline.dependent_columns import (
    dependence_warnings,
    dependent_columns,
    knowable_warnings,
)
from kanonym.pipeline.person_checks import (
    amount_warnings,
    input_warnings,
    release_warnings,
    taken_agreement_warnings,
)
from kanonym.pipeline.planning import (
    convention_requests,
    counting_of,
    is_perturbed,
    persons_of_policy,
)
from kanonym.pipeline.private_checks import check_private_release
from kanonym.pipeline.recorded_persons import RecordedPersons
from kanonym.policy import Policy, PolicySource
from kanonym.policy.definition import policy_from
from kanonym.recoding.recode import released_names
from kanonym.verification import (
    ColumnValues,
    SensitiveColumn,
    Verification,
    classes_of_values,
    k_wildcard,
    unprotected_warnings,
    verify_columns,
)

FIRST = 1000
"""Records by which a column of lists is told."""


def verify(
    frame: Any,
    policy: PolicySource,
    *,
    original: Any = None,
    count: str | None = None,
    texts: Mapping[str, pl.Series] | None = None,
    recorded: RecordedPersons | None = None,
) -> Verification:
    """Check a released table against a policy, from its values alone.

    Parameters
    ----------
    frame
        The released table, of any kind that `anonymize` takes: it has no identifiers, and a
        quasi-identifier may be two columns `name_min` and `name_max`.
    policy
        What is required.
    original
        The table before anonymization: t-closeness and the like then compare classes
        with its distribution, not with the released one. They differ where records
        were suppressed.
    count
        A column of record counts, for the aggregate form.
    texts
        Columns of a text file as text, where several texts read as one value (`1` and
        `1.0`). Records are then grouped by value and by text, and the worse counts.
    recorded
        What the manifest of the release tells of persons (`recorded_persons`), where the
        released table lacks their identifier.

    Raises
    ------
    SchemaError
        A quasi-identifier or a sensitive attribute of the policy is missing, or an
        identifier is still there.

    """
    policy = policy_from(policy)
    if is_local(frame):
        native = frames.to_eager(frame)
        frame = to_canonical(native, policy)
        texts = {**changed_texts(native, frame, frames.column_names(native)), **(texts or {})}
    if original is not None and is_local(original):
        original = parse_with_policy(original, policy)
    every = policy.models
    if recorded is not None:
        left_to_ask = [one for one in every if not recorded.is_recorded(one)]
        policy = policy.model_copy(update={"models": left_to_ask})
    table = _table(frame, texts)
    require_abilities(table, convention_requests(policy))
    before = None if original is None else _table(original)
    columns = table.columns
    left = [
        name
        for name in columns
        if isinstance(one := policy.attributes.get(name), Identifier) and not one.action
    ]
    if left:
        raise SchemaError(
            f"the table still has the identifiers {', '.join(left)}: it is not a release. Drop "
            f"them; to measure a table before anonymization, use measure"
        )
    schema = policy.schema_for(
        _original_columns(policy, columns, count) if before is None else before.columns
    )
    names = released_columns(schema.names(Role.QUASI_IDENTIFIER), columns)
    hidden = sensitive_names(schema, policy.models)
    missing = [name for name in (*hidden, *schema.names(Role.SET)) if name not in columns]
    persons = [name for name in missing if isinstance(policy.attributes.get(name), Identifier)]
    persons += [name for name in policy.entities if is_perturbed(policy, name)]
    if persons:
        raise SchemaError(
            f"k-anonymity counts persons by {persons[0]!r}, which the released table lacks. "
            "Give the manifest of the release, which recorded the count (--manifest); or release a "
            "pseudonym of it (action surrogate), which can be counted again; or leave entity out, "
            "and records are counted"
        )
    if missing:
        raise _missing_error(missing, columns)
    free = [name for name in unmodelled_attributes(schema, policy) if name in columns]
    # An engine counts what models name: further columns would make its frequency set longer.
    further = countable_columns(free, table.take(free).column) if is_local(frame) else []
    released = table.take([*names, *hidden, *further, *([] if count is None else [count])])
    counts = released.counts if count is None else released.aggregate_counts(count)
    found = verify_columns(
        [released.column(name) for name in names],
        model_columns(
            released.column,
            schema,
            policy,
            None if before is None else before.take(hidden),
            further,
        ),
        policy.models,
        released.n_rows,
        counts,
        persons_of_policy(policy, schema),
        counting_of(policy),
        released.as_text(names),
        _released_sets(released, before, schema),
    )

    def count_values(name: str) -> ColumnValues:
        own = table.take([name, str(count)])
        return values_of(own.column, name, counts=own.aggregate_counts(str(count)))

    values = table.values if count is None else count_values
    if recorded is not None:
        warned = list(recorded.warnings)
        found = recorded.with_checks(found, every)
    elif before is not None:
        warned = [
            *input_warnings(policy, schema, before.values),
            *taken_agreement_warnings(policy, schema.names(Role.QUASI_IDENTIFIER), before.take),
        ]
    else:
        warned = release_warnings(policy, schema, columns, values)
    found = check_private_release(
        found, policy, [name for name in columns if name != count], released.column
    )
    if before is not None and count is None:
        dependent = dependent_columns(schema, before)
        warned += dependence_warnings(dependent, columns, table.take, names, found)
    uncounted = unprotected_warnings([name for name in free if name not in further], every)
    return found.with_warnings(
        *uncounted,
        *warned,
        *(knowable_warnings(policy, columns, table.take, names, found) if count is None else ()),
        *amount_warnings(policy, schema, columns, values),
    )


def _released_sets(
    released: FrequencySet, before: Engine | None, schema: Schema
) -> EncodedSets | None:
    """Return the sets of items of a released table; None without them.

    before: the original, for hierarchies that are built from its items; without it, items are
    what hierarchies list, and where there is none, what is released.
    """
    attributes = names_of_sets(schema.attributes)
    if not attributes:
        return None
    if released.sets is None:
        raise SchemaError("sets of items are verified in this process: load the table into memory")
    lists = {name: read_sets(released.sets(name), one) for name, one in attributes.items()}
    given = None if before is None else before.take(list(attributes)).sets
    items = {
        name: read_sets(given(name), one) if given else items_among(lists[name], one)
        for name, one in attributes.items()
    }
    sets = encode_sets(tree_of(attributes, items), lists, released.n_rows, any_level=True)
    refuse_repeated_labels(lists, sets)
    return sets


def _table(frame: Any, texts: Mapping[str, pl.Series] | None = None) -> Engine:
    """Return a table as it is; texts: as of `verify`."""
    return LocalEngine(frame, texts or {}) if is_local(frame) else engine_of(frame)


def measure(
    frame: Any,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    hierarchies: Mapping[str, HierarchySource] | None = None,
    texts: Mapping[str, pl.Series] | None = None,
) -> Measurement:
    """Measure every privacy model on any table, without a threshold.

    Parameters
    ----------
    frame
        Any table that `anonymize` takes, released or not.
    quasi_identifiers, sensitive
        Names of columns.
    hierarchies
        Of sensitive attributes, for t-closeness with hierarchical distance.
    texts
        As of `verify`: records whose texts differ are then in different classes.

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
    table = _table(frame, texts)
    trees = hierarchies or {}
    roles: dict[str, Any] = {name: QuasiIdentifier() for name in _name_list(quasi_identifiers)}
    for name in _name_list(sensitive):
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
    Schema.resolve(table.columns, roles, Role.INSENSITIVE)
    taken = table.take(list(roles))
    # Classes of equal texts are parts of those of equal values: no model is better on them.
    as_text = taken.as_text(quasi_identifiers)
    known = [as_text[name] if name in as_text else taken.column(name) for name in quasi_identifiers]
    hidden = [SensitiveColumn(taken.column(name), trees.get(name)) for name in sensitive]
    classes = classes_of_values(known, hidden, taken.n_rows, taken.counts)
    sets = _columns_of_lists(frame, [name for name in table.columns if name not in roles])
    return measure_table(classes, k_wildcard(known, taken.counts), tuple(as_text), sets)


def _columns_of_lists(frame: Any, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that hold lists, as far as the first records tell; none of an engine."""
    if not is_local(frame):
        return ()
    first = frames.to_eager(frame)[:FIRST]
    found = []
    for name in names:
        try:
            dtype = frames.raw_column(first, name).dtype
        except DataError:
            continue
        if isinstance(dtype, pl.List | pl.Array):
            found.append(name)
    return tuple(found)


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
        raise _missing_error(missing, columns)
    return found


def _missing_error(missing: Sequence[str], columns: Sequence[str]) -> SchemaError:
    return SchemaError(
        f"the released table has no column for: {', '.join(missing)}. It has: {', '.join(columns)}"
    )


def _name_list(names: Sequence[str]) -> Sequence[str]:
    if isinstance(names, str):
        raise SchemaError(f"give a list of columns, not the text {names!r}")
    return names


def model_columns(
    released: Callable[[str], pl.Series],
    schema: Schema,
    policy: Policy,
    original: FrequencySet | None,
    further: Sequence[str] = (),
) -> list[SensitiveColumn]:
    """Return what verification looks at: sensitive attributes, and persons to be counted.

    released: gives columns of the release; original: those of the input, or None. further:
    sensitive attributes that no model names.
    Where released values are changed, no other ones are what classes are compared with.
    """
    named = sensitive_names(schema, policy.models)
    found = []
    for name, attribute in schema.attributes.items():
        if name not in named and name not in further:
            continue
        if not isinstance(attribute, Sensitive):
            found.append(SensitiveColumn(released(name)))
            continue
        before = None if name in further or has_late_actions(attribute.action) else original
        found.append(
            SensitiveColumn(
                released(name),
                attribute.hierarchy,
                attribute.nulls == "exclude",
                None if before is None else before.column(name),
                None if before is None else before.counts,
            )
        )
    return found


def unmodelled_attributes(schema: Schema, policy: Policy) -> list[str]:
    """Return the sensitive attributes that no model of the policy names."""
    named = {model.attribute for model in policy.models}
    return [name for name in schema.names(Role.SENSITIVE) if name not in named]


def countable_columns(names: Sequence[str], column: Callable[[str], pl.Series]) -> list[str]:
    """Return the columns whose values can be counted: lists and the like cannot."""
    found = []
    for name in names:
        try:
            column(name)
        except DataError:
            continue
        found.append(name)
    return found


def _original_columns(policy: Policy, columns: Sequence[str], count: str | None) -> list[str]:
    """Return the columns that the table had before it was released."""
    absent = [name for name in policy.attributes if name not in columns]
    made = {count, *(one for name in absent for one in released_names(name, "range"))}
    kept = [name for name in columns if name in policy.attributes or name not in made]
    return [*kept, *absent]
