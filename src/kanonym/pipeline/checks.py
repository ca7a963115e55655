"""Any table, checked against a policy or measured without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from typing import Any

import polars as pl

from kanonym.data import frames
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.files import CellTexts, differing_floats, table_of
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
from kanonym.data.person_key import columns_of
from kanonym.data.readings import Reading, changed_texts
from kanonym.data.schema import Identifier, QuasiIdentifier, Role, Schema, Sensitive, readings_of
from kanonym.engines import Engine, LocalEngine, engine_of, is_local
from kanonym.engines.release_view import counting_of, mechanism_of, population_columns
from kanonym.metrics.disclosure import Measurement, measure_table
from kanonym.pipeline.planning import parse_with_policy, resolve_policy, to_canonical
from kanonym.policy import Policy, PolicySource
from kanonym.recoding.recode import released_names
from kanonym.verification.findings import verify_release
from kanonym.verification.release_view import RecordedRelease, ReleaseView, sensitive_names
from kanonym.verification.released_classes import (
    AggregatedTable,
    SensitiveColumn,
    classes_of_values,
    count_suppressed,
    k_wildcard,
)
from kanonym.verification.verdict import Verification

FIRST = 1000
"""Records by which a column of lists is told."""


def verify(
    frame: Any,
    policy: PolicySource,
    *,
    original: Any = None,
    count: str | None = None,
    texts: Mapping[str, pl.Series] | None = None,
    recorded: RecordedRelease | None = None,
    unread: Sequence[str] = (),
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
        What the manifest of the release tells (`recorded_release`): the persons, where the
        released table lacks their identifier, and what was found beside the original.
    unread
        What the file of the table has beside it, such as further sheets: it is found.

    Raises
    ------
    SchemaError
        A quasi-identifier or a sensitive attribute of the policy is missing, or an
        identifier is still there.

    """
    policy = resolve_policy(policy)
    cells = CellTexts()
    frame, original = table_of(frame, texts=cells), table_of(original)
    texts, unread = {**cells, **(texts or {})}, [*cells.unread, *unread]
    if is_local(frame):
        native = frames.to_eager(frame)
        frame = to_canonical(native, policy)
        texts = {**changed_texts(native, frame, frames.column_names(native)), **texts}
    if original is not None and is_local(original):
        original = parse_with_policy(original, policy)
    readings = readings_of(policy.attributes)
    table = _table(frame, texts, readings)
    before = None if original is None else engine_of(original, readings)
    with ExitStack() as stack:
        for engine in (table, *([] if before is None else [before])):
            stack.callback(engine.close)
        view = _view_of_table(policy, table, before, count, recorded)
        return verify_release(replace(view, unread=tuple(unread)))


def _view_of_table(
    policy: Policy,
    table: Engine,
    before: Engine | None,
    count: str | None,
    recorded: RecordedRelease | None,
) -> ReleaseView:
    """Return a released table as verification sees it; parameters and errors as of `verify`."""
    released = table if count is None else AggregatedTable(table, count)
    columns = released.columns
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
        _original_columns(policy, columns) if before is None else before.columns
    )
    models = [model for model in policy.models if recorded is None or not recorded.counts(model)]
    hidden = sensitive_names(schema, models)
    _require_columns(policy, [*hidden, *schema.names(Role.SET)], columns, recorded)
    compared = [name for name in hidden if isinstance(schema.attributes.get(name), Sensitive)]
    return ReleaseView(
        policy=policy,
        schema=schema,
        released=released,
        labels=released_columns(schema.names(Role.QUASI_IDENTIFIER), columns),
        original=before,
        reference=None if before is None else before.take(compared),
        reference_told=True,
        population=population_columns(policy, schema),
        counting=counting_of(policy),
        sets=_released_sets(table, before, schema),
        mechanism=mechanism_of(policy, released),
        recorded=recorded,
    )


def _require_columns(
    policy: Policy, names: Sequence[str], columns: Sequence[str], recorded: RecordedRelease | None
) -> None:
    """Refuse a released table that lacks what models look at."""
    missing = [name for name in columns_of(names) if name not in columns]
    persons = [name for name in missing if isinstance(policy.attributes.get(name), Identifier)]
    if recorded is None:
        persons += [name for name in columns_of(policy.entities) if policy.perturbs(name)]
    if persons:
        raise SchemaError(
            f"k-anonymity counts persons by {persons[0]!r}, which the released table lacks. "
            "Give the manifest of the release, which recorded the count (--manifest); or release a "
            "pseudonym of it (action surrogate), which can be counted again; or leave entity out, "
            "and records are counted"
        )
    if missing:
        raise _missing_error(missing, columns)


def _released_sets(table: Engine, before: Engine | None, schema: Schema) -> EncodedSets | None:
    """Return the released sets of items; hierarchies are built from the original, if any."""
    attributes = names_of_sets(schema.attributes)
    if not attributes:
        return None
    released = table.take(list(attributes))
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


def _table(
    frame: Any,
    texts: Mapping[str, pl.Series] | None = None,
    readings: Mapping[str, Reading] | None = None,
) -> Engine:
    """Return a released table; texts: as of `verify`; readings: as of `engine_of`."""
    if not is_local(frame):
        return engine_of(frame, readings, released=True)
    native, columns = frames.to_eager(frame), []
    for name in frames.column_names(native):
        with suppress(DataError):  # of mixed types
            columns.append(frames.raw_column(native, name))
    # Some readers tell NaN from null, or 0.0 from -0.0: such columns are compared as texts, too.
    return LocalEngine(frame, {**differing_floats(columns), **(texts or {})})


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
    cells = CellTexts()
    frame = table_of(frame, texts=cells)
    table = _table(frame, {**cells, **(texts or {})})
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
    with closing(table):
        taken = table.take(list(roles))
    # Classes of equal texts are parts of those of equal values: no model is better on them.
    as_text = taken.as_text(quasi_identifiers)
    columns = [
        as_text[name] if name in as_text else taken.column(name) for name in quasi_identifiers
    ]
    hidden = [SensitiveColumn(taken.column(name), trees.get(name)) for name in sensitive]
    classes = classes_of_values(columns, hidden, taken.n_rows, taken.counts)
    sets = _columns_of_lists(frame, [name for name in table.columns if name not in roles])
    return measure_table(
        classes,
        k_wildcard(columns, taken.counts),
        tuple(as_text),
        sets,
        count_suppressed(columns, taken.counts),
    )


def _columns_of_lists(frame: Any, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that hold lists, as far as the first records tell; none of an engine."""
    if not is_local(frame):
        return ()
    first = frames.to_eager(frame)[:FIRST]
    lists = []
    for name in names:
        with suppress(DataError):
            if isinstance(frames.raw_column(first, name).dtype, pl.List | pl.Array):
                lists.append(name)
    return tuple(lists)


def released_columns(quasi_identifiers: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the columns of a table or release that hold quasi-identifiers: one or two each."""
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


def _original_columns(policy: Policy, columns: Sequence[str]) -> list[str]:
    """Return the columns that the table had before it was released."""
    absent = [name for name in policy.attributes if name not in columns]
    made = {one for name in absent for one in released_names(name, "range")}
    return [*(name for name in columns if name in policy.attributes or name not in made), *absent]
