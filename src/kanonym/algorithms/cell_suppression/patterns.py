"""Patterns of suppressed cells: the candidates, a lower bound, and cells that are restored."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np

from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.kernels.cells.patterns import (
    cheapest_hitting_sets,
    grow_patterns,
    split_top_down,
    unblank_pieces,
)
from kanonym.kernels.classes.group_sizes import wildcard_sizes
from kanonym.kernels.classes.grouping import group_rows, one_group
from kanonym.kernels.parallel import parallel

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

    codes: Int32s
    weights: Ints
    is_null: Bools
    null_codes: Int32s
    of_tuple: Int32s
    costs: Ints
    order: Ints


class Pieces(NamedTuple):
    """Records of one key that are blanked alike.

    keys: (n_pieces,) int64, ascending; a key with records blanked otherwise has several.
    weights: (n_pieces,) int64 records.
    blanks: (n_pieces, d) bool, cells that are released as null; so are those that were null.
    """

    keys: Ints
    weights: Ints
    blanks: Bools


def released_codes(keys: Keys, pieces: Pieces) -> Int32s:
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


def patterns_to_try(keys: Keys, k: int) -> tuple[Bools, Ints]:
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


def _suitable_patterns(keys: Keys, k: int, room: int) -> Bools:
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


def subset_sizes(
    codes: Int32s, weights: Ints, null_codes: Int32s, columns: tuple[int, ...], *, wildcard: bool
) -> Ints:
    """Return (n,) int64: the records that agree with each of n weighted rows on some columns.

    wildcard: whether null agrees with every value, or with null alone.
    """
    chosen = list(columns)
    if not chosen:
        return np.full(len(codes), weights.sum())
    parts = [np.ascontiguousarray(codes[:, a]) for a in columns]
    groups = group_rows(parts, (null_codes[chosen] + 1).tolist())  # null has the largest code
    sizes = np.bincount(groups.labels, weights, len(groups.sizes)).astype(np.int64)
    if wildcard and (groups.codes == null_codes[chosen]).any():
        sizes = wildcard_sizes(groups.codes, sizes, null_codes[chosen])
    return sizes[groups.labels]


def rare_subsets(keys: Keys, k: int, size: int) -> tuple[Bools, Bools]:
    """Return the subsets of at most `size` attributes, smaller ones first, and where they are rare.

    That is where fewer than k records agree with a key, null being a wildcard. Returns (n_subsets,
    d) and (n_subsets, n_keys) bool.
    """
    n, d = keys.codes.shape
    chosen = [
        combination for few in range(1, size + 1) for combination in combinations(range(d), few)
    ]
    subsets = np.zeros((len(chosen), d), np.bool_)
    rare = np.empty((len(chosen), n), np.bool_)

    def count(s: int) -> None:
        columns = chosen[s]
        subsets[s, columns] = True
        sizes = subset_sizes(keys.codes, keys.weights, keys.null_codes, columns, wildcard=True)
        # A null is shown as it is: what it is a part of counts as a smaller subset.
        rare[s] = (sizes < k) & ~keys.is_null[:, columns].any(axis=1)

    parallel(count, range(len(chosen)))
    return subsets, rare


def hit_subsets(keys: Keys, k: int, size: int) -> Bools:
    """Return (n_keys, d) bool: the cheapest blanks after which no rare subset is left."""
    subsets, rare = rare_subsets(keys, k, size)
    return cheapest_hitting_sets(rare, subsets, keys.costs, keys.order) | keys.is_null


def blank_subsets(keys: Keys, k: int, size: int) -> Pieces:
    """Blank cells until every combination of `size` attributes has k records, null a value.

    In each round, a record of rare combinations loses the cell that is in most of them for its
    cost. A null beside a value can be rare in turn, and has its round. Where only nulls are left,
    and too few, other records are blanked with them, at the least cost. Cells are only ever
    blanked, so it ends.
    """
    d = keys.codes.shape[1]
    pieces = Pieces(np.arange(len(keys.codes)), keys.weights, keys.is_null.copy())
    while True:
        codes = released_codes(keys, pieces)
        votes = np.zeros(codes.shape, np.int64)
        lacking: tuple[int, tuple[int, ...]] | None = None
        for columns in combinations(range(d), size):
            sizes = subset_sizes(codes, pieces.weights, keys.null_codes, columns, wildcard=False)
            rare = sizes < k
            if rare.any():
                chosen = list(columns)
                shown = rare[:, None] & ~pieces.blanks[:, chosen]
                votes[:, chosen] += shown
                only_nulls = rare & ~shown.any(axis=1)
                if only_nulls.any():
                    lacking = k - int(sizes[only_nulls][0]), columns
        voted = votes.any(axis=1)
        if voted.any():
            worth = (votes / keys.costs)[:, keys.order]
            most = keys.order[worth.argmax(axis=1)]
            pieces.blanks[voted, most[voted]] = True
        elif lacking is not None:
            pieces = _fill(keys, pieces, *lacking)
        else:
            return pieces


def _fill(keys: Keys, pieces: Pieces, records: int, columns: tuple[int, ...]) -> Pieces:
    """Blank some columns of so many more records, of those that lose least by it."""
    chosen = list(columns)
    losses = ~pieces.blanks[:, chosen] @ keys.costs[chosen]
    taken = np.zeros(len(pieces.keys), np.int64)
    for i in np.lexsort((-pieces.weights, losses)).tolist():
        if losses[i] and records:
            taken[i] = min(records, pieces.weights[i])
            records -= int(taken[i])
    blanks = pieces.blanks.copy()
    blanks[:, chosen] = True
    every = Pieces(
        np.append(pieces.keys, pieces.keys),
        np.append(pieces.weights - taken, taken),
        np.concatenate([pieces.blanks, blanks]),
    )
    order = np.argsort(every.keys, kind="stable")
    left = order[every.weights[order] > 0]
    return Pieces(every.keys[left], every.weights[left], every.blanks[left])


def least_blanks(keys: Keys, k: int, size: int) -> int | None:
    """Return a number of cells that every suppression blanks at least; None if it takes too long.

    Every combination of up to `size` attributes is to be k-anonymous. What a record shows of
    original values, k records show in the end, so k records of the table have it: nothing is shown
    that fewer have (null agrees with all), and each record blanks at least what leaves no such
    combination. The sum over records is the bound, whichever way null is read. Of few attributes,
    the fewest blanks of each record are found exactly: what it may show follows from what it may
    show without one attribute. Of more, rare combinations without a common attribute need a cell
    each, so that their number is a bound.
    """
    n, d = keys.codes.shape
    exact = n << d <= ENTRIES
    if not exact and size == d:
        return None
    subsets, rare = rare_subsets(keys, k, size)
    least = _fewest_blanks(keys, subsets, rare) if exact else _disjoint(subsets, rare)
    return int(least @ keys.weights)


def _fewest_blanks(keys: Keys, subsets: Bools, rare: Bools) -> Ints:
    """Return (n_keys,) int64: the fewest cells of each key that are in all its rare subsets."""
    n, d = keys.codes.shape
    masks = subsets @ (1 << np.arange(d))
    refused = np.zeros((1 << d, n), np.bool_)
    refused[masks] = rare
    for a in range(d):
        halves = refused.reshape(-1, 2, 1 << a, n)
        halves[:, 1] |= halves[:, 0]
    shown = (np.arange(1 << d)[:, np.newaxis] >> np.arange(d) & 1).astype(np.bool_)
    least = np.full(n, d, np.int64)
    for mask in range(1 << d):
        blanks = (~keys.is_null[:, ~shown[mask]]).sum(axis=1)
        least = np.where(refused[mask], least, np.minimum(least, blanks))
    return least


def _disjoint(subsets: Bools, rare: Bools) -> Ints:
    """Return (n_keys,) int64: how many rare subsets without a common attribute were found."""
    taken = np.zeros((rare.shape[1], subsets.shape[1]), np.bool_)
    found = np.zeros(rare.shape[1], np.int64)
    for subset, own in zip(subsets, rare, strict=True):
        free = own & ~taken[:, subset].any(axis=1)
        found += free
        taken[np.ix_(free, subset)] = True
    return found


def unblank(keys: Keys, pieces: Pieces, k: int, size: int) -> Pieces:
    """Show cells again as long as every combination of `size` attributes has k records.

    A cell that was blanked early is not needed any more once another one of its rare combinations
    is blank. Null is a value.
    """
    blanks = pieces.blanks.copy()
    before = None
    while before != (before := int(blanks.sum())):
        for a in keys.order[::-1].tolist():
            blanks[_shown(keys, pieces._replace(blanks=blanks), k, size, a), a] = False
    return pieces._replace(blanks=blanks)


def _shown(keys: Keys, pieces: Pieces, k: int, size: int, a: int) -> Ints:
    """Return the pieces that can show one attribute again."""
    rows = np.flatnonzero(pieces.blanks[:, a] & ~keys.is_null[pieces.keys, a])
    codes = released_codes(keys, pieces)
    moves, sizes, n_classes = np.empty((0, 2, len(rows)), np.int64), [], 0
    for others in combinations([b for b in range(len(keys.costs)) if b != a], size - 1):
        own = keys.codes[pieces.keys[rows], a]
        columns = [
            np.append(codes[:, a], own),
            *(np.append(codes[:, b], codes[rows, b]) for b in others),
        ]
        groups = group_rows(columns, (keys.null_codes[[a, *others]] + 1).tolist())
        labels = groups.labels[: len(codes)]
        records = np.bincount(labels, pieces.weights, len(groups.sizes)).astype(np.int64)
        classes = np.stack([labels[rows], groups.labels[len(codes) :]])
        left = records[classes[0]] - pieces.weights[rows]
        joined = records[classes[1]] + pieces.weights[rows]
        fits = ((left == 0) | (left >= k)) & (joined >= k)
        rows, moves = rows[fits], moves[:, :, fits]
        held, places = np.unique(classes[:, fits], return_inverse=True)
        moves = np.concatenate([moves, places.reshape(1, 2, -1) + n_classes])
        sizes.append(records[held])
        n_classes += len(held)
    shown = unblank_pieces(moves, np.concatenate(sizes), pieces.weights[rows], np.int64(k))
    return rows[shown]
