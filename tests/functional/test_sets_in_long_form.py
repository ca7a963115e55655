"""Sets in long form through the command line: grouped by person, and listed again."""

from __future__ import annotations

import polars as pl
import pytest

from twins.itemsets import CODES

POLICY = """\
version: 1
attributes:
  person: {role: identifier%s}
  item: {role: set, hierarchy: {file: items.csv}}
rows: persons
models:
  - {type: km-anonymity, k: 2, m: 2}
item_algorithm: {type: optimal-cut, drop: false}
"""
SHOP = ["a1 b1 b2", "a2 b1", "a2 b1 b2", "a1 a2 b2", "b1 b2", "a1 b2", "a2 b2", "a1 b1"]
RECODED = ["A b1", "A b1", "A b1 b2", "A b1 b2", "A b2", "A b2", "A b2", "b1 b2"]
"""The shop of `golden/set_valued.json`, and its best recoding with k = 2, m = 2."""

LONG = "--policy policy.yaml --long person,item"


@pytest.fixture
def shop(folder):
    """Write the shop with a row per person and item, each row twice."""
    rows = [(f"p{i}", item) for i, items in enumerate(SHOP) for item in items.split() * 2]
    pl.DataFrame(rows, schema=["person", "item"], orient="row").write_csv(folder / "rows.csv")
    tree = "".join(";".join([item, *above]) + "\n" for item, above in CODES.items())
    (folder / "items.csv").write_text(tree)
    (folder / "policy.yaml").write_text(POLICY % "")
    return folder


def sets_in(file, person):
    """Return the sets of a long table, sorted."""
    grouped = pl.read_csv(file).group_by(person).agg(pl.col("item"))
    return sorted(" ".join(one) for one in grouped["item"].to_list())


def test_a_long_table_is_released_as_one(kanonym, shop):
    """The shop in long form gets its golden recoding, in rows of numbered persons."""
    done = kanonym(f"anonymize rows.csv {LONG} -o released.csv")
    assert done.code == 0, done.error
    assert sets_in(shop / "released.csv", "person_number") == RECODED
    assert kanonym(f"verify released.csv {LONG} --accept-findings").code == 0
    attacked = kanonym(f"attack rows.csv released.csv {LONG} --attack known-items")
    assert attacked.code == 0, attacked.error


def test_options_stand_for_a_policy_of_sets(kanonym, shop):
    """--set, -k and -m need no policy file."""
    table = pl.DataFrame({"item": [one.replace(" ", "+") for one in SHOP]})
    table.write_csv(shop / "sets.csv")
    options = "--set item=+ --hierarchy item=items.csv -k 2 -m 2 --item-algorithm optimal-cut"
    done = kanonym(f"anonymize sets.csv {options} -o released.csv --json")
    assert done.code == 0, done.error
    assert done.json["verification"]["models"][0]["type"] == "km-anonymity"


def test_a_policy_says_who_the_persons_are(kanonym, shop):
    """`person` of the set takes the place of --long in every command."""
    policy = (POLICY % "").replace("role: set", "role: set, person: person")
    (shop / "policy.yaml").write_text(policy)
    done = kanonym("anonymize rows.csv --policy policy.yaml -o released.csv")
    assert done.code == 0, done.error
    assert sets_in(shop / "released.csv", "person_number") == RECODED
    for command in (
        "verify released.csv --accept-findings",
        "attack rows.csv released.csv --attack known-items",
    ):
        assert kanonym(f"{command} --policy policy.yaml").code == 0
    checked = kanonym("check policy.yaml rows.csv --json")
    assert checked.json["table"]["rows"] == len(SHOP)
    refused = kanonym("anonymize rows.csv --policy policy.yaml --aggregate -o aggregated.csv")
    assert refused.code == 2
    assert "not with a long table of sets" in refused.error


def test_no_risk_is_promised_to_whoever_knows_more(kanonym, folder):
    """Where items and quasi-identifiers are protected apart, the highest risk says so."""
    table = pl.DataFrame({"age": [30, 30], "item": ["a", "a"]})
    table.write_csv(folder / "table.csv")
    options = "anonymize table.csv -q age -k 2 --set item=+ -o released.csv --model"
    done = kanonym(options, "{type: km-anonymity, k: 2, m: 1}")
    assert done.code == 0, done.error
    assert "risk by items as well not limited" in " ".join(done.out.decode().split())


def test_pseudonyms_tell_whose_a_row_is(kanonym, shop):
    """An action on the column of persons stays in the long release."""
    (shop / "key.bin").write_bytes(b"k" * 32)
    action = ", action: {type: keyed-hash, key: {file: key.bin}}"
    (shop / "policy.yaml").write_text(POLICY % action)
    done = kanonym(f"anonymize rows.csv {LONG} -o released.csv")
    assert done.code == 0, done.error
    assert sets_in(shop / "released.csv", "person") == RECODED


@pytest.mark.usefixtures("shop")
def test_a_long_table_with_its_persons_is_no_release(kanonym):
    """Verification refuses a long table that still names its persons."""
    done = kanonym(f"verify rows.csv {LONG}")
    assert done.code == 3
    assert "identifier" in done.error


@pytest.mark.usefixtures("shop")
def test_both_columns_are_named(kanonym):
    """--long without the item is refused."""
    assert kanonym("verify rows.csv --policy policy.yaml --long person").code == 2
