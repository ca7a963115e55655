"""Names of tables and columns: ours, and those of users, which are quoted whatever they hold."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence

from sqlglot import exp

from kanonym.data.errors import DataError
from kanonym.engines.sql.statements import exact_column
from kanonym.engines.sql.store import Query


def table_of(query: Query) -> str:
    """Return the name of the table that a query of `read_query` reads."""
    return next(query.find_all(exp.Table)).name


def fresh_name() -> str:
    """Return a table's name that nobody has: letters, digits and underscores."""
    return f"kanonym_{secrets.token_hex(8)}"


def read_query(name: str, columns: list[str]) -> Query:
    """Return a query that reads columns of a table."""
    return exp.select(*map(exact_column, columns)).from_(exp.table_(name, quoted=True))


def refuse_same_names(names: Sequence[str], where: str) -> None:
    """Refuse names that differ in case only: DuckDB and SQLite take them for one."""
    for name, count in Counter(name.lower() for name in names).items():
        if count > 1:
            same = [each for each in names if each.lower() == name]
            raise DataError(
                f"{where}: columns {same[0]!r} and {same[1]!r} differ only in case, which this "
                f"engine does not distinguish; rename one"
            )
