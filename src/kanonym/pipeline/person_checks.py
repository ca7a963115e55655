"""Whether the verdict is one on persons: rows of one person, and amounts that name their owner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import polars as pl

from kanonym.actions.free_text import TYPES as SCRUBBING
from kanonym.actions.registry import unwrap
from kanonym.data.errors import DataError
from kanonym.data.schema import (
    Attribute,
    Identifier,
    Insensitive,
    QuasiIdentifier,
    Role,
    Schema,
    Sensitive,
)
from kanonym.data.table import EncodedTable, encode_column
from kanonym.engines.frequency_set import FrequencySet
from kanonym.policy import Policy
from kanonym.verification import (
    ColumnValues,
    VerificationWarning,
    amount_owner_warnings,
    free_text_warning,
    lone_records,
    names_owners,
    repeated_identifier_warning,
    repeated_persons_warning,
    unchecked_persons_warning,
)

Values = Callable[[str], ColumnValues]
"""Gives the values of a column; raises `DataError` of a type that cannot be counted."""


def is_decided(policy: Policy) -> bool:
    """Whether the policy says who is who: by an entity, or that each row is a person."""
    return policy.rows == "persons" or bool(policy.entities)


def _repeat_warnings(
    policy: Policy, attributes: Iterable[tuple[str, Attribute]], values: Values
) -> list[VerificationWarning]:
    if is_decided(policy):
        return []
    warned = []
    for name, attribute in attributes:
        if not isinstance(attribute, Identifier) and not _sounds_identifying(name):
            continue
        try:
            found = values(name)
        except DataError:
            continue
        declared = isinstance(attribute, Identifier)
        warning = repeated_identifier_warning(name, found.repeats, declared=declared)
        if warning and (declared or _looks_identifying(found.sample)):
            warned.append(warning)
    return warned


def input_warnings(policy: Policy, schema: Schema, values: Values) -> list[VerificationWarning]:
    """Return a warning for each identifier, and column that looks like one, that repeats.

    values: of the table that came in.
    """
    return _repeat_warnings(policy, schema.attributes.items(), values)


def agreement_warnings(policy: Policy, table: EncodedTable | None) -> list[VerificationWarning]:
    """Return a warning where records of a table seem to be several of each person.

    They agree in their quasi-identifiers more often than different persons would. Nothing is said
    where the policy says who is who. table: before anonymization; None where its engine keeps it.
    """
    if table is None or is_decided(policy):
        return []
    found = lone_records(table.domains, list(table.codes.T), table.weights)
    names = [domain.name for domain in table.domains]
    return [] if found is None else [repeated_persons_warning(names, found)]


def taken_agreement_warnings(
    policy: Policy, names: Sequence[str], take: Callable[[Sequence[str]], FrequencySet]
) -> list[VerificationWarning]:
    """Return what `agreement_warnings` does of quasi-identifiers that are yet to be encoded."""
    if is_decided(policy):
        return []
    try:
        taken = take(names)
        coded = [encode_column(taken.column(name)) for name in names]
    except DataError:  # so many combinations that they cannot be counted here
        return []
    found = lone_records([one for one, _ in coded], [codes for _, codes in coded], taken.counts)
    return [] if found is None else [repeated_persons_warning(names, found)]


def release_warnings(
    policy: Policy, schema: Schema, columns: Sequence[str], values: Values
) -> list[VerificationWarning]:
    """Return what a released table alone tells of persons with several records.

    Recoded values repeat by design, so quasi-identifiers are left out. Of identifiers that
    were dropped nothing can be told, which is a warning of its own.
    """
    kept = [
        (name, one)
        for name, one in schema.attributes.items()
        if name in columns and not isinstance(one, QuasiIdentifier)
    ]
    gone = [
        name
        for name, one in policy.attributes.items()
        if isinstance(one, Identifier) and name not in columns
    ]
    warned = _repeat_warnings(policy, kept, values)
    if gone and not is_decided(policy):
        warned.append(unchecked_persons_warning(gone))
    return warned


def amount_warnings(
    policy: Policy, schema: Schema, columns: Sequence[str], values: Values
) -> list[VerificationWarning]:
    """Return a warning of released columns whose values single out their owners, and of free text.

    columns, values: of the release. Columns with noise are left out: nobody knows their numbers.
    """
    named = {
        name: policy.attributes.get(name, one)
        for name, one in schema.attributes.items()
        if name in columns
    }
    return owner_and_text_warnings(named, values)


def owner_and_text_warnings(
    attributes: Mapping[str, Attribute], values: Values
) -> list[VerificationWarning]:
    """Return what `amount_warnings` does of released columns; with actions in their attributes."""
    found = {}
    texts: dict[bool, list[str]] = {False: [], True: []}
    for name, attribute in attributes.items():
        actions = unwrap(attribute.action)
        if not isinstance(attribute, Sensitive | Insensitive) or any(
            one.perturbs for one in actions
        ):
            continue
        try:
            own = values(name)
        except DataError:
            continue
        # What a policy scrubs is free text, however short it is.
        scrubbed = any(one.type in SCRUBBING for one in actions)
        if scrubbed or _is_free_text(own.sample):
            texts[scrubbed].append(name)
        elif names_owners(own):
            found[name] = own.repeats
    warned = [free_text_warning(names, scrubbed=how) for how, names in texts.items() if names]
    return [*amount_owner_warnings(found), *warned]


def _is_free_text(column: pl.Series) -> bool:
    """Whether the values are sentences that differ from record to record."""
    if column.dtype != pl.String:
        return False
    from kanonym.profiling.identifiers.free_text import find_free_text  # noqa: PLC0415 - as below
    from kanonym.profiling.identifiers.sample import Sample  # noqa: PLC0415

    return bool(find_free_text(Sample.of(column), frozenset()))


def _sounds_identifying(name: str) -> bool:
    from kanonym.profiling.words import name_hints  # noqa: PLC0415 - half a second, once

    return any(hint.role is Role.IDENTIFIER for hint in name_hints(name))


def _looks_identifying(column: pl.Series) -> bool:
    from kanonym.profiling.identifiers import find_identifiers  # noqa: PLC0415 - as above

    return bool(find_identifiers(column))
