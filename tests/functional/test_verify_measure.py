"""`kanonym verify` and `kanonym measure`: what a table is, whoever made it."""

from __future__ import annotations

import pytest

from kanonym.data.files import read_table, write_table

RELEASED = """\
age,zip,sex,disease
20-29,01***,f,flu
20-29,01***,f,cold
20-29,01***,f,cold
40-49,04***,m,flu
40-49,04***,m,flu
40-49,04***,m,flu
50-59,04***,m,cold
"""


@pytest.fixture
def released(folder):
    """Write a table with a class of one record and a class of one disease."""
    (folder / "released.csv").write_text(RELEASED, "utf-8")


@pytest.mark.usefixtures("released")
def test_without_the_original_it_is_said_what_was_not_looked_for(kanonym, folder):
    """Neither a manifest nor --original is there: kinds of findings are named, and what to do."""
    (folder / "k3.yaml").write_text(
        "attributes: {zip: {role: quasi-identifier}}\nothers: insensitive\n"
        "models: [{type: k-anonymity, k: 3}]\nrows: persons\n",
        "utf-8",
    )
    alone = kanonym("verify released.csv -p k3.yaml --accept-findings")
    assert alone.code == 0
    assert "not looked for: person-column, repeated-persons, dependent-column" in alone.error
    beside = kanonym("verify released.csv -p k3.yaml --accept-findings --original released.csv")
    assert "not looked for" not in beside.error


@pytest.mark.usefixtures("released")
def test_violation_ends_with_1_and_names_the_classes(kanonym):
    """A violated policy is exit code 1, one line on standard error, and the classes by row."""
    ran = kanonym("verify released.csv -p policy.yaml")
    assert ran.code == 1
    assert ran.error == (
        "kanonym: error: released.csv violates k-anonymity, l-diversity: 2 of 3 classes\n"
    )
    assert "04***" not in ran.text
    assert (
        ran.text.count("l-diversity") == 6
    )  # the model, two parts, once for each class, and advice
    named = kanonym("verify released.csv -p policy.yaml --show-values")
    assert "age 50-59, zip 04***, sex m" in named.text
    assert "age 40-49, zip 04***, sex m" in named.text
    assert "age 20-29" not in named.text


@pytest.mark.usefixtures("released")
def test_json_names_every_violating_class(kanonym):
    """`--json` gives each violating class with its values, size and model."""
    ran = kanonym("verify released.csv -p policy.yaml --json")
    assert ran.code == 1
    assert ran.json["satisfied"] is False
    assert [one["satisfied"] for one in ran.json["models"]] == [False, False]
    single = {"age": "50-59", "zip": "04***", "sex": "m"}
    uniform = {"age": "40-49", "zip": "04***", "sex": "m"}
    assert {(one["model"], one["size"]) for one in ran.json["violating"]} == {
        ("k-anonymity", 1),
        ("l-diversity", 1),
        ("l-diversity", 3),
    }
    assert all(one["class"] in (single, uniform) for one in ran.json["violating"])


def test_satisfied_is_exit_code_0(kanonym, folder):
    """A table that satisfies the policy is exit code 0, with what it achieves."""
    lines = RELEASED.splitlines(keepends=True)
    (folder / "released.csv").write_text("".join(lines[:4]), "utf-8")
    ran = kanonym("verify released.csv -p policy.yaml --json")
    assert ran.code == 0
    assert ran.json["satisfied"] is True
    assert ran.json["violating"] == []
    assert [one["achieved"] for one in ran.json["models"]] == [3, 2]


@pytest.mark.usefixtures("released")
def test_at_most_a_hundred_classes_are_named(kanonym, folder):
    """However many classes are violating, at most a hundred are named."""
    rows = "".join(f"{age},0,f,flu\n" for age in range(300))
    (folder / "released.csv").write_text(f"age,zip,sex,disease\n{rows}", "utf-8")
    ran = kanonym("verify released.csv -p policy.yaml --json")
    assert len(ran.json["violating"]) == 100
    assert "300 of 300 classes" in ran.error


def test_original_shifts_the_reference_of_t_closeness(kanonym, folder):
    """With the original, t-closeness compares classes with it, not with the release alone."""
    policy = (folder / "policy.yaml").read_text("utf-8").split("models:")[0]
    (folder / "policy.yaml").write_text(
        f"{policy}models: [{{type: t-closeness, attribute: disease, t: 0.1}}]\n", "utf-8"
    )
    table = read_table("patients.csv")
    write_table(table.with_columns(age=1, zip=1, sex=1).drop("name").head(3), "released.csv")
    alone = kanonym("verify released.csv -p policy.yaml --json")
    against = kanonym("verify released.csv -p policy.yaml --original patients.csv --json")
    assert alone.json["models"][0]["achieved"] == 0
    assert against.json["models"][0]["achieved"] > 0


def test_missing_column_of_a_release_is_named(refused, folder):
    """A release without a quasi-identifier of the policy cannot be verified: it is named."""
    (folder / "released.csv").write_text("age,sex,disease\n1,f,flu\n", "utf-8")
    (folder / "kept.txt").write_text("", "utf-8")
    assert "zip" in refused("verify released.csv -p policy.yaml")


