"""Laws of the registry: every attack, by its name."""

from __future__ import annotations

import json
import pkgutil
import re
from dataclasses import FrozenInstanceError, fields
from importlib import import_module

import numpy as np
import polars as pl
import pytest

import kanonym.evaluation.attacks
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.registry import ALL, ATTACKS
from scenes import scene

NAMES = list(ATTACKS)
TABLES = {
    "nobody": pl.DataFrame({"age": [], "ill": []}, schema={"age": pl.Int64, "ill": pl.String}),
    "one": pl.DataFrame({"age": [30], "ill": ["flu"]}),
    "nulls": pl.DataFrame(
        {"age": [None] * 3, "ill": [None] * 3}, schema={"age": pl.Int64, "ill": pl.String}
    ),
}


def test_every_attack_is_registered():
    """Each class of the package that can be carried out is there, under its own name."""
    found = set()
    for module in pkgutil.iter_modules(kanonym.evaluation.attacks.__path__):
        parts = vars(import_module(f"kanonym.evaluation.attacks.{module.name}")).values()
        found |= {
            one
            for one in parts
            if isinstance(one, type) and hasattr(one, "carry_out") and hasattr(one, "type")
        }
    assert found == set(ALL)
    assert [one.type for one in ATTACKS.values()] == NAMES
    assert len(NAMES) == len(ALL)


@pytest.mark.parametrize("name", NAMES)
def test_an_attack_has_a_name_and_a_question(name):
    """The name is of small letters and hyphens, and the question is one, without jargon marks."""
    attack = ATTACKS[name]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert attack.question.endswith("?")
    assert len(attack.question) > 40
    assert "_" not in attack.question


@pytest.mark.parametrize("name", NAMES)
def test_an_attack_is_frozen_and_limits_its_attempts(name):
    """Every attack has `attempts`, refuses none, and cannot be changed."""
    attack = ATTACKS[name]()
    assert "attempts" in {field.name for field in fields(attack)}
    assert attack.attempts == 2000
    with pytest.raises(PolicyError, match="attempts"):
        ATTACKS[name](attempts=0)
    with pytest.raises((FrozenInstanceError, TypeError)):
        attack.attempts = 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("known", [["age"], []])
@pytest.mark.parametrize("sensitive", [["ill"], []])
def test_an_attack_never_fails(name, table, known, sensitive):
    """Of tables that leave nothing to attack the outcome has no attempt, and says why."""
    persons = TABLES[table]
    random = np.random.default_rng(0)
    for control in (None, persons):
        sight = scene(persons, persons, known, sensitive, control=control, second=None)
        found = ATTACKS[name]().carry_out(sight, random)
        assert (found.type, found.question) == (name, ATTACKS[name].question)
        assert (found.targets.attempts == 0) == (found.reason is not None)
        assert 0 <= found.interval[0] <= found.risk <= found.interval[1] <= 1
        json.dumps(found.to_dict(), allow_nan=False)
