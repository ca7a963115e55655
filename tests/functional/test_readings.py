"""Tables with dates and numbers as people write them, from the file to the release and back."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import kanonym as ka

ROWS = 60
POLICY = """\
attributes:
  born: {role: quasi-identifier, type: date, format: "%d/%m/%Y"}
others: insensitive
models: [{type: k-anonymity, k: 3}]
"""


@pytest.fixture
def german(folder):
    """Write a table of German dates, amounts in euros, postal codes and yes or no."""
    lines = [
        f"{1 + i % 28:02d}.{1 + i % 12:02d}.{1930 + i};{i}.{100 + i},{i:02d} €;0{1000 + i};"
        f"{'ja' if i % 2 else 'nein'};{2000 + 7 * i},5"
        for i in range(1, ROWS)
    ]
    text = "geboren;einkommen;plz;mitglied;schulden\n" + "\n".join(lines) + "\n"
    (folder / "german.csv").write_text(text, "utf-8")


OPTIONS = "-q geboren,einkommen,mitglied -s schulden -k 5 --others insensitive"


@pytest.mark.usefixtures("german")
def test_a_release_has_the_style_of_its_input(kanonym, folder):
    """Dates and amounts are generalized as values, released as they were written, and told."""
    ran = kanonym(f"anonymize german.csv {OPTIONS} -o out.csv --manifest m.json")
    assert ran.code == 0
    assert "column 'geboren' is read as dates written as %d.%m.%Y (detected)" in ran.error
    assert "column 'einkommen' is read as numbers written as 1.234,50 € (detected)" in ran.error
    assert "plz" not in ran.error
    released = pd.read_csv(folder / "out.csv", dtype=str)
    day, euros = r"\d\d\.\d\d\.\d{4}", r"\d+\.\d{3},\d\d €"
    assert released["geboren"].str.fullmatch(rf"\[{day}, {day}\]").all()
    assert released["einkommen"].str.fullmatch(rf"\[{euros}; {euros}\]").all()
    assert released["plz"].str.fullmatch(r"0\d{4}").all()
    assert set(released["mitglied"]) <= {"ja", "nein", "{ja, nein}"}
    assert released["schulden"].str.fullmatch(r"\d+,5").all()
    manifest = (folder / "m.json").read_text("utf-8")
    assert '"detected"' in manifest
    assert re.search(r'"type": "date",\s+"format": "%d.%m.%Y"', manifest)


@pytest.mark.usefixtures("german")
def test_a_release_in_its_style_is_read_back(kanonym):
    """Assess and attack read the labels of such a release as intervals of its original."""
    assert kanonym(f"anonymize german.csv {OPTIONS} -o out.csv").code == 0
    columns = "-q geboren,einkommen,mitglied"
    ran = kanonym(f"assess german.csv out.csv {columns} --json")
    assert ran.code == 0
    assert 0 < ran.json["utility"]["gcp"]["value"] < 1
    found = kanonym(f"attack german.csv out.csv {columns} --attack linkage --json")
    assert found.code == 0


@pytest.mark.usefixtures("german")
def test_profile_writes_the_types_into_the_policy(kanonym, folder):
    """The policy that profile writes says how dates and numbers are written, and runs."""
    assert kanonym("profile german.csv --write p.yaml").code == 0
    assert 'type: date, format: "%d.%m.%Y"' in (folder / "p.yaml").read_text().replace("'", '"')
    assert kanonym("anonymize german.csv -p p.yaml -o out.csv").code == 0


def test_days_that_may_be_months_stop_the_release(kanonym, folder):
    """Dates of two readings are an error with both; declared in the policy, they are released."""
    dates = "".join(f"{1 + i % 12:02d}/{1 + i % 11:02d}/19{50 + i}\n" for i in range(40))
    (folder / "dates.csv").write_text(f"born\n{dates}", "utf-8")
    refused = kanonym("anonymize dates.csv -q born -k 3 -o out.csv")
    assert refused.code == 3
    assert "(%d/%m/%Y)" in refused.error
    assert "(%m/%d/%Y)" in refused.error
    assert not (folder / "out.csv").exists()
    (folder / "dates.yaml").write_text(POLICY, "utf-8")
    assert kanonym("anonymize dates.csv -p dates.yaml -o out.csv").code == 0
    assert kanonym("verify out.csv -p dates.yaml --accept-findings").code == 0


def test_a_cell_of_another_form_names_its_row(kanonym, folder):
    """A cell that is not of the declared format is an error with its row."""
    (folder / "dates.csv").write_text("born\n31/12/1954\nsoon\n", "utf-8")
    (folder / "dates.yaml").write_text(POLICY, "utf-8")
    refused = kanonym("anonymize dates.csv -p dates.yaml -o out.csv")
    assert refused.code == 3
    assert "column 'born', row 2: 'soon' is no date written as '%d/%m/%Y'" in refused.error


def test_declared_types_hold_for_frames():
    """A pandas column of texts is read and released by the type that its policy declares."""
    table = pd.DataFrame({"pay": [f"{i}.000,50 €" for i in range(1, 9)], "x": "a"})
    pay = ka.QuasiIdentifier(recoding="mean", type="number", format="1.234,50 €")
    policy = ka.Policy(attributes={"pay": pay}, others="insensitive", models=[ka.KAnonymity(4)])
    release = ka.anonymize(table, policy)
    assert sorted(set(release.frame["pay"])) == ["2.500,50 €", "6.500,50 €"]
    assert ka.verify(release.frame, policy).satisfied


def columns_of(file):
    """Return the columns of a CSV file as text."""
    return pd.read_csv(file, dtype=str, sep=None, engine="python")


@pytest.mark.parametrize("command", ["anonymize", "fit"])
def test_thousands_beside_small_numbers_stop_the_release(kanonym, folder, command):
    """`900` beside `1.200` is 1,200 or 1.2: an error with both, and text in other columns."""
    rows = "".join(f"{900 + i};{1 + i}.{200 + 10 * i}\n" for i in range(20))
    (folder / "pay.csv").write_text(f"no;pay\n{rows}7;900\n", "utf-8")
    refused = kanonym(f"{command} pay.csv -q pay -k 3 --others insensitive -o out.json")
    assert refused.code == 3
    assert "column 'pay'" in refused.error
    assert "'1234.5' or '1.234.567'" in refused.error
    (folder / "pay.yaml").write_text(
        "attributes: {pay: {role: quasi-identifier, type: number, format: 1.234.567}}\n"
        "others: insensitive\nmodels: [{type: k-anonymity, k: 3}]\n",
        "utf-8",
    )
    assert kanonym("anonymize pay.csv -p pay.yaml -o out.csv").code == 0
    assert columns_of(folder / "out.csv")["pay"].str.fullmatch(r"\[[\d.]+; [\d.]+\]").all()


@pytest.mark.usefixtures("german")
def test_a_recoding_keeps_the_style_of_its_table(kanonym, folder):
    """A batch is read, recoded and released in the style that the fit found."""
    (folder / "batch.csv").write_bytes((folder / "german.csv").read_bytes())
    assert kanonym(f"fit german.csv {OPTIONS} -o recoding.json").code == 0
    assert kanonym("apply recoding.json batch.csv -o out.csv").code == 0
    released = columns_of(folder / "out.csv")
    assert released["geboren"].str.fullmatch(r"\[\d\d\.\d\d\.\d{4}, \d\d\.\d\d\.\d{4}\]").all()
    assert released["einkommen"].str.endswith(" €]").all()


@pytest.mark.usefixtures("german")
def test_added_records_have_the_style_of_the_table(kanonym, folder):
    """Records are added among values, named by values, and found again in the written file."""
    (folder / "key.txt").write_text("00112233445566778899aabbccddeeff", "utf-8")
    marks = "--key key.txt --marks marks.json"
    asked = f"inject german.csv -q mitglied,geboren --size 3 --drop plz --seed 1 {marks}"
    assert kanonym(f"{asked} -o more.csv", "--class", "mitglied=ja,geboren=02.02.1931").code == 0
    more = columns_of(folder / "more.csv")
    assert len(more) == ROWS - 1 + 2
    assert more["einkommen"].str.fullmatch(r"[\d.]+,\d+ €").all()
    assert kanonym(f"inject more.csv --remove {marks} -o less.csv").code == 0
    before, after = columns_of(folder / "german.csv"), columns_of(folder / "less.csv")
    assert sorted(after["einkommen"]) == sorted(before["einkommen"])


@pytest.mark.usefixtures("german")
def test_a_synthetic_table_has_the_style_of_its_original(kanonym, folder):
    """Dates and amounts are learned as values, and drawn in the style that they had."""
    assert kanonym("synthesize german.csv --drop plz --rows 40 -o drawn.csv").code == 0
    drawn = columns_of(folder / "drawn.csv")
    assert drawn["geboren"].str.fullmatch(r"\d\d\.\d\d\.\d{4}").all()
    assert drawn["einkommen"].str.fullmatch(r"[\d.]+,\d+ €").all()
    assert drawn["geboren"].nunique() > 5


@pytest.mark.usefixtures("german")
def test_actions_on_values_read_what_people_wrote(kanonym, folder):
    """Rounding sees amounts and truncation dates; a mask sees the texts themselves."""
    actions = (
        "einkommen={type: round, to: 1000}",
        "geboren={type: truncate-date, to: month}",
        "plz={type: keep, first: 2}",
    )
    more = [part for one in actions for part in ("--action", one)]
    assert kanonym("transform german.csv -o out.csv", *more).code == 0
    changed = columns_of(folder / "out.csv")
    assert changed["einkommen"][0] == "1.000,00 €"
    assert set(changed["plz"]) == {"01***"}
    assert changed["geboren"][:2].tolist() == ["01.02.1931", "01.03.1932"]


def test_assess_counts_exceptions_apart_from_missing_values(kanonym, folder):
    """An exception is a value of its own, in the table and among the persons of a population."""
    ages = [str(20 + i % 40) for i in range(400)]
    people = [str(18 + i % 50) for i in range(4000)]
    table = [*ages, *["refused"] * 3, *["NA"] * 7]
    population = [*people, *["refused"] * 30, *["NA"] * 70, *["secret"] * 5]
    (folder / "t.csv").write_text("age,n\n" + "".join(f"{age},1\n" for age in table), "utf-8")
    (folder / "p.csv").write_text("age,n\n" + "".join(f"{age},1\n" for age in population), "utf-8")
    ran = kanonym("assess t.csv -q age --population p.csv --json")
    assert ran.json["risk"]["k"]["value"] == 3
    assert ran.json["risk"]["journalist_highest"]["value"] == 1 / 30


def test_profile_counts_exceptions_as_no_missing_values(kanonym, folder):
    """An exception is an answer: `profile` tells the row, and counts empty cells alone as null."""
    ages = [*(str(18 + i % 70) for i in range(200)), "3O", "", "NA"]
    (folder / "t.csv").write_text("age,n\n" + "".join(f"{age},1\n" for age in ages), "utf-8")
    ran = kanonym("profile t.csv --json")
    assert "row 201 has '3O'" in ran.error
    assert ran.json["columns"]["age"]["nulls"] == 2


def test_labels_have_the_decimals_of_their_column(kanonym, folder):
    """Where all numbers of a file have two decimals, labels have two; means stay numbers."""
    rows = "".join(f"{1.5 + (i % 40) / 4:.2f},.{10 + i % 80}\n" for i in range(400))
    (folder / "t.csv").write_text(f"price,share\n{rows}", "utf-8")
    ran = kanonym("anonymize t.csv -q price,share -k 5 -o out.csv")
    assert (
        "column 'share' has numbers that begin with their decimal point, such as .10" in ran.error
    )
    released = pd.read_csv(folder / "out.csv", dtype=str)
    assert released["price"].str.fullmatch(r"\[\d+\.\d\d, \d+\.\d\d\]|\d+\.\d\d").all()
    assert kanonym("anonymize t.csv -q price,share -k 5 --recoding mean -o out.json").code == 0
    assert pd.read_json(folder / "out.json")["price"].dtype == float
