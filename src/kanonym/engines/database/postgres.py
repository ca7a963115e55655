"""PostgreSQL: what is its own among the abilities of a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import adbc_driver_postgresql.dbapi
import polars as pl
import pyarrow as pa
from polars import selectors
from sqlglot import exp

from kanonym.data.databases import displayable_url, missing_table
from kanonym.data.errors import DataError
from kanonym.engines.database.adbc import AdbcStore, ArrowTable, Connection
from kanonym.engines.database.values import (
    declared_scale,
    fresh_name,
    is_decimal_text,
    refuse_nul,
    refuse_types,
    to_microseconds,
    to_signed,
    without_nan,
)
from kanonym.engines.sql.statements import exact_column
from kanonym.engines.sql.store import Query

_NATIVE = frozenset(
    {
        "bool", "int2", "int4", "int8", "float4", "float8", "numeric", "text", "varchar",
        "date", "timestamp", "timestamptz", "time", "bytea",
    }
)  # fmt: skip
_AS_TEXT = frozenset(
    {
        "bpchar", "name", "char", "uuid", "citext", "json", "jsonb", "xml", "inet", "cidr",
        "macaddr", "macaddr8", "interval", "timetz", "bit", "varbit",
    }
)  # fmt: skip
_RESERVED = frozenset({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"})
_LONGEST_NAME = 63

_SETTINGS = (
    "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    # Else a server goes on with a long statement of a process that was killed (from version 14).
    (
        "SELECT set_config(name, '1000', false) FROM pg_settings"
        " WHERE name = 'client_connection_check_interval'"
    ),
)


class PostgresStore(AdbcStore):
    """Tables of a PostgreSQL database.

    One transaction at the level REPEATABLE READ: all queries see the same state.
    """

    name = "postgresql"
    dialect = "postgres"
    telling = ("08", "0A", "28", "3D", "3F", "42", "53", "54", "55", "57", "58", "XX")

    def repeat(self, query: Query, times: str) -> Query:
        """Return each row as often as its integer column `times` says, in order."""
        names = [name for name in self.columns(query) if name != times]
        numbers = exp.Anonymous(
            this="generate_series", expressions=[exp.Literal.number(1), exact_column(times, "q")]
        )
        return (
            exp.select(*(exact_column(name, "q") for name in names))
            .from_(query.subquery(exp.to_identifier("q", quoted=True)))
            .join(
                exp.Lateral(
                    this=numbers, alias=exp.TableAlias(this=exp.to_identifier(fresh_name()))
                ),
                join_type="cross",
            )
        )

    def table_names(self, schema: str | None) -> Sequence[str]:
        """Return the names of the tables and views of a schema, sorted."""
        names = self.query(
            "SELECT DISTINCT c.relname::text FROM pg_class c JOIN pg_namespace n"
            " ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')"
            " AND CASE WHEN $1::text IS NULL THEN pg_table_is_visible(c.oid)"
            " AND n.nspname NOT IN ('pg_catalog', 'information_schema')"
            " ELSE n.nspname = $1 END ORDER BY 1",
            (schema,),
        )
        return [name for (name,) in names]

    def usable(self, table: str, schema: str | None) -> Query:
        """Return what reads a table with columns of usable types only."""
        place = exp.table_(table, db=schema, quoted=True)
        number = self._table_number(place)
        if number is None:
            within = "" if schema is None else f"the schema {schema!r} in "
            where = f"{within}{displayable_url(self._url)}"
            raise missing_table(table, self.table_names(schema), where)
        columns = self.query(
            "SELECT a.attname::text, t.typname::text, t.typtype::text, t.typcategory::text,"
            " COALESCE(c.collisdeterministic, true), format_type(a.atttypid, NULL)"
            " FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid"
            " LEFT JOIN pg_collation c ON c.oid = a.attcollation"
            " WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
            (number,),
        )
        self.check_names([str(name) for name, *_ in columns])
        return exp.select(*(_usable_column(*column) for column in columns)).from_(place)

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse names that PostgreSQL keeps for itself, or cuts; it tells case apart."""
        for name in names:
            if name in _RESERVED:
                raise DataError(
                    f"column {name!r}: PostgreSQL reserves this name; rename it, for example in a "
                    f"view"
                )
            refuse_long(name, "column")

    def free_table(self, place: str) -> exp.Table:
        """Return the name of a table to be created; see `AdbcStore.free_table`."""
        table = super().free_table(place)
        refuse_long(table.name, "table")
        return table

    def to_exact_types(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a table in types that PostgreSQL holds exactly: durations are text."""
        refuse_types(frame, "PostgreSQL", lists=True)
        refuse_nul(frame, "PostgreSQL")
        frame = to_microseconds(to_signed(without_nan(frame), "PostgreSQL"), "PostgreSQL")
        return frame.with_columns(selectors.duration().dt.to_string("iso"))

    def locate(self, name: str) -> exp.Table:
        """Return a table by its name; what stands before a dot is a schema, if there is one."""
        schema, _, rest = name.partition(".")
        if rest and self.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", (schema,)):
            return exp.table_(rest, db=schema, quoted=True)
        return exp.table_(name, db=self.schema, quoted=True)

    def exists(self, table: exp.Table) -> bool:
        """Tell whether there is a table or a view of a name."""
        return self._table_number(table) is not None

    def scales(self, held: Query) -> dict[str, int]:
        """Return the digits behind the point of the decimals of a held table."""
        with self.translate_errors(), self.connection().cursor() as cursor:
            cursor.execute(self.sql(held.limit(0)))
            fields = [one for one in cursor.fetch_arrow_table().schema if is_decimal_text(one)]
        found = {field.name: declared_scale(field) for field in fields}
        for name, scale in found.items():
            if scale is None:
                widest = exp.Max(this=exp.Anonymous(this="scale", expressions=[exact_column(name)]))
                select = exp.select(widest).from_(held.subquery("q"))
                found[name] = self.query(self.sql(select))[0][0] or 0
        return {name: int(scale or 0) for name, scale in found.items()}

    def parts(self, held: Query) -> Iterator[ArrowTable]:
        """Yield the rows of a held table in order, some at a time."""
        with self.translate_errors(), self.connection().cursor() as cursor:
            cursor.execute(self.sql(held))
            reader = cursor.fetch_record_batch()
            for batch in reader:
                yield pa.Table.from_batches([batch], schema=reader.schema)

    def _connect(self) -> Connection:
        connection = adbc_driver_postgresql.dbapi.connect(_libpq(self._url))
        with connection.cursor() as cursor:
            for statement in _SETTINGS:
                cursor.execute(statement)
        connection.commit()
        return connection

    def _table_number(self, table: exp.Table) -> int | None:
        """Return PostgreSQL's number of a table or view, None where there is none."""
        found = self.query("SELECT to_regclass($1)::oid::bigint", (self.sql(table),))
        return None if found[0][0] is None else int(found[0][0])

    def _update_statistics(self, name: str) -> None:
        self._execute(f'ANALYZE "{name}"')

    def _create_index(self, name: str, group: str) -> None:
        self._execute(f'CREATE INDEX ON "{name}" ({self.sql(exact_column(group))})')


def refuse_long(name: str, kind: str) -> None:
    """Refuse a name that PostgreSQL would cut: two may then be one."""
    if len(name.encode()) > _LONGEST_NAME:
        raise DataError(
            f"{kind} {name!r}: PostgreSQL cuts names after {_LONGEST_NAME} bytes; shorten it"
        )


def _usable_column(
    name: str, dtype: str, kind: str, category: str, exact: object, told: str
) -> exp.Expr:
    read: exp.Expr = exact_column(name)
    if dtype in _NATIVE or category == "A":
        if exact:
            return read
        # Texts that a collation takes for equal are different values.
        read = exp.Collate(this=read, expression=exp.to_identifier("C", quoted=True))
    elif dtype == "money":
        read = exp.cast(read, "NUMERIC")
    elif dtype in _AS_TEXT or kind == "e":
        read = exp.cast(read, "TEXT")
    else:
        raise DataError(
            f"column {name!r} has the type {told}, which cannot be used; make a view that "
            "leaves it out or converts it, and take that"
        )
    return exp.alias_(read, name, quoted=True)


def _libpq(url: str) -> str:
    """Return the URL as libpq takes it: SQLAlchemy names a driver within the scheme."""
    scheme, separator, rest = url.partition("://")
    return f"{scheme.lower().partition('+')[0]}{separator}{rest}"
