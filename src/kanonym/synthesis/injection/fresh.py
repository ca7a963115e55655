"""Sensitive values that a class does not have yet, drawn as likely as they are for its records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import InfeasibleError
from kanonym.data.table import value_codes
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.synthesis.columns.numbers import Grid, plain_numbers, typed_numbers
from kanonym.synthesis.injection.classes import Domain, count_within
from kanonym.synthesis.trees import LearnedByTrees
from kanonym.verification.released_classes import group_released

BLOCK = 1 << 23
"""Probabilities that are held at a time."""

RARE = 1e-9
"""The weight of a value that the model gives no chance: drawn when no other is left."""

TRIES = 4
"""Rounds in which a finely measured value is drawn by the model before the grid is searched."""

WIDE = 1 << 16
"""Grids of more numbers are searched by chance, smaller ones from end to end."""


def fresh_values(
    model: LearnedByTrees,
    domain: Domain,
    labels: Int32s,
    owners: Ints,
    given: Sequence[pl.Series],
    random: np.random.Generator,
) -> pl.Series:
    """Draw a value for each new record that neither its class nor another of them has.

    Values of a column are drawn one after the other for the records of a class, by the conditional
    probabilities of those that are left.

    labels: (n_rows,) int32 class of each record of the table.
    owners: (n,) int64 class of each new record, ascending.
    given: (n,) columns that new records have already, the attribute is the next one of the model.
    Returns: (n,) of the attribute's type.
    """
    if domain.grid is None:
        return _draw_values(model, domain, labels, owners, given, random)
    return _draw_between_values(model, domain, domain.grid, labels, owners, given, random)


def _draw_values(
    model: LearnedByTrees,
    domain: Domain,
    labels: Int32s,
    owners: Ints,
    given: Sequence[pl.Series],
    random: np.random.Generator,
) -> pl.Series:
    """Draw values of a column whose values repeat."""
    name, values = domain.column.name, domain.values
    m = len(values)
    codes = _codes(domain.column, values)
    picked = np.empty(len(owners), np.int64)
    ranks = _ranks(owners, _choices(model, name, values, given))
    for block in _blocks(owners, m):
        numbers, local = np.unique(owners[block], return_inverse=True)
        place = np.full(int(labels.max()) + 1, -1, np.int64)
        place[numbers] = np.arange(len(numbers))
        taken = np.zeros((len(numbers), m), np.bool_)
        own = np.flatnonzero(place[labels] >= 0)
        taken[place[labels[own]], codes[own]] = True
        rank = ranks[block]
        order = np.argsort(rank, kind="stable")
        ends = np.searchsorted(rank[order], np.arange(int(rank.max()) + 2))
        step = max(BLOCK // m, 1)
        for low in range(0, len(order), step):
            rows = order[low : low + step]
            weights = _weights(model, name, values, [one.gather(block[rows]) for one in given])
            uniform = random.random(len(rows))
            for start, end in pairwise(ends.tolist()):
                here = slice(max(start - low, 0), max(end - low, 0))
                classes = local[rows[here]]
                if not len(classes):
                    continue
                free = np.where(taken[classes], 0.0, weights[here])
                up_to = np.cumsum(free, axis=1)
                if not up_to[:, -1].all():
                    at = int(up_to[:, -1].argmin())
                    raise _exhausted_error(name, labels, int(numbers[classes[at]]))
                aims = uniform[here, None] * up_to[:, -1:]
                value = np.minimum((up_to <= aims).sum(axis=1), m - 1)
                taken[classes, value] = True
                picked[block[rows[here]]] = value
    return values.gather(picked)


def _weights(
    model: LearnedByTrees, name: str, values: pl.Series, given: Sequence[pl.Series]
) -> Floats:
    """Return (n, m) float64 probabilities of values, 0 only for those that constraints forbid."""
    same = group_released(given, len(given[0]))  # many records of a class ask for the same
    different = [one.gather(same.first) for one in given]
    column, shares = model.next_probabilities(different)
    weights = np.full((len(shares), len(values)), RARE / len(values))
    weights[:, _codes(column, values)] += shares
    limits = model.limits(name, different)
    if limits is not None:
        held = values.is_not_null().to_numpy()
        low, high = (limit[:, None] for limit in limits)
        numbers = plain_numbers(values.drop_nulls())
        weights[:, held] *= (numbers >= low) & (numbers <= high)
    return weights[same.labels]


def _choices(
    model: LearnedByTrees, name: str, values: pl.Series, given: Sequence[pl.Series]
) -> Ints:
    """Return (n,) int64, among how many of the values constraints let each record choose."""
    limits = model.limits(name, given)
    if limits is None:
        return np.zeros(len(given[0]), np.int64)
    return count_within(plain_numbers(values.drop_nulls()), limits)


def _codes(column: pl.Series, values: pl.Series) -> Ints:
    """Return (n,) int64 places of a column's values among distinct ones."""
    both = [values, column]
    if column.dtype in (pl.Categorical, pl.Enum):
        both = [one.cast(pl.String) for one in both]
    codes, size = value_codes(pl.concat(both))
    place = np.full(size, -1, np.int64)
    place[codes[: len(values)]] = np.arange(len(values))
    found: Ints = place[codes[len(values) :]]
    return found


