"""The control of an attack: people who are not in the original, and whether that is so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data import frames
from kanonym.data.columns.frame_types import Frame
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.person_key import columns_of
from kanonym.data.schema import Identifier
from kanonym.data.table import value_codes
from kanonym.evaluation.attacks.result import SuccessCount
from kanonym.evaluation.attacks.setup import stack_columns
from kanonym.evaluation.pair.aligned_tables import AlignedTables
from kanonym.kernels.classes.grouping import group_rows
from kanonym.pipeline.planning import parse_with_policy
from kanonym.policy import Policy

Persons = NDArray[np.int64] | None


def control_columns(control: Frame, tables: AlignedTables) -> dict[str, pl.Series]:
    """Return the columns of the control that the original is compared by."""
    native = parse_with_policy(control, tables.policy)
    names = frames.column_names(native)
    absent = [name for name in tables.before if name not in names]
    if absent:
        raise SchemaError(
            f"the control has no column {absent[0]!r}. It has: {', '.join(names)}; it needs those "
            "of the original"
        )
    try:
        return {name: tables.column_of(native, name) for name in tables.before}
    except DataError as fault:
        raise DataError(f"the control: {fault}") from None


def require_other_people(original: Frame, control: Frame, policies: Iterable[Policy]) -> None:
    """Refuse a control that has an identifier's values of the original.

    Looked at are the columns by which a policy counts persons, and identifiers that no two
    records of the original share: two people may have one name.
    """
    tables: list[Any] = [frames.to_eager(original), frames.to_eager(control)]
    for policy in policies:
        counted = columns_of(policy.entities)
        alone = [
            name
            for name, one in policy.attributes.items()
            if isinstance(one, Identifier) and name not in counted
        ]
        for name in [*policy.entities, *alone]:
            if not all({*columns_of([name])} <= {*frames.column_names(table)} for table in tables):
                continue
            try:
                own, other = (
                    frames.column(table, name).drop_nulls().cast(pl.String) for table in tables
                )
            except (DataError, pl.exceptions.PolarsError):
                continue  # lists and the like identify nobody by their values
            if name not in policy.entities and own.n_unique() < len(own):
                continue
            shared = int(other.unique().is_in(own.implode()).sum())
            if shared:
                raise DataError(
                    f"{shared:,} of the control's {other.n_unique():,} values of {name!r} are in "
                    "the original, too: the control must hold other people, or attacks look "
                    "harmless. Leave these records out of it; if they are other people, number "
                    "them differently"
                )


def overlap_notes(
    before: Mapping[str, pl.Series],
    control: Mapping[str, pl.Series],
    persons: tuple[Persons, Persons],
) -> tuple[str, ...]:
    """Return what is told where the control has more of the original's records than chance gives.

    By chance as many equal a record of the original as the original's own records equal
    another person's there; more is told where the intervals of both shares are apart.
    """
    columns = [stack_columns(before, control, name) for name in before]
    n = next((len(column) for column in before.values()), 0)
    if not n or len(columns[0]) == n:
        return ()
    coded = [value_codes(column) for column in columns]
    labels = group_rows([codes for codes, _ in coded], [size for _, size in coded]).labels
    own, other = labels[:n].astype(np.int64), labels[n:]
    whose = np.arange(n) if persons[0] is None else persons[0]
    theirs = np.arange(len(other)) if persons[1] is None else persons[1]
    size = int(whose.max()) + 1
    distinct = np.unique(own * size + whose) // size
    held = np.bincount(distinct, minlength=int(labels.max()) + 1)
    count, expected = _mean_share(held[other] > 0, theirs), _mean_share(held[own] > 1, whose)
    if count.interval()[0] <= expected.interval()[1]:
        return ()
    note = (
        f"{int((held[other] > 0).sum()):,} of the control's {len(other):,} records are equal in "
        f"all columns to a record of the original ({count.rate:.1%}; of the original's own records "
        f"{expected.rate:.1%} are equal to another person's). If they are "
        "people of the original, leave them out: they make attacks look harmless."
    )
    return (note,)


def _mean_share(flags: NDArray[np.bool_], whose: NDArray[np.int64]) -> SuccessCount:
    """Return the mean over persons of the share of their records that are flagged."""
    held = np.bincount(whose)
    shares = np.bincount(whose, flags)[held > 0] / held[held > 0]
    return SuccessCount(float(shares.sum()), len(shares))
