"""Bounds on what the number of rows of a person gives away, before anything is recoded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.hierarchy import Flat
from kanonym.data.schema import QuasiIdentifier
from kanonym.linked.keys.integrity import Tables
from kanonym.linked.keys.kept_rows import KeptRows
from kanonym.linked.persons.linked_rows import LinkedRows
from kanonym.linked.policies.linked_policy import LinkedPolicy


def banded_policy(policy: LinkedPolicy) -> LinkedPolicy:
    """Return the policy of a release: a number of rows in the place of each banded table.

    Raises
    ------
    PolicyError
        A table that stays refers to one that goes.

    """
    gone = [name for name in policy.order if policy.tables[name].band]
    for name in gone:
        gone += [one for one in policy.children(name) if one not in gone]
    if not gone:
        return policy
    tables = {name: one for name, one in policy.tables.items() if name not in gone}
    for one in tables.values():
        lost = [reference for reference in one.references if reference.table in gone]
        if lost:
            raise PolicyError(
                f"{one.name}.{lost[0].text} refers to {lost[0].table}, which band does not release"
            )
    counted = {
        band_column(name): QuasiIdentifier(hierarchy=Flat())
        for name in gone
        if policy.tables[name].band
    }
    person = tables[policy.person]
    tables[policy.person] = replace(person, attributes={**person.attributes, **counted})
    return replace(policy, tables=tables)


def band_column(table: str) -> str:
    """Return the column of the table of persons that says how many rows a person has."""
    return f"{table}_rows"


def limit_rows(
    tables: Tables, policy: LinkedPolicy, random: np.random.Generator
) -> dict[str, pl.DataFrame]:
    """Return tables with rows beyond a cap left out, and numbers of rows instead of bands.

    Raises
    ------
    SchemaError
        The table of persons has a column of the name that a band needs.

    """
    rows = LinkedRows.of(tables, policy)
    kept = {policy.person: np.ones(rows.n_persons, np.bool_)}
    limited = dict(tables)
    for name, parent in rows.parents.items():
        table = policy.tables[name]
        assert table.owner is not None  # noqa: S101 - its rows belong to persons
        stays = kept[table.owner.table][parent]
        if table.cap is not None:
            order = random.permutation(len(parent))
            order = order[np.argsort(parent[order], kind="stable")]
            counts = np.bincount(parent, minlength=rows.sizes[table.owner.table])
            place = np.arange(len(parent)) - (np.cumsum(counts) - counts)[parent[order]]
            stays[order[place >= table.cap]] = False
        kept[name] = stays
    for name in rows.parents:
        band = policy.tables[name].band
        if band is not None:
            column = band_column(name)
            if column in tables[policy.person].columns:
                raise SchemaError(
                    f"{policy.person} has a column {column!r}, which band needs: rename it"
                )
            numbers = np.bincount(
                rows.persons[name], weights=kept[name], minlength=rows.n_persons
            ).astype(np.int64)
            texts = [str(i) for i in range(band)] + [f"{band}+"]
            labels = pl.Series(column, texts).gather(np.minimum(numbers, band))
            limited[policy.person] = limited[policy.person].with_columns(labels)
    if all(mask.all() for mask in kept.values()):
        return {name: limited[name] for name in policy.tables}
    return KeptRows(limited, rows, kept, rows.merged({})).frames()
