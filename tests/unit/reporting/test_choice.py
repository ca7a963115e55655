"""The chosen node and its neighbours, in every form of the report."""

from __future__ import annotations

import json

import polars as pl
import pytest

import kanonym as ka
from kanonym.language import ENGLISH
from kanonym.reporting import account_wording

TABLE = pl.DataFrame({"age": [20, 21, 22, 23, 30, 31, 32, 33, 40, 41], "sex": ["f", "m"] * 5})
AGES = ka.hierarchy.intervals(width=[2, 10], origin=0)


def release(**options):
    """Return a full-domain release of ten people."""
    roles = {"age": ka.QuasiIdentifier(AGES), "sex": ka.QuasiIdentifier()}
    asked = {"models": [ka.KAnonymity(2)], "algorithm": "full-domain", **options}
    return ka.anonymize(TABLE, ka.Policy(attributes=roles, **asked))


@pytest.fixture
def written(tmp_path):
    """Return a function that writes the report of a release in one form."""

    def write(made, extension):
        path = tmp_path / f"report{extension}"
        made.report(path)
        return path.read_text("utf-8")

    return write


def test_the_neighbours_are_the_nodes_of_the_lattice(written):
    """What a level more or less makes of the released records; the others stay suppressed."""
    made = release(suppression_limit=0.2)
    assert made.suppressed == 2
    alone = made.policy.model_copy(update={"suppression_limit": 0})
    choice = json.loads(written(made, ".json"))["choice"]
    chosen = made.algorithm["levels"]
    assert {price["attribute"]: price["level"] for price in choice["prices"]} == chosen
    nodes = ka.lattice(TABLE[sorted(made.rows)], alone)
    beside = {
        (name, step): node
        for node in nodes.iter_rows(named=True)
        for name in chosen
        for step in (-1, 1)
        if {one: node[f"level_{one}"] for one in chosen} == {**chosen, name: chosen[name] + step}
    }
    said = {
        (price["attribute"], step): price[way]
        for price in choice["prices"]
        for step, way in ((-1, "finer"), (1, "coarser"))
        if price[way] is not None
    }
    assert said.keys() == beside.keys()
    for place, neighbour in said.items():
        for what in ("score", "suppressed", "classes", "satisfied"):
            gone = made.suppressed if what == "suppressed" else 0
            assert neighbour[what] == pytest.approx(gone + beside[place][what])


def test_every_form_shows_the_section(written):
    """HTML and Markdown have a line for each attribute, with its level and a released label."""
    made = release()
    for extension in (".html", ".md"):
        text = written(made, extension)
        assert "The chosen node and its neighbours" in text
        for name, level in made.algorithm["levels"].items():
            assert f"{level} of {made.algorithm['highest_levels'][name]}" in text


def test_other_algorithms_have_no_such_section(written):
    """Mondrian searches no lattice."""
    text = written(release(algorithm="mondrian"), ".html")
    assert "among its neighbours" not in text


def test_a_node_given_by_hand_has_neighbours(written):
    """Levels that are given bound the search, not the look around."""
    made = release(algorithm={"type": "full-domain", "levels": {"age": 2, "sex": 1}})
    choice = json.loads(written(made, ".json"))["choice"]
    assert [price["finer"] is not None for price in choice["prices"]] == [True, True]
    assert "no search was needed" in choice["sentences"][1]


def test_a_stopped_search_says_what_is_not_proven():
    """The sentence names the gap between the best node found and the bound."""
    account = {"metric": "loss", "score": 0.5, "lattice_size": 1000, "nodes_checked": 10}
    stopped = {**account, "optimal": False, "gap": 0.2, "lower_bound": 0.3, "interrupted": True}
    _, proof = account_wording.search_text(ENGLISH, stopped)
    assert "10 were checked" in proof
    assert "stopped by the user" in proof
    assert "0.2 lower, but none below 0.3" in proof
    assert "not proven" not in account_wording.search_text(ENGLISH, {**account, "optimal": True})[1]


def test_an_attribute_at_an_end_has_one_neighbour(written):
    """Nothing is finer than level 0."""
    made = release(
        algorithm={"type": "full-domain", "levels": {"age": 0, "sex": 1}}, models=[ka.KAnonymity(1)]
    )
    price, _ = json.loads(written(made, ".json"))["choice"]["prices"]
    assert price["finer"] is None
    assert price["coarser"]["level"] == 1
