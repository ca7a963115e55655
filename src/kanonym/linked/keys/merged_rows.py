"""Rows of one person that are released once: equal in everything that is released of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.linked.keys.key_parts import numbered_parts, unnumbered_parts
from kanonym.linked.keys.key_pseudonyms import KeySpace
from kanonym.linked.persons.known_columns import Column
from kanonym.linked.persons.linked_rows import LinkedRows, codes_of_values
from kanonym.linked.persons.person_trees import Codes, combine


class MergedRows(NamedTuple):
    """What became of the rows of a table that merges equal ones, suppressed persons left out.

    Attributes
    ----------
    rows
        Rows that another one, which is equal, stands for.
    different
        Different rows of persons before: person and all released values, without numbers that
        are drawn for the release.
    lost
        Those of them that the release does not have.

    """

    rows: int
    different: int
    lost: int


def compared_columns(
    tables: Mapping[str, pl.DataFrame], rows: LinkedRows, spaces: Mapping[Column, KeySpace]
) -> dict[str, list[str]]:
    """Return by table that merges rows the released columns in which equal rows are equal.

    tables: as actions leave them. All columns but those that say whose a row is, which are equal
    anyhow, and keys that are numbers of this release.
    """
    policy = rows.policy
    found = {}
    for name in policy.order:
        table = policy.tables[name]
        if not table.merge or table.owner is None:
            continue
        others = {one for each in policy.other_references(name) for one in each.columns}
        kept = {*others, *unnumbered_parts(tables, policy, name)}
        drawn = {
            one
            for one in table.key
            if one not in kept and (name, one) in spaces and spaces[name, one].is_numbered
        }
        skipped = {*table.owner.columns, *drawn}
        found[name] = [one for one in tables[name].columns if one not in skipped]
    return found


def further_codes(
    tables: Mapping[str, pl.DataFrame], rows: LinkedRows, compared: Mapping[str, Sequence[str]]
) -> dict[str, Codes]:
    """Return by table (n_rows,) equal numbers for rows that may be merged, levels aside."""
    found = {}
    for name, columns in compared.items():
        known = rows.policy.tables[name].quasi_identifiers
        codes = codes_of_values(tables[name], [one for one in columns if one not in known])
        apart = _needed(rows, name)
        own = np.arange(len(codes)) + len(codes)
        found[name] = combine([np.where(apart, own, codes)], len(codes))
    return found


def _needed(rows: LinkedRows, name: str) -> NDArray[np.bool_]:
    """Return (n_rows,) bool: the rows that rows below need to have a key that is theirs alone."""
    found = np.zeros(rows.sizes[name], np.bool_)
    for table in rows.policy.tables.values():
        if numbered_parts(rows.policy, table.name):
            continue
        for one, target in rows.targets[table.name].items():
            if one.table == name and {*one.columns} & {*table.key}:
                found[target[target >= 0]] = True
    return found


def count_merged(
    released: Mapping[str, Sequence[pl.Series]],
    rows: LinkedRows,
    compared: Mapping[str, Sequence[str]],
    kept: Mapping[str, NDArray[np.bool_]],
    suppressed: NDArray[np.bool_],
) -> dict[str, MergedRows]:
    """Return what became of equal rows, counted on the released values.

    released: by table the columns before rows are left out.
    """
    found = {}
    for name, columns in compared.items():
        persons = pl.Series("\0person", rows.persons[name])
        values = pl.DataFrame([persons, *(one for one in released[name] if one.name in columns)])
        shown = ~suppressed[rows.persons[name]]
        before, after = (values.filter(pl.Series(one)) for one in (shown, kept[name]))
        different = before.n_unique()
        lost = different - after.n_unique()
        found[name] = MergedRows(before.height - after.height, different, lost)
    return found
