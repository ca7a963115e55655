"""Laws of actions carried out on the columns of a table."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kanonym.actions import GaussianNoise, LaplaceNoise, Round, Shuffle
from kanonym.actions.base import Action, After
from kanonym.actions.registry import ACTIONS, ColumnActions, unwrap

TABLE = pl.DataFrame({"age": list(range(50)), "pay": [float(i) for i in range(50)]})


@pytest.mark.parametrize("name", ACTIONS)
def test_every_action_says_what_it_protects_and_what_not(name):
    """Both are sentences, and the name is the one that a policy gives it."""
    action = ACTIONS[name]
    assert isinstance(action.type, str)
    assert action.type == name
    for said in (action.protects, action.exposes):
        assert said[0].isupper()
        assert said.endswith(".")
        assert "\n" not in said


def test_a_column_does_not_depend_on_what_is_done_to_others():
    """Each column draws by its own name, so one more action elsewhere changes nothing."""
    noise = (LaplaceNoise(scale=1.0),)
    alone = ColumnActions(TABLE.get_column, {"pay": noise}, 3).before("pay")
    beside = ColumnActions(TABLE.get_column, {"age": (Shuffle(),), "pay": noise}, 3)
    assert alone.equals(beside.before("pay"))
    assert not alone.equals(ColumnActions(TABLE.get_column, {"pay": noise}, 4).before("pay"))


def test_actions_follow_each_other_and_are_carried_out_once():
    """The second one gets what the first one leaves; asking again gives the same column."""
    acting = ColumnActions(TABLE.get_column, {"pay": (GaussianNoise(scale=9.0), Round(to=10))}, 0)
    found = acting.before("pay")
    assert set((found % 10).to_list()) == {0.0}
    assert acting.before("pay") is found
    assert acting.before("age").equals(TABLE["age"])
    assert TABLE["pay"].to_list() == [float(i) for i in range(50)]


def test_actions_on_released_values_wait_for_them():
    """`After` leaves the input as it is, and changes what is handed to it later."""
    acting = ColumnActions(TABLE.get_column, {"age": (After(Round(to=10)),)}, 0)
    assert acting.before("age").equals(TABLE["age"])
    released = pl.Series("age", [14, 26])
    assert acting.after("age", released, np.zeros(2, np.int32)).to_list() == [10, 30]
    assert acting.after("pay", released, np.zeros(2, np.int32)) is released
    assert acting.late_attributes == ["age"]


def test_unwrapped_actions_are_actions():
    """Whenever they come, the actions themselves are returned."""
    found = unwrap([Shuffle(), After(Round(to=2))])
    assert found == [Shuffle(), Round(to=2)]
    assert all(isinstance(one, Action) for one in found)
