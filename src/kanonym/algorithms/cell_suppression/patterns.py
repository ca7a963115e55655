"""What cell suppression works on: distinct keys, what a blank costs, and which blanks to try."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.data.table import EncodedTable
from kanonym.kernels.cells.patterns import grow_patterns, split_top_down
from kanonym.kernels.classes.grouping import group_rows, one_group

ENTRIES = 1 << 24
"""Patterns times keys that are tried, within these bounds."""

FEWEST, MOST = 32, 1 << 14
"""So many patterns are tried at the least and at the most, whatever the number of keys."""

LARGEST_COST = 1 << 20
"""Costs of named attributes double up to this: sums over a table stay within 64 bits."""


class Keys(NamedTuple):
    """The distinct combinations of quasi-identifiers.

    codes: (n_keys, d) int32, C order, in lexicographic order.
    weights: (n_keys,) int64 records.
    is_null: (n_keys, d) bool, cells that are null in the input.
    null_codes: (d,) int32, the code that null has, or that a blanked cell gets.
    of_tuple: (n_tuples,) int32, the key of each tuple of the table.
    costs: (d,) int64, what a blanked cell of each attribute costs a record.
    order: (d,) int64, the attributes in the order in which they are blanked if costs tie.
    """

    codes: NDArray[np.int32]
    weights: NDArray[np.int64]
    is_null: NDArray[np.bool_]
    null_codes: NDArray[np.int32]
    of_tuple: NDArray[np.int32]
    costs: NDArray[np.int64]
    order: NDArray[np.int64]


class Pieces(NamedTuple):
    """Records of one key that are blanked alike.

    keys: (n_pieces,) int64, ascending; a key with records blanked otherwise has several.
    weights: (n_pieces,) int64 records.
    blanks: (n_pieces, d) bool, cells that are released as null; so are those that were null.
    """

    keys: NDArray[np.int64]
    weights: NDArray[np.int64]
    blanks: NDArray[np.bool_]


def released_codes(keys: Keys, pieces: Pieces) -> NDArray[np.int32]:
    """Return (n_pieces, d) int32, C order: the codes that pieces are released with."""
    return np.where(pieces.blanks, keys.null_codes, keys.codes[pieces.keys])


def distinct_keys(table: EncodedTable, importance: Sequence[str]) -> Keys:
    """Return the distinct keys of a table, and the costs that an order of importance means.

    A cell of an attribute that is not named costs 1. Each named one costs more than all
    the less important ones together.
    """
    d = len(table.domains)
    columns = [np.ascontiguousarray(table.codes[:, a]) for a in range(d)]
    groups = group_rows(columns, [domain.size for domain in table.domains])
    if d == 0:
        groups = one_group(len(table.weights))
    codes = groups.codes
    weights = np.bincount(groups.labels, table.weights, len(groups.sizes)).astype(np.int64)
    present = np.array([domain.null_code for domain in table.domains], np.int32)
    null_codes = np.array(
        [domain.null_code if domain.has_null else domain.size for domain in table.domains], np.int32
    )
    names = [domain.name for domain in table.domains]
    distinct = [len(np.unique(codes[:, a])) for a in range(d)]
    unnamed = [a for a in range(d) if names[a] not in importance]
    order = sorted(unnamed, key=lambda a: -distinct[a])
    costs = np.ones(d, np.int64)
    total = len(order)
    for name in reversed(importance):
        a = names.index(name)
        costs[a] = min(total + 1, LARGEST_COST)
        total += int(costs[a])
        order.append(a)
    return Keys(
        codes,
        weights,
        codes == present,
        null_codes,
        groups.labels,
        costs,
        np.array(order, np.int64),
    )


def patterns_to_try(keys: Keys, k: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return patterns of blanks, (n_patterns, d) bool and their (n_patterns,) int64 costs.

    They stand in the order of their costs; those of equal cost that blank the less
    important attributes come first. All there are, if they are few; else some that suit
    the table. The last one blanks everything.
    """
    n, d = keys.codes.shape
    room = min(max(ENTRIES // n, FEWEST), MOST)
    if d < room.bit_length():
        patterns = (np.arange(1 << d)[:, None] >> np.arange(d) & 1).astype(np.bool_)
    else:
        patterns = _suitable_patterns(keys, k, room)
    costs = patterns @ keys.costs
    by_order = [~patterns[:, a] for a in keys.order[::-1]]
    place = np.lexsort((*by_order, costs))
    return np.ascontiguousarray(patterns[place]), costs[place]


def _suitable_patterns(keys: Keys, k: int, room: int) -> NDArray[np.bool_]:
    """Return about `room` patterns of many.

    An eighth of them blanks the fewest cells, three eighths are found by splitting the
    table top down, those of most records first, and half by growing what single keys
    show. The nulls of every key are among them, and the pattern that blanks all.
    """
    n, d = keys.codes.shape
    homes = np.unique(keys.is_null, axis=0)
    few = (
        np.isin(np.arange(d), combination)
        for size in range(d + 1)
        for combination in combinations(keys.order.tolist(), size)
    )
    cheap = np.array(list(islice(few, room // 8)), np.bool_).reshape(-1, d)
    sizes = keys.null_codes.astype(np.int64) + 1
    split = split_top_down(keys.codes, keys.weights, sizes, keys.costs, np.int64(k)) | keys.is_null
    mask, of_key = np.unique(split, axis=0, return_inverse=True)
    records = np.bincount(of_key.reshape(-1), keys.weights)
    mask = mask[np.argsort(-records, kind="stable")][: 3 * room // 8]
    # Keys from all over the table, each with another attribute that it shows first.
    number = np.arange(min(room // 2, n * (d + 1)))
    chosen = (number * max(n // len(number), 1)) % n
    first = (number + number // n) % (d + 1) - 1
    grown = grow_patterns(keys.codes, keys.weights, keys.costs, np.int64(k), chosen, first)
    grown |= keys.is_null[chosen]
    whole = np.ones((1, d), np.bool_)
    return np.unique(np.concatenate([homes, whole, cheap, mask, grown]), axis=0)
