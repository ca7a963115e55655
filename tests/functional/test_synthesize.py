"""`kanonym synthesize`: a table in, records of nobody out."""

from __future__ import annotations

import io
import json
from hashlib import sha256

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
    for said in ("120 by trees, seed 0", "left >= came", "this method gives no guarantee"):
        assert said in ran.text


def test_trees_take_the_size_of_a_leaf_and_an_order(kanonym, stays):
    """Every rule holds, and the table says who made it; a small leaf is refused with the reason."""
    asked = f"{RUN} --drop name --leaf 10 --order ill --constraint left>=came"
    ran = kanonym(asked)
    assert ran.code == 0
    assert "300 by trees, seed 0" in ran.text
    made = read_table("out.csv")
    assert made.schema == stays.drop("name").schema
    assert (made["left"] >= made["came"]).all()
    refused = kanonym(f"{RUN} --drop name --leaf 1 --overwrite")
    assert refused.code == 3
    assert "publishes them" in refused.error


def test_it_is_judged_by_measures_and_attacks(kanonym, stays):
    """--json holds how the table was made, what tells it apart, its utility and the attacks."""
    asked = "--drop name --hold-out 0.3 --judge -q age,zip -s ill --seed 4 --json"
    found = kanonym(f"{RUN} {asked}").json
    facts = {"method": "trees", "rows": 210, "rows_in": 300, "held_out": 90, "seed": 4}
    assert {name: found[name] for name in facts} == facts
    assert found["dropped"] == ["name"]
    assert 0 <= found["detection"]["value"] <= 1
    assert found["utility"]["total_variation"]["value"] < 0.2
    assert found["copies"]["learned_as_many"] is not None
    assert {one["type"]: one["control"] is None for one in found["attacks"]} == {
        "singling-out": False,
        "linkability": False,
        "inference": False,
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
    assert "7 by trees" in ran.error
    assert stays.height == 300


@pytest.mark.usefixtures("stays")
def test_one_seed_gives_one_file(kanonym, folder):
    """The same seed writes the same bytes, another seed others."""
    written = []
    for seed in (1, 1, 2):
        assert kanonym(f"{RUN} --drop name --seed {seed} --overwrite").code == 0
        written.append((folder / "out.csv").read_bytes())
    assert written[0] == written[1] != written[2]


@pytest.mark.usefixtures("stays")
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("--judge -s name", "column 'name' is free text"),
        ("--drop nam", "did you mean 'name'"),
        ("--drop name --constraint came>=left", "breaks the constraint"),
        ("--drop name --method gan", "method is aim or mst"),
    ],
)
def test_what_cannot_be_made_is_one_line(refused, more, message):
    """The column or the row is named; no file is written."""
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
    ran = kanonym("synthesize patients.csv --drop nane --method tree --constraint age=3 -o out.csv")
    assert ran.code == 3
    assert "3 faults" in ran.error
    assert not (folder / "out.csv").exists()


ZIPS = ", ".join(f"'0{one}': '{one // 5}'" for one in range(1000, 1010))
POLICY = """
attributes:
  name: {role: identifier}
  age: {role: quasi-identifier, domain: {minimum: 18, maximum: 97, bins: 4}}
  zip: {role: quasi-identifier, hierarchy: {mapping: {ZIPS}}}
  came: {role: insensitive, domain: {minimum: 0, maximum: 319, bins: 8, nulls: false}}
  left: {role: insensitive, domain: {minimum: 0, maximum: 319, bins: 8, nulls: false}}
  ill: {role: sensitive, domain: [flu, cold]}
""".replace("ZIPS", ZIPS)
BUDGET = f"{RUN} --policy policy.yaml --epsilon 5"
PRIVATE = f"{BUDGET} --ledger ledger.json"


