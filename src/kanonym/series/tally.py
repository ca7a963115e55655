"""What was released so far, counted: enough to verify the union, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr
from kanonym.data.schema import Schema, Sensitive
from kanonym.kernels.classes.disclosure import ALPHA, DISTINCT, ENTROPY, RECURSIVE, SIZE
from kanonym.models import PrivacyModel
from kanonym.policy import Policy
from kanonym.series.values import (
    categories_as_text,
    from_json,
    stack_columns,
    to_json,
    type_form,
    type_of,
)
from kanonym.verification import (
    ColumnValues,
    FrequencySet,
    ReleaseView,
    SensitiveColumn,
    classes_of_release,
    group_released,
)
from kanonym.verification.frequency_set import values_of
from kanonym.verification.recorded import RecordedRelease

COUNT = "*"  # no column has this name
ALONE = (SIZE, DISTINCT, ENTROPY, RECURSIVE, ALPHA)
"""Measures of a class that are not compared with the table."""


@dataclass(frozen=True, repr=False)
class Tally(ShortRepr):
    """Records counted by released class and sensitive values.

    Attributes
    ----------
    known, hidden
        The released columns of quasi-identifiers, and those of the sensitive attributes that
        models look at; (n,) values each, distinct rows.
    counts
        (n,) int64 records of each row.
    left_out, left_counts
        By sensitive attribute the values of suppressed records, ascending, and (m,) int64
        numbers of them: t-closeness and the like compare classes with all records that came
        in. Each attribute on its own, for nobody released which values stood together.

    """

    known: tuple[pl.Series, ...]
    hidden: tuple[pl.Series, ...]
    counts: NDArray[np.int64]
    left_out: tuple[pl.Series, ...]
    left_counts: tuple[NDArray[np.int64], ...]

    @classmethod
    def of(
        cls,
        known: Sequence[pl.Series],
        hidden: Sequence[pl.Series],
        left_out: Sequence[pl.Series],
        counts: NDArray[np.int64] | None = None,
    ) -> Tally:
        """Count rows; counts: (n,) records that each stands for, None for one each."""
        rows, numbers = _count_rows([categories_as_text(one) for one in (*known, *hidden)], counts)
        left = _sort_columns([(categories_as_text(one), None) for one in left_out])
        return cls(rows[: len(known)], rows[len(known) :], numbers, *left)

    @property
    def n_records(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    def plus(self, other: Tally) -> Tally:
        """Return both together: rows of this one first, equal rows not joined."""
        pairs = [
            tuple(stack_columns(*both) for both in zip(mine, others, strict=True))
            for mine, others in (
                (self.known, other.known),
                (self.hidden, other.hidden),
                (self.left_out, other.left_out),
            )
        ]
        return Tally(
            pairs[0],
            pairs[1],
            np.concatenate([self.counts, other.counts]),
            pairs[2],
            tuple(
                np.concatenate(both)
                for both in zip(self.left_counts, other.left_counts, strict=True)
            ),
        )

    def merge_equal_rows(self) -> Tally:
        """Return the tally with equal rows made one."""
        rows, counts = _count_rows([*self.known, *self.hidden], self.counts)
        d = len(self.known)
        left = _sort_columns(list(zip(self.left_out, self.left_counts, strict=True)))
        return Tally(rows[:d], rows[d:], counts, *left)

    def without(self, names: Sequence[str]) -> Tally:
        """Return the tally without some sensitive attributes."""
        kept = [place for place, one in enumerate(self.hidden) if one.name not in names]
        return replace(
            self,
            hidden=tuple(self.hidden[place] for place in kept),
            left_out=tuple(self.left_out[place] for place in kept),
            left_counts=tuple(self.left_counts[place] for place in kept),
        )

    def sensitive_columns(self, schema: Schema) -> list[SensitiveColumn]:
        """Return the sensitive attributes as models look at them."""
        found = []
        for values, left, gone in zip(self.hidden, self.left_out, self.left_counts, strict=True):
            attribute = schema.attributes.get(values.name)
            if not isinstance(attribute, Sensitive):  # who is counted
                found.append(SensitiveColumn(values, None))
                continue
            reference = stack_columns(values, left) if len(left) else None
            counts = np.concatenate([self.counts, gone]) if len(left) else None
            excluded = attribute.nulls == "exclude"
            found.append(SensitiveColumn(values, attribute.hierarchy, excluded, reference, counts))
        return found

    def failing_rows(self, schema: Schema, models: Sequence[PrivacyModel]) -> NDArray[np.bool_]:
        """Return (n,) bool: which rows are of a class that fails a model of classes."""
        groups = group_released(self.known, len(self.counts))
        classes = classes_of_release(groups, self.sensitive_columns(schema), self.counts)
        fails = np.zeros(len(classes.sizes), np.bool_)
        for model in models:
            if model.guarantee != "whole table":
                fails |= ~model.satisfied(classes)
        return fails[groups.labels]

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return [one.name for one in (*self.known, *self.hidden)]

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return the rows, whichever columns are asked for."""
        del names
        columns = {one.name: one for one in (*self.known, *self.hidden)}
        return FrequencySet(columns.__getitem__, len(self.counts), self.counts)

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a column are repeated."""
        return values_of(self.take([name]).column, name, counts=self.counts)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: a row a class and sensitive values, the count last."""
        return {
            "columns": {one.name: type_form(one.dtype) for one in (*self.known, *self.hidden)},
            "quasi_identifiers": len(self.known),
            "rows": _to_rows((*self.known, *self.hidden), self.counts),
            "suppressed": {
                left.name: _to_rows([left], counts)
                for left, counts in zip(self.left_out, self.left_counts, strict=True)
            },
        }

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> Tally:
        """Return what `to_dict` wrote."""
        types = {name: type_of(one) for name, one in form["columns"].items()}
        d = int(form["quasi_identifiers"])
        rows, counts = _from_rows(form["rows"], types)
        names = list(types)[d:]
        left = [_from_rows(form["suppressed"][name], {name: types[name]}) for name in names]
        return cls(
            rows[:d],
            rows[d:],
            counts,
            tuple(values for (values,), _ in left),
            tuple(numbers for _, numbers in left),
        )


