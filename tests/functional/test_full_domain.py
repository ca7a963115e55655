"""Full-domain generalization and its lattice through the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from kanonym import pipeline
from kanonym.data.example_tables import patients
from kanonym.data.files import read_table

COMMAND = [sys.executable, "-c", "import kanonym.cli; kanonym.cli.main()"]
POLICY = """\
attributes:
  name:            {role: identifier}
  national_number: {role: identifier}
  postal_code:     {role: quasi-identifier, hierarchy: masking}
  birth_date:      {role: quasi-identifier}
  sex:             {role: quasi-identifier}
  occupation:      {role: quasi-identifier}
  diagnosis:       {role: sensitive}
rows: persons
models:
  - {type: k-anonymity, k: 5}
  - {type: l-diversity, attribute: diagnosis, l: 3}
algorithm: {type: full-domain, metric: loss, suppression_limit: 0.02}
"""
RUN = "anonymize people.csv -p full.yaml"
SHORT = "anonymize people.csv -i name,national_number -q postal_code,birth_date,sex --others"


@pytest.fixture
def folder(folder):
    """Return the folder, with invented patients and a policy for them."""
    patients(1500, seed=3).write_csv(folder / "people.csv")
    (folder / "full.yaml").write_text(POLICY, "utf-8")
    return folder


def test_a_release_by_levels_is_written_and_verified(kanonym):
    """The JSON has the levels, the score and the proof; `verify` finds the policy satisfied."""
    ran = kanonym(f"{RUN} -o out.csv --json")
    assert ran.code == 0
    algorithm = ran.json["algorithm"]
    assert algorithm["type"] == "full-domain"
    assert algorithm["metric"] == "loss"
    assert set(algorithm["levels"]) == {"postal_code", "birth_date", "sex", "occupation"}
    assert algorithm["optimal"] is True
    assert 0 < algorithm["nodes_checked"] <= algorithm["lattice_size"]
    assert ran.json["utility"]["loss"] == pytest.approx(algorithm["score"], rel=1e-9)
    assert ran.json["suppressed"] <= 0.02 * 1500
    assert kanonym("verify out.csv -p full.yaml").code == 0


def test_hierarchies_that_are_built_are_told(kanonym, folder):
    """Each is told on standard error, and stands in the JSON and in the manifest."""
    ran = kanonym(f"{RUN} -o out.csv --json --manifest m.json")
    assert "kanonym: birth_date: no hierarchy given; built dates (levels" in ran.error
    built = ran.json["algorithm"]["built_hierarchies"]
    assert set(built) == {"birth_date", "sex", "occupation"}
    manifest = json.loads((folder / "m.json").read_text("utf-8"))
    assert manifest["algorithm"]["built_hierarchies"] == built


def test_the_terminal_shows_the_node(kanonym):
    """People read the level of each attribute, a released label, the score and the proof."""
    ran = kanonym(f"{RUN} -o out.csv")
    assert "score (loss)" in ran.text
    assert "minimal" in ran.text
    assert "nodes checked" in ran.text
    assert " of 4 " in ran.text
    assert max(map(len, ran.text.splitlines())) <= 80


def test_levels_by_hand(kanonym):
    """`--levels` applies a node, and says full-domain without the word."""
    levels = "--levels postal_code=4,birth_date=4 --levels sex=0"
    ran = kanonym(f"{SHORT} insensitive -k 3 --suppression-limit 0.1 {levels} -o out.csv --json")
    assert ran.code == 0
    assert ran.json["algorithm"]["type"] == "full-domain"
    assert ran.json["algorithm"]["levels"] == {"postal_code": 4, "birth_date": 4, "sex": 0}
    assert ran.json["algorithm"]["lattice_size"] == 1
    assert set(read_table("out.csv")["postal_code"]) == {"*"}
    assert set(read_table("out.csv")["sex"]) <= {"female", "male"}


def test_levels_bound_the_search_of_a_policy(kanonym):
    """`--levels` with a policy takes the place of its levels; a range bounds the search."""
    ran = kanonym(f"{RUN} --levels postal_code=0-3,sex=1 -o out.csv --json")
    assert ran.code == 0
    assert ran.json["algorithm"]["levels"]["postal_code"] <= 3
    assert ran.json["algorithm"]["levels"]["sex"] == 1
    assert ran.json["algorithm"]["metric"] == "loss"


def test_a_limit_of_steps_gives_the_same_each_time(kanonym):
    """Two runs with the same limit write the same file."""
    for output in ("a.csv", "b.csv"):
        line = f"{RUN} --search best-first --steps 40 --seed 1 -o {output} --json"
        assert kanonym(line).json["algorithm"]["nodes_checked"] > 0
    assert read_table("a.csv").equals(read_table("b.csv"))


def test_the_report_shows_the_neighbours(kanonym, folder):
    """The report has the price of one level more and less."""
    assert kanonym(f"{RUN} -o out.csv --report r.html --report r.md").code == 0
    for name in ("r.html", "r.md"):
        assert "The chosen node and its neighbours" in (folder / name).read_text("utf-8")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            f"{RUN} --levels sex=2 -o out.csv",
            "levels: sex is 2; its hierarchy has the levels 0 to 1",
        ),
        (
            f"{RUN} --levels sexx=1 -o out.csv",
            "'sexx' is an unknown quasi-identifier; did you mean",
        ),
        (f"{RUN} --metric los -o out.csv", "algorithm.metric: 'los' is not a metric; did you mean"),
        (
            f"{RUN} --steps 0 -o out.csv",
            "algorithm.steps: is 0; it must be an integer of at least 1",
        ),
        (
            f"{SHORT} insensitive -k 3 --algorithm full-domain --recoding mean -o out.csv",
            "recoding: is 'mean', but full-domain releases levels of hierarchies",
        ),
        (
            f"{SHORT} insensitive -k 3 --algorithm full-domian -o out.csv",
            "did you mean 'full-domain'?",
        ),
        ("lattice people.csv -p no.yaml -o nodes.csv", "no.yaml: no such policy file"),
        ("lattice people.csv -p policy.yaml -o nodes.csv", "'age'"),
    ],
)
def test_what_cannot_be_is_refused(refused, line, message):
    """Exit code 3, one line that names the key or the range, and nothing is written."""
    assert message in refused(line)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            f"{SHORT} insensitive -k 1501 --algorithm full-domain -o out.csv",
            "k-anonymity: required",
        ),
        (f"{RUN} --levels postal_code=0,sex=0,birth_date=0 -o out.csv", "no node of the lattice"),
    ],
)
def test_a_requirement_that_cannot_be_met_ends_with_1(refused, line, message):
    """Exit code 1, one line that says why, and nothing is written."""
    assert message in refused(line, expected=1)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{RUN} --levels sex -o out.csv", "'sex' is not COLUMN=LEVEL or COLUMN=LEAST-MOST"),
        (f"{RUN} --levels sex=-1 -o out.csv", "is not COLUMN=LEVEL"),
        (f"{RUN} --levels sex=1- -o out.csv", "is not COLUMN=LEVEL"),
        (f"{RUN} --suppression-limit 1.5 -o out.csv", "1.5 is not between 0 and 1"),
        (f"{RUN} --suppression-limit -0.5 -o out.csv", "-0.5 is not between 0 and 1"),
        ("lattice people.csv -p full.yaml", "Missing option"),
        ("lattice people.csv -o nodes.csv", "missing policy"),
        ("lattice people.csv -p full.yaml -o people.csv", "is INPUT already"),
        ("lattice people.csv -p full.yaml -o n.csv --chart full.yaml", "must end in .html, .svg"),
        ("lattice people.csv -p full.yaml -o - --json", "cannot hold both"),
    ],
)
def test_wrong_usage_is_told(kanonym, line, message):
    """Exit code 2, and what is wrong."""
    ran = kanonym(line)
    assert ran.code == 2
    assert message in ran.error


def test_lattice_writes_nodes_and_a_chart(kanonym, folder):
    """Every node is a row, in CSV as in Parquet, and the best of them is the release."""
    for output, chart in (("n.csv", "f.html"), ("n.parquet", "f.svg")):
        ran = kanonym(f"lattice people.csv -p full.yaml -o {output} --chart {chart} --json")
        assert ran.code == 0
        assert (folder / chart).stat().st_size > 1000
    nodes = read_table("n.parquet")
    assert nodes.height == ran.json["nodes"] == nodes.unique("^level_.*$").height
    assert nodes["satisfied"].sum() == ran.json["satisfied"]
    assert nodes.height == read_table("n.csv").height
    release = kanonym(f"{RUN} -o out.csv --json").json
    best = ran.json["best"]
    assert best["levels"] == release["algorithm"]["levels"]
    assert best["score"] == pytest.approx(release["algorithm"]["score"])
    assert best["suppressed"] == release["suppressed"]
    assert set(best["achieved"]) == {"k-anonymity", "l-diversity of diagnosis"}


def test_lattice_takes_the_options_of_the_search(kanonym):
    """Levels bound the lattice, and another metric gives other scores."""
    bound = "--levels postal_code=3-4,sex=0,occupation=2 --metric height"
    ran = kanonym(f"lattice people.csv -p full.yaml -o nodes.csv --json {bound}")
    nodes = read_table("nodes.csv")
    assert ran.json["nodes"] == nodes.height == 2 * 6
    assert set(nodes["level_postal_code"]) == {3, 4}
    levels = nodes.select("^level_.*$").sum_horizontal()
    assert nodes["score"].to_list() == levels.to_list()


def test_lattice_tells_what_it_found(kanonym):
    """People read how many nodes there are, and the best; `-` is standard output."""
    ran = kanonym("lattice people.csv -p full.yaml -o nodes.csv")
    assert "satisfying the policy" in ran.text
    assert "best node" in ran.text
    piped = kanonym("lattice people.csv -p full.yaml -o -")
    assert piped.out == (read_table("nodes.csv").write_csv().encode())


def test_cell_suppression_tells_the_cells(kanonym):
    """Cells are counted by attribute, and k under both readings of null; the rest stays true."""
    ran = kanonym(
        f"{SHORT} insensitive -k 2 --algorithm cell-suppression --importance sex -o out.csv --json"
    )
    assert ran.code == 0
    algorithm = ran.json["algorithm"]
    released = read_table("out.csv")
    blanked = {name: released[name].null_count() for name in algorithm["cells"]}
    assert algorithm["cells"] == blanked
    assert algorithm["k"] >= 2
    assert algorithm["k_wildcard"] >= algorithm["k"]
    assert ran.json["verification"]["models"][0]["nulls"] == "value"
    people = read_table("people.csv")
    assert set(released["sex"].drop_nulls()) <= set(people["sex"])


def test_the_wildcard_reading_is_the_one_that_is_verified(kanonym, folder):
    """Where the policy reads null as a wildcard, so do the release's check and `verify`."""
    policy = POLICY.replace("  - {type: l-diversity, attribute: diagnosis, l: 3}\n", "")
    form = "{type: cell-suppression, nulls: wildcard}"
    policy = policy.replace("{type: full-domain, metric: loss, suppression_limit: 0.02}", form)
    (folder / "cells.yaml").write_text(policy, "utf-8")
    ran = kanonym("anonymize people.csv -p cells.yaml -o out.csv --json")
    assert ran.code == 0
    assert ran.json["algorithm"]["k"] < 5 <= ran.json["algorithm"]["k_wildcard"]
    check = kanonym("verify out.csv -p cells.yaml --json --accept-findings")
    assert check.code == 0
    assert check.json["models"][0]["nulls"] == "wildcard"
    assert "null as a wildcard" in kanonym("verify out.csv -p cells.yaml").text


