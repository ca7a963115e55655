"""The abilities of a store that are the same in every SQL database: temporary tables.

What `put`, `hold` and `by_group` make are temporary tables with names of our own: the
engine's other users do not see them, and they are gone when the store is closed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence

import polars as pl
from sqlglot import exp

from kanonym.engines.database.values import (
    fresh_name,
    read_query,
    refuse_same_names,
    table_of,
    to_plain_types,
)
from kanonym.engines.sql.statements import exact_column
from kanonym.engines.sql.store import Query, StagedTable

_FRAGMENT_ROWS = 1 << 20  # rows of `by_group` that are in this process at a time


class TemporaryTables(ABC):
    """A `sql.store.Store` on an engine that has `CREATE TEMPORARY TABLE`."""

    name: str
    dialect: str

    def __init__(self) -> None:
        self._tables: list[str] = []

    def __repr__(self) -> str:
        return f"<{self.name} store>"

    def fetch(self, query: Query) -> pl.DataFrame:
        """Return the rows of a query."""
        return self._read(self.sql(query))

    def put(self, table: pl.DataFrame) -> Query:
        """Copy a table into a temporary one."""
        self.check_names(table.columns)
        name = self._new_name()
        self._ingest(name, to_plain_types(table), append=False)
        self._update_statistics(name)
        return read_query(name, table.columns)

    def hold(self, query: Query) -> Query:
        """Write the rows of a query to a temporary table, in the order of the query."""
        columns = self.columns(query)
        self.check_names(columns)
        name = self._new_name()
        self._execute(f'CREATE TEMPORARY TABLE "{name}" AS {self.sql(query)}')
        self._update_statistics(name)
        return read_query(name, columns)

    @abstractmethod
    def repeat(self, query: Query, times: str) -> Query:
        """Return each row as often as its integer column `times` says."""

    def by_group(
        self,
        query: Query,
        group: str,
        function: Callable[[pl.DataFrame], pl.DataFrame],
        schema: Mapping[str, pl.DataType],
    ) -> Query:
        """Apply a function in this process to one group after the other."""
        results = self._new_name()
        self._ingest(results, to_plain_types(pl.DataFrame(schema=schema)), append=False)
        held = self.hold(_order_query(query, self.columns(query), group))
        self._create_index(table_of(held), group)
        for fragment in self._fragments(held, group):
            parts = [function(rows) for rows in fragment.partition_by(group)]
            done = pl.concat(part.select(list(schema)).cast(pl.Schema(schema)) for part in parts)
            self._ingest(results, to_plain_types(done), append=True)
        self.drop(held)
        self._update_statistics(results)
        return read_query(results, list(schema))

    @abstractmethod
    def require_place(self, place: str | None) -> None:
        """Refuse a place where nothing can be written."""

    @abstractmethod
    def stage(self, query: Query, place: str | None) -> StagedTable:
        """Write the rows of a query to where nobody takes them for a release."""

    def close(self) -> None:
        """Drop the temporary tables."""
        while self._tables:
            self._execute(f'DROP TABLE IF EXISTS "{self._tables.pop()}"')

    def sql(self, query: exp.Expr) -> str:
        """Return a query as the engine's text."""
        return query.sql(dialect=self.dialect)

    def columns(self, query: Query) -> list[str]:
        """Return the names of a query's columns; where it says `*`, the engine is asked."""
        names = query.named_selects
        if names and "*" not in names and all(names):
            return list(names)
        return self.fetch(exp.select("*").from_(query.subquery("q")).limit(0)).columns

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse names of columns that the engine keeps for itself, or takes for one."""
        refuse_same_names(names, "the table")

    def drop(self, held: Query) -> None:
        """Drop the table of a query of `hold` now."""
        name = table_of(held)
        self._tables.remove(name)
        self._execute(f'DROP TABLE IF EXISTS "{name}"')

    def _fragments(self, held: Query, group: str) -> Iterator[pl.DataFrame]:
        """Yield whole groups of a held table, several at a time."""
        key = exact_column(group)
        count = exp.alias_(exp.Count(this=exp.Star()), "kanonym_rows", quoted=True)
        source = held.subquery("q")
        types = self.fetch(held.limit(0)).schema
        sizes = self.fetch(exp.select(key, count).from_(source).group_by(key)).sort(group)
        ends = (sizes["kanonym_rows"].cum_sum() - 1) // _FRAGMENT_ROWS
        for run in sizes.select(group).group_by(ends, maintain_order=True):
            numbers = run[1][group]
            low, high = (exp.Literal.number(str(numbers[at])) for at in (0, -1))
            yield self.fetch(
                exp.select(*map(exact_column, held.named_selects))
                .from_(source.copy())
                .where(exp.Between(this=key, low=low, high=high))
            ).cast(types)

    def _new_name(self) -> str:
        self._tables.append(fresh_name())
        return self._tables[-1]

    @abstractmethod
    def _read(self, sql: str) -> pl.DataFrame:
        """Run a query and return all of its rows."""

    @abstractmethod
    def _execute(self, sql: str) -> None:
        """Run a statement."""

    @abstractmethod
    def _ingest(self, name: str, table: pl.DataFrame, *, append: bool) -> None:
        """Create a temporary table from a frame, or add the rows of a frame to one."""

    def _update_statistics(self, name: str) -> None:  # noqa: B027 - most need not be told
        """Tell the engine's planner how a table is filled, where it does not see itself."""

    def _create_index(self, name: str, group: str) -> None:  # noqa: B027 - most need none
        """Let the rows of a group be found without reading all rows."""


def _order_query(query: Query, names: list[str], key: str) -> Query:
    return (
        exp.select(*map(exact_column, names)).from_(query.subquery("q")).order_by(exact_column(key))
    )
