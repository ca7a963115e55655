"""The encoded table: integer codes, domains and weights, one tuple for equal records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import polars as pl

from kanonym.data.columns.texts import distinct_texts
from kanonym.data.columns.values import text_of
from kanonym.data.errors import DataError
from kanonym.data.frames import exceptions_of, values_of
from kanonym.data.hierarchy import Hierarchy
from kanonym.data.hierarchy.base import with_exceptions
from kanonym.data.readings.reading import MARK
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.kernels.classes.grouping import dense_codes, dense_ranks, group_rows, one_group
from kanonym.kernels.parallel import parallel

if TYPE_CHECKING:
    from kanonym.data.hierarchy import Hierarchy, HierarchySource

Kind = Literal["number", "temporal", "ordered", "nominal"]

LARGEST = 1e150
"""Quasi-identifiers hold no number beyond this: its square is finite."""

SMALL_INTEGERS = (*(pl.Int8, pl.Int16, pl.Int32, pl.Int64), *(pl.UInt8, pl.UInt16, pl.UInt32))
"""Integer types whose values all fit 64 signed bits."""

SORTED_BY_BITS = (
    *(*SMALL_INTEGERS, pl.Float32, pl.Float64),
    *(pl.Date, pl.Datetime, pl.Time, pl.Duration),
)
"""Types whose values are ranked by a sort of their bits."""


@dataclass(frozen=True, slots=True, repr=False)
class Domain(ShortRepr):
    """The values of one attribute in the order of their codes.

    Codes run from 0 to `size` - 1. Numbers, dates and ordered categories stand in their own order;
    with a hierarchy the values stand in its depth-first order, so that every subtree is an interval
    of codes. Exceptions, cells that are no values of the column's type, stand behind all values,
    and null, where present, is the last code: each of them is a branch of its own under the root.

    observed: (size,) bool, which codes the data holds: a hierarchy may know more.
    """

    _shown: ClassVar[tuple[str, ...]] = ("name", "kind", "size")

    name: str
    kind: Kind
    values: pl.Series
    has_null: bool
    observed: Bools
    hierarchy: Hierarchy | None
    exceptions: tuple[str, ...] = ()

    @property
    def apart(self) -> int:
        """The first code that is no value of an order: of an exception, or of null, or `size`."""
        return len(self.values) - len(self.exceptions)

    @property
    def texts(self) -> pl.Series:
        """Non-null values and exceptions as texts, by code."""
        texts = text_of(self.values)
        if not self.exceptions:
            return texts
        named = pl.Series(self.name, self.exceptions, dtype=pl.String)
        return texts.head(self.apart).append(named)

    @property
    def size(self) -> int:
        """Number of codes, null included."""
        return len(self.values) + self.has_null

    @property
    def null_code(self) -> int:
        """The code of null, or -1 where the column has none."""
        return self.size - 1 if self.has_null else -1


@dataclass(frozen=True, slots=True, repr=False)
class EncodedTable(ShortRepr):
    """The frequency set of a table: distinct tuples with their numbers of records.

    A tuple is a combination of quasi-identifier codes together with the sensitive
    codes. Tuples are sorted by code, so the same records in any order give the
    same table (apart from `tuple_of_row`).

    codes: (n_tuples, n_quasi_identifiers) int32, C order.
    sensitive_codes: (n_tuples, n_sensitive) int32, C order.
    weights: (n_tuples,) int64 number of records of each tuple.
    tuple_of_row: (n_rows,) int32, the tuple of each record of the input; where the input counts its
    records, of each row of it.
    population: (n_tuples,) int64 number of records of a population table, None without one. Of
    tuples that differ in sensitive codes alone the first has them all. What only the population has
    is a tuple of weight 0, its sensitive codes -1.
    target, target_codes: the column that guides an algorithm, and its (n_tuples,) int32 codes, -1
    for null; tuples that differ in it are different ones. No model looks at it. None without one.
    """

    _shown: ClassVar[tuple[str, ...]] = ("n_rows",)

    domains: tuple[Domain, ...]
    sensitive: tuple[Domain, ...]
    codes: Int32s
    sensitive_codes: Int32s
    weights: Ints
    tuple_of_row: Int32s
    population: Ints | None = None
    target: Domain | None = None
    target_codes: Int32s | None = None

    @property
    def n_rows(self) -> int:
        """Number of records of the input."""
        return int(self.weights.sum())


def encode(
    quasi_identifiers: Sequence[tuple[pl.Series, HierarchySource | None]],
    sensitive: Sequence[tuple[pl.Series, HierarchySource | None, bool]],
    n_rows: int,
    population: Sequence[pl.Series] | None = None,
    target: pl.Series | None = None,
    counts: Ints | None = None,
) -> EncodedTable:
    """Encode columns and collapse equal records into weighted tuples.

    counts: (n_rows,) records that each row of the columns stands for; None for one each. The
    frequency set of a table gives the very tuples, codes and weights of the table.

    Notes
    -----
    Cost O(n_rows · n_columns) for integers of a small range, one hash join a column
    otherwise, and one radix sort.
    """
    for column, _ in quasi_identifiers:
        refuse_infinite(values_of(column))
    further: Sequence[pl.Series | None] = population or [None] * len(quasi_identifiers)
    known = parallel(
        lambda one: encode_column(*one[0], further=one[1], counts=counts),
        list(zip(quasi_identifiers, further, strict=True)),
    )
    if target is not None:
        sensitive = [*sensitive, (target, None, True)]
    hidden = parallel(
        lambda one: encode_column(one[0], one[1], by_value=True, counts=counts), sensitive
    )
    every = [*known, *hidden]
    if every:
        groups = group_rows([codes for _, codes in every], [domain.size for domain, _ in every])
    else:
        groups = one_group(n_rows)
    d = len(known)
    sensitive_codes = np.ascontiguousarray(groups.codes[:, d:])
    domains = []
    for j, ((domain, _), (_, _, exclude)) in enumerate(zip(hidden, sensitive, strict=True)):
        if exclude and domain.has_null:
            sensitive_codes[sensitive_codes[:, j] == domain.null_code, j] = -1
            domains.append(replace(domain, has_null=False, observed=domain.observed[:-1]))
        else:
            domains.append(domain)
    table = EncodedTable(
        domains=tuple(domain for domain, _ in known),
        sensitive=tuple(domains),
        codes=np.ascontiguousarray(groups.codes[:, :d]),
        sensitive_codes=sensitive_codes,
        weights=groups.sizes if counts is None else _sums(groups.labels, counts, len(groups.sizes)),
        tuple_of_row=groups.labels,
    )
    return table if target is None else _last_as_target(table)


def _last_as_target(table: EncodedTable) -> EncodedTable:
    """Take the last sensitive column for the target: models are about the others alone."""
    return replace(
        table,
        sensitive=table.sensitive[:-1],
        sensitive_codes=np.ascontiguousarray(table.sensitive_codes[:, :-1]),
        target=table.sensitive[-1],
        target_codes=np.ascontiguousarray(table.sensitive_codes[:, -1]),
    )


def encode_column(
    column: pl.Series,
    source: HierarchySource | None = None,
    *,
    by_value: bool = False,
    further: pl.Series | None = None,
    counts: Ints | None = None,
) -> tuple[Domain, Int32s]:
    """Return a column's domain and (n_rows,) int32 codes.

    Nominal values without a hierarchy stand in order of frequency, most frequent
    first and ties by value: cuts between frequent and rare values lose least. With
    `by_value` they stand in order of value.

    further: the attribute in another table, of the same type. The hierarchy covers its
    values as well, and counts them instead of the column's own.
    counts: (n_rows,) records that each value stands for; None for one each.
    column: of values, or one with exceptions (`frames.with_exceptions`).
    """
    exceptions = exceptions_of(column)
    if exceptions is not None:
        return _with_exceptions(column, exceptions, source, further, counts)
    kind = kind_of(column.dtype)
    values, codes = _distinct(column)
    has_null = column.null_count() > 0
    by_frequency = kind == "nominal" and not by_value
    if source is not None or by_frequency:
        numbers = _sums(codes, counts, len(values) + has_null)
    if source is not None:
        present = values.extend_constant(None, 1) if has_null else values
        hierarchy = _bind(source, present, numbers, further)
        leaves = hierarchy.leaf_of(present)
        observed = np.zeros(hierarchy.size, np.bool_)
        observed[leaves] = True
        named = hierarchy.values[:-1] if hierarchy.has_null else hierarchy.values
        domain = Domain(column.name, kind, named, hierarchy.has_null, observed, hierarchy)
        return domain, leaves[codes] if len(codes) else codes
    if by_frequency:
        order = np.argsort(-numbers[: len(values)], kind="stable")
        place = np.empty(len(numbers), np.int32)
        place[order] = np.arange(len(order))
        place[len(order) :] = len(order)
        values, codes = values.gather(order), place[codes]
    observed = np.ones(len(values) + has_null, np.bool_)
    return Domain(column.name, kind, values, has_null, observed, None), codes


def _with_exceptions(
    column: pl.Series,
    exceptions: pl.Series,
    source: HierarchySource | None,
    further: pl.Series | None,
    counts: Ints | None,
) -> tuple[Domain, Int32s]:
    """Return domain and codes of a column with exceptions: those of its values, and behind them."""
    values, others = values_of(column), None
    if further is not None:
        further, others = values_of(further), exceptions_of(further)
    domain, codes = encode_column(values, source, by_value=True, further=further, counts=counts)
    n = len(exceptions)
    both = exceptions if others is None else exceptions.rename("").append(others.rename(""))
    named, own = _distinct(both.alias(values.name))
    own = own[:n]
    is_exception = own < len(named)
    if not len(named):
        return domain, codes
    labels = tuple(MARK + text for text in named.to_list())
    apart, is_null = len(domain.values), codes == domain.null_code
    codes = np.where(is_null, np.int32(apart + len(named)), codes)
    codes[is_exception] = apart + own[is_exception]
    null_held = bool(np.any(codes == apart + len(named)))
    hierarchy = domain.hierarchy
    if hierarchy is not None:
        hierarchy = with_exceptions(hierarchy, labels)
    has_null = null_held if hierarchy is None else hierarchy.has_null
    observed = np.concatenate(
        [domain.observed[:apart], np.isin(np.arange(len(named)), own), [null_held] * has_null]
    ).astype(np.bool_)
    values = domain.values.extend_constant(None, len(named))
    return Domain(
        domain.name, domain.kind, values, has_null, observed, hierarchy, labels
    ), codes.astype(np.int32)


def _sums(codes: Int32s, counts: Ints | None, size: int) -> Ints:
    """Return (size,) int64 records of each code; exact up to 2**53 of them."""
    return np.bincount(codes, counts, size).astype(np.int64, copy=False)


def _bind(
    source: HierarchySource, present: pl.Series, counts: Ints, further: pl.Series | None
) -> Hierarchy:
    """Bind a hierarchy to distinct values, or to these and a further column of their type."""
    if further is None:
        return source.bind(present, counts)
    others, codes = _distinct(further)
    counted = np.bincount(codes, minlength=len(others) + 1)
    frame = pl.DataFrame({"value": others, "count": counted[: len(others)]})
    known = pl.DataFrame({"value": present.drop_nulls()}).with_columns(count=pl.lit(0, pl.Int64))
    both = pl.concat([frame, known]).group_by("value").agg(pl.col("count").sum()).sort("value")
    values, counts = both["value"].alias(present.name), both["count"].to_numpy()
    if present.null_count() or further.null_count():
        values, counts = values.extend_constant(None, 1), np.append(counts, counted[-1])
    return source.bind(values, counts)


def kind_of(dtype: pl.DataType) -> Kind:
    """Return how values of a column type are ordered."""
    if dtype.is_numeric():
        return "number"
    if dtype.is_temporal():
        return "temporal"
    return "ordered" if dtype == pl.Enum else "nominal"


def _distinct(column: pl.Series) -> tuple[pl.Series, Int32s]:
    """Return distinct non-null values ascending and (n,) codes; null is the last code."""
    small = _small_integers(column)
    if small is not None:
        return pl.Series(column.name, small[0]).cast(column.dtype), small[1]
    if column.dtype in (pl.Categorical, pl.Boolean):
        column = column.cast(pl.String)
    few = distinct_texts(column) if column.dtype == pl.String else None
    if few is not None:
        return few
    if column.dtype in SORTED_BY_BITS:
        return _distinct_numbers(column)
    values = column.drop_nulls().unique().sort()
    if not len(values):
        return values, np.zeros(len(column), np.int32)
    codes = column.replace_strict(
        values, pl.int_range(len(values), dtype=pl.Int32, eager=True), default=len(values)
    )
    return values, codes.cast(pl.Int32).to_numpy(writable=True)


def _distinct_numbers(column: pl.Series) -> tuple[pl.Series, Int32s]:
    """Return what `_distinct` does, of numbers or times, by a sort of their bits."""
    held = column.drop_nulls()
    numbers = held.to_physical()
    is_float = held.dtype.is_float()
    first, codes = dense_ranks(numbers.cast(pl.Float64 if is_float else pl.Int64).to_numpy())
    values = held.gather(first)
    if is_float:
        values = values.set(values == 0, 0.0)  # -0.0 is equal to it and reads otherwise
    return values, _with_null_code(column, codes, len(values))


def _with_null_code(column: pl.Series, codes: Int32s, null_code: int) -> Int32s:
    """Return the codes of a column's values, and that of null between them."""
    if len(codes) == len(column):
        return codes
    every = np.full(len(column), null_code, np.int32)
    every[column.is_not_null().to_numpy()] = codes
    return every