def _blocks(owners: Ints, m: int) -> Iterator[Ints]:
    """Cut new records into blocks of whole classes, of so many that a block fits into memory."""
    step = max(BLOCK // m, 1)
    _, number = np.unique(owners, return_inverse=True)
    cuts = np.searchsorted(number, np.arange(step, int(number[-1]) + 1, step))
    yield from np.split(np.arange(len(owners)), cuts)


def _ranks(owners: Ints, choices: Ints) -> Ints:
    """Return (n,) int64: the turn of each record in its class; owners ascend."""
    found = np.empty(len(owners), np.int64)
    found[np.lexsort((choices, owners))] = np.arange(len(owners)) - np.searchsorted(owners, owners)
    return found


def _exhausted_error(name: str, labels: Int32s, owner: int) -> InfeasibleError:
    row = int(np.argmax(labels == owner)) + 1
    return InfeasibleError(
        f"inject: no further value of {name!r} fits the class of row {row}, beside what was drawn "
        "before it; ask for less, name the sensitive attributes in another order, or leave that "
        "class out"
    )


def _draw_between_values(
    model: LearnedByTrees,
    domain: Domain,
    grid: Grid,
    labels: Int32s,
    owners: Ints,
    given: Sequence[pl.Series],
    random: np.random.Generator,
) -> pl.Series:
    """Draw values of a column that is measured finely."""
    name, dtype = domain.column.name, domain.column.dtype
    chosen = np.zeros(int(labels.max()) + 1, np.bool_)
    chosen[owners] = True
    own = np.flatnonzero(chosen[labels])
    taken = set(zip(labels[own].tolist(), domain.column.gather(own).to_list(), strict=True))
    found: list[object] = [None] * len(owners)
    left = np.arange(len(owners))
    for _ in range(TRIES):
        column = model.next_column([one.gather(left) for one in given], random)
        again = []
        for row, value in zip(left.tolist(), column.to_list(), strict=True):
            pair = (int(owners[row]), value)
            if pair in taken:
                again.append(row)
            else:
                taken.add(pair)
                found[row] = value
        left = np.array(again, np.int64)
        if not len(left):
            break
    for row in left.tolist():
        owner = int(owners[row])
        limits = model.limits(name, [one.gather([row]) for one in given])
        for value in _search_grid(domain, grid, limits, random):
            if (owner, value) not in taken:
                break
        else:
            raise _exhausted_error(name, labels, owner)
        taken.add((owner, value))
        found[row] = value
    return pl.Series(name, found, dtype)


def _search_grid(
    domain: Domain,
    grid: Grid,
    limits: tuple[NDArray[Any], NDArray[Any]] | None,
    random: np.random.Generator,
) -> Iterator[object]:
    """Go through what a record can have of a grid, in an order of chance."""
    size = grid.size
    drawn = random.permutation(size) if size <= WIDE else random.integers(0, size, WIDE)
    places = drawn.astype(np.float64)
    if not grid.step:
        places = grid.low + places * ((grid.high - grid.low) / max(size - 1, 1))
    numbers = grid.at(places)
    if limits is not None:
        numbers = numbers[(numbers >= limits[0]) & (numbers <= limits[1])]
    yield from typed_numbers(numbers, domain.column.name, domain.column.dtype).to_list()
    if domain.column.null_count():
        yield None
