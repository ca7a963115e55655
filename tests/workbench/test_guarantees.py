"""Guarantees that classes do not show: no screen says more of them than is so."""

from __future__ import annotations

import html
import json

import polars as pl
import pytest

from kanonym.data.files import sha256, write_table
from kanonym.differential_privacy.ledger import read_ledger
from kanonym.pipeline.planning import count_violations
from kanonym.policy import Policy
from kanonym.workbench.project.folder import ProjectFolder
from kanonym.workbench.project.history import with_model
from kanonym.workbench.screens import SCREENS
from workbench_servers import Visitor, act, idle, opened, release, running, text_of

PRIVATE = """
version: 1
attributes:
  sex: {role: quasi-identifier, hierarchy: {file: sex.csv}}
others: identifier
rows: persons
models: [{type: differential-privacy, epsilon: 1, delta: 0.0001}]
algorithm: {type: full-domain, levels: {sex: 0}}
"""


@pytest.fixture(scope="module", name="private")
def fixture_private(tmp_path_factory):
    """Give somebody who made a release under differential privacy."""
    folder = tmp_path_factory.mktemp("private")
    write_table(pl.DataFrame({"sex": ["f", "m"] * 300}), folder / "table.csv")
    (folder / "sex.csv").write_text("f;*\nm;*\n")
    (folder / "private.yaml").write_text(PRIVATE)
    with running() as (workbench, addresses):
        visitor = Visitor.enter(addresses[-1])
        visitor.workbench, visitor.folder = workbench, folder
        visitor.released = folder / "project" / "releases" / "0001"
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


def test_a_private_release_spends_from_a_ledger(private):
    """Each run is added to the ledger beside the table, and the screen has the sum."""
    place = private.folder / "table.ledger.json"
    before = read_ledger(place)
    assert len(before.spent) >= 1
    release(private)
    after = read_ledger(place)
    assert after.epsilon == before.epsilon + 1
    shown = text_of(private.get(f"{private.at}/run"))
    spent = f"ε = {int(after.epsilon)}, δ = {float(after.delta):g}. Releases: {len(after.spent)}"
    assert spent in shown
    page = private.get(f"{private.at}/export").text
    assert page.count(str(place)) == 2  # in the command and in the Python
    assert "declared=ka.Policy.from_file(" in html.unescape(page)
    last = max((private.folder / "project" / "releases").glob("[0-9]*"))  # none replaces another
    public = (last / "public-report.html").read_text("utf-8")
    assert f"{len(after.spent)} releases of the table" in public
    assert json.loads((last / "public-manifest.json").read_text("utf-8"))


def test_another_ledger_is_named_and_kept_with_the_project(private):
    """What is no ledger is refused and nothing runs; a named one is spent from after a restart."""
    place = private.folder / "other.json"
    place.write_text("{}")
    before = read_ledger(private.folder / "table.ledger.json")
    answer = act(private, "run/both", type="full-domain", levels="{sex: 0}", ledger=str(place))
    assert answer.status == 422
    assert "is no ledger" in text_of(answer)
    place.unlink()
    act(private, "run/both", type="full-domain", levels="{sex: 0}", ledger=str(place))
    idle(private)
    assert len(read_ledger(place).spent) == 1
    assert read_ledger(private.folder / "table.ledger.json") == before
    source, _ = ProjectFolder(private.folder / "project").load()
    assert source.ledger == str(place)


def test_a_private_release_is_not_drawn_again_to_be_looked_at(private):
    """Where the process was ended, screens say that the release is gone; nothing is spent."""
    release(private)
    (project,) = private.workbench.sessions.every[0].projects.values()
    spent = read_ledger(project.ledger)
    kept = sha256(private.released / "released.csv")
    project.held.worker.stop()
    assert "without a seed" in text_of(private.get(f"{private.at}/records"))
    act(private, "results/attack")
    idle(private)
    assert "without a seed" in text_of(private.get(f"{private.at}/results"))
    assert read_ledger(project.ledger) == spent
    assert sha256(private.released / "released.csv") == kept


def test_figures_of_a_private_table_are_said_to_be_for_its_holder(private):
    """Every screen says that nothing but the release and its public files is covered."""
    for screen in SCREENS:
        page = text_of(private.get(f"{private.at}/{screen.name}"))
        assert "They are for you alone" in page


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


def test_records_with_rare_items_are_counted():
    """Items that too few records share violate the model, in the whole table or in a class."""
    table = pl.DataFrame(
        {"items": ["flu", "flu;gout", "asthma", "asthma", ""], "sex": ["f", "m", "f", "f", "f"]}
    )
    sex = {"role": "quasi-identifier"}
    items = {"role": "set", "separator": ";"}
    form = {"rows": "persons", "attributes": {"items": items, "sex": sex}}
    counted = []
    for model in ("km-anonymity", "k-km-anonymity"):
        models = [{"type": model, "k": 2, "m": 2}, {"type": "k-anonymity", "k": 1}]
        asked = {**form, "models": models}
        counted.append(count_violations(table, Policy.from_text(json.dumps(asked))).number)
    assert counted == [1, 2]  # gout; flu is in two classes, and the second class has one record


def test_a_promise_of_the_draw_is_not_counted(private):
    """No record violates differential privacy or satisfies it: the strip says neither."""
    strip = text_of(private.get(f"{private.at}/status"))
    assert "records violate" not in strip
    assert "Differential privacy: a promise of the draw; nothing to count" in strip
    assert "violated by" not in text_of(private.get(f"{private.at}/requirements"))
