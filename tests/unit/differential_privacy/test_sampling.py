"""SafePub's parameters: never below what the proof needs, in a millisecond."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from kanonym.data.errors import PolicyError
from kanonym.differential_privacy import sampling
from kanonym.differential_privacy.noise import SystemBits
from kanonym.differential_privacy.sampling import (
    draw_one_each,
    draw_sample,
    largest_beta,
    round_down,
    sampling_of,
)

PUBLISHED = [  # ε, δ, k that is needed, k of ARX 3.9.2
    (0.01, 1e-9, 95, 96),
    (0.1, 1e-6, 60, 61),
    (0.5, 1e-6, 63, 64),
    (0.6931471805599453, 1e-7, 80, 81),
    (1.0, 1e-5, 61, 62),
    (1.0, 1e-6, 74, 75),
    (1.0, 1e-7, 91, 92),
    (1.0, 1e-8, 104, 105),
    (1.0986122886681098, 1e-5, 62, 66),
    (1.0986122886681098, 1e-8, 108, 109),
    (1.5, 1e-6, 99, 100),
    (2.0, 1e-5, 113, 114),
    (2.0, 1e-7, 164, 165),
    (3.0, 1e-5, 226, 227),
]


@pytest.mark.parametrize(("epsilon", "delta", "needed", "published"), PUBLISHED)
def test_k_is_never_below_what_is_needed_nor_above_arx(epsilon, delta, needed, published):
    """With the largest β, k lies between the smallest that is proven and that of ARX."""
    found = sampling_of(Fraction(epsilon), delta)
    assert needed <= found.k <= published
    assert found.delta <= delta
    assert found.k == needed


@pytest.mark.parametrize(
    ("epsilon", "beta", "k"),
    [(2, 0.8, 74), (2, 0.7, 40), (2, 0.5, 21), (3, 0.9, 110), (5, None, 1703)],
)
def test_a_smaller_sample_needs_smaller_classes(epsilon, beta, k):
    """At δ = 1e-5, k falls with β as the notes on SafePub have it."""
    assert sampling_of(Fraction(epsilon), 1e-5, beta).k == k


@pytest.mark.parametrize(
    ("epsilon", "delta", "beta"), [(1.0, 1e-3, None), (2.0, 1e-2, 0.5), (0.3, 1e-2, 0.1)]
)
def test_delta_is_the_largest_tail_over_every_table_size(epsilon, delta, beta):
    """Exact binomial tails of every n confirm k: at k within δ, at k − 1 beyond it."""
    found = sampling_of(Fraction(epsilon), delta, beta)

    kept = int(found.beta * sampling.GRID)

    def tail(k):
        first = -(-k * found.gamma.denominator // found.gamma.numerator) - 1
        return max(
            Fraction(
                sum(
                    comb(n, j) * kept**j * (sampling.GRID - kept) ** (n - j)
                    for j in range(int(found.gamma * n) + 1, n + 1)
                ),
                sampling.GRID**n,
            )
            for n in range(first, first + 60)
        )

    assert tail(found.k) <= Fraction(found.delta) <= Fraction(delta)
    assert tail(found.k - 1) > Fraction(delta)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 0.6931471805599453, 1.0, 3.0, 20.0])
def test_the_largest_beta_is_rounded_down(epsilon):
    """It is at most 1 − e^−ε, and misses it by less than one step of the grid."""
    with localcontext() as context:
        context.prec = 80
        exact = Fraction(1 - (-Decimal(epsilon)).exp())
    assert 0 <= exact - largest_beta(Fraction(epsilon)) < Fraction(1, sampling.GRID)


def test_a_beta_beyond_the_largest_is_refused_with_the_largest():
    """The number in the message is one that is accepted."""
    most = round_down(largest_beta(Fraction(1)))
    with pytest.raises(PolicyError, match=f"at most {most!r}"):
        sampling_of(Fraction(1), 1e-6, 0.64)
    assert sampling_of(Fraction(1), 1e-6, most).k == 74


@pytest.mark.parametrize("epsilon", [14, 40])
def test_classes_that_no_table_has_are_refused(epsilon):
    """A huge ε with the largest β asks for a smaller β instead of searching for hours."""
    with pytest.raises(PolicyError, match="use a smaller beta"):
        sampling_of(Fraction(epsilon), 1e-6)
    assert sampling_of(Fraction(epsilon), 1e-6, 0.5).k < 30


class FixedBits:
    """The words that a test wants."""

    private = False

    def __init__(self, words):
        self._words = np.array(words, np.uint64)

    def words(self, count):
        """Return the first ones."""
        return self._words[:count]


def test_bits_below_beta_are_kept():
    """A record is kept where its 64 bits are below β·2^64: exactly that share of all bits."""
    beta = Fraction(3, 4)
    edge = int(beta * sampling.GRID)
    bits = FixedBits([0, edge - 1, edge, sampling.GRID - 1])
    assert draw_sample(4, beta, bits).tolist() == [True, True, False, False]


def test_a_sample_has_its_share_and_differs_each_time():
    """The system's source draws it anew each time."""
    beta = Fraction(1, 4)
    first, second = (draw_sample(40_000, beta, SystemBits()) for _ in range(2))
    assert abs(first.mean() - 0.25) < 0.015
    assert (first != second).any()


def test_one_record_of_each_person_stays():
    """It is the one of the smallest word; whose words are others does not matter to it."""
    persons = np.array([1, 0, 1, 2, 0], np.int32)
    assert draw_one_each(persons, FixedBits([5, 4, 3, 9, 8])).tolist() == [
        False,
        True,
        True,
        True,
        False,
    ]
    assert draw_one_each(persons[:0], SystemBits()).tolist() == []


def test_records_of_nobody_take_no_part():
    """Who is not named may have a record already."""
    persons = np.array([-1, 0, -1], np.int32)
    assert draw_one_each(persons, SystemBits()).tolist() == [False, True, False]
