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
    assert kanonym("verify out.csv -p dates.yaml").code == 0


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


def test_an_engine_refuses_declared_types(kanonym, folder):
    """Tables of an engine are not read by conventions, and the error says so."""
    (folder / "dates.csv").write_text("born\n31/12/1954\n", "utf-8")
    (folder / "dates.yaml").write_text(POLICY, "utf-8")
    refused = kanonym("anonymize dates.csv -p dates.yaml -o out.csv --engine duckdb")
    assert refused.code == 3
    assert "type and format are not supported for engine tables" in refused.error
