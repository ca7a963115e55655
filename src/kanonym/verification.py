"""Does a released table satisfy its models? Asked of the released values alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.partition import Classes, Distribution
from kanonym.data.table import encode_column, value_codes
from kanonym.kernels.grouping import Groups, group_rows, one_group
from kanonym.kernels.histograms import class_histograms
from kanonym.kernels.parallel import parallel
from kanonym.kernels.wildcard import wildcard_sizes
from kanonym.models.base import PrivacyModel
from kanonym.transforms.recoding import text_of

MOST_VIOLATING = 100


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """One model's answer on a released table."""

    type: str
    attribute: str | None
    required: float
    achieved: float
    satisfied: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9; a value that is infinite becomes null."""
        named = {} if self.attribute is None else {"attribute": self.attribute}
        return {
            "type": self.type,
            **named,
            "required": self.required,
            "achieved": self.achieved if math.isfinite(self.achieved) else None,
            "satisfied": self.satisfied,
        }


@dataclass(frozen=True, slots=True)
class Verification:
    """What verification found in a released table.

    Attributes
    ----------
    rows, n_classes
        Size of the released table and number of its equivalence classes.
    checks
        One `ModelCheck` a model of the policy, in the policy's order.
    violating
        At most 100 classes that fail a model, smallest first:
        `{"class": {column: released value}, "size": n, "model": type}`.
    n_violating
        Number of classes that fail at least one model.
    class_sizes
        `{size: number of classes of that size}`, ascending.

    """

    rows: int
    n_classes: int
    checks: tuple[ModelCheck, ...]
    violating: tuple[dict[str, Any], ...]
    n_violating: int
    class_sizes: dict[int, int]

    @property
    def satisfied(self) -> bool:
        """Whether every class satisfies every model."""
        return all(check.satisfied for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9."""
        return {
            "satisfied": self.satisfied,
            "rows": self.rows,
            "classes": self.n_classes,
            "models": [check.to_dict() for check in self.checks],
            "n_violating": self.n_violating,
            "violating": [
                {**one, "class": {name: _plain(value) for name, value in one["class"].items()}}
                for one in self.violating
            ],
        }


