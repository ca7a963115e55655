"""What every builder does alike: look at a column, group neighbours, stack the levels."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from datetime import date, datetime, time
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError, shown_value
from kanonym.data.hierarchy.base import ROOT, Hierarchy, with_null
from kanonym.data.hierarchy.labels import has_null, require_text, value_texts
from kanonym.data.readings.bounds import ends_with_bound
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Int32s, Ints

_HALF_OPEN = re.compile(r"\[(.*), (.*)\)")
Labels = Callable[[Ints, Ints], Sequence[str]]


@dataclass(frozen=True, slots=True, repr=False)
class Column(ShortRepr):
    """The distinct values of one column, without null.

    values: (n_values,) non-null values, ascending; enumerations in their own order.
    counts: (n_values,) int64 numbers of records.
    """

    values: pl.Series
    counts: Ints
    null: bool

    @classmethod
    def of(cls, values: pl.Series, counts: Ints | None) -> Self:
        """Take null out of a column and sort the rest."""
        require_text(values)
        frame = pl.DataFrame({"value": values, "count": 1 if counts is None else counts})
        if values.dtype.is_float():
            frame = frame.with_columns(pl.col("value").fill_nan(None))
        present = frame.drop_nulls("value")
        if counts is None:
            present = present.group_by("value").agg(pl.col("count").sum())
        present = present.sort("value")
        return cls(
            present["value"].alias(values.name),
            present["count"].cast(pl.Int64).to_numpy(),
            has_null(values),
        )

    @property
    def name(self) -> str:
        """The column's name."""
        return self.values.name


@dataclass(frozen=True, slots=True, repr=False)
class Level(ShortRepr):
    """How one level groups leaves that stand side by side.

    groups: (n_leaves,) any integers; neighbours with the same one are one group.
    labels: from first positions (n_groups,) and positions after the last (n_groups,) to the texts
    of the groups. Asked only for a level that is kept.
    """

    groups: Ints
    labels: Labels


@dataclass(frozen=True, slots=True, repr=False)
class Plan(ShortRepr):
    """The leaves of a hierarchy in order, and its levels between leaves and root."""

    values: pl.Series
    levels: Sequence[Level]


class Builder(ABC):
    """A hierarchy that is made from the values of the column it is bound to.

    Each has the root `*`, and leaves out a level that groups nothing that the level below did not
    group. What all values share is a level below the root: `2024`, `750**`, `[60, 70)`.
    """

    __slots__ = ()

    kind: ClassVar[str]

    def bind(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Return the hierarchy over a column: see `HierarchySource.bind`."""
        column = Column.of(values, counts)
        plan = self.plan(column) if len(column.values) else Plan(column.values, [])
        return stack_levels(plan, value_texts(plan.values).to_list(), null=column.null)

    @abstractmethod
    def plan(self, column: Column) -> Plan:
        """Return leaves and levels for a column of at least one value."""

    def to_dict(self) -> dict[str, Any]:
        """Return the policy's form: `{kind: {parameters that are not the default}}`."""
        pairs = ((field, getattr(self, field.name)) for field in parameters(type(self)))
        return {
            self.kind: {
                field.name.rstrip("_"): plain_parameter(value)
                for field, value in pairs
                if field.default is MISSING or value != field.default
            }
        }


def parameters(kind: type) -> list[Field[Any]]:
    """Return the fields of a dataclass that its constructor takes."""
    return [field for field in fields(kind) if field.init]


def stack_levels(plan: Plan, leaves: Sequence[str], *, null: bool) -> Hierarchy:
    """Put levels on leaves and the root `*` on top."""
    n = len(plan.values)
    labels: list[tuple[str | None, ...]] = [tuple(leaves)]
    codes: list[Int32s] = [np.arange(n, dtype=np.int32)]
    for level in plan.levels:
        starts, row = neighbour_runs(level.groups)
        if len(starts) == len(labels[-1]):
            continue
        names = tuple(_open_ends(plan.values, list(level.labels(starts, np.append(starts[1:], n)))))
        if names != (ROOT,):
            labels.append(names)
            codes.append(row)
    labels.append((ROOT,))
    codes.append(np.zeros(n, dtype=np.int32))
    hierarchy = Hierarchy(plan.values, tuple(labels), np.stack(codes))
    return with_null(hierarchy) if null else hierarchy


def _open_ends(values: pl.Series, labels: list[str]) -> list[str]:
    """Return labels of a level whose first and last intervals are open where a bound is in them."""
    if not values.dtype.is_float() or not values.len():
        return labels
    below, above = ends_with_bound(values.cast(pl.Float64).to_numpy()[[0, -1]])
    if (below or above) and len(labels) == 1:
        return [ROOT]
    if below and (ends := _HALF_OPEN.match(labels[0])):
        labels[0] = f"<{ends[2]}"
    if above and (ends := _HALF_OPEN.match(labels[-1])):
        labels[-1] = f">={ends[1]}"
    return labels


def neighbour_runs(groups: NDArray[Any]) -> tuple[Ints, Int32s]:
    """Return where runs of equal neighbours start, and the run of every position."""
    first = np.ones(len(groups), dtype=np.bool_)
    first[1:] = groups[1:] != groups[:-1]
    return np.flatnonzero(first), (np.cumsum(first) - 1).astype(np.int32)


def values_per_level(name: str, given: Any) -> tuple[Any, ...]:
    """Return a parameter that is one value, or a list of one a level, as a tuple."""
    if not isinstance(given, Sequence):
        return (given,)
    if not given:
        raise HierarchyError(f"{name} is empty")
    return tuple(given)


def integers_per_level(name: str, given: int | Sequence[int], least: int) -> tuple[int, ...]:
    """Return a parameter of whole numbers, one a level, as a tuple."""
    numbers = values_per_level(name, given)
    for number in numbers:
        if type(number) is not int or number < least:
            raise HierarchyError(
                f"{name} must be whole numbers of at least {least}, not {shown_value(number)}"
            )
    return numbers


def plain_parameter(value: object) -> object:
    """Return a parameter as YAML and JSON hold it."""
    if isinstance(value, Mapping):
        return {plain_parameter(key): plain_parameter(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_parameter(item) for item in value]
    return value.isoformat() if isinstance(value, date | datetime | time) else value
