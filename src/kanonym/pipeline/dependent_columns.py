"""Columns that are released as they are, and work as quasi-identifiers all the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from kanonym.data.errors import DataError
from kanonym.data.schema import Insensitive, Role, Schema, Sensitive
from kanonym.engines.base import Engine
from kanonym.engines.frequency_set import FrequencySet
from kanonym.policy import Policy
from kanonym.profiling.words import name_hints
from kanonym.verification import (
    Verification,
    VerificationWarning,
    group_released,
    unprotected_warnings,
)
from kanonym.verification.dependence import Doubt, are_dependent
from kanonym.verification.verdict import column_names_text


def dependent_columns(schema: Schema, before: Engine) -> dict[str, tuple[str, ...]]:
    """Return the unprotected columns that depend on a quasi-identifier, each with these.

    Unprotected are columns without an action that are insensitive or sensitive: a birth year
    beside the age, a city beside the postal code.

    Parameters
    ----------
    schema
        The role of each column.
    before
        The table before anonymization, of which a sample is looked at.

    Notes
    -----
    Pairs of columns only: what several quasi-identifiers tell together is not found.

    """
    unprotected = [
        name
        for name, one in schema.attributes.items()
        if isinstance(one, Insensitive | Sensitive) and not one.action
    ]
    known = schema.names(Role.QUASI_IDENTIFIER)
    if not unprotected or not known:
        return {}
    try:
        sample = before.sample([*known, *unprotected])
    except DataError:  # values that cannot come to this process
        return {}
    columns = {one.name: Doubt.of(one) for one in sample}
    found = {
        name: tuple(
            one for one in known if one in columns and are_dependent(columns[name], columns[one])
        )
        for name in unprotected
        if name in columns
    }
    return {name: others for name, others in found.items() if others}


def dependence_warnings(
    dependent: Mapping[str, tuple[str, ...]],
    columns: Collection[str],
    take: Callable[[Sequence[str]], FrequencySet],
    labels: Sequence[str],
    found: Verification,
) -> list[VerificationWarning]:
    """Return a warning of each dependent column by which classes are smaller than was required.

    Parameters
    ----------
    dependent
        From `dependent_columns`.
    columns, take
        The columns of the release, and what gives some of them.
    labels
        Those of the quasi-identifiers.
    found
        What verification found.

    """
    k = _least_size(found)
    warned = []
    for name, others in dependent.items():
        if name not in columns:
            continue
        records = _records_in_small_classes(take, [*labels, name], k, found.rows)
        if records:
            warned.append(
                VerificationWarning(
                    "dependent-column",
                    (name,),
                    f"{name} is released as it is, although {' and '.join(others)} can be told "
                    f"from it, or it from {'them' if len(others) > 1 else 'that'}. Counted with "
                    f"the quasi-identifiers, up to {records:,} records are in classes of fewer "
                    f"than {k}: make it a quasi-identifier, or drop it",
                    {"records": records, "k": k},
                )
            )
    return warned


def knowable_warnings(
    policy: Policy,
    columns: Collection[str],
    take: Callable[[Sequence[str]], FrequencySet],
    labels: Sequence[str],
    found: Verification,
) -> list[VerificationWarning]:
    """Return warnings of columns that nobody gave a role, although their names suggest one.

    Those are columns that the policy's `others` makes insensitive: such whose names are surely of
    quasi-identifiers (postal code, occupation), and with which classes are smaller than was
    required; and such whose names are surely of sensitive attributes (diagnosis), which no model
    protects. Who knows better names them in the policy.

    Parameters
    ----------
    policy
        What was asked for.
    columns, take, labels, found
        As of `dependence_warnings`.

    """
    if policy.others is not Role.INSENSITIVE or not labels:
        return []
    roles = {
        name: {hint.role for hint in name_hints(name) if hint.sure}
        for name in columns
        if name not in policy.attributes
    }
    names = [name for name, own in roles.items() if Role.QUASI_IDENTIFIER in own]
    private = [name for name, own in roles.items() if own == {Role.SENSITIVE}]
    warned = unprotected_warnings(private, policy.models)
    k = _least_size(found)
    records = _records_in_small_classes(take, [*labels, *names], k, found.rows) if names else 0
    if not records:
        return warned
    return [
        *warned,
        VerificationWarning(
            "knowable-column",
            tuple(names),
            f"{column_names_text(names)}: released as they are, because others is insensitive; by "
            f"their names, people may know them. Counted with the quasi-identifiers, up to "
            f"{records:,} records are in classes of fewer than {k}: make them quasi-identifiers, "
            "drop them, or declare them insensitive, by name, in the attributes of the policy",
            {"records": records, "k": k},
        ),
    ]


def _least_size(found: Verification) -> int:
    """Return the k that was required, or else was reached."""
    asked = [check.required for check in found.checks if check.type == "k-anonymity"]
    return int(max(asked)) if asked else min(found.class_sizes, default=0)


def _records_in_small_classes(
    take: Callable[[Sequence[str]], FrequencySet], names: Sequence[str], k: int, rows: int
) -> int:
    try:
        released = take(names)
        columns = [released.column(name) for name in names]
    except DataError:  # so many combinations that they cannot be counted here
        return rows
    groups = group_released(columns, released.n_rows)
    sizes = np.bincount(groups.labels, released.counts).astype(np.int64)
    return int(sizes[sizes < k].sum())
