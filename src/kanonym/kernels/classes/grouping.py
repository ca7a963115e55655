"""Group equal rows of code columns: packed 64-bit keys, radix-sorted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.arrays import Floats, Int32s, Ints, UInt64s
from kanonym.kernels.compile import kernel
from kanonym.kernels.parallel import cores, parallel

DIGIT_BITS = 11
KEY_BITS = 64
PARALLEL_FROM = 1 << 20
"""Fewer keys are sorted in one thread."""
PART_BITS = 10
"""Many keys are numbered in as many parts as so many bits tell apart."""
_MIXING = np.uint64(0x9E3779B97F4A7C15)


class Groups(NamedTuple):
    """Equal rows, numbered in lexicographic order of their codes.

    Attributes
    ----------
    labels
        (n_rows,) int32, the group of each row.
    sizes
        (n_groups,) int64, rows in each group.
    first
        (n_groups,) int64, the first row of each group.
    codes
        (n_groups, n_columns) int32, C order, the codes of each group.
    """

    labels: Int32s
    sizes: Ints
    first: Ints
    codes: Int32s


def group_rows(columns: Sequence[Int32s], sizes: Sequence[int]) -> Groups:
    """Group the rows of code columns, in lexicographic order.

    Cost O(n_rows · bits / 11): columns are packed into one unsigned 64-bit key as long as their
    bits fit, and replaced by their group numbers when they do not.

    columns: One (n_rows,) int32 array a column, codes from 0.
    sizes: Number of codes of each column (all codes are below it).
    """
    n_rows = len(columns[0]) if columns else 0
    if n_rows == 0:
        empty = np.empty(0, np.int64)
        codes = np.empty((0, len(columns)), np.int32)
        return Groups(np.empty(0, np.int32), empty, empty, codes)
    widths = _widths(sizes)
    labels, starts, first, key = _group_keys(*_pack(columns, sizes))
    if widths.sum() <= KEY_BITS:
        codes = _unpack(key[starts], widths)
    else:
        codes = np.empty((len(first), len(columns)), np.int32)
        for a, column in enumerate(columns):
            codes[:, a] = column[first]
    return Groups(labels, np.diff(starts, append=n_rows), first, codes)


def label_rows(columns: Sequence[Int32s], sizes: Sequence[int]) -> Groups:
    """Group equal rows as `label_keys` does; parameters as of `group_rows`, at least one column."""
    return label_keys(*_pack(columns, sizes))


def label_keys(key: UInt64s, bits: int) -> Groups:
    """Group equal rows in no particular order, without `codes`: they are (n_groups, 0).

    Cost O(n_rows): many rows are divided by a hash of their key into parts that fit the cache, and
    each part is numbered by a hash table.

    key, bits: (n_rows,) uint64, of `append_codes`; overwritten.
    """
    n_rows = len(key)
    if n_rows == 0:
        return one_group(0)
    if n_rows < PARALLEL_FROM or _n_passes(bits) < 3:
        labels, starts, first, _ = _group_keys(key, bits)
        numbers = np.diff(starts, append=n_rows)
    else:
        labels, numbers, first = _number_keys(key)
    return Groups(labels, numbers, first, np.empty((len(first), 0), np.int32))


def append_codes(key: UInt64s, bits: int, codes: Int32s, size: int) -> tuple[UInt64s, int]:
    """Return the keys of rows with one column more, and the bits that they take then.

    Keys order as the rows do; those without a column are zeros of 0 bits.

    key, bits: (n_rows,) uint64, overwritten, and the bits that they take.
    codes, size: (n_rows,) int32 codes from 0 of the column, and their number.
    """
    width = _width(size)
    if bits + width > KEY_BITS:
        labels, starts, *_ = _group_keys(key, bits)
        key = labels.astype(np.uint64)
        bits = max(len(starts) - 1, 0).bit_length()
    if width:
        _append_column(key, codes, width)
    return key, bits + width


def sort_rows(columns: Sequence[Int32s], sizes: Sequence[int]) -> Int32s:
    """Return the (n_rows,) row numbers in lexicographic order of their codes; stable.

    Parameters and cost as of `group_rows`, with at least one column.
    """
    key, bits = _pack(columns, sizes)
    order = np.arange(len(key), dtype=np.int32)
    return _radix_sort(key, order, bits)[1] if bits else order


def sorted_keys(columns: Sequence[Int32s], sizes: Sequence[int]) -> UInt64s | None:
    """Return the (n_rows,) rows as ascending keys; None where they need more than 64 bits.

    The codes of a row stand side by side, the last column's in the lowest bits, in as
    many as `sizes` needs: `(size - 1).bit_length()`. At least one column.
    """
    if _widths(sizes).sum() > KEY_BITS:
        return None
    key, bits = _pack(columns, sizes)
    return _radix_sort(key, np.arange(len(key), dtype=np.int32), bits)[0] if bits else key


def one_group(n_rows: int) -> Groups:
    """Return the groups of rows without a column: one of all rows, none of no row."""
    one = min(n_rows, 1)
    return Groups(
        np.zeros(n_rows, np.int32),
        np.full(one, n_rows, np.int64),
        np.zeros(one, np.int64),
        np.empty((one, 0), np.int32),
    )


def dense_codes(values: Ints) -> tuple[Ints, Int32s] | None:
    """Encode integers of a small range: sorted distinct values, and a code for each row.

    Returns None when the range is too wide for a table of it to pay (more than
    four entries a row, and more than 65,536). Cost O(n + range).
    """
    if len(values) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int32)
    low = int(values.min())
    span = int(values.max()) - low + 1
    if span > max(4 * len(values), 1 << 16):
        return None
    codes = np.empty(len(values), np.int32)
    return _rank(values, low, np.zeros(span, np.int32), codes) + low, codes


def dense_ranks(numbers: Floats | Ints) -> tuple[Ints, Int32s]:
    """Return the first row of each distinct number, ascending, and each row's (n,) int32 rank.

    -0.0 is 0.0; NaN is one number, the last. Cost O(n · bits / 11) for the bits of their range.
    """
    if len(numbers) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int32)
    if numbers.dtype == np.float64:
        bits = np.where(np.isnan(numbers), np.nan, numbers + 0.0).view(np.int64)
        bits ^= (bits >> 63) & np.iinfo(np.int64).max  # those of negative numbers descend
    else:
        bits = numbers.view(np.int64)
    key = bits.view(np.uint64) ^ np.uint64(1 << 63)
    key -= key.min()
    ranks, _, first, _ = _group_keys(key, int(key.max()).bit_length())
    return first, ranks


@kernel
def put(values: Int32s, places: Int32s, into: Int32s) -> None:
    """Write (n,) values to (n,) places of an array; numpy would first widen the places."""
    for i in range(len(places)):
        into[places[i]] = values[i]


@kernel
def take(values: Int32s, places: Int32s, into: Int32s) -> None:
    """Write the values at (n,) places into an (n,) array, which may be that of the places.

    Negative places count from the end, as numpy's do.
    """
    size = np.int32(len(values))
    for i in range(len(places)):
        place = places[i]
        into[i] = values[place + size if place < 0 else place]


def _width(size: int) -> int:
    """Return the bits that so many codes take."""
    return max(int(size) - 1, 0).bit_length()


def _widths(sizes: Sequence[int]) -> Ints:
    """Return the bits that each column's codes take."""
    return np.array([_width(size) for size in sizes], np.int64)


