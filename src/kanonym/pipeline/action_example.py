"""What the actions of a column do to its cells, shown before a release is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from kanonym.actions.base import After
from kanonym.actions.registry import ColumnActions, record_actions
from kanonym.data import frames
from kanonym.data.errors import SchemaError
from kanonym.data.results.short_repr import ShortRepr
from kanonym.engines.local import bind_actions
from kanonym.pipeline.readings import parse_with_policy
from kanonym.policy import Policy
from kanonym.policy.faults import unknown_name

MOST_VALUES = 200
"""Distinct values that are tried where an action looks at nothing else."""


@dataclass(frozen=True, slots=True, repr=False)
class ActionExample(ShortRepr):
    """Cells of a column before and after its actions."""

    _shown: ClassVar[tuple[str, ...]] = ("changed", "rows", "sampled", "late")

    cells: tuple[tuple[str | None, str | None], ...]
    changed: int
    rows: int
    sampled: bool
    late: bool


def example_of_actions(frame: Any, policy: Policy, name: str, count: int = 8) -> ActionExample:
    """Carry out the actions of one column that come before the algorithm; no file is written.

    Notes
    -----
    With a seed in the policy, an action that looks at all records leaves the cells as the release
    will have them. Cost: that of the actions, on 200 distinct values where they look at no other
    record.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["01234", "99999", "01234"], "age": [34, 57, 60]})
    >>> policy = Policy.from_text(
    ...     "{attributes: {age: {role: quasi-identifier}, zip: {role: identifier, action: redact}},"
    ...     " models: [{type: k-anonymity, k: 2}]}"
    ... )
    >>> example_of_actions(table, policy, "zip").cells
    (('01234', '***'), ('99999', '***'))

    """
    native = parse_with_policy(frame, policy)
    names = frames.column_names(native)
    if name not in names:
        raise SchemaError(unknown_name("column", name, names))
    bound = bind_actions(native, policy.schema_for(names), policy.seed)
    given = bound.actions.get(name, ())
    acting = bound.rehearsed()
    before = frames.column(native, name)
    sampled = not record_actions(acting.actions.get(name, ()))
    if sampled:
        before = before.unique(maintain_order=True).head(MOST_VALUES)
        own = before
        acting = ColumnActions(lambda _name: own, {name: acting.actions.get(name, ())}, acting.seed)
    after = acting.before(name)
    both = pl.DataFrame({"was": _texts(before), "is": _texts(after)})
    differs = both["was"].ne_missing(both["is"])
    shown = both.with_columns(same=~differs).unique(maintain_order=True)
    shown = shown.sort("same", maintain_order=True).head(count)
    return ActionExample(
        tuple(zip(shown["was"], shown["is"], strict=True)),
        int(differs.sum()),
        len(both),
        sampled,
        any(isinstance(one, After) for one in given),
    )


def _texts(values: pl.Series) -> pl.Series:
    """Return values as a person reads them."""
    if values.dtype == pl.Object:
        return pl.Series(values.name, [None if one is None else str(one) for one in values])
    return values.cast(pl.String)