def refuse_infinite(column: pl.Series) -> None:
    """Refuse numbers with which sums and squares overflow; cost: one pass."""
    if not column.dtype.is_float():
        return
    low, high = column.min(), column.max()
    if low is None or high is None or max(-low, high) <= LARGEST:  # type: ignore[operator]
        return
    row = (column.abs() > LARGEST).arg_max() or 0
    what = "not a finite number" if math.isinf(column[row]) else f"beyond ±{LARGEST:g}"
    raise DataError(
        f"column {column.name!r}, row {row + 1}: {column[row]} is {what}; "
        "replace it, or leave the cell empty for a missing value"
    )


def value_codes(column: pl.Series) -> tuple[Int32s, int]:
    """Return (n_rows,) int32 codes in no particular order, and the number of codes.

    Equal values get equal codes, null one of its own; faster than `encode_column`
    for text, where no order is needed.
    """
    quick = quick_codes(column)
    if quick is not None:
        return quick
    if column.dtype == pl.String:
        # A pool of its own: codes count up from 0 by first appearance.
        return _category_codes(column.cast(pl.Categorical(pl.Categories.random())))
    values, codes = _distinct(column)
    return codes, len(values) + 1


def quick_codes(column: pl.Series) -> tuple[Int32s, int] | None:
    """Return what `value_codes` does, or None where that takes a hash table.

    Quick are categories, Booleans, texts of few different values, and integers and dates of a
    small range.
    """
    if column.dtype == pl.String:
        few = distinct_texts(column)
        return None if few is None else (few[1], len(few[0]) + 1)
    if column.dtype in (pl.Categorical, pl.Enum):
        return _category_codes(column)
    if column.dtype == pl.Boolean:
        column = column.cast(pl.Int8)
    elif column.dtype == pl.Date:
        column = column.to_physical()
    small = _small_integers(column)
    return None if small is None else (small[1], len(small[0]) + 1)


