"""Laws of sources of random bits."""

from __future__ import annotations

import numpy as np
import pytest

from kanonym.differential_privacy.noise import SeededBits, SystemBits, random_below, whole_number


def test_only_the_systems_bits_are_private():
    """A source that a seed repeats says that it is not private."""
    assert SystemBits.private
    assert not SeededBits(0).private


def test_a_seed_repeats_its_bits_and_the_system_does_not():
    """Two sources of one seed give the same words; two of the system differ."""
    assert (SeededBits(3).words(5) == SeededBits(3).words(5)).all()
    assert (SystemBits().words(5) != SystemBits().words(5)).any()


def test_a_whole_number_is_its_words_highest_first():
    """Words are the digits of a number to the base 2^64."""
    assert whole_number(np.array([1, 2], np.uint64)) == 2**64 + 2


@pytest.mark.parametrize("bound", [1, 7, 2**64 - 1, 2**64, 10**30])
def test_a_number_below_a_bound_is_below_it(bound):
    """Every draw lies in [0, bound), also for bounds beyond a word."""
    bits = SeededBits(0)
    drawn = [random_below(bound, bits) for _ in range(50)]
    assert all(0 <= one < bound for one in drawn)


def test_numbers_below_a_bound_are_equally_frequent():
    """Of 7 values each occurs about a seventh of the time."""
    bits = SeededBits(1)
    counts = np.bincount([random_below(7, bits) for _ in range(7_000)], minlength=7)
    assert ((counts - 1_000) ** 2 / 1_000).sum() < 27.9  # χ², 6 degrees of freedom, 1 in 10,000
