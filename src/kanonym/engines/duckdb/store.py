"""DuckDB: tables larger than memory, on one machine, without a server."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import polars as pl
import pyarrow as pa
from sqlglot import exp

from kanonym.data.databases import without_credentials
from kanonym.data.errors import DataError
from kanonym.data.files import check_table_output
from kanonym.data.files.text_cells import require_printable
from kanonym.data.files.text_layout import refuse_names_like_values
from kanonym.engines.database import staging
from kanonym.engines.database.temporary import TemporaryTables
from kanonym.engines.database.values import (
    fingerprint_of,
    frame_of,
    fresh_name,
    read_query,
    require_same,
    table_of,
    to_plain_types,
)
from kanonym.engines.duckdb import files
from kanonym.engines.duckdb.csv_files import read_csv
from kanonym.engines.duckdb.files import EXACT, fingerprint_of_file, read_parquet, write_parquet
from kanonym.engines.sql.statements import alias_column, exact_column, subquery
from kanonym.engines.sql.store import Query, StagedTable

_TELLING = (
    duckdb.CatalogException,
    duckdb.BinderException,
    duckdb.IOException,
    duckdb.OutOfMemoryException,
    duckdb.PermissionException,
)
"""Errors that speak of names and of the machine; others quote values."""

_TELLING_STREAM = ("Out of Memory Error", "IO Error", "Permission Error")
"""How the same begin where they come out of a stream of Arrow, as errors of the system."""

_FILE = re.compile(r"^\s*file = (.+)$", re.MULTILINE)
_EXTENSION = re.compile(r"requires the extension (\w+) to be loaded")
_LINE = re.compile(r"CSV Error on Line: ([0-9]+)")


@contextlib.contextmanager
def translate_errors(where: str = "DuckDB") -> Iterator[None]:
    """Turn errors of DuckDB into ours.

    where: the file or the engine, for the message.
    """
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise DataError(_describe_error(error, without_credentials(where))) from None
    except OSError as error:
        if error.errno is not None:  # of the system itself
            raise
        if str(error).startswith("INTERRUPT Error"):
            raise KeyboardInterrupt from None
        raise DataError(_describe_error(error, without_credentials(where))) from None
    except (duckdb.Error, pa.ArrowException, UnicodeError) as error:
        raise DataError(_describe_error(error, without_credentials(where))) from None


def _describe_error(error: Exception, where: str) -> str:
    message = str(error)
    file = _FILE.search(message)
    if file is not None:
        line = _LINE.search(message)
        place = file[1].strip() + (f", line {line[1]}" if line else "")
        return (
            f"{place}: not a row of the header's cells. Mend the row, quote a cell that holds "
            'the separator, double a " inside a quoted cell, and end all rows the same way'
        )
    extension = _EXTENSION.search(message)
    if extension is not None:
        return (
            f"{where} needs the extension {extension[1]} of DuckDB, and none is loaded from the "
            "network here: load it in a connection of your own, and give a relation of that"
        )
    if isinstance(error, _TELLING) or message.startswith(_TELLING_STREAM):
        return f"{where}: {without_credentials(message.partition(chr(10))[0])}"
    return (
        f"{where} failed with {type(error).__name__}: a value could not be read or computed (it is "
        f"not shown here)"
    )


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


_HEAD = 1000  # rows among which names are looked for


def stage_table(store: DuckStore, query: Query) -> staging.StagedRows:
    """Write a release to a temporary table; it is given out as a relation."""
    held = store.hold(query)

    def publish() -> object:
        store.keep(held)
        return store.relation(held)

    return staging.StagedRows(held, publish, lambda: store.drop(held))


def stage_file(store: DuckStore, query: Query, place: str) -> staging.StagedRows:
    """Write a release to a hidden file; what is verified is read from that file.

    Parquet and CSV are written batch by batch, by DuckDB or, of enumerations and numbers as
    Parquet, by pyarrow; they are read back by pyarrow, and every value is compared with the
    table. Other formats are written by this process, from all rows at once: what is verified is
    then the table they were taken from.
    """
    kind = check_table_output(place)
    packed = place.lower().endswith(".gz")
    hidden = staging.HiddenFile(place)
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
            staging.write_hidden(frame, path, kind, packed=packed)
            rows = partial(iter, [frame])
    return staging.StagedRows(reads, hidden.publish, hidden.discard, rows)


def _require_same(store: DuckStore, held: Query, path: Path, kind: str, place: str) -> None:
    """Refuse a file whose rows, read by pyarrow, are not those of the table."""
    parts = store.frames(held)
    schema = next(parts).schema
    require_same(
        fingerprint_of(parts), fingerprint_of(staging.rows_of_file(path, kind, schema)), place
    )


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
        written = write_parquet(relation.to_arrow_reader(staging.BATCH_ROWS), path)
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


Relation: TypeAlias = Any  # duckdb tells its types, but none of the result of a statement
ArrowTable: TypeAlias = Any  # pyarrow carries no types
Connection: TypeAlias = Any
Run: TypeAlias = Callable[..., Relation]

_BATCHES = 1000  # of a table that is put, or more:
_MOST_ROWS = 2048  # in a batch
_LIST = 1024  # the longest list that a row is unnested from


class DuckStore(TemporaryTables):
    """Tables of a DuckDB connection."""

    name = "duckdb"
    dialect = "duckdb"

    def __init__(self, run: Run, connection: Connection = None) -> None:
        super().__init__()
        self._run = run
        self._connection = connection
        self._registered: list[str] = []
        self._kinds: list[str] = []
        self._zone = "UTC"

    def close(self) -> None:
        """Drop the temporary tables and enumerations; forget the tables of this process."""
        super().close()
        while self._kinds:
            self._execute(f'DROP TYPE IF EXISTS "{self._kinds.pop()}"')
        while self._registered:
            self._connection.unregister(self._registered.pop())

    def use_zone(self, zones: Iterable[str | None]) -> None:
        """Give moments in the zone of all columns that have one, as a local reader does.

        DuckDB knows one zone at a time: columns of several zones, or of an offset without a name,
        stay in UTC.
        """
        named = set(zones) - {None}
        if len(named) == 1 and self._connection is not None:
            with contextlib.suppress(duckdb.Error):
                self._set_zone(str(named.pop()))

    @contextlib.contextmanager
    def in_utc(self) -> Iterator[None]:
        """Write moments in UTC meanwhile: of some zones DuckDB writes offsets with seconds."""
        zone = self._zone
        self._set_zone("UTC")
        try:
            yield
        finally:
            self._set_zone(zone)

    def _set_zone(self, zone: str) -> None:
        if self._connection is not None:
            self._connection.execute(f"SET TimeZone = '{zone}'")
            self._zone = zone

    def put(self, table: pl.DataFrame) -> Query:
        """Let DuckDB read a table of this process where it is; without a connection, copy it."""
        if self._connection is None:
            return super().put(table)
        rows = min(_MOST_ROWS, max(1, len(table) // _BATCHES))
        arrow = to_plain_types(table).to_arrow()
        self._registered.append(fresh_name())
        self._connection.register(
            self._registered[-1],
            pa.Table.from_batches(arrow.to_batches(max_chunksize=rows), arrow.schema),
        )
        return read_query(self._registered[-1], table.columns)

    def repeat(self, query: Query, times: str) -> Query:
        """Return each row as often as its integer column `times` says, in order.

        DuckDB makes a list as long as `times` for each of many rows at once: a row is taken
        apart into rows of at most `_LIST` first. Texts of few values are repeated as
        enumerations, and cast to text at last.
        """
        names = [name for name in self.columns(query) if name != times]
        coded = self._enumerate(query, names)
        number, part, one = exact_column(times), fresh_name(), fresh_name()
        most = exp.Literal.number(_LIST)
        parts = exp.IntDiv(
            this=exp.paren(exp.Add(this=number, expression=exp.Literal.number(_LIST - 1))),
            expression=most,
        )
        before = exp.Mul(this=most, expression=exact_column(part))
        rest = exp.Least(this=most, expressions=[exp.Sub(this=number, expression=before)])
        given = (
            exp.alias_(exp.cast(exact_column(name), coded[name]), name, quoted=True)
            if name in coded
            else exact_column(name)
            for name in names
        )
        apart = (
            exp.select(*given, number)
            .select(exp.alias_(_unnest(parts), part, quoted=True))
            .from_(query.subquery("q"))
        )
        repeated = (
            exp.select(*map(exact_column, names))
            .select(exp.alias_(_unnest(rest), one, quoted=True))
            .from_(apart.subquery("q"))
        )
        texts = (
            exp.alias_(exp.cast(exact_column(name), "TEXT"), name, quoted=True)
            if name in coded
            else exact_column(name)
            for name in names
        )
        return exp.select(*texts).from_(repeated.subquery("q"))

    def require_place(self, place: str | None) -> None:
        """Refuse a file that cannot be written."""
        if place is not None:
            check_table_output(place)

    def stage(self, query: Query, place: str | None) -> StagedTable:
        """Write a hidden file beside `place`, or a temporary table for None."""
        return stage_table(self, query) if place is None else stage_file(self, query, place)

    def relation(self, query: Query) -> Relation:
        """Return a query as a relation of duckdb."""
        with translate_errors():
            return self._run(self.sql(query))

    def frames(self, query: Query) -> Iterator[pl.DataFrame]:
        """Yield the rows of a query in parts, enumerations as text; the first part has no rows."""
        with translate_errors():
            reader = self._run(self.sql(query)).to_arrow_reader(staging.BATCH_ROWS)
            yield to_plain_types(pl.DataFrame(reader.schema.empty_table()))
            for batch in reader:
                yield to_plain_types(pl.DataFrame(pa.Table.from_batches([batch])))

    def usable(self, name: str, names: list[str]) -> Query:
        """Return what reads a table with columns of usable types only."""
        relation = self.relation(read_query(name, names))
        picked = [
            files.usable_column(each, str(dtype))
            for each, dtype in zip(names, relation.types, strict=True)
        ]
        return exp.select(*picked).from_(exp.table_(name, quoted=True))

    def keep(self, query: Query) -> None:
        """Leave the table of a query of `hold` behind when the store is closed."""
        self._tables.remove(table_of(query))

    def _enumerate(self, query: Query, names: list[str]) -> dict[str, exp.DataType]:
        """Return an enumeration of the values of each column of texts that has few."""
        coded = {}
        for name in enumerable_columns(self, query, names):
            self._kinds.append(fresh_name())
            self._execute(enumeration_of(query, name, self._kinds[-1]))
            coded[name] = exp.DataType.build(self._kinds[-1], udt=True)
        return coded

    def _read(self, sql: str) -> pl.DataFrame:
        with translate_errors():
            relation = self._run(sql)
            kinds = zip(relation.columns, relation.types, strict=True)
            words = {name: kind.children[0][1] for name, kind in kinds if kind.id == "enum"}
            return frame_of(relation.to_arrow_table(), words=words)

    def _execute(self, sql: str) -> None:
        with translate_errors():
            self._run(sql)

    def _ingest(self, name: str, table: pl.DataFrame, *, append: bool) -> None:
        verb = f'INSERT INTO "{name}"' if append else f'CREATE TEMPORARY TABLE "{name}" AS'
        with translate_errors():
            self._run(f"{verb} SELECT * FROM kanonym_2f1c9be04d5a7e63", table.to_arrow())  # noqa: S608 - our own


def _unnest(times: exp.Expr) -> exp.Expr:
    return exp.Unnest(expressions=[exp.func("range", times)])
