"""A population table beside the table: its records counted in the same tuples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from kanonym.data.errors import DataError, SchemaError
from kanonym.data.frames import exceptions_of, values_of, with_exceptions
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.readings.reading import MARK
from kanonym.data.table import EncodedTable, encode
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows, sort_rows


def encode_with_population(
    quasi_identifiers: Sequence[tuple[pl.Series, HierarchySource | None]],
    sensitive: Sequence[tuple[pl.Series, HierarchySource | None, bool]],
    n_rows: int,
    population: Sequence[pl.Series],
    counts: Ints | None = None,
) -> EncodedTable:
    """Encode a table, and count the records of a population table in its tuples."""
    named = [column for column, _ in quasi_identifiers]
    fitted = [
        _match_column(others, column) for column, others in zip(named, population, strict=True)
    ]
    known = [
        (_beside(column, others), source)
        for (column, source), others in zip(quasi_identifiers, fitted, strict=True)
    ]
    table = encode(known, sensitive, n_rows, fitted, counts=counts)
    return with_population(table, fitted)


def with_population(table: EncodedTable, columns: Sequence[pl.Series]) -> EncodedTable:
    """Count the records of a population table in the tuples of an encoded one."""
    n_tuples, d = table.codes.shape
    leaves = [_leaves(table, a, column) for a, column in enumerate(columns)]
    sizes = [domain.size for domain in table.domains]
    persons = group_rows(leaves, sizes)
    # Tuples and groups of persons, numbered together by their quasi-identifiers.
    both = group_rows(
        [np.concatenate([table.codes[:, a], persons.codes[:, a]]) for a in range(d)], sizes
    )
    of_tuple, of_group = both.labels[:n_tuples], both.labels[n_tuples:]
    first = np.full(len(both.sizes), -1, np.int64)
    first[of_tuple[::-1]] = np.arange(n_tuples)[::-1]
    new = first[of_group] < 0
    counts = np.zeros(n_tuples, np.int64)
    counts[first[of_group[~new]]] = persons.sizes[~new]

    codes = np.concatenate([table.codes, persons.codes[new]])
    hidden = table.sensitive_codes.shape[1]
    absent = np.full((int(new.sum()), hidden), -1, np.int32)
    sensitive_codes = np.concatenate([table.sensitive_codes, absent])
    order = sort_rows(
        [*_columns(codes), *_columns(sensitive_codes + np.int32(1))],
        [*sizes, *(domain.size + 2 for domain in table.sensitive)],
    )
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return replace(
        table,
        codes=np.ascontiguousarray(codes[order]),
        sensitive_codes=np.ascontiguousarray(sensitive_codes[order]),
        weights=np.concatenate([table.weights, np.zeros(len(absent), np.int64)])[order],
        tuple_of_row=place[table.tuple_of_row],
        population=np.concatenate([counts, persons.sizes[new]])[order],
    )


def require_contained(table: EncodedTable) -> None:
    """Refuse a population that does not contain the table, as delta-presence needs it."""
    if table.population is None:
        return
    groups = group_rows(_columns(table.codes), [domain.size for domain in table.domains])
    n_groups = len(groups.sizes)
    records = np.bincount(groups.labels, table.weights, n_groups)
    persons = np.bincount(groups.labels, table.population, n_groups)
    wrong = records > persons
    if wrong.any():
        raise DataError(
            f"the population table does not contain the table: in {int(wrong.sum())} of "
            f"{n_groups} combinations of quasi-identifiers there are more records "
            f"({int(records[wrong].sum())}) than persons ({int(persons[wrong].sum())}). "
            "Delta-presence needs the population that the table was taken from"
        )


def _columns(codes: Int32s) -> list[Int32s]:
    return [np.ascontiguousarray(codes[:, a]) for a in range(codes.shape[1])]


def _leaves(table: EncodedTable, a: int, column: pl.Series) -> Int32s:
    """Return (n_persons,) int32, the leaf of each person's value."""
    domain = table.domains[a]
    if domain.hierarchy is None:
        raise SchemaError(
            f"quasi-identifier {domain.name!r} has no hierarchy: a population table is "
            "generalized level by level, which needs recoding 'hierarchy'"
        )
    values, exceptions = values_of(column), exceptions_of(column)
    if exceptions is None:
        domain.hierarchy.require_leaves(
            values.unique().alias(domain.name), "the hierarchy of the table"
        )
        return domain.hierarchy.leaf_of(values)
    own = values.filter(exceptions.is_null()).unique()
    domain.hierarchy.require_leaves(own.alias(domain.name), "the hierarchy of the table")
    places = pl.int_range(domain.apart, len(domain.values), dtype=pl.Int32, eager=True)
    texts = pl.Series(domain.exceptions, dtype=pl.String).str.strip_prefix(MARK)
    found = exceptions.replace_strict(texts, places, default=None, return_dtype=pl.Int32)
    leaves = pl.Series(domain.hierarchy.leaf_of(values), dtype=pl.Int32)
    return found.fill_null(leaves).to_numpy()


def _beside(column: pl.Series, others: pl.Series) -> pl.Series:
    """Return a column with its exceptions, none of them, where that of the population has some."""
    if exceptions_of(others) is None or exceptions_of(column) is not None:
        return column
    return with_exceptions(column, pl.Series([None] * len(column), dtype=pl.String))


def _match_column(others: pl.Series, column: pl.Series) -> pl.Series:
    """Return a column of the population in the name and type of the table's."""
    exceptions = exceptions_of(others)
    if exceptions is not None:
        return with_exceptions(_match_column(values_of(others), column), exceptions)
    column = values_of(column)
    fitted, kind = others, column.dtype
    if others.dtype != kind and pl.Null not in (others.dtype, kind):
        fitted = others.cast(kind, strict=False)
        lost = fitted.is_null() & others.is_not_null()
        if others.dtype.is_numeric() and kind.is_numeric():
            lost |= (fitted != others).fill_null(value=False)
        if lost.any():
            row = lost.arg_max() or 0
            raise DataError(
                f"population table, column {column.name!r}, row {row + 1}: {others[row]!r} is "
                f"{others.dtype}, but the table holds {kind}; give both one type"
            )
    return fitted.alias(column.name)