def _category_codes(column: pl.Series) -> tuple[Int32s, int]:
    physical = column.to_physical()
    size = int(physical.max() or 0) + 1  # type: ignore[arg-type]
    return physical.cast(pl.Int32).fill_null(size).to_numpy(writable=True), size + 1


def _small_integers(column: pl.Series) -> tuple[Ints, Int32s] | None:
    """Return distinct integers ascending and (n,) codes, null the last one."""
    if column.dtype not in SMALL_INTEGERS:
        return None
    small = dense_codes(column.drop_nulls().cast(pl.Int64).to_numpy())
    if small is None:
        return None
    return small[0], _with_null_code(column, small[1], len(small[0]))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MergedTable(EncodedTable):
    """The frequency set of a table whose values are generalized to some levels already.

    Each value is written as the first leaf below its label at the level of its attribute, so
    that all levels from there on read as in the original. Levels below are not known any
    more: algorithms that use one level for a whole attribute look at those from `lowest` on.

    lowest: (d,) int64, the level of each quasi-identifier.
    records: by quasi-identifier (n_leaves,) int64: records of each original value.
    repeated: (n, 2) int64: how many records may be equal in all quasi-identifiers, as they were
    before, and how many such groups there are; None where nobody asks.
    """

    _shown: ClassVar[tuple[str, ...]] = ("n_rows",)

    lowest: Ints
    records: tuple[Ints, ...]
    repeated: Ints | None = None


