"""Persons with all their rows, where a released column tells whose rows are whose."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.person_key import PersonKey, columns_of
from kanonym.data.table import value_codes
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.verification.checked_classes import CheckedClasses, violating_classes
from kanonym.verification.released_classes import group_released

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


LINKED = 0.5
"""Of the rows of persons with several, so many must be linked with another one."""


def with_linked_rows(view: ReleaseView, checked: CheckedClasses) -> CheckedClasses:
    """Return the checks, with persons counted by all their rows where these can be linked.

    A released column links the rows of a person if each of its values belongs to one person, and
    some to several rows. Whoever knows all rows of a person then looks for persons with rows in
    the same classes, as many in each. Cost: one group-by for each column with enough values.
    """
    counting = [
        one for one in view.models if one.entity is not None and one.entity == one.attribute
    ]
    if not counting or not checked.rows:
        return checked
    entity, k = counting[0].entity or "", max(one.required for one in counting)
    linking, fewest, n_violating = [], checked.rows, checked.n_violating
    violating = list(checked.violating)
    for name in _columns_of_persons(view, entity):
        taken = view.released.take([*view.labels, *dict.fromkeys([entity, name])])
        persons, units = unit_codes(taken.column(entity)), unit_codes(taken.column(name))
        if not links_rows(persons, units, taken.counts):
            continue
        labels = [taken.column(label) for label in view.labels]
        groups = group_released(labels, taken.n_rows)
        # A row without a pseudonym is linked with none: its class is counted as it is.
        told = taken.column(name).is_not_null().to_numpy()
        counts = None if taken.counts is None else taken.counts[told]
        alike = persons_alike(groups.labels[told], persons[told], units[told], counts)
        linking += [one for one in columns_of([name]) if one not in linking]
        fewest = min(fewest, int(alike.min()))
        failing = np.zeros(len(groups.sizes), np.bool_)
        failing[groups.labels[told][alike < k]] = True
        n_violating = max(n_violating, int(failing.sum()))
        sizes = np.bincount(groups.labels, taken.counts).astype(np.int64)
        if not violating:
            violating = violating_classes(
                counting[0].type, failing, labels, groups, sizes, taken.counts
            )
    if not linking:
        return checked
    checks = tuple(
        replace(
            check,
            achieved=min(check.achieved, fewest),
            satisfied=check.satisfied and fewest >= check.required,
            linked_by=tuple(linking),
        )
        if model in counting
        else check
        for check, model in zip(checked.checks, view.models, strict=True)
    )
    return replace(checked, checks=checks, n_violating=n_violating, violating=tuple(violating))


def unit_codes(column: pl.Series) -> Int32s:
    """Return (n,) codes of the rows that a column links; null links none."""
    codes, size = value_codes(column)
    alone = column.is_null().to_numpy()
    codes = codes.astype(np.int32, copy=True)
    codes[alone] = size + np.arange(int(alone.sum()), dtype=np.int32)
    return codes


def persons_alike(
    classes: Int32s, persons: Int32s, units: Int32s, counts: Ints | None = None
) -> Ints:
    """Return (n_rows,) how many persons have rows like those that are linked with each row."""
    n_classes = int(classes.max(initial=-1)) + 1
    keys, inverse = np.unique(units.astype(np.int64) * n_classes + classes, return_inverse=True)
    records = np.bincount(inverse, counts, len(keys)).astype(np.int64)
    rows = np.stack([keys % n_classes, records], axis=1)
    items = np.unique(rows, axis=0, return_inverse=True)[1]
    of_row = collections_of(keys // n_classes, items, int(units.max(initial=-1)) + 1)[units]
    n_persons = int(persons.max(initial=-1)) + 1
    pairs = np.unique(of_row * n_persons + persons)
    return np.bincount(pairs // n_persons)[of_row]


def collections_of(parent: Ints, item: Ints, n_parents: int, *, repeated: bool = True) -> Ints:
    """Return (n_parents,) numbers, equal for parents of equal multisets, or sets, of items."""
    if not repeated:
        pairs = np.unique(np.stack([parent, item], axis=1), axis=0)
        parent, item = pairs[:, 0], pairs[:, 1]
    order = np.lexsort((item, parent))
    parent, item = parent[order], item[order]
    counts = np.bincount(parent, minlength=n_parents)
    place = np.arange(len(parent)) - (np.cumsum(counts) - counts)[parent]
    by_place = np.argsort(place, kind="stable")
    state, numbered, span = np.zeros(n_parents, np.int64), 1, int(item.max(initial=0)) + 1
    for rows in np.split(by_place, np.cumsum(np.bincount(place))[:-1]) if len(place) else ():
        own = parent[rows]
        _, found = np.unique(state[own] * span + item[rows], return_inverse=True)
        state[own] = numbered + found
        numbered += int(found.max()) + 1
    return state


def _columns_of_persons(view: ReleaseView, entity: str) -> list[str]:
    """Return the released columns, but labels, with at least as many values as persons."""
    n_persons = view.released.take([entity]).column(entity).n_unique()
    found = []
    for name in view.released.columns:
        if name in view.labels or (name == entity and view.policy.perturbs(name)):
            continue
        try:
            repeats = view.released.values(name).repeats
        except DataError:  # lists and the like are not compared
            continue
        if n_persons <= repeats.values + 1 and repeats.values < repeats.records:
            found.append(name)
    if isinstance(entity, PersonKey) and set(entity.columns) <= set(view.released.columns):
        # Another key of the same columns: by its own name the entity is that of the original.
        found.append(PersonKey(reversed(entity.columns)))
    return found


def links_rows(persons: Int32s, units: Int32s, counts: Ints | None) -> bool:
    """Whether all rows of a unit are of one person, and most of those that could be are linked."""
    first = np.empty(int(units.max(initial=-1)) + 1, np.int32)
    first[units] = persons
    if (first[units] != persons).any():
        return False
    rows = np.ones(len(units)) if counts is None else counts
    linked, several = (
        float(rows[np.bincount(codes, counts)[codes] > 1].sum()) for codes in (units, persons)
    )
    return linked > 0 and linked >= LINKED * several