def _pack(columns: Sequence[Int32s], sizes: Sequence[int]) -> tuple[UInt64s, int]:
    """Return keys that order as the rows do, and the bits that they take."""
    key, bits = np.zeros(len(columns[0]), np.uint64), 0
    for codes, size in zip(columns, sizes, strict=True):
        key, bits = append_codes(key, bits, codes, size)
    return key, bits


def _group_keys(key: UInt64s, bits: int) -> tuple[Int32s, Ints, Ints, UInt64s]:
    """Return the group of each row; by group its start in sorted order and first row; sorted keys.

    key: (n_rows,) uint64, overwritten.
    """
    order = np.arange(len(key), dtype=np.int32)
    if bits:
        key, order = _radix_sort(key, order, bits)
    labels = np.empty(len(key), np.int32)
    starts, first = _label_runs(key, order, labels)
    return labels, starts, first, key


def _number_keys(key: UInt64s) -> tuple[Int32s, Ints, Ints]:
    """Return the group of each row; by group its rows and first row. Key is overwritten."""
    n_rows = len(key)
    order, other_key = np.arange(n_rows, dtype=np.int32), np.empty_like(key)
    other_order = np.empty_like(order)
    np.multiply(key, _MIXING, out=key)  # odd: different keys stay different
    _radix_pass(key, order, other_key, other_order, KEY_BITS - PART_BITS, PART_BITS)
    middle = _start_of_digit(other_key, n_rows // 2, KEY_BITS - PART_BITS)
    numbers = order  # by place; its rows have gone into the other
    found = parallel(
        lambda part: _number_parts(other_key[part], other_order[part], numbers[part]),
        [slice(0, middle), slice(middle, None)],
    )
    numbers[middle:] += np.int32(len(found[0][0]))
    labels = np.empty(n_rows, np.int32)
    put(numbers, other_order, labels)
    sizes, first = (np.concatenate(both) for both in zip(*found, strict=True))
    return labels, sizes, first


def _radix_sort(key: UInt64s, order: Int32s, bits: int) -> tuple[UInt64s, Int32s]:
    """Sort keys and carry their row numbers along; stable, `bits` low bits count."""
    other_key, other_order = np.empty_like(key), np.empty_like(order)
    rest = bits - DIGIT_BITS
    if len(key) < PARALLEL_FROM or _n_passes(bits) < 3 or cores() < 2:
        return _sort_digits((key, order, other_key, other_order), bits)
    _radix_pass(key, order, other_key, other_order, rest, DIGIT_BITS)
    middle = _start_of_digit(other_key, len(key) // 2, rest)
    parts = [slice(0, middle), slice(middle, None)]
    arrays = (other_key, other_order, key, order)
    parallel(lambda part: _sort_digits(tuple(array[part] for array in arrays), bits), parts)
    return (key, order) if _n_passes(bits) % 2 else (other_key, other_order)


def _n_passes(bits: int) -> int:
    return -(-bits // DIGIT_BITS)


def _sort_digits(arrays: tuple[NDArray[Any], ...], bits: int) -> tuple[UInt64s, Int32s]:
    """Sort keys and row numbers, the first two arrays, by way of the other two."""
    key, order, other_key, other_order = arrays
    width = -(-bits // _n_passes(bits))
    for step in range(_n_passes(bits)):
        _radix_pass(key, order, other_key, other_order, step * width, width)
        key, other_key = other_key, key
        order, other_order = other_order, order
    return key, order


def _start_of_digit(key: UInt64s, place: int, shift: int) -> int:
    """Return where the keys begin that agree with key[place] from bit `shift` upwards."""
    low, high = 0, place
    while low < high:
        middle = (low + high) // 2
        if int(key[middle]) >> shift < int(key[place]) >> shift:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _append_column(key: UInt64s, column: Int32s, width: int) -> None:
    """Shift each key of (n,) uint64 left by `width` and add the (n,) int32 codes."""
    shift = np.uint64(width)
    for i in range(len(key)):
        key[i] = (key[i] << shift) | np.uint64(column[i])


@kernel
def _radix_pass(
    key: UInt64s, order: Int32s, to_key: UInt64s, to_order: Int32s, shift: int, width: int
) -> None:
    """One counting-sort pass over `width` bits from bit `shift`; all arrays (n,)."""
    n_buckets = 1 << width
    mask = np.uint64(n_buckets - 1)
    down = np.uint64(shift)
    place = np.zeros(n_buckets, np.int64)
    for i in range(len(key)):
        place[(key[i] >> down) & mask] += 1
    total = 0
    for bucket in range(n_buckets):
        count = place[bucket]
        place[bucket] = total
        total += count
    for i in range(len(key)):
        bucket = (key[i] >> down) & mask
        at = place[bucket]
        place[bucket] = at + 1
        to_key[at] = key[i]
        to_order[at] = order[i]


@kernel
def _number_parts(key: UInt64s, order: Int32s, numbers: Int32s) -> tuple[Ints, Ints]:
    """Write numbers from 0 of equal keys into (n,) int32; return size and first row of each.

    key: (n,) uint64, those of equal highest `PART_BITS` bits side by side. order: (n,) int32,
    the row of each, ascending where these bits are equal.
    """
    n = len(key)
    top = np.uint64(KEY_BITS - PART_BITS)
    sizes, first = np.empty(n, np.int64), np.empty(n, np.int64)
    slots, n_slots = np.empty(0, np.int32), 0
    n_groups = np.int32(0)
    start = 0
    while start < n:
        stop = start + 1
        while stop < n and key[stop] >> top == key[start] >> top:
            stop += 1
        bits = 1
        while (1 << bits) < 2 * (stop - start):
            bits += 1
        n_slots = 1 << bits
        if n_slots > len(slots):
            slots = np.empty(n_slots, np.int32)
        slots[:n_slots] = -1
        mask, down = np.uint64(n_slots - 1), np.uint64(KEY_BITS - PART_BITS - bits)
        for i in range(start, stop):
            slot = (key[i] >> down) & mask
            place = slots[slot]
            while place >= 0 and key[place] != key[i]:
                slot = (slot + np.uint64(1)) & mask
                place = slots[slot]
            if place < 0:
                slots[slot] = i
                numbers[i] = n_groups
                sizes[n_groups] = 1
                first[n_groups] = order[i]
                n_groups += np.int32(1)
            else:
                numbers[i] = numbers[place]
                sizes[numbers[i]] += 1
        start = stop
    return sizes[:n_groups].copy(), first[:n_groups].copy()


@kernel
def _label_runs(key: UInt64s, order: Int32s, labels: Int32s) -> tuple[Ints, Ints]:
    """Label rows by runs of equal sorted keys, into (n,) labels; return starts and first rows."""
    n_rows = len(key)
    n_runs = 1
    for i in range(1, n_rows):
        n_runs += key[i] != key[i - 1]
    starts = np.empty(n_runs, np.int64)
    first = np.empty(n_runs, np.int64)
    run = -1
    for i in range(n_rows):
        if i == 0 or key[i] != key[i - 1]:
            run += 1
            starts[run] = i
            first[run] = order[i]
        labels[order[i]] = run
    return starts, first


@kernel
def _unpack(key: UInt64s, widths: Ints) -> Int32s:
    """Return (n, d) int32 codes packed into (n,) uint64 keys, (d,) int64 bits each."""
    d = len(widths)
    codes = np.empty((len(key), d), np.int32)
    for i in range(len(key)):
        rest = key[i]
        for a in range(d - 1, -1, -1):
            mask = (np.uint64(1) << np.uint64(widths[a])) - np.uint64(1)
            codes[i, a] = rest & mask
            rest >>= np.uint64(widths[a])
    return codes


@kernel
def _rank(values: Ints, low: int, rank: Int32s, codes: Int32s) -> Ints:
    """Write the rank of each of (n,) int64 values into (n,) codes; return distinct - low.

    rank: (range of the values,) int32 zeros.
    """
    for value in values:
        rank[value - low] = 1
    n_distinct = np.int32(0)
    for offset in range(len(rank)):
        n_distinct += rank[offset]
    distinct = np.empty(n_distinct, np.int64)
    n_distinct = np.int32(0)
    for offset in range(len(rank)):
        if rank[offset] == 1:
            distinct[n_distinct] = offset
            rank[offset] = n_distinct
            n_distinct += np.int32(1)
    for i in range(len(values)):
        codes[i] = rank[values[i] - low]
    return distinct
