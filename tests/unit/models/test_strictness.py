"""Laws of strictness: what each model says where a class stands exactly at its threshold."""

from __future__ import annotations

import math

import pytest

from kanonym.data.errors import PolicyError
from kanonym.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    TCloseness,
)
from model_classes import classes


def test_k_anonymity_accepts_exactly_k():
    """A class of k records is k-anonymous, one of k - 1 is not."""
    assert KAnonymity(2).satisfied(classes("aabbbc")).tolist() == [True, True, False]


def test_alpha_accepts_exactly_alpha_and_needs_k():
    """A share of alpha is allowed; a class below k is refused whatever its shares."""
    table = classes("aabbbb", s=[1, 2, 1, 1, 2, 3])
    assert AlphaKAnonymity(0.5, 2, "s").satisfied(table).all()
    assert not AlphaKAnonymity(0.49, 2, "s").satisfied(table).any()
    assert AlphaKAnonymity(0.5, 3, "s").satisfied(table).tolist() == [False, True]
    assert AlphaKAnonymity(0.5, 3, "s").achieved(table) == math.inf


@pytest.mark.parametrize("l", range(1, 13))
def test_entropy_accepts_l_equally_frequent_values(l):
    """A class of l equally frequent values is entropy l-diverse, though logarithms are rounded."""
    table = classes("a" * 2 * l, s=[*range(l), *range(l)])
    assert LDiversity("s", l, "entropy").satisfied(table).all()
    assert not LDiversity("s", l + 1e-6, "entropy").satisfied(table).any()


def test_recursive_is_strict_and_counts_from_the_most_frequent():
    """(c, l)-diversity wants r_1 < c (r_l + ... + r_m): 7, 2, 1 with l = 3 need c above 7."""
    table = classes("a" * 10, s=[1] * 7 + [2] * 2 + [3])
    assert LDiversity("s", 3, "recursive", 3).achieved(table) == 7
    assert not LDiversity("s", 3, "recursive", 7).satisfied(table).any()
    assert LDiversity("s", 3, "recursive", 7.001).satisfied(table).all()
    assert LDiversity("s", 2, "recursive", 2.4).satisfied(table).all()


def test_recursive_needs_l_values():
    """A class with fewer than l values is not (c, l)-diverse for any c."""
    table = classes("aa", s=[1, 2])
    assert LDiversity("s", 3, "recursive", 1e9).achieved(table) == math.inf


def test_closeness_accepts_exactly_t():
    """A class at distance t is t-close, on paper and in floating point."""
    table = classes("aaab", s=[1, 1, 2, 2])
    assert TCloseness("s", 1 / 2).satisfied(table).all()
    assert TCloseness("s", 1 / 6).satisfied(table).tolist() == [True, False]


def test_closeness_of_zero_accepts_the_table_itself():
    """T = 0 is satisfied by classes with the table's own shares."""
    table = classes("a" * 3 + "b" * 6, s=[1, 2, 3, 1, 1, 2, 2, 3, 3])
    for distance in ("equal", "ordered"):
        assert TCloseness("s", 0, distance).satisfied(table).all()


def test_hierarchical_closeness_needs_a_hierarchy():
    """Hierarchical distance without a hierarchy is an error that names the attribute."""
    with pytest.raises(PolicyError, match="hierarchy of 's'"):
        TCloseness("s", 0.5, "hierarchical").satisfied(classes("ab", s=[1, 2]))


def test_delta_disclosure_is_strict_with_base_2():
    """A share that doubles is at delta 1, which is not less than 1."""
    table = classes("aabb", s=[1, 1, 2, 2])
    assert DeltaDisclosure("s", 1).achieved(table) == pytest.approx(1)
    assert not DeltaDisclosure("s", 1).satisfied(table).any()
    assert DeltaDisclosure("s", 1.001).satisfied(table).all()


def test_delta_disclosure_leaves_absent_values_out():
    """A value that a class lacks does not count, as in ARX and unlike the paper."""
    table = classes("aab", s=[1, 2, 1])
    assert math.isfinite(DeltaDisclosure("s", 1).achieved(table))


def test_enhanced_likeness_bounds_frequent_values():
    """A value of share 0.6 may gain up to -ln 0.6 = 0.51 of it, however large beta is."""
    table = classes("a" * 6 + "b" * 4, s=[1] * 6 + [2] * 4)
    assert BetaLikeness("s", 2).satisfied(table).all()
    assert not BetaLikeness("s", 2, "enhanced").satisfied(table).any()
    assert BetaLikeness("s", 2, "enhanced").achieved(table) == math.inf


def test_enhanced_likeness_is_basic_where_values_are_rare():
    """Where every gain is below -ln p, enhanced and basic beta-likeness are the same."""
    table = classes("a" * 10 + "b" * 10, s=[1] * 2 + [2] * 8 + [1] + [2] * 9)
    basic = BetaLikeness("s", 1).achieved(table)
    assert BetaLikeness("s", 1, "enhanced").achieved(table) == basic == pytest.approx(1 / 3)


def test_null_is_a_value_like_any_other():
    """A null among the sensitive values counts as one more value."""
    table = classes("aa", s=["flu", None])
    assert LDiversity("s", 2).satisfied(table).all()
