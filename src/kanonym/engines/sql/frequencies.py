"""The frequency set of columns, counted where the table is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlglot import exp

from kanonym.data import frames
from kanonym.data.errors import SchemaError
from kanonym.data.files import differing_texts
from kanonym.data.person_key import columns_of
from kanonym.data.results.short_repr import ShortRepr
from kanonym.engines.sql.statements import (
    COUNT,
    count_query,
    empty_query,
    exact_column,
    free_name,
    project,
    subquery,
)
from kanonym.engines.sql.store import Query, Source
from kanonym.verification.released_classes import FrequencySet

_PENDING_ROWS = 1 << 22  # rows that are counted before they are merged with the others


@dataclass(frozen=True, repr=False)
class Frequencies(ShortRepr):
    """Distinct tuples of some columns, with their numbers of records.

    raw: (n_tuples, n_columns) the tuples as the engine has them: it finds them again by these.
    counts: (n_tuples,) int64 records of each.
    """

    raw: pl.DataFrame
    table: pl.DataFrame
    counts: NDArray[np.int64]

    def select(self, names: Sequence[str]) -> Frequencies:
        """Return the same tuples with some of their columns."""
        return Frequencies(self.raw.select(names), self.table.select(names), self.counts)

    def column(self, name: str) -> pl.Series:
        """Return a column, ready to be encoded, with its exceptions."""
        return frames.column_with_exceptions(self.table, name)


def frequency_set(found: Frequencies, *, json: bool = False) -> FrequencySet:
    """Return counted tuples as the flow has them; json: raw ones are values of JSON."""
    return FrequencySet(
        found.column,
        len(found.counts),
        found.counts,
        lambda name: differing_texts(found.raw[name], found.column(name), json=json),
    )


def types_of(source: Source) -> dict[str, pl.DataType]:
    """Return the columns of a source and their types."""
    empty = source.store.fetch(empty_query(source.query))
    frames.column_names(empty)
    return dict(empty.schema)


def frequencies(
    source: Source, columns: Sequence[str], dtypes: Mapping[str, pl.DataType]
) -> Frequencies | None:
    """Count the records of each combination of values; None where they are too many.

    Notes
    -----
    One GROUP BY on the engine; at most `source.most_tuples` + 1 rows come to this process.

    """
    columns = columns_of(columns)
    absent = [name for name in columns if name not in dtypes]
    if absent:
        raise SchemaError(f"no column {absent[0]!r}; the table has: {', '.join(dtypes)}")
    aliases = {name: f"c{place}" for place, name in enumerate(columns)}
    # Readers tell NaN from null and 0.0 from -0.0; a GROUP BY does so of texts alone.
    is_told = source.released and source.store.dialect != "sqlite"
    floats = {name: dtypes[name] for name in columns if is_told and dtypes[name].is_float()}

    def read(rows: pl.DataFrame) -> pl.DataFrame:
        numbers = [pl.col(name).cast(kind).fill_nan(None) + 0.0 for name, kind in floats.items()]
        return source.read(rows.with_columns(numbers))

    return fetch_frequencies(source, project(source, aliases, dtypes, floats), aliases, read)


def first_rows(source: Source, columns: Sequence[str], n: int) -> pl.DataFrame:
    """Return columns of the rows that the engine gives first, at most n, with local types."""
    query = exp.select(*(exact_column(name, "t") for name in columns))
    rows = source.store.fetch(query.from_(subquery(source.query, "t")).limit(n))
    return source.read(rows)


def fetch_frequencies(
    source: Source,
    query: Query,
    aliases: Mapping[str, str],
    read: Callable[[pl.DataFrame], pl.DataFrame] = lambda rows: rows,
) -> Frequencies | None:
    """Count the rows of a query by columns that have other names there; None for too many.

    read: gives columns of texts the values that local readers would.
    """
    many = source.most_tuples + 1
    frame = source.store.fetch(count_query(query, list(aliases.values())).limit(many))
    if len(frame) == many:
        return None
    raw = frame.select(pl.col(alias).alias(name) for name, alias in aliases.items())
    return Frequencies(raw, read(raw), frame[COUNT].cast(pl.Int64).to_numpy())


def counted_rows(parts: Iterable[pl.DataFrame], names: Sequence[str]) -> Frequencies:
    """Count the rows of a table of this process, which comes in parts, by some columns."""
    names = columns_of(names)
    number = free_name(names)
    pending: list[pl.DataFrame] = [
        pl.DataFrame(schema={**dict.fromkeys(names, pl.Null), number: pl.Int64})
    ]
    limit = _PENDING_ROWS
    for part in parts:
        frame = part.select(*names, pl.lit(1, pl.Int64).alias(number))
        pending.append(_sum_rows(frame, names, number))
        if sum(map(len, pending)) > limit:
            pending = [_sum_rows(pl.concat(pending, how="vertical_relaxed"), names, number)]
            limit = max(_PENDING_ROWS, 2 * len(pending[0]))
    found = _sum_rows(pl.concat(pending, how="vertical_relaxed"), names, number)
    raw = found.select(names)
    return Frequencies(raw, raw, found[number].to_numpy())


def _sum_rows(rows: pl.DataFrame, names: Sequence[str], number: str) -> pl.DataFrame:
    # Without a column all records are alike: one group.
    groups = rows.group_by(names) if names else rows.group_by(pl.lit(0).alias(f"{number}0"))
    return groups.agg(pl.col(number).sum()).select(*names, number)
