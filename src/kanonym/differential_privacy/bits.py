"""Where random bits come from: the operating system, or, for tests only, a seed."""

from __future__ import annotations

import os
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray


class Bits(Protocol):
    """A source of random bits."""

    private: ClassVar[bool]

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return (count,) uint64, each of 64 random bits."""
        ...


class SystemBits:
    """Random bits from the operating system, as for keys."""

    private: ClassVar[bool] = True

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return (count,) uint64, each of 64 random bits."""
        return np.frombuffer(os.urandom(8 * count), np.uint64)


class SeededBits:
    """Bits that a seed repeats, for tests and examples: what they draw is not private."""

    private: ClassVar[bool] = False

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return (count,) uint64, the next ones of the seed's."""
        return self._generator.integers(0, 2**64, count, np.uint64)


def random_below(bound: int, bits: Bits) -> int:
    """Return a whole number in [0, bound), each equally probable; bound at least 1.

    Draws beyond the last multiple of the bound are drawn again, so none is more probable.
    """
    words = bound.bit_length() // 64 + 1
    most = (1 << 64 * words) // bound * bound
    while True:
        drawn = whole_number(bits.words(words))
        if drawn < most:
            return drawn % bound


def whole_number(words: NDArray[np.uint64]) -> int:
    """Return the whole number that 64-bit words spell, the first one highest."""
    return int.from_bytes(words.astype(">u8").tobytes())