def test_a_second_interruption_leaves_nothing(kanonym, folder, monkeypatch):
    """Ctrl-C after the search ends with 130, and no file is there."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "verify_release", interrupted)
    before = sorted(folder.rglob("*"))
    ran = kanonym(f"{RUN} -o out.csv --report r.html")
    assert ran.code == 130
    assert sorted(folder.rglob("*")) == before


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT between processes")
def test_control_c_releases_the_best_so_far(folder):
    """A search that is stopped releases what it has, verified and written whole, and says so."""
    rng = np.random.default_rng(0)
    wide = pl.DataFrame({f"q{i}": rng.normal(0, 30, 800).astype(int) for i in range(14)})
    wide.write_csv(folder / "wide.csv")
    line = [*COMMAND, "anonymize", "wide.csv", "-o", "out.csv", "-k", "3", "--json"]
    line += ["--algorithm", "full-domain", "--suppression-limit", "0.2"]
    line += ["-q", ",".join(wide.columns), "--report", "r.md", "--no-attack"]
    process = subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, text=True
    )
    told = ""
    while "best 0" not in told:
        told = process.stderr.readline()
        assert told, "the search ended before it told of a node"
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "the search was stopped: this is the best so far" in error
    found = json.loads(out)
    assert found["algorithm"]["interrupted"] is True
    assert found["algorithm"]["optimal"] is False
    assert found["algorithm"]["gap"] > 0
    assert found["verification"]["satisfied"] is True
    assert read_table(folder / "out.csv").height == found["rows_out"]
    assert "stopped by the user" in (folder / "r.md").read_text("utf-8")


@pytest.mark.usefixtures("folder")
def test_a_lattice_needs_no_policy_file(kanonym):
    """The short options of anonymize state the policy of a lattice as well."""
    asked = "-q sex,occupation -k 3 --others insensitive"
    found = kanonym(f"lattice people.csv {asked} -o nodes.csv --json")
    assert found.code == 0, found.error
    assert found.json["nodes"] == len(read_table("nodes.csv"))
    assert found.json["best"]["achieved"]["k-anonymity"] >= 3
