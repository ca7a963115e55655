"""Persons and released records as lessons of a model, and as whom an intruder asks about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.data.columns.frame_types import Frame
from kanonym.data.errors import DataError
from kanonym.data.results.short_repr import ShortRepr
from kanonym.evaluation.attacks.control import control_columns
from kanonym.evaluation.attacks.matching.values import Values, values_of
from kanonym.evaluation.attacks.models.model_membership import Persons, TrainingData
from kanonym.evaluation.attacks.setup import build_context, stack_columns
from kanonym.evaluation.pair.aligned_tables import AlignedTables
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair
from kanonym.evaluation.utility.models.features import features_of
from kanonym.evaluation.utility.models.learning import CLASSES

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False)
class PersonData(ShortRepr):
    """Persons of the original, and below them those of the control, beside a release.

    rows: (n_released,) int64, whose record each released one is; None where nobody knows.
    """

    pair: TablePair
    n: int
    rows: NDArray[np.int64] | None

    def holds_categories(self, name: str) -> bool:
        """Whether a column holds categories, and not numbers or times."""
        return isinstance(self.pair.column(name), CategoricalColumn)


def read_persons(tables: AlignedTables, control: Frame) -> PersonData:
    """Read the persons of the original and of the control beside the release."""
    others = control_columns(control, tables)
    both = {name: stack_columns(tables.before, others, name) for name in tables.before}
    scene = build_context(
        tables.before,
        tables.after,
        tables.known,
        control=both,
        hierarchies=tables.trees,
        sources=tables.sources,
        aligned=tables.aligned,
        rows=tables.rows,
    )
    assert scene.control is not None  # noqa: S101 - it was given
    return PersonData(scene.control, scene.pair.n_original, scene.pair.rows)


def membership_data(
    everybody: PersonData, target: str, *, categorical: bool, seed: int
) -> tuple[Persons, TrainingData, TrainingData]:
    """Return who is attacked, and what the original and the release teach.

    Notes
    -----
    Released records come in an order that does not depend on how they were shuffled.

    """
    pair, n, rows = everybody.pair, everybody.n, everybody.rows
    truth, taught = _targets(everybody, target, categorical=categorical)
    features = features_of([column for column in pair.columns if column.name != target])
    known = ~np.isnan(truth)
    persons = Persons(
        features.original(np.arange(pair.n_original)),
        truth,
        member=known & (np.arange(pair.n_original) < n),
        control=known & (np.arange(pair.n_original) >= n),
        first=_draw_halves(n, pair.n_original, seed),
    )
    own = np.flatnonzero(persons.member)
    before = TrainingData(persons.features[own], truth[own], own)
    if rows is None:
        order = features_of(pair.columns).value_order(pair.n_released)
    else:
        order = np.argsort(rows, kind="stable")
    order = order[~np.isnan(taught[order])]
    if not len(order):
        raise DataError(f"the release has no record with a target {target!r}: it teaches nothing")
    whose = None if rows is None else rows[order]
    return persons, before, TrainingData(features.released(order), taught[order], whose)


def _draw_halves(n: int, n_persons: int, seed: int) -> NDArray[np.bool_]:
    """Return (n_persons,) bool: half of the first n, and half of the others."""
    random = np.random.default_rng([seed, *b"halves"])
    first = np.zeros(n_persons, np.bool_)
    first[random.permutation(n)[: n // 2]] = True
    first[n + random.permutation(n_persons - n)[: (n_persons - n) // 2]] = True
    return first


def _targets(everybody: PersonData, target: str, *, categorical: bool) -> tuple[Vector, Vector]:
    """Return (n_persons,) and (n_released,) targets, NaN for null: numbers, or codes from 0."""
    values = values_of(everybody.pair, target)
    _require_unchanged(values, target, everybody)
    line = _numbers(values, everybody.pair.column(target))
    distinct = np.unique(line[values.own[: everybody.n]])
    distinct = distinct[~np.isnan(distinct)]
    if len(distinct) < 2:
        raise DataError(
            f"target {target!r} has {'one value' if len(distinct) else 'no value'} in the "
            "original: there is nothing to predict"
        )
    if categorical and len(distinct) > CLASSES:
        raise DataError(
            f"target {target!r} has {len(distinct)} categories, more than {CLASSES}: group them, "
            "or give a regressor for numbers"
        )
    if categorical:
        known = np.unique(line[~np.isnan(line)])
        line = np.where(np.isnan(line), np.nan, np.searchsorted(known, line))
    return line[values.own], line[values.released]


def _numbers(values: Values, column: Column) -> Vector:
    """Return (size,) float64: what each code of a target stands for, NaN for null."""
    if isinstance(column, NumericColumn):
        assert values.line is not None  # noqa: S101 - of numbers it is
        return values.line
    line = np.arange(values.size, dtype=np.float64)
    if column.categories[-1] is None:
        line[-1] = np.nan
    return line


def _require_unchanged(values: Values, target: str, everybody: PersonData) -> None:
    """Refuse a release whose targets are not those of its records.

    Where nobody knows which they are, it may have no value more often than the original.
    """
    own, released, rows = values.own[: everybody.n], values.released, everybody.rows
    if rows is not None:
        wrong = int((own[rows] != released).sum())
    else:
        counts = np.bincount(released, minlength=values.size + 1)
        more = counts - np.bincount(own, minlength=values.size + 1)
        wrong = int(np.maximum(more, 0).sum())
    if wrong:
        raise DataError(
            f"target {target!r} is changed in {wrong} of {len(released)} released records: models "
            "can be compared where it is released as it was; name such a column, or make it "
            "insensitive or sensitive in the policy"
        )
