"""`kanonym synthesize`: a table in, records of nobody out."""

from __future__ import annotations

import io
import sys

import numpy as np
import polars as pl
import pytest

from kanonym.data.files import read_table

RUN = "synthesize stays.csv -o out.csv"


@pytest.fixture
def stays(folder):
    """Write `stays.csv`, 300 records of persons with names."""
    random = np.random.default_rng(0)
    ages = random.integers(18, 90, 300)
    came = random.integers(0, 300, 300)
    table = pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(300)],
            "age": ages,
            "zip": [f"0{i}" for i in random.integers(1000, 1010, 300)],
            "came": came,
            "left": came + random.integers(0, 9, 300),
            "ill": np.where(ages + random.normal(0, 15, 300) > 55, "flu", "cold"),
        }
    )
    table.write_csv(folder / "stays.csv")
    return table


def test_a_table_is_learned_and_another_one_drawn(kanonym, stays):
    """The file has so many records, without the dropped column, and every rule holds."""
    ran = kanonym(f"{RUN} --rows 120 --drop name", "--constraint", "left >= came")
    assert ran.code == 0
    made = read_table("out.csv")
    assert made.columns == stays.columns[1:]
    assert made.schema == stays.drop("name").schema
    assert made.height == 120
    assert (made["left"] >= made["came"]).all()
    assert set(made["zip"]) <= set(stays["zip"])
    for said in ("120 by copula, seed 0", "left >= came", "no privacy model applies"):
        assert said in ran.text


def test_trees_take_the_size_of_a_leaf_and_an_order(kanonym, stays):
    """Every rule holds, and the table says who made it; a small leaf is refused with the reason."""
    asked = f"{RUN} --drop name --method trees --leaf 10 --order ill --constraint left>=came"
    ran = kanonym(asked)
    assert ran.code == 0
    assert "300 by trees, seed 0" in ran.text
    made = read_table("out.csv")
    assert made.schema == stays.drop("name").schema
    assert (made["left"] >= made["came"]).all()
    refused = kanonym(f"{RUN} --drop name --method trees --leaf 1")
    assert refused.code == 3
    assert "publishes them" in refused.error


def test_it_is_judged_by_measures_and_attacks(kanonym, stays):
    """--json holds how the table was made, what tells it apart, its utility and the attacks."""
    asked = "--drop name --hold-out 0.3 --judge -q age,zip -s ill --seed 4 --json"
    found = kanonym(f"{RUN} {asked}").json
    facts = {"method": "copula", "rows": 210, "rows_in": 300, "held_out": 90, "seed": 4}
    assert {name: found[name] for name in facts} == facts
    assert found["dropped"] == ["name"]
    assert 0 <= found["detection"]["value"] <= 1
    assert found["utility"]["total_variation"]["value"] < 0.2
    assert found["copies"]["learned_as_many"] is not None
    assert {one["type"]: one["control"] is None for one in found["attacks"]} == {
        "singling-out": False,
        "linkability": False,
        "inference": False,
        "model-inference": False,
        "membership": True,  # its attempts are on members and others alike
    }
    assert found["written"] == ["out.csv"]
    assert stays.height == 300


def test_people_read_the_same_as_tables(kanonym, stays):
    """Without --json: how much the records are like real ones, utility, and the attacks."""
    ran = kanonym(f"{RUN} --drop name --hold-out 0.3 --judge -q age,zip -s ill")
    assert ran.code == 0
    for said in ("90 held out", "distinguishable, AUC", "of those held out", "pMSE", "membership"):
        assert said in ran.text
    assert stays["name"][0] not in ran.text


@pytest.mark.usefixtures("stays")
def test_without_held_out_records_it_is_judged_too(kanonym):
    """What needs them says so, and nothing else is missing."""
    ran = kanonym(f"{RUN} --drop name --judge -q age,zip -s ill")
    assert "of those held out" not in ran.text
    assert "give a control table" in " ".join(ran.text.split())


def test_standard_input_and_output_carry_the_tables(kanonym, folder, stays):
    """`-` reads and writes the table; what people read goes to standard error."""
    stdin = (folder / "stays.csv").read_bytes()
    ran = kanonym("synthesize - -o - --drop name --rows 7", stdin=stdin)
    assert pl.read_csv(io.BytesIO(ran.out)).height == 7
    assert "7 by copula" in ran.error
    assert stays.height == 300


@pytest.mark.usefixtures("stays")
def test_one_seed_gives_one_file(kanonym, folder):
    """The same seed writes the same bytes, another seed others."""
    written = []
    for seed in (1, 1, 2):
        assert kanonym(f"{RUN} --drop name --seed {seed}").code == 0
        written.append((folder / "out.csv").read_bytes())
    assert written[0] == written[1] != written[2]


@pytest.mark.usefixtures("stays")
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("", "column 'name' is free text"),
        ("--drop nam", "did you mean 'name'"),
        ("--drop name --constraint came>=left", "breaks the constraint"),
        ("--drop name --method sdv:tvae", "pip install 'sdv>=2'"),
        ("--drop name --method smartnoise:mst", "--epsilon"),
        (
            "--drop name --method smartnoise:mst --epsilon 1",
            "pip install smartnoise-synth",
        ),
        ("--drop name --method sdv:x", "unknown synthesizer"),
    ],
)
def test_what_cannot_be_made_is_one_line(refused, monkeypatch, more, message):
    """The column, the row or the library is named; no file is written."""
    for module in ("sdv", "snsynth"):
        monkeypatch.setitem(sys.modules, module, None)
    assert message in refused(f"{RUN} {more}")


@pytest.mark.usefixtures("stays")
@pytest.mark.parametrize(
    ("line", "option"),
    [
        (f"{RUN} --json -o -", "--json and -o -"),
        (f"{RUN} -s ill", "-q and -s"),
        (f"{RUN} --hold-out 2", "--hold-out"),
        (f"{RUN} --rows 0", "--rows"),
        (f"{RUN} --epsilon 2", "--epsilon"),
        (f"{RUN} --leaf 10", "--leaf and --order"),
        (f"{RUN} --order age", "--leaf and --order"),
        ("synthesize stays.csv -o stays.csv", "-o"),
    ],
)
def test_wrong_usage_names_its_option(kanonym, line, option):
    """Exit code 2, before anything is read."""
    ran = kanonym(line)
    assert ran.code == 2
    assert option in ran.error


def test_all_faults_are_told_at_once(kanonym, folder):
    """Every unknown column, value out of range and broken constraint is named in one error."""
    ran = kanonym(
        "synthesize patients.csv --drop nane --method copulae --constraint age=3 -o out.csv"
    )
    assert ran.code == 3
    assert "3 faults" in ran.error
    assert not (folder / "out.csv").exists()
