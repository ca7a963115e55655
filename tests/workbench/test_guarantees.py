"""Guarantees that classes do not show: no screen says more of them than is so."""

from __future__ import annotations

import polars as pl
import pytest

from kanonym.data.files import write_table
from kanonym.pipeline.violations import count_violations
from kanonym.policy import Policy
from kanonym.workbench.project.edits import with_model
from workbench_servers import Visitor, act, opened, release, running, text_of

PRIVATE = """
version: 1
attributes:
  sex: {role: quasi-identifier, hierarchy: {file: sex.csv}}
others: identifier
rows: persons
models: [{type: differential-privacy, epsilon: 1, delta: 0.0001}]
algorithm: {type: full-domain, levels: {sex: 0}}
"""
SETS = """
version: 1
attributes: {items: {role: set, separator: ";"}}
rows: persons
models: [{type: km-anonymity, k: 2, m: 2}]
"""


@pytest.fixture(scope="module", name="private")
def fixture_private(tmp_path_factory):
    """Give somebody who made a release under differential privacy."""
    folder = tmp_path_factory.mktemp("private")
    write_table(pl.DataFrame({"sex": ["f", "m"] * 300}), folder / "table.csv")
    (folder / "sex.csv").write_text("f;*\nm;*\n")
    (folder / "private.yaml").write_text(PRIVATE)
    with running() as (_, addresses):
        visitor = Visitor.enter(addresses[-1])
        named = {"path": "table.csv", "policy": "private.yaml", "folder": "project"}
        sent = {name: str(folder / file) for name, file in named.items()}
        opened(visitor, visitor.send("POST", "/open", sent))
        release(visitor)
        yield visitor


def test_nothing_is_compared_under_differential_privacy(private):
    """The screen says why, and has no button; a form that is sent is refused with that sentence."""
    page = private.get(f"{private.at}/explore")
    assert "Nothing is compared under differential privacy" in text_of(page)
    assert "explore/compare" not in page.text
    for action in ("compare", "lattice"):
        answer = act(private, f"explore/{action}")
        assert answer.status == 422
        assert "Nothing is compared" in text_of(answer)


def test_a_private_release_is_not_said_to_be_repeated(private):
    """The command makes another draw, and no recoding is kept for further batches."""
    page = text_of(private.get(f"{private.at}/export"))
    assert "This makes another release" in page
    assert "byte for byte" not in page
    assert "figures of the table that are not private" in page
    assert "No recoding is kept" in page
    assert act(private, "export/fit").status == 422
    assert "Each run draws other records" in text_of(private.get(f"{private.at}/run"))


def test_differential_privacy_takes_the_seed_away():
    """A policy with a seed loses it with the model: a draw that is repeatable is not private."""
    model = {"type": "differential-privacy", "epsilon": 1, "delta": 1e-6}
    assert "seed" not in with_model({"seed": 7}, model)
    assert with_model({"seed": 7}, {"type": "k-anonymity", "k": 2})["seed"] == 7


def test_violations_of_items_are_not_counted_as_none():
    """Rare items violate the model, which classes do not show: the count is missing, not 0."""
    table = pl.DataFrame({"items": ["flu", "gout", "asthma;ulcer"]})
    found = count_violations(table, Policy.from_text(SETS))
    assert found.uncounted == ("km-anonymity",)
    assert found.models[0].records is None
