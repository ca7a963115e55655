"""The columns of a released table, and its equivalence classes, from released values alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import polars as pl

from kanonym.data.columns.rebuild import WORDS
from kanonym.data.columns.texts import beginnings
from kanonym.data.columns.values import text_of
from kanonym.data.errors import DataError
from kanonym.data.frames import exceptions_of, values_of, with_exceptions
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.hierarchy.base import ROOT
from kanonym.data.partition import Classes, Distribution
from kanonym.data.results import ShortRepr
from kanonym.data.schema import Attribute, Sensitive
from kanonym.data.table import Domain, encode_column, quick_codes, value_codes
from kanonym.kernels.arrays import Int32s, Ints, UInt64s
from kanonym.kernels.classes.group_sizes import wildcard_sizes
from kanonym.kernels.classes.grouping import (
    KEY_BITS,
    Groups,
    group_rows,
    label_keys,
    label_rows,
    one_group,
    sorted_keys,
)
from kanonym.kernels.classes.histograms import class_histograms, key_histograms
from kanonym.kernels.parallel import parallel


class Repeats(NamedTuple):
    """How often the values of a column are repeated; null is no value."""

    records: int
    values: int
    alone: int


def is_countable(dtype: pl.DataType) -> bool:
    """Whether values of a type can be counted: no lists, structs or Python objects."""
    return not dtype.is_nested() and dtype != pl.Object


class ColumnValues(NamedTuple):
    """The values of a column, wherever it is."""

    sample: pl.Series
    repeats: Repeats

    @classmethod
    def of(
        cls, column: pl.Series, counts: Ints | None = None, persons: pl.Series | None = None
    ) -> ColumnValues:
        """Count records, distinct values, lists by content, and values of one record or person."""
        values = column
        if not is_countable(column.dtype):
            values = pl.Series([None if one is None else repr(one) for one in column.to_list()])
        frame = pl.DataFrame({"value": values, **({} if counts is None else {"n": counts})})
        records = pl.len() if counts is None else pl.col("n").sum()
        holders = records
        if persons is not None:
            frame = frame.with_columns(persons.alias("person"))
            holders = pl.col("person").n_unique()
        repeats = (
            frame.lazy()
            .drop_nulls("value")
            .group_by("value")
            .agg(holders.alias("holders"), records.alias("records"))
            .select(
                pl.col("records").sum(),
                pl.len().alias("values"),
                (pl.col("holders") == 1).sum().alias("alone"),
            )
            .collect()
        )
        return cls(column, Repeats(*repeats.row(0)))


@dataclass(frozen=True, slots=True, repr=False)
class FrequencySet(ShortRepr):
    """Columns of a table with a row for each record, or for each distinct combination."""

    column: Callable[[str], pl.Series]
    n_rows: int
    counts: Ints | None = None  # (n_rows,) records of each row; None: one each
    texts: Callable[[str], pl.Series | None] = lambda _: None
    sets: Callable[[str], pl.Series] | None = None

    def coded(self, name: str) -> pl.Series:
        """Return a column with its exceptions, where it has some (`frames.with_exceptions`)."""
        raw = None if self.sets is None else self.sets(name)
        return self.column(name) if raw is None or exceptions_of(raw) is None else raw

    def as_text(self, names: Sequence[str]) -> dict[str, pl.Series]:
        """Return those of the columns in which several texts read as one value."""
        found = {name: self.texts(name) for name in names}
        return {name: column for name, column in found.items() if column is not None}


class Columns(Protocol):
    """The columns of a table, whether it is in this process or on an engine."""

    @property
    def columns(self) -> list[str]:
        """Their names, in order."""

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return some of the columns; `DataError` if too many combinations would come here."""

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a column are repeated; `DataError` of mixed types."""


class Table(Columns, Protocol):
    """The columns of a table of which records can be looked at."""

    def sample(self, names: Sequence[str]) -> pl.DataFrame:
        """Return at most 10,000 records, not drawn at random, without nested columns."""

    def records(self) -> pl.DataFrame:
        """Return the columns whose values can be counted; of a large table whole groups of rows."""


@dataclass(frozen=True)
class AggregatedTable:
    """A table of which a column counts the records of each row."""

    table: Table
    count: str

    @property
    def columns(self) -> list[str]:
        """The columns without the count."""
        return [name for name in self.table.columns if name != self.count]

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return some columns, with the records of each row."""
        rows = self.table.take([*names, self.count])
        counts = record_counts(rows.column(self.count))
        return replace(rows, counts=counts if rows.counts is None else counts * rows.counts)

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a column are repeated in records."""
        rows = self.take([name])
        return ColumnValues.of(rows.column(name), rows.counts)


def record_counts(column: pl.Series) -> Ints:
    """Return (n_rows,) int64 records that each row of the aggregate form stands for."""
    whole = column.cast(pl.Int64, strict=False)
    exact = whole if column.dtype == pl.String else column
    wrong = (whole.is_null() | (whole < 1) | (whole != exact)).arg_true()
    if len(wrong):
        raise DataError(
            f"column {column.name!r}, row {wrong[0] + 1}: {column[wrong[0]]!r} counts no records; "
            "it must be a whole number of at least 1"
        )
    return whole.to_numpy()


class SensitiveColumn(NamedTuple):
    """One sensitive attribute as released: (n_rows,) values.

    rows: (n_values,) int64, whose each value is, where a record may have several or none.
    """

    values: pl.Series
    hierarchy: HierarchySource | None = None
    exclude_nulls: bool = False
    reference: pl.Series | None = None
    reference_counts: Ints | None = None
    rows: Ints | None = None

    @classmethod
    def of(cls, values: pl.Series, attribute: Attribute | None, *reference: Any) -> SensitiveColumn:
        """Return a column as models look at it by its role; reference: its values and counts."""
        if not isinstance(attribute, Sensitive):
            return cls(values)
        return cls(values, attribute.hierarchy, attribute.nulls == "exclude", *reference)

    def alone(self) -> SensitiveColumn:
        """Return the column without a reference."""
        return self._replace(reference=None, reference_counts=None)


def group_released(quasi_identifiers: Sequence[pl.Series], n_rows: int) -> Groups:
    """Group records by their released values, in no particular order; null equals itself.

    Cost: a code a cell and a hash a row; without `quick_codes` a comparison of each cell with
    that of the first row of its group, because different rows may have one hash.
    """
    if not quasi_identifiers or not n_rows:
        return one_group(n_rows)
    quick = _all_quick(quasi_identifiers)
    if quick is not None:
        return label_rows(*quick)
    hashes = _hashes(quasi_identifiers)
    groups = label_keys(hashes.copy(), KEY_BITS)
    first, own = pl.Series(groups.first), pl.Series(groups.labels)

    def agrees(column: pl.Series) -> bool:
        return bool(column.gather(first).gather(own).eq_missing(column).all())

    return groups if all(parallel(agrees, quasi_identifiers)) else group_by_code(quasi_identifiers)


def _all_quick(columns: Sequence[pl.Series]) -> tuple[list[Int32s], list[int]] | None:
    """Return `quick_codes` and sizes of columns that all have such codes, else None."""
    coded = [one for one in parallel(quick_codes, columns) if one is not None]
    if len(coded) < len(columns):
        return None
    return [codes for codes, _ in coded], [size for _, size in coded]


def group_by_code(columns: Sequence[pl.Series]) -> Groups:
    """Group records by the codes of their values, which `codes` then hold; null has one too."""
    coded = parallel(value_codes, columns)
    return group_rows([codes for codes, _ in coded], [size for _, size in coded])


def _hashes(columns: Sequence[pl.Series]) -> UInt64s:
    """Return (n_rows,) uint64, equal for equal rows."""
    named = [column.alias(str(place)) for place, column in enumerate(columns)]
    return pl.DataFrame(named).hash_rows().to_numpy()


def classes_of_release(
    groups: Groups, sensitive: Sequence[SensitiveColumn], counts: Ints | None = None
) -> Classes:
    """Return sizes and sensitive distributions of released classes; counts: (n_rows,) records."""
    n_classes = len(groups.sizes)
    weights = np.empty(0, np.int64) if counts is None else counts  # empty: one record each
    sizes = groups.sizes
    if counts is not None:
        sizes = np.bincount(groups.labels, counts, n_classes).astype(np.int64)
    distributions = parallel(
        lambda column: _distribution(groups.labels, n_classes, weights, column), sensitive
    )
    names = [column.values.name for column in sensitive]
    return Classes(sizes, dict(zip(names, distributions, strict=True)))


def classes_of_values(
    quasi_identifiers: Sequence[pl.Series],
    sensitive: Sequence[SensitiveColumn],
    n_rows: int,
    counts: Ints | None = None,
) -> Classes:
    """Return the classes of a table, without excluded nulls or a `reference`."""
    by_key = bool(quasi_identifiers) and n_rows and counts is None
    quick = _all_quick(quasi_identifiers) if by_key else None
    classes = None if quick is None else _classes_by_key(*quick, sensitive)
    if classes is not None:
        return classes
    return classes_of_release(group_released(quasi_identifiers, n_rows), sensitive, counts)


def _classes_by_key(
    known: list[Int32s], known_sizes: list[int], sensitive: Sequence[SensitiveColumn]
) -> Classes | None:
    """Return classes from codes of quasi-identifiers; None where keys are too long."""
    if not sensitive:
        keys = sorted_keys(known, known_sizes)
        return None if keys is None else Classes(key_histograms(keys, 0)[0], {})
    distributions: dict[str, Distribution] = {}
    for column in sensitive:
        domain, codes = encode_column(column.values, column.hierarchy, by_value=True)
        keys = sorted_keys([*known, codes], [*known_sizes, domain.size])
        if keys is None:
            return None
        width = (domain.size - 1).bit_length()
        sizes, offsets, values, counts = key_histograms(keys, width)
        table = np.bincount(codes, minlength=domain.size)
        distributions[column.values.name] = _distribution_of(
            domain, domain.size, (offsets, values, counts), table
        )
    return Classes(sizes, distributions)


def _distribution(
    labels: Int32s, n_classes: int, weights: Ints, column: SensitiveColumn
) -> Distribution:
    """Return how a sensitive attribute is distributed; labels: (n_rows,) class of each row."""
    n_rows = len(column.values)
    both = column.values
    if column.reference is not None:
        both = _stack_with_exceptions(column.values, column.reference)
    domain, codes = encode_column(both, column.hierarchy, by_value=True)
    n_values = domain.size
    if column.exclude_nulls and domain.has_null:
        codes = np.where(codes == domain.null_code, np.int32(-1), codes)
        n_values -= 1
    released, compared = codes[:n_rows], codes[n_rows:]
    owners = labels if column.rows is None else labels[column.rows]
    histograms = class_histograms(owners, released, weights, n_classes, n_values)
    table = np.bincount(histograms[1], histograms[2], n_values).astype(np.int64)
    if column.reference is not None:
        mask, counts = compared >= 0, column.reference_counts
        given = None if counts is None else counts[mask]
        table = np.bincount(compared[mask], given, n_values).astype(np.int64)
    distribution = _distribution_of(domain, n_values, histograms, table)
    if column.rows is None:
        return distribution
    return replace(distribution, totals=np.bincount(labels, minlength=n_classes))


def _distribution_of(
    domain: Domain, n_values: int, histograms: tuple[Ints, Int32s, Ints], table: Ints
) -> Distribution:
    """Return histograms with what `Distribution` tells of their values."""
    ancestors, numbers = np.zeros((0, 0), np.int32), None
    if domain.hierarchy is not None:
        ancestors = np.ascontiguousarray(domain.hierarchy.codes[:, :n_values])
    if domain.kind in {"number", "temporal"}:
        physical = domain.values.to_physical().cast(pl.Float64).to_numpy()
        numbers = np.append(physical, np.nan)[:n_values]
    named = domain.kind in {"ordered", "nominal"} and domain.exceptions  # null among values
    labels = beginnings(domain.texts if named else domain.values)
    labels = None if labels is None else labels[:n_values]
    return Distribution(*histograms, table, ancestors, numbers, labels)


def _stack_with_exceptions(values: pl.Series, reference: pl.Series) -> pl.Series:
    """Return both columns end to end, with the exceptions of either."""
    own, others = exceptions_of(values), exceptions_of(reference)
    both = _stack_columns(values_of(values), values_of(reference))
    if own is None and others is None:
        return both
    parts = [
        pl.repeat(None, len(column), dtype=pl.String, eager=True) if found is None else found
        for found, column in ((own, values), (others, reference))
    ]
    return with_exceptions(both, pl.concat([part.rename("") for part in parts]))


def _stack_columns(values: pl.Series, reference: pl.Series) -> pl.Series:
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


@dataclass(frozen=True, slots=True)
class Counting:
    """How k is counted where cells were suppressed."""

    nulls: Literal["value", "wildcard"] = "value"
    subsets: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        few = {} if self.subsets is None else {"subsets": self.subsets}
        return {"nulls": self.nulls, **few}

    def sizes(self, quasi_identifiers: Sequence[pl.Series], groups: Groups, weights: Ints) -> Ints:
        """Return how many records each class of `group_by_code` counts: (n_classes,) int64."""
        nulls = _null_codes(quasi_identifiers, groups)
        d = len(quasi_identifiers)
        every = [tuple(range(d))] if self.subsets is None else combinations(range(d), self.subsets)
        counted = np.full(len(weights), int(weights.sum()), np.int64)
        for columns in every:
            chosen = np.ascontiguousarray(groups.codes[:, columns])
            parts = [np.ascontiguousarray(codes) for codes in chosen.T]
            own = group_rows(parts, (chosen.max(axis=0, initial=0) + 1).tolist())
            sizes = np.bincount(own.labels, weights, len(own.sizes)).astype(np.int64)
            if self.nulls == "wildcard":
                sizes = wildcard_sizes(own.codes, sizes, nulls[list(columns)])
            counted = np.minimum(counted, sizes[own.labels])
        return counted


def k_wildcard(quasi_identifiers: Sequence[pl.Series], counts: Ints | None = None) -> int | None:
    """Return k where null matches every value, of `wildcard_sizes`; None without a null."""
    if not any(column.null_count() for column in quasi_identifiers):
        return None
    groups = group_by_code(quasi_identifiers)
    nulls = _null_codes(quasi_identifiers, groups)
    sizes = classes_of_release(groups, (), counts).sizes
    return int(wildcard_sizes(groups.codes, sizes, nulls).min())


def count_suppressed(quasi_identifiers: Sequence[pl.Series], counts: Ints | None = None) -> int:
    """Return how many records are `*` in every quasi-identifier; counts: as of `k_wildcard`."""
    columns = quasi_identifiers
    if not columns or any(column.dtype not in WORDS for column in columns):
        return 0
    cells = ((column.cast(pl.String) == ROOT).fill_null(value=False) for column in columns)
    rows = np.logical_and.reduce([column.to_numpy() for column in cells])
    return int(rows.sum() if counts is None else counts[rows].sum())


def _null_codes(quasi_identifiers: Sequence[pl.Series], groups: Groups) -> Int32s:
    """Return (n_columns,) int32: the code of null in each column, -1 where it has none."""
    nulls = np.full(len(quasi_identifiers), -1, np.int32)
    for place, column in enumerate(quasi_identifiers):
        if column.null_count():
            nulls[place] = groups.codes[groups.labels[column.is_null().arg_max() or 0], place]
    return nulls