def first_leaves(tree: Hierarchy, level: int) -> Int32s:
    """Return (n_leaves,) int32: for each leaf, the first one with the same label."""
    codes = tree.codes[level]
    starts = np.searchsorted(codes, np.arange(len(tree.labels[level]))).astype(np.int32)
    return np.asarray(starts[codes])


def records_of(table: EncodedTable, a: int) -> Ints:
    """Return (n_leaves,) int64: records of each original value of quasi-identifier a."""
    if isinstance(table, MergedTable):
        return table.records[a]
    size = table.domains[a].size
    return np.bincount(table.codes[:, a], table.weights, size).astype(np.int64)


def repeated_records(table: EncodedTable) -> Ints | None:
    """Return `MergedTable.repeated` of any table."""
    if isinstance(table, MergedTable):
        return table.repeated
    sizes = distinct_sizes(table)
    return np.stack(np.unique(sizes[sizes > 0], return_counts=True), axis=1)


def distinct_sizes(table: EncodedTable) -> Ints:
    """Return the records of each distinct combination of quasi-identifiers."""
    if not len(table.weights):
        return table.weights
    new = (table.codes[1:] != table.codes[:-1]).any(axis=1)
    sizes: Ints = np.add.reduceat(table.weights, np.append(0, np.flatnonzero(new) + 1))
    return sizes
