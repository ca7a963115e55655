"""The rounding that a column of amounts needs."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.profiling import profile
from kanonym.profiling.columns import rounding_of


def counted(numbers):
    """Return distinct numbers and how often each is there."""
    values, counts = np.unique(numbers, return_counts=True)
    return pl.Series("x", values), counts.astype(np.int64)


@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize("seed", range(4))
def test_after_it_no_number_has_a_single_owner(kind, seed):
    """The actions, as the policy does them, leave no number to one record."""
    numbers = np.random.default_rng(seed).lognormal(7, 1, 700).astype(kind)
    frame = pl.DataFrame({"age": [20, 30] * 350, "income": numbers})
    found = rounding_of(*counted(numbers))
    policy = ka.Policy.from_text(
        json.dumps(
            {
                "version": 1,
                "attributes": {
                    "age": {"role": "quasi-identifier"},
                    "income": {"role": "sensitive", "action": found.actions},
                },
                "models": [{"type": "k-anonymity", "k": 5}],
            }
        )
    )
    released = ka.anonymize(frame, policy).frame["income"]
    counts = released.value_counts()["count"]
    assert counts.min() > 1
    assert len(counts) == found.values
    assert counts.max() == found.largest


def test_few_or_repeated_numbers_need_none():
    """Twenty numbers are classes; numbers of two records each single out nobody."""
    assert rounding_of(*counted(range(20))) is None
    assert rounding_of(*counted([*range(50), *range(50)])) is None
    assert rounding_of(*counted([])) is None


def test_the_step_is_as_small_as_it_may_be():
    """Numbers in pairs next to each other need steps of two or five."""
    found = rounding_of(*counted([*range(100)]))
    assert found.actions[0] == {"type": "round", "to": 5}


def test_the_suggested_policy_rounds_and_holds():
    """Its release satisfies its models, and no amount singles out an owner."""
    random = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "age": random.integers(20, 70, 900),
            "wage": random.lognormal(3, 0.6, 900),
            "debt": np.where(random.random(900) < 0.85, 0, random.integers(1, 90_000, 900)),
        }
    )
    found = profile(frame)
    assert {one.name: str(one.role) for one in found.columns} == {
        "age": "quasi-identifier",
        "wage": "sensitive",
        "debt": "sensitive",
    }
    assert found.to_dict()["columns"]["wage"]["action"][0]["type"] == "round"
    verified = ka.anonymize(frame, found.policy()).verification
    assert verified.satisfied
    assert "identifying-amount" not in {one.type for one in verified.findings}