def _plain(value: object) -> object:
    """Return a value as JSON holds it: dates and the like as text."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


class SensitiveColumn(NamedTuple):
    """One sensitive attribute as released.

    Attributes
    ----------
    values
        (n_rows,) the released column.
    hierarchy
        For hierarchical distance, or None.
    exclude_nulls
        Whether models leave out records without a value.
    reference
        A column with whose distribution classes are compared as well, not with that
        of `values` alone; or None.

    """

    values: pl.Series
    hierarchy: HierarchySource | None = None
    exclude_nulls: bool = False
    reference: pl.Series | None = None


def group_released(quasi_identifiers: Sequence[pl.Series], n_rows: int) -> Groups:
    """Group records by their released values; null equals itself.

    Groups stand in no particular order, and `codes` tell nothing. Cost: one hash a
    row, one radix sort, and one comparison of every cell with that of the first row
    of its group, because different rows may have one hash.
    """
    if not quasi_identifiers or not n_rows:
        return one_group(n_rows)
    hashes = _hashes(quasi_identifiers)
    low = (hashes & np.uint64((1 << 28) - 1)).astype(np.int32)
    high = (hashes >> np.uint64(64 - 27)).astype(np.int32)
    groups = group_rows([low, high], [1 << 28, 1 << 27])
    first, own = pl.Series(groups.first), pl.Series(groups.labels)

    def agrees(column: pl.Series) -> bool:
        return bool(column.gather(first).gather(own).eq_missing(column).all())

    return groups if all(parallel(agrees, quasi_identifiers)) else group_by_code(quasi_identifiers)


def group_by_code(columns: Sequence[pl.Series]) -> Groups:
    """Group records by the codes of their values, which `codes` then hold; null has one too.

    Cost: one hash table a text column, one radix sort.
    """
    coded = parallel(value_codes, columns)
    return group_rows([codes for codes, _ in coded], [size for _, size in coded])


def _hashes(columns: Sequence[pl.Series]) -> NDArray[np.uint64]:
    """Return (n_rows,) uint64, equal for equal rows."""
    named = [column.alias(str(place)) for place, column in enumerate(columns)]
    return pl.DataFrame(named).hash_rows().to_numpy()


def classes_as_released(
    groups: Groups, sensitive: Sequence[SensitiveColumn], counts: NDArray[np.int64] | None = None
) -> list[Classes]:
    """Return sizes and sensitive distributions of released classes.

    counts: (n_rows,) records that each row stands for; None for one each.

    The first classes have the release itself as the table that they are compared
    with. Where a column has a `reference`, the same classes follow with that.
    """
    n_classes = len(groups.sizes)
    weights = np.ones(len(groups.labels), np.int64) if counts is None else counts
    sizes = groups.sizes
    if counts is not None:
        sizes = np.bincount(groups.labels, counts, n_classes).astype(np.int64)
    own: dict[str, Distribution] = {}
    before: dict[str, Distribution] = {}
    for column in sensitive:
        n_rows = len(column.values)
        both = column.values
        if column.reference is not None:
            both = _together(column.values, column.reference)
        domain, codes = encode_column(both, column.hierarchy, by_value=True)
        n_values = domain.size
        if column.exclude_nulls and domain.has_null:
            codes = np.where(codes == domain.null_code, np.int32(-1), codes)
            n_values -= 1
        released, compared = codes[:n_rows], codes[n_rows:]
        ancestors = np.zeros((0, 0), np.int32)
        if domain.hierarchy is not None:
            ancestors = np.ascontiguousarray(domain.hierarchy.codes[:, :n_values])
        histograms = class_histograms(groups.labels, released, weights, n_classes, n_values)
        table = np.bincount(histograms[1], histograms[2], n_values).astype(np.int64)
        one = Distribution(*histograms, table, ancestors)
        own[column.values.name] = before[column.values.name] = one
        if column.reference is not None:
            table = np.bincount(compared[compared >= 0], minlength=n_values)
            before[column.values.name] = replace(one, table=table)
    compared_twice = any(column.reference is not None for column in sensitive)
    return [Classes(sizes, one) for one in ([own, before] if compared_twice else [own])]


def _together(values: pl.Series, reference: pl.Series) -> pl.Series:
    """Return both columns end to end, in one type: a text file may have lost it."""
    kinds = values.dtype, reference.dtype
    if kinds[0].is_numeric() and kinds[1].is_numeric() and kinds[0] != kinds[1]:
        values, reference = values.cast(pl.Float64), reference.cast(pl.Float64)
    try:
        if kinds[0] == pl.String:
            values = values.cast(kinds[1])
        elif kinds[1] == pl.String:
            reference = reference.cast(kinds[0])
    except pl.exceptions.PolarsError:
        pass
    if values.dtype != reference.dtype:
        values, reference = text_of(values), text_of(reference)
    return pl.concat([values, reference.alias(values.name)])


def record_counts(column: pl.Series) -> NDArray[np.int64]:
    """Return (n_rows,) int64 records that each row of the aggregate form stands for.

    Raises
    ------
    DataError
        A count is no whole number of at least 1.

    """
    whole = column.cast(pl.Int64, strict=False)
    exact = whole if column.dtype == pl.String else column
    wrong = (whole.is_null() | (whole < 1) | (whole != exact)).arg_true()
    if len(wrong):
        raise DataError(
            f"column {column.name!r}, row {wrong[0] + 1}: {column[wrong[0]]!r} counts no records; "
            "it must be a whole number of at least 1"
        )
    return whole.to_numpy()


def k_wildcard(quasi_identifiers: Sequence[pl.Series]) -> int | None:
    """Return k where null matches every value (`kernels.wildcard`); None without a null."""
    if not any(column.null_count() for column in quasi_identifiers):
        return None
    groups = group_by_code(quasi_identifiers)
    nulls = np.full(len(quasi_identifiers), -1, np.int32)
    for place, column in enumerate(quasi_identifiers):
        if column.null_count():
            nulls[place] = groups.codes[groups.labels[column.is_null().arg_max() or 0], place]
    return int(wildcard_sizes(groups.codes, groups.sizes, nulls).min())


def verify_columns(
    quasi_identifiers: Sequence[pl.Series],
    sensitive: Sequence[SensitiveColumn],
    models: Sequence[PrivacyModel],
    n_rows: int,
    counts: NDArray[np.int64] | None = None,
) -> Verification:
    """Regroup a released table and ask every model again.

    Parameters
    ----------
    quasi_identifiers
        The released columns of the quasi-identifiers.
    sensitive
        Every sensitive attribute that a model names.
    models
        What is required.
    n_rows
        Number of released rows.
    counts
        (n_rows,) records that each row stands for, in the aggregate form.

    Notes
    -----
    Nothing that an algorithm decided is used. Cost as `group_released` plus
    O(n_rows) a sensitive attribute.

    """
    groups = group_released(quasi_identifiers, n_rows)
    seen = classes_as_released(groups, sensitive, counts)
    sizes = seen[0].sizes
    checks: list[ModelCheck] = []
    failing = np.zeros(len(sizes), np.bool_)
    violating: list[dict[str, Any]] = []
    for model in models:
        holds = np.logical_and.reduce([model.satisfied(classes) for classes in seen])
        # Only models of distance to the table see a difference: they achieve the larger.
        achieved = max(model.achieved(classes) for classes in seen)
        checks.append(
            ModelCheck(model.type, model.attribute, model.required, achieved, bool(holds.all()))
        )
        failing |= ~holds
        failed = np.flatnonzero(~holds)
        smallest = np.lexsort((groups.first[failed], sizes[failed]))[:MOST_VIOLATING]
        violating += [
            {
                "class": {
                    column.name: column[int(groups.first[i])] for column in quasi_identifiers
                },
                "size": int(sizes[i]),
                "model": model.type,
            }
            for i in failed[smallest]
        ]
    distinct, numbers = np.unique(sizes, return_counts=True)
    return Verification(
        rows=int(sizes.sum()),
        n_classes=len(sizes),
        checks=tuple(checks),
        violating=tuple(sorted(violating, key=lambda one: one["size"])[:MOST_VIOLATING]),
        n_violating=int(failing.sum()),
        class_sizes=dict(zip(distinct.tolist(), numbers.tolist(), strict=True)),
    )
