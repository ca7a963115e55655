"""What all actions of perturbation have in common."""

from __future__ import annotations

import dataclasses

import polars as pl
import pytest

from kanonym.actions import (
    CorrelatedNoise,
    GaussianNoise,
    LaplaceNoise,
    Pram,
    RandomizedResponse,
    RankSwap,
    Shuffle,
    Swap,
)
from kanonym.actions.base import Action
from kanonym.actions.registry import ACTIONS

EXAMPLES = [
    LaplaceNoise(scale=1),
    LaplaceNoise(per_class=True),
    GaussianNoise(relative=0.1),
    GaussianNoise(per_class=True),
    CorrelatedNoise(["x", "y"], 0.1),
    RankSwap(20),
    Swap(),
    Shuffle(),
    Pram(diagonal=0.5),
    Pram(matrix={i: {(i + 1) % 10: 0.5, (i + 2) % 10: 0.5} for i in range(10)}),
    RandomizedResponse(0.5),
]


def test_every_action_has_an_example():
    """No action is left out of the laws below."""
    assert {type(action) for action in EXAMPLES} == {
        one for one in ACTIONS.values() if ".perturbation." in one.__module__
    }


@pytest.mark.parametrize("action", EXAMPLES, ids=repr)
def test_an_action_says_what_it_is(action):
    """Each has a name of its own, says what it protects and what not, and cannot be changed."""
    assert isinstance(action, Action)
    assert type(action) is ACTIONS[action.type]
    assert action.protects.endswith(".")
    assert action.exposes.endswith(".")
    field = next(iter(dataclasses.fields(action)), None)
    if field is not None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(action, field.name, None)


@pytest.mark.parametrize("action", EXAMPLES, ids=repr)
def test_an_action_changes_its_result_alone(action, context):
    """The column is read, not written; one seed gives one release, another seed another."""
    cells = [None if i % 7 == 0 else i % 10 for i in range(100)]
    table = pl.DataFrame({"x": cells, "y": [i * i % 23 for i in range(100)]})
    classes = [i // 20 for i in range(100)]
    values = table["x"]
    first, again, other = (
        action.apply(values, context(table, seed, classes)) for seed in (1, 1, 2)
    )
    assert values.to_list() == cells
    assert first.equals(again)
    assert first.to_list() != other.to_list()
    assert first.name == "x"
    assert first.is_null().to_list() == values.is_null().to_list()
    assert first.to_list() != cells
