"""Actions on columns of a table, without classes: carried out, or shown on some cells."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, overload

import numpy as np
import polars as pl

from kanonym.actions.base import Action, After
from kanonym.actions.perturbation.swapping import sample_rows
from kanonym.actions.registry import ColumnActions, conflicting_shifts, record_actions
from kanonym.data import frames
from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.files import table_of
from kanonym.data.frames import FrameT
from kanonym.data.results import ShortRepr
from kanonym.engines.local import bind_actions
from kanonym.models.base import check_integer
from kanonym.pipeline.planning import parse_with_policy
from kanonym.policy import Policy
from kanonym.policy.actions import build_actions as built_actions
from kanonym.policy.faults import Fault, Faults, policy_error, unknown_name

ROOT = 0x736D70
"""Keeps the draw of the sample apart from those of actions."""


@overload
def transform(
    frame: str | PathLike[str],
    actions: Mapping[str, Any],
    *,
    drop: Sequence[str] = ...,
    sample: float | None = ...,
    seed: int | None = ...,
) -> pl.DataFrame: ...
@overload
def transform(
    frame: FrameT,
    actions: Mapping[str, Any],
    *,
    drop: Sequence[str] = ...,
    sample: float | None = ...,
    seed: int | None = ...,
) -> FrameT: ...
def transform(
    frame: FrameT | str | PathLike[str],
    actions: Mapping[str, Any],
    *,
    drop: Sequence[str] = (),
    sample: float | None = None,
    seed: int | None = None,
) -> FrameT | pl.DataFrame:
    """Change columns of a table cell by cell.

    The result has no guarantee: no classes are formed, and no privacy model is checked. For a
    release that satisfies a model, give attributes an `action` and call `anonymize`.

    Parameters
    ----------
    frame
        A pandas or polars DataFrame, a polars LazyFrame, a pyarrow Table or the path of a file.
    actions
        For each column to be changed, an action, its name or its form in a policy, or a list
        of these, which are applied in order. Files that a form names are relative to the
        working directory. Every action sees other columns as they came in.
    drop
        Columns to drop.
    sample
        The share of the rows to keep, drawn at random, above 0 and at most 1. Actions see
        the whole table: what they count or rank is counted in all of it.
    seed
        Of all that is drawn, at least 0: the same one gives the same table, and who knows it can
        draw it all again. None draws anew each time.

    Returns
    -------
    frame
        Of the type of the one that came in, of polars for a path; rows and columns in their order.

    Raises
    ------
    PolicyError
        An action is unknown, has wrong parameters, or needs classes.
    SchemaError
        There is no such column, one is both dropped and changed, or none is left; or an
        action has no meaning for values of this type.
    DataError
        A cell cannot be changed as asked.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"name": ["Ada", "Bob"], "zip": ["01234", "99999"], "age": [34, 57]})
    >>> actions = {"zip": {"type": "keep", "first": 2}, "age": {"type": "round", "to": 10}}
    >>> transform(table, actions, drop=["name"]).rows()
    [('01***', 30), ('99***', 60)]

    """
    if seed is None:
        seed = secrets.randbits(128)
    check_integer("transform", "seed", seed, 0)
    given: Any = frame
    given = table_of(given)
    native = frames.to_eager(given)
    names = frames.column_names(native)
    _check_columns(names, actions, drop)
    acting = ColumnActions(partial(frames.column, native), _build_actions(actions), seed)
    rows = None
    if sample is not None:
        random = np.random.default_rng(np.random.SeedSequence([seed, ROOT]))
        rows = sample_rows(frames.n_rows(native), sample, random)
    columns: list[Any] = []
    for name in names:
        if name in actions:
            changed = acting.before(name)
            columns.append(changed if rows is None else changed.gather(rows))
        elif name not in drop:
            columns.append(name)
    built: FrameT | pl.DataFrame = frames.assemble(native, rows, columns, given)
    return built


def _check_columns(names: list[str], actions: Mapping[str, Any], drop: Sequence[str]) -> None:
    if not isinstance(actions, Mapping):
        raise PolicyError("actions must map each column's name to its action")
    if isinstance(drop, str):
        raise SchemaError(f"give a list of columns to drop, not the text {drop!r}")
    for name in (*actions, *drop):
        if name not in names:
            raise SchemaError(unknown_name("column", name, names))
    both = [name for name in drop if name in actions]
    if both:
        raise SchemaError(f"column {both[0]!r} is both dropped and changed; choose one")
    if set(names) <= set(drop):
        raise SchemaError("every column is dropped; keep one")


def _build_actions(given: Mapping[str, Any]) -> dict[str, tuple[Action, ...]]:
    """Return the actions of each column; the faults of all of them are told together."""
    built: dict[str, tuple[Action, ...]] = {}
    faults = Faults()
    for name, form in given.items():
        with faults.below(name):
            several = built_actions(form, Path())
            built[name] = tuple(one for one in several if not isinstance(one, After))
            if len(built[name]) < len(several):
                reason = (
                    "applies to values that an algorithm releases, and there is no algorithm here: "
                    "remove it, or give the attribute this action in a policy and anonymize"
                )
                faults.append(Fault((name, "when"), reason))
    faults += [Fault((name,), why) for name, why in conflicting_shifts(built).items()]
    if faults:
        raise policy_error(faults, "")
    return built


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
    """Carry out the actions of one column that come before the algorithm; no file is written."""
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
        return pl.Series(values.name, [None if value is None else str(value) for value in values])
    return values.cast(pl.String)