@dataclass(frozen=True, kw_only=True)
class UnionView(ReleaseView):
    """All that a series has released, as verification sees it."""

    tally: Tally

    def sensitive_column(self, taken: FrequencySet, name: str) -> SensitiveColumn:
        """Return a sensitive attribute, beside all records that came in."""
        del taken
        columns = self.tally.sensitive_columns(self.schema)
        return next(one for one in columns if one.values.name == name)


def union_view(
    policy: Policy, schema: Schema, tally: Tally, recorded: RecordedRelease
) -> UnionView:
    """Return all that a series has released, as verification sees it."""
    return UnionView(
        policy=policy,
        schema=schema,
        released=tally,
        labels=[one.name for one in tally.known],
        recorded=recorded,
        tally=tally,
    )


def compared_attributes(models: Sequence[PrivacyModel]) -> set[str]:
    """Return the attributes whose classes a model compares with all records that came in."""
    return {
        model.attribute
        for model in models
        if model.attribute is not None and not all(one.measure in ALONE for one in model.criteria())
    }


def _count_rows(
    columns: Sequence[pl.Series], counts: NDArray[np.int64] | None
) -> tuple[tuple[pl.Series, ...], NDArray[np.int64]]:
    """Return distinct rows, in their order, and the records of each."""
    if not columns:
        n = 0 if counts is None else int(counts.sum())
        return (), np.full(min(n, 1), n, np.int64)
    n = len(columns[0])
    every = pl.Series(COUNT, np.ones(n, np.int64) if counts is None else counts)
    frame = pl.DataFrame([*columns, every])
    names = [one.name for one in columns]
    grouped = frame.group_by(names, maintain_order=True).agg(pl.col(COUNT).sum())
    return tuple(grouped.get_columns()[:-1]), grouped[COUNT].to_numpy()


def _sort_columns(
    columns: Sequence[tuple[pl.Series, NDArray[np.int64] | None]],
) -> tuple[tuple[pl.Series, ...], tuple[NDArray[np.int64], ...]]:
    """Return the distinct values of each column, and the records of each.

    In the order of values, that of the records is nobody's business.
    """
    found = []
    for column, counts in columns:
        (values,), numbers = _count_rows([column], counts)
        order = values.arg_sort()
        found.append((values.gather(order), numbers[order.to_numpy()]))
    return tuple(values for values, _ in found), tuple(numbers for _, numbers in found)


def _to_rows(columns: Sequence[pl.Series], counts: NDArray[np.int64]) -> list[list[Any]]:
    parts = [to_json(one) for one in columns]
    return [list(row) for row in zip(*parts, counts.tolist(), strict=True)]


def _from_rows(
    rows: Sequence[Sequence[Any]], types: dict[str, pl.DataType]
) -> tuple[tuple[pl.Series, ...], NDArray[np.int64]]:
    columns = list(zip(*rows, strict=True)) or [()] * (len(types) + 1)
    series = (from_json(name, columns[i], types[name]) for i, name in enumerate(types))
    return tuple(series), np.array(columns[-1], np.int64)
