"""Releases that DuckDB writes: files, in its own way where it can, and temporary tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from kanonym.data.files import check_table_output
from kanonym.data.files.cells import printable
from kanonym.database.duck_csv import read_csv
from kanonym.database.duck_errors import errors
from kanonym.database.staging import HiddenFile, Staged, write_aside
from kanonym.relational.statements import named
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
    path = str(hidden.path)
    try:
        if kind == "parquet":
            with errors(place):
                store.relation(query).write_parquet(path, compression="zstd")
            reads = exp.select(*map(named, store.columns(query))).from_(_parquet(path))
        elif kind in ("csv", "tsv") and not packed:
            reads = _csv(store, query, path, "\t" if kind == "tsv" else ",", place)
        else:
            reads = store.hold(query)
            write_aside(store.fetch(reads), hidden.path, kind, packed=packed)
    except BaseException:
        hidden.discard()
        raise
    return Staged(reads, hidden.publish, hidden.discard)


def _csv(store: DuckStore, query: Query, path: str, separator: str, place: str) -> Query:
    relation = store.relation(query)
    printable(store.fetch(query.limit(0)), "CSV")  # refuses what cells cannot hold
    with errors(place):
        relation.write_csv(path, sep=separator)
    return read_csv(path, relation.columns, separator, [str(dtype) for dtype in relation.types])


def _parquet(path: str) -> exp.Table:
    return exp.Table(
        this=exp.Anonymous(this="read_parquet", expressions=[exp.Literal.string(path)])
    )