@pytest.fixture
def policy(folder, monkeypatch):
    """Write `policy.yaml`, with a domain for each column and no model; let fits be short."""
    from kanonym.synthesis.marginals import measuring as aim

    monkeypatch.setattr(aim, "ROUNDS_PER_ATTRIBUTE", 3)
    (folder / "policy.yaml").write_text(POLICY)


@pytest.mark.usefixtures("stays", "policy")
def test_a_budget_makes_a_private_table_and_is_written_down(kanonym):
    """With --epsilon: public domains, rules kept, the promise in words, and a ledger that adds."""
    asked = [PRIVATE, "--constraint", "left >= came"]
    ran = kanonym(*asked)
    assert ran.code == 0
    made = read_table("out.csv")
    assert made.columns == ["age", "zip", "came", "left", "ill"]
    assert (made["left"] >= made["came"]).all()
    assert set(made["zip"]) <= {f"0{one}" for one in range(1000, 1010)} | {None}
    for said in ("by aim", "epsilon 5, delta 1e-09", "one record", "at most 148 times as"):
        assert said in ran.text
    again = kanonym(*asked, "--json", "--overwrite").json
    assert again["ledger"]["epsilon"] == 10
    assert again["private"] is True
    assert not {"rows_in", "seconds"} & {*again}


@pytest.mark.usefixtures("stays", "policy")
def test_what_goes_along_is_named_with_the_table(kanonym, folder):
    """Public report and manifest are written beside the table, whose hash they have."""
    ran = kanonym(f"{PRIVATE} --method mst --public-report r.md --public-manifest p.json --json")
    assert ran.json["written"] == ["out.csv", "r.md", "p.json"]
    told = json.loads((folder / "p.json").read_text())
    assert told["output"]["sha256"] == sha256((folder / "out.csv").read_bytes()).hexdigest()
    assert told["output"]["sha256"] in (folder / "r.md").read_text()


@pytest.mark.usefixtures("stays", "policy")
def test_a_seeded_private_table_is_told_to_be_none(kanonym):
    """A seed makes every output say "not private", and no ledger takes it."""
    ran = kanonym(f"{BUDGET} --method mst --seed 3")
    assert "not private: drawn from a seed" in ran.text
    assert "epsilon" not in ran.text
    refused = kanonym(f"{PRIVATE} --seed 3 --overwrite")
    assert refused.code == 2
    assert "no budget covers it" in refused.error


@pytest.mark.usefixtures("stays", "policy")
def test_no_message_of_a_private_run_tells_of_a_value(kanonym, folder):
    """Values that no domain knows change neither the messages nor the columns."""
    table = read_table("stays.csv").with_columns(ill=pl.lit("Zzyzx disease"), age=pl.lit("old"))
    table.write_csv(folder / "stays.csv")
    ran = kanonym(f"{PRIVATE} --json")
    assert ran.code == 0
    assert "Zzyzx" not in ran.text + ran.error + (folder / "out.csv").read_text()
    assert read_table("out.csv").columns == ["age", "zip", "came", "left", "ill"]


@pytest.mark.usefixtures("stays", "policy")
@pytest.mark.parametrize(
    ("asked", "code", "reason"),
    [
        ("--epsilon 1", 2, "needs --policy"),
        ("--epsilon 1 --method trees", 2, "not differentially private"),
        ("--policy policy.yaml", 2, "needs --epsilon"),
        ("--ledger l.json", 2, "needs --epsilon"),
        ("--epsilon 1 --policy policy.yaml", 2, "spends more of its privacy"),
        ("--epsilon 1 --policy policy.yaml --ledger l.json --leaf 9", 2, "is not for --epsilon"),
        ("--public-manifest p.json", 2, "needs --epsilon"),
    ],
)
def test_a_promise_needs_budget_policy_and_method(kanonym, asked, code, reason):
    """What would promise nothing, or ignore an option, is refused with what is missing."""
    refused = kanonym(f"{RUN} {asked}")
    assert refused.code == code
    assert reason in refused.error
