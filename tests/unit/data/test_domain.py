"""Laws of declared domains."""

from __future__ import annotations

from datetime import date

import pytest

import kanonym as ka
from kanonym.data.domain import Domain
from kanonym.policy import Policy


def test_a_range_counts_its_values_and_bins():
    """Both ends belong to a range; bins are 20, or as many as there are values."""
    assert Domain(minimum=0, maximum=99).number_of_values == 100
    assert Domain(minimum=0, maximum=1, step=0.1).number_of_values == 11
    assert Domain(minimum="2024-01-01", maximum="2024-12-31").number_of_values == 366
    assert Domain(minimum=0, maximum=99).bin_count == 20
    assert Domain(minimum=1, maximum=5).bin_count == 5


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"values": []}, "at least one"),
        ({"values": "abc"}, "at least one"),
        ({"values": [1, "1"]}, "twice"),
        ({"values": [None]}, "texts, numbers or Booleans"),
        ({"values": ["a"], "minimum": 0}, "keep one"),
        ({"values": ["a"], "bins": 2}, "for a range"),
        ({"minimum": 0}, "both"),
        ({"minimum": 5, "maximum": 5}, "below"),
        ({"minimum": 0, "maximum": "2024-01-01"}, "two numbers or two dates"),
        ({"minimum": 0, "maximum": "tomorrow"}, "number or a date"),
        ({"minimum": 0, "maximum": float("inf")}, "number or a date"),
        ({"minimum": 0, "maximum": 0.5}, "needs a step"),
        ({"minimum": 0, "maximum": 5, "step": 0}, "above 0"),
        ({"minimum": 0, "maximum": 5, "bins": 7}, "at most one for each"),
        ({"minimum": "2024-01-01", "maximum": "2024-02-01", "step": 0.5}, "whole number of days"),
        ({"bins": 5}, "without minimum"),
    ],
)
def test_what_describes_no_domain_is_refused(parts, reason):
    """Each fault has a message that says what a domain is."""
    with pytest.raises(ka.PolicyError, match=reason):
        Domain(**parts)


def test_a_policy_reads_domains_and_writes_them_again():
    """A list, values, ranges and dates in a policy file come back from `to_dict`."""
    text = """
attributes:
  age: {role: quasi-identifier, domain: {minimum: 0, maximum: 99, bins: 10}}
  sex: {role: sensitive, domain: [f, m]}
  day: {role: insensitive, domain: {minimum: 2024-01-01, maximum: 2024-12-31, nulls: false}}
models: [{type: k-anonymity, k: 2}]
"""
    policy = Policy.from_text(text)
    written = policy.to_dict()["attributes"]
    assert written["age"]["domain"] == {"minimum": 0, "maximum": 99, "bins": 10}
    assert written["sex"]["domain"] == {"values": ["f", "m"]}
    assert written["day"]["domain"]["nulls"] is False
    assert policy.attributes["day"].domain.start == date(2024, 1, 1)
    assert Policy(**policy.to_dict()).to_dict() == policy.to_dict()


def test_a_fault_of_a_domain_names_its_place():
    """A policy's error says which attribute's domain is at fault."""
    with pytest.raises(ka.PolicyError, match=r"attributes\.age\.domain"):
        Policy(
            attributes={"age": {"role": "quasi-identifier", "domain": {"minimum": 0, "max": 3}}},
            models=[ka.KAnonymity(2)],
        )
