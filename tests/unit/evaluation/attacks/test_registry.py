"""Laws of the registry: every attack, by its name."""

from __future__ import annotations

import itertools
import json
import pkgutil
import re
from dataclasses import FrozenInstanceError, fields
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import kanonym as ka
import kanonym.evaluation.attacks
from attack_tables import scene
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks import ATTACKS
from kanonym.evaluation.attacks.base import Attack
from kanonym.policy.faults import FaultsFoundError
from kanonym.policy.field_validators import build_attack_limits

NAMES = list(ATTACKS)
TABLES = {
    "nobody": pl.DataFrame({"age": [], "ill": []}, schema={"age": pl.Int64, "ill": pl.String}),
    "one": pl.DataFrame({"age": [30], "ill": ["flu"]}),
    "nulls": pl.DataFrame(
        {"age": [None] * 3, "ill": [None] * 3}, schema={"age": pl.Int64, "ill": pl.String}
    ),
}


def test_every_attack_is_registered():
    """Each class that inherits from `Attack` is there, under its own name."""
    package = kanonym.evaluation.attacks
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)
    known = {one for one in Attack.__subclasses__() if one.__module__.startswith(package.__name__)}
    # A dataclass with slots leaves the class that it was made of behind.
    assert {one.__name__ for one in known} == {one.__name__ for one in ATTACKS.values()}
    assert [one.type for one in ATTACKS.values()] == NAMES
    assert len(NAMES) == len(ATTACKS)


def test_every_attack_may_be_limited():
    """A policy may set a limit for each attack, and for nothing else."""
    limits = dict.fromkeys(NAMES, 0.5)
    assert build_attack_limits(limits) == limits
    with pytest.raises(FaultsFoundError, match="unknown attack"):
        build_attack_limits({"phishing": 0.5})


def test_an_object_that_is_no_attack_is_refused():
    """An attack inherits from `Attack`, so that its traits are known; methods alone do not do."""
    stranger = SimpleNamespace(type="stranger", question="Who?", carry_out=print)
    with pytest.raises(PolicyError, match="attacks are given by name"):
        ka.attack(TABLES["one"], TABLES["one"], quasi_identifiers=["age"], attacks=[stranger])


def test_the_page_of_attacks_holds_what_the_attacks_say():
    """The table of docs/attacks.md is the one that the classes give."""
    rows = [
        f"| `{one.type}` | {one.method} | {one.aim} | {one.of_person} | {one.source} |"
        for one in ATTACKS.values()
    ]
    page = (Path(__file__).parents[4] / "docs/attacks.md").read_text("utf-8")
    assert "\n".join(rows) in page, "\n".join(rows)


@pytest.mark.parametrize("name", NAMES)
def test_an_attack_has_a_name_and_a_question(name):
    """The name is of small letters and hyphens, and the question is one, without jargon marks."""
    attack = ATTACKS[name]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert attack.question.endswith("?")
    assert len(attack.question.split()) > 5
    assert "_" not in attack.question


EVERYBODY = ("unique-exact-matches", "apparent-matches", "disco", "minimality")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in EVERYBODY])
def test_an_attack_is_frozen_and_limits_its_attempts(name):
    """Every attack but that of everybody has `attempts`, refuses none, and cannot be changed."""
    attack = ATTACKS[name]()
    assert "attempts" in {field.name for field in fields(attack)}
    assert attack.attempts == 2000
    with pytest.raises(PolicyError, match="attempts"):
        ATTACKS[name](attempts=0)
    with pytest.raises((FrozenInstanceError, TypeError)):
        attack.attempts = 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("table", TABLES)
def test_an_attack_never_fails(name, table):
    """Of tables that leave nothing to attack the outcome has no attempt, and says why."""
    persons = TABLES[table]
    random = np.random.default_rng(0)
    sides = itertools.product([["age"], []], [["ill"], []], (None, persons))
    for known, sensitive, control in sides:
        sight = scene(persons, persons, known, sensitive, control=control, second=None)
        found = ATTACKS[name]().run(sight, random)
        assert (found.type, found.question) == (name, ATTACKS[name].question)
        assert (found.targets.attempts == 0) == (found.reason is not None)
        assert 0 <= found.interval[0] <= found.risk <= found.interval[1] <= 1
        json.dumps(found.to_dict(), allow_nan=False)
