"""A key that only those who have the table can compute, the same on every engine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from kanonym.data.table import EncodedTable

LANES = 4
"""So many sums are taken of the table."""

INNER, OUTER = (1 << 31) - 1, (1 << 31) - 19
"""Primes of 31 bits: products of two remainders, and sums of them, have 63."""


def factors(lane: int, n_columns: int) -> list[int]:
    """Return what the codes of each column are multiplied by in one of the sums."""
    found = (hashlib.sha256(f"{lane} {place}".encode()).digest() for place in range(n_columns))
    return [int.from_bytes(one[:3], "big") | 1 for one in found]


def key_of_sums(sums: Sequence[int]) -> int:
    """Return the key, of 63 bits, for the sums over all tuples."""
    digest = hashlib.sha256(" ".join(map(str, sums)).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def secret_key(table: EncodedTable) -> int:
    """Return a key that follows from who has which sensitive value.

    In each sum a tuple counts its records times (h² + h) mod `OUTER`, where h is the sum of its
    codes times `factors`, mod `INNER`; codes of sensitive values are counted from 1. Who knows
    the quasi-identifiers alone has to try assignments of the sensitive values, whole tables at a
    time. The order of the records does not matter.
    """
    codes = np.hstack([table.codes, table.sensitive_codes + np.int32(1)]).astype(np.int64)
    sums = []
    for lane in range(LANES):
        inner = codes @ np.array(factors(lane, codes.shape[1]), np.int64) % INNER
        sums.append(int(table.weights @ ((inner * inner + inner) % OUTER)))
    return key_of_sums(sums)
