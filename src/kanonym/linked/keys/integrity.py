"""Whether linked tables are what their policy says: keys, references, cycles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError, SchemaError
from kanonym.linked.policies.linked_policy import LinkedPolicy
from kanonym.linked.policies.table_policy import Reference, TablePolicy

Tables = Mapping[str, pl.DataFrame]


def check_columns(tables: Tables, policy: LinkedPolicy) -> None:
    """Refuse tables that are missing, and keys and references that are no columns.

    Raises
    ------
    SchemaError
        Names the tables, or the column.

    """
    missing = [name for name in policy.tables if name not in tables]
    if missing:
        raise SchemaError(f"missing tables: {', '.join(missing)}. There are: {', '.join(tables)}")
    for table in policy.tables.values():
        columns = tables[table.name].columns
        for name in table.linking:
            if name not in columns:
                raise SchemaError(
                    f"{table.name} has no column {name!r}, which is in its key or a reference. "
                    f"It has: {', '.join(columns)}"
                )


def check_keys(tables: Tables, policy: LinkedPolicy) -> None:
    """Refuse keys that are null or repeat, references to rows that there are not, and cycles.

    Messages name table, columns and count, never a value.

    Raises
    ------
    DataError
        What is wrong, in which table.

    """
    for table in policy.tables.values():
        _check_key(tables[table.name], table)
    for table in policy.tables.values():
        for reference in table.references:
            _check_reference(tables, table, reference, policy)
    _check_cycles(tables, policy)


def parent_rows(
    tables: Tables, table: TablePolicy, reference: Reference, policy: LinkedPolicy
) -> NDArray[np.int64]:
    """Return (n_rows,) int64: the row that each row refers to, -1 for none."""
    key = policy.tables[reference.table].key
    target = tables[reference.table].select(
        *(as_key(tables[reference.table][name]).alias(str(i)) for i, name in enumerate(key))
    )
    asked = tables[table.name].select(
        *(
            as_key(tables[table.name][name]).alias(str(i))
            for i, name in enumerate(reference.columns)
        )
    )
    names = asked.columns
    found = asked.join(
        target.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias("row")).unique(
            names, keep="first"
        ),
        on=names,
        how="left",
        maintain_order="left",
    )["row"]
    return found.fill_null(-1).to_numpy().astype(np.int64)


def as_key(values: pl.Series) -> pl.Series:
    """Return the text of keys: 7 of one file and "7" of another are the same key."""
    if values.dtype.is_float():
        whole = values.cast(pl.Int64, strict=False)
        if (whole.cast(values.dtype) == values).all():
            values = whole
    return values.cast(pl.String)


def _check_key(frame: pl.DataFrame, table: TablePolicy) -> None:
    if not table.key:
        return
    where = f"{table.name}.{', '.join(table.key)}"
    nulls = frame.select(pl.any_horizontal(pl.col(table.key).is_null()).sum()).item()
    if nulls:
        raise DataError(f"{where} is a key, and null in {_rows(nulls)}")
    repeated = int(frame.select(table.key).is_duplicated().sum())
    if repeated:
        raise DataError(f"{where} is a key, and {_rows(repeated)} share theirs with another row")


def _check_reference(
    tables: Tables, table: TablePolicy, reference: Reference, policy: LinkedPolicy
) -> None:
    frame = tables[table.name]
    given = frame.select(pl.any_horizontal(pl.col(reference.columns).is_null())).to_series()
    where = f"{table.name}.{reference.text}"
    if reference == table.owner and given.any():
        raise DataError(
            f"{where} is null in {_rows(int(given.sum()))}: nobody knows whose they are. Remove "
            "them, or fill the reference in"
        )
    orphans = (parent_rows(tables, table, reference, policy) < 0) & ~given.to_numpy()
    if orphans.any():
        values = frame.filter(pl.Series(orphans)).select(reference.columns).n_unique()
        target = policy.tables[reference.table]
        raise DataError(
            f"{where} has {values} value{'s' * (values != 1)} that "
            f"{target.name}.{', '.join(target.key)} lacks ({_rows(int(orphans.sum()))})"
        )


def _check_cycles(tables: Tables, policy: LinkedPolicy) -> None:
    """Refuse references that go round where none of them is ever null: no row could be first."""
    strict: dict[str, list[tuple[str, str]]] = {}
    for table in policy.tables.values():
        frame = tables[table.name]
        strict[table.name] = [
            (one.text, one.table)
            for one in table.references
            if frame.height and not any(frame[name].null_count() for name in one.columns)
        ]
    for start in strict:
        way = _way_back(start, strict)
        if way:
            raise DataError(
                f"the references {', '.join(way)} go round, and none of them is ever null: no row "
                "could be written first. Leave one of them out of the policy, or allow null in it"
            )


def _way_back(start: str, links: Mapping[str, Sequence[tuple[str, str]]]) -> list[str]:
    """Return the references that lead from a table back to it; none where there is no way."""
    ways: dict[str, list[str]] = {start: []}
    queue = [start]
    for at in queue:
        for column, table in links[at]:
            way = [*ways[at], f"{at}.{column} → {table}"]
            if table == start:
                return way
            if table not in ways:
                ways[table] = way
                queue.append(table)
    return []


def _rows(number: int) -> str:
    return f"{number:,} row{'s' * (number != 1)}"
