"""Releases that DuckDB stages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl
from sqlglot import exp

from kanonym.data.errors import DataError
from kanonym.data.files import check_table_output
from kanonym.data.files.text_cells import require_printable
from kanonym.data.files.text_layout import refuse_names_like_values
from kanonym.engines.database.staging import (
    BATCH_ROWS,
    HiddenFile,
    StagedTable,
    rows_of_file,
    write_hidden,
)
from kanonym.engines.database.values import fingerprint_of, require_same
from kanonym.engines.duckdb.csv_files import read_csv
from kanonym.engines.duckdb.errors import translate_errors
from kanonym.engines.duckdb.files import EXACT, fingerprint_of_file, read_parquet, write_parquet
from kanonym.engines.sql.statements import alias_column, exact_column, subquery
from kanonym.engines.sql.store import Query

if TYPE_CHECKING:
    from kanonym.engines.duckdb.store import DuckStore


MOST_WORDS = 1 << 16
"""Texts of more values, or about so many, stay texts."""


def enumerable_columns(store: DuckStore, query: Query, names: Sequence[str]) -> list[str]:
    """Return those of the columns that hold texts, of few different values."""
    found = store.relation(query)
    types = dict(zip(found.columns, found.types, strict=True))
    texts = [name for name in names if types[name].id == "varchar"]
    if not texts:
        return []
    counts = store.fetch(
        exp.select(
            *(
                alias_column(exp.ApproxDistinct(this=exact_column(name, "t")), f"c{place}")
                for place, name in enumerate(texts)
            )
        ).from_(subquery(query, "t"))
    ).row(0)
    return [name for name, count in zip(texts, counts, strict=True) if 0 < count <= MOST_WORDS]


def enumeration_of(query: Query, name: str, kind: str) -> str:
    """Return the statement that makes an enumeration of the values of a column, in their order."""
    column = exact_column(name, "t")
    words = (
        exp.select(column)
        .distinct()
        .from_(subquery(query, "t"))
        .where(exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null())))
        .order_by(column.copy())
    )
    return f'CREATE TEMPORARY TYPE "{kind}" AS ENUM ({words.sql(dialect="duckdb")})'


def with_enumerations(store: DuckStore, query: Query) -> Query:
    """Return a query with the enumerations themselves that it casts to text at last."""
    bare, found = query.copy(), query.copy()
    for cast in _casts(bare):
        cast.set("this", cast.this.this)
    relation = store.relation(bare)
    types = dict(zip(relation.columns, relation.types, strict=True))
    for cast in _casts(found):
        if types[cast.alias].id == "enum":
            cast.set("this", cast.this.this)
    return found


def with_texts(store: DuckStore, query: Query) -> Query:
    """Return a query with texts in the place of enumerations.

    As Parquet, DuckDB 2.0.0 writes other values than an enumeration of millions of rows holds,
    in about every third file.
    """
    relation = store.relation(query)
    return exp.select(
        *(
            exp.alias_(exp.cast(exact_column(name, "t"), "TEXT"), name, quoted=True)
            if kind.id == "enum"
            else exact_column(name, "t")
            for name, kind in zip(relation.columns, relation.types, strict=True)
        )
    ).from_(subquery(query, "t"))


def _casts(query: Query) -> list[exp.Alias]:
    return [
        select
        for select in query.selects
        if isinstance(select, exp.Alias) and isinstance(select.this, exp.Cast)
    ]


Relation: TypeAlias = Any  # duckdb tells its types, but none of the result of a statement

_HEAD = 1000  # rows among which names are looked for


def stage_table(store: DuckStore, query: Query) -> StagedTable:
    """Write a release to a temporary table; it is given out as a relation."""
    held = store.hold(query)

    def publish() -> object:
        store.keep(held)
        return store.relation(held)

    return StagedTable(held, publish, lambda: store.drop(held))


def stage_file(store: DuckStore, query: Query, place: str) -> StagedTable:
    """Write a release to a hidden file; what is verified is read from that file.

    Parquet and CSV are written batch by batch, by DuckDB or, of enumerations and numbers as
    Parquet, by pyarrow; they are read back by pyarrow, and every value is compared with the
    table. Other formats are written by this process, from all rows at once: what is verified is
    then the table they were taken from.
    """
    kind = check_table_output(place)
    packed = place.lower().endswith(".gz")
    hidden = HiddenFile(place)
    reads: Query
    rows: Callable[[], Iterable[pl.DataFrame]] | None = None
    with hidden.open_for_writing() as path:
        coded = with_enumerations(store, query)
        if kind == "parquet" and EXACT.issuperset(one.id for one in store.relation(coded).types):
            reads = _coded_parquet(store, coded, path, place)
        elif kind == "parquet" or (kind in ("csv", "tsv") and not packed):
            held = store.hold(coded)
            if kind == "parquet":
                reads = _parquet(store, held, str(path), place)
            else:
                types = [str(dtype) for dtype in store.relation(query).types]
                reads = _csv(store, held, types, str(path), "\t" if kind == "tsv" else ",", place)
            _require_same(store, held, path, kind, place)
            store.drop(held)
        else:
            reads = held = store.hold(query)
            frame = store.fetch(reads)
            write_hidden(frame, path, kind, packed=packed)
            rows = partial(iter, [frame])
    return StagedTable(reads, hidden.publish, hidden.discard, rows)


def _require_same(store: DuckStore, held: Query, path: Path, kind: str, place: str) -> None:
    """Refuse a file whose rows, read by pyarrow, are not those of the table."""
    parts = store.frames(held)
    schema = next(parts).schema
    require_same(fingerprint_of(parts), fingerprint_of(rows_of_file(path, kind, schema)), place)


def _csv(
    store: DuckStore, query: Query, types: list[str], path: str, separator: str, place: str
) -> Query:
    relation = store.relation(query)
    head = require_printable(
        store.fetch(query.limit(_HEAD)), "CSV"
    )  # refuses what cells cannot hold
    refuse_names_like_values(head, "CSV")
    with translate_errors(place), store.in_utc():
        relation.write_csv(path, sep=separator)
    return read_csv([path], relation.columns, separator, types)


def _parquet(store: DuckStore, query: Query, path: str, place: str) -> Query:
    written = store.relation(with_texts(store, query))
    with translate_errors(place):
        written.write_parquet(path, compression="zstd")
    return _read_parquet(store, written, path)


def _coded_parquet(store: DuckStore, query: Query, path: Path, place: str) -> Query:
    """Write a query of columns of the types `EXACT`, computed once."""
    relation = store.relation(query)
    types = zip(relation.columns, relation.types, strict=True)
    texts = [name for name, dtype in types if dtype.id == "enum"]
    with translate_errors(place):
        written = write_parquet(relation.to_arrow_reader(BATCH_ROWS), path)
    require_same(written, fingerprint_of_file(path, texts), place)
    return _read_parquet(store, store.relation(with_texts(store, query)), str(path))


def _read_parquet(store: DuckStore, written: Relation, path: str) -> Query:
    """Return what reads a Parquet file."""
    names = list(written.columns)
    reads = exp.select(*map(exact_column, names)).from_(subquery(read_parquet([path], names), "f"))
    found = store.relation(reads)
    for name, before, after in zip(names, written.types, found.types, strict=True):
        if before != after:
            raise DataError(
                f"column {name!r}: DuckDB writes {before} to Parquet as {after}, and values would "
                "change. Cast it to another type, such as VARCHAR"
            )
    return reads
