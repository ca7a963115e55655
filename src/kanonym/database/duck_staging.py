"""Releases that DuckDB writes: files, in its own way where it can, and temporary tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

import polars as pl
from sqlglot import exp

from kanonym.data.errors import DataError
from kanonym.data.files import check_table_output
from kanonym.data.files.cells import printable
from kanonym.database.duck_csv import read_csv
from kanonym.database.duck_errors import errors
from kanonym.database.duck_files import read_parquet
from kanonym.database.staging import HiddenFile, Staged, write_aside
from kanonym.relational.statements import inner, named
from kanonym.relational.store import Query

if TYPE_CHECKING:
    from kanonym.database.duck import DuckStore


def staged_table(store: DuckStore, query: Query) -> Staged:
    """Write a release to a temporary table; it is given out as a relation."""
    held = store.hold(query)

    def publish() -> object:
        store.keep(held)
        return store.relation(held)

    return Staged(held, publish, lambda: store.drop(held))


def staged_file(store: DuckStore, query: Query, place: str) -> Staged:
    """Write a release to a hidden file; what is verified is read from that file.

    Parquet and CSV are written by DuckDB, batch by batch. Other formats are written by this
    process, from all rows at once: what is verified is then the table they were taken from.

    Raises
    ------
    DataError
        The place cannot be written; or the format cannot hold a column.

    """
    kind = check_table_output(place)
    packed = place.lower().endswith(".gz")
    hidden = HiddenFile(place)
    reads: Query
    rows: Callable[[], Iterable[pl.DataFrame]] | None = None
    path = str(hidden.path)
    try:
        if kind == "parquet":
            reads = _parquet(store, query, path, place)
        elif kind in ("csv", "tsv") and not packed:
            reads = _csv(store, query, path, "\t" if kind == "tsv" else ",", place)
        else:
            reads = store.hold(query)
            frame = store.fetch(reads)
            write_aside(frame, hidden.path, kind, packed=packed)
            rows = partial(iter, [frame])
    except BaseException:
        hidden.discard()
        raise
    return Staged(reads, hidden.publish, hidden.discard, rows)


def _csv(store: DuckStore, query: Query, path: str, separator: str, place: str) -> Query:
    relation = store.relation(query)
    printable(store.fetch(query.limit(0)), "CSV")  # refuses what cells cannot hold
    with errors(place):
        relation.write_csv(path, sep=separator)
    return read_csv([path], relation.columns, separator, [str(dtype) for dtype in relation.types])


def _parquet(store: DuckStore, query: Query, path: str, place: str) -> Query:
    written = store.relation(query)
    with errors(place):
        written.write_parquet(path, compression="zstd")
    names = list(written.columns)
    reads = exp.select(*map(named, names)).from_(inner(read_parquet([path], names), "f"))
    found = store.relation(reads)
    for name, before, after in zip(names, written.types, found.types, strict=True):
        if before != after and before.id != "enum":
            raise DataError(
                f"column {name!r}: DuckDB writes {before} to Parquet as {after}, and values would "
                "change. Cast it to another type, such as VARCHAR"
            )
    return reads