@pytest.mark.usefixtures("released")
def test_measure_prints_every_field_of_the_contract(kanonym):
    """`measure --json` has the fields of the contract, with the values of the table."""
    found = kanonym("measure released.csv -q age,zip,sex -s disease --json").json
    assert {name: found[name] for name in ("rows", "classes", "k", "uniques")} == {
        "rows": 7,
        "classes": 3,
        "k": 1,
        "uniques": 1,
    }
    assert found["average_class_size"] == pytest.approx(7 / 3)
    assert found["anonymity_set"] == pytest.approx({"min": 1, "mean": 7 / 3, "max": 3})
    assert set(found["attributes"]["disease"]) >= {
        "alpha",
        "l_distinct",
        "l_entropy",
        "l_recursive_c",
        "diversity_percent",
        "t_equal",
        "t_ordered",
        "t_hierarchical",
        "basic_beta",
        "enhanced_beta",
        "delta_disclosure",
        "kl_divergence",
        "total_variation",
    }
    assert found["attributes"]["disease"]["l_distinct"] == 1
    assert found["attributes"]["disease"]["t_hierarchical"] is None


@pytest.mark.usefixtures("released")
def test_measure_takes_a_hierarchy_of_a_sensitive_attribute(kanonym, folder):
    """With a hierarchy of the sensitive attribute, the hierarchical distance is measured."""
    (folder / "disease.csv").write_text("flu;viral;*\ncold;viral;*\n", "utf-8")
    line = "measure released.csv -q age -s disease --hierarchy disease=disease.csv --json"
    found = kanonym(line).json["attributes"]["disease"]
    assert found["t_hierarchical"] == pytest.approx(found["t_equal"] / 2)


@pytest.mark.usefixtures("released")
def test_measure_fits_a_narrow_terminal(kanonym):
    """The tables of `measure` fit into eighty columns."""
    ran = kanonym("measure released.csv -q age,zip -s disease,sex")
    assert ran.code == 0
    assert "disease" in ran.text
    assert max(map(len, ran.text.splitlines())) <= 80


@pytest.mark.usefixtures("released")
def test_measure_needs_no_sensitive_attribute(kanonym):
    """Without a sensitive attribute, class sizes are measured."""
    ran = kanonym("measure released.csv -q age")
    assert ran.code == 0
    assert "classes" in ran.text


SPELT = {
    "fractions": ("1", "1.0", "1.5", "1.50"),
    "blanks": ("7", " 7", "8", "8 "),
    "zones": ("2024-03-01T11:00:00Z", "2024-03-01T12:00:00+01:00") * 2,
}


@pytest.mark.parametrize("texts", SPELT.values(), ids=SPELT)
@pytest.mark.parametrize("engine", ["", " --engine duckdb"])
def test_k_is_the_least_of_values_and_texts(kanonym, folder, texts, engine):
    """Texts that read as one value tell records apart: k is counted both ways, and it is said."""
    rows = "".join(f"{text},f\n" for text in texts)
    (folder / "spelt.csv").write_text(f"age,disease\n{rows}", "utf-8")
    least = 1 if len(set(texts)) == 4 else 2
    policy = "attributes: {age: {role: quasi-identifier}}\nothers: insensitive\n"
    (folder / "k.yaml").write_text(f"{policy}models: [{{type: k-anonymity, k: {least + 1}}}]\n")
    ran = kanonym(f"verify spelt.csv -p k.yaml --json{engine}")
    assert ran.code == 1
    assert ran.json["models"][0]["achieved"] == least
    assert ran.json["text_columns"] == ["age"]
    measured = kanonym(f"measure spelt.csv -q age --json{engine}")
    assert (measured.json["k"], measured.json["text_columns"]) == (least, ["age"])
    assert "several texts stand for one value" in " ".join(
        kanonym(f"measure spelt.csv -q age{engine}").text.split()
    )


def test_texts_of_one_form_are_not_mentioned(kanonym, folder):
    """Where each value has one text, nothing is said of two readings."""
    (folder / "plain.csv").write_text("age,disease\n1.5,f\n1.5,f\n2.5,m\n", "utf-8")
    assert "text_columns" not in kanonym("measure plain.csv -q age --json").json


def test_a_statement_is_printed_in_the_place_of_a_verdict(kanonym):
    """RELEASED and INPUT are names then; options that a statement cannot heed are refused."""
    asked = "verify clinic.released -p policy.yaml --sql postgres"
    printed = kanonym(asked).text
    assert 'FROM "clinic"."released"' in printed
    assert printed.endswith(";\n")
    figures = kanonym("measure released -q age,zip -s disease --sql sqlite").text
    assert '"disease_t_equal"' in figures
    for more, flag in (("--original patients.csv", "--original"), ("--schema clinic", "--schema")):
        ran = kanonym(f"{asked} {more}")
        assert ran.code == 2
        assert flag in ran.error
    of_dbt = kanonym("verify", "{{ ref('released') }}", "-p", "policy.yaml", "--sql", "duckdb").text
    assert "FROM {{ ref('released') }}" in of_dbt
    assert ";" not in of_dbt
