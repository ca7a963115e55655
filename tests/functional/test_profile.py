"""Profiles of real and invented tables: roles, and the policy that runs as it is written."""

from __future__ import annotations

import runpy

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data.example_tables import patients
from kanonym.data.schema import Role
from kanonym.profiling import profile

IDENTIFIERS = {
    "patients": ["name", "national_number"],
    "adult": [],
    "loans": [],
    "households": ["ori_hid"],
}
SENSITIVE = {
    "patients": ["diagnosis"],
    "adult": ["salary-class"],
    "loans": ["AMT_INCOME_TOTAL", "AMT_CREDIT"],
    "households": ["expend", "income", "savings"],
}


@pytest.fixture(scope="module")
def tables(shared_data):
    """Return the tables by name, those of files read from them."""
    loans = runpy.run_path(str(shared_data / "credit_like.py"))["make"](20_000)
    return {
        "patients": patients(10_000),
        "adult": ka.read_table(shared_data / "adult" / "adult.csv"),
        "loans": loans,
        "households": ka.read_table(shared_data / "sdc" / "testdata.csv"),
    }


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_identifiers_are_found_and_only_constants_are_insensitive(tables, name):
    """Every identifier is found; whatever tells records apart is not called insensitive."""
    found = profile(tables[name])
    assert found.names(Role.IDENTIFIER) == IDENTIFIERS[name]
    assert found.names(Role.SENSITIVE) == SENSITIVE[name]
    for column in found.names(Role.INSENSITIVE):
        assert len(set(tables[name][column])) == 1
    assert all(one.evidence for one in found.columns)


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_the_written_policy_runs_unedited(tables, name, tmp_path):
    """The policy file gives a release that satisfies 5-anonymity."""
    profile(tables[name]).write_policy(tmp_path / "policy.yaml")
    policy = ka.Policy.from_file(tmp_path / "policy.yaml")
    release = ka.anonymize(tables[name], policy)
    assert release.verification.satisfied
    assert release.rows_out == len(tables[name])
    known = [column for column, one in policy.attributes.items() if one.role == "quasi-identifier"]
    assert ka.measure(release.frame, quasi_identifiers=known).k >= 5


def test_the_sentinel_of_the_loans_is_suspected(tables):
    """365,243 days of employment stand for no employment, and no outlier is made of them."""
    employed = profile(tables["loans"]).columns[3].content
    assert [one.value for one in employed.sentinels] == ["365243"]
    assert employed.outliers.high == 0


def test_distinction_of_all_columns_of_adult_is_its_average_risk(tables):
    """Classes over records is what ARX calls average prosecutor risk of nine attributes."""
    found = profile(tables["adult"], quasi_identifiers=["salary-class"])
    assert found.together.distinction == pytest.approx(0.6465751607983555, abs=1e-12)
    assert found.together.uniques == 15_512
    assert found.unique_sets.sets == ()
    assert found.unique_sets.cut == ""


def test_the_command_line_takes_the_written_policy(folder, kanonym):
    """Written beside the table, the policy is all that `kanonym anonymize` needs."""
    profile(ka.read_table(folder / "patients.csv")).write_policy(folder / "suggested.yaml", k=2)
    outcome = kanonym("anonymize patients.csv -p suggested.yaml -o out.csv --json")
    assert outcome.code == 0
    assert outcome.json["verification"]["satisfied"]


# --- the command ------------------------------------------------------------------------


@pytest.fixture
def many(folder):
    """Write 300 generated patients as `many.csv`."""
    patients(300).write_csv(folder / "many.csv")
    return folder / "many.csv"


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("k", [5, 10])
def test_profile_anonymize_verify_need_no_editor(kanonym, folder, k):
    """The written policy anonymizes the table it was made for, and the release satisfies it."""
    assert kanonym(f"profile many.csv --write suggested.yaml -k {k}").code == 0
    assert kanonym("anonymize many.csv -p suggested.yaml -o out.csv").code == 0
    ran = kanonym("verify out.csv -p suggested.yaml --json")
    assert ran.code == 0
    assert ran.json["models"][0] == {
        "type": "k-anonymity",
        "required": k,
        "achieved": ran.json["models"][0]["achieved"],
        "satisfied": True,
        "guarantee": "per class",
        "verdict": "checked",
    }
    assert "name" not in ka.read_table(folder / "out.csv").columns


@pytest.mark.usefixtures("many")
def test_json_is_the_profile(kanonym):
    """`--json` is what `profile` says of the table, and nothing else on standard output."""
    ran = kanonym("profile many.csv --json")
    assert ran.code == 0
    assert ran.json == profile(ka.read_table("many.csv")).to_dict()
    roles = {name: one["role"] for name, one in ran.json["columns"].items()}
    assert roles == {
        "name": "identifier",
        "national_number": "identifier",
        "postal_code": "quasi-identifier",
        "birth_date": "quasi-identifier",
        "sex": "quasi-identifier",
        "occupation": "quasi-identifier",
        "diagnosis": "sensitive",
    }


def test_a_column_is_what_the_user_says(kanonym, many):
    """Columns named with -q are quasi-identifiers, whatever they look like; input by pipe."""
    ran = kanonym("profile - -q diagnosis,name --json", stdin=many.read_bytes())
    roles = {name: one["role"] for name, one in ran.json["columns"].items()}
    assert roles["diagnosis"] == roles["name"] == "quasi-identifier"


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("width", ["80", "120"])
def test_the_tables_fit_into_the_terminal(kanonym, monkeypatch, width):
    """Each column stands with its role and the evidence, no wider than the terminal."""
    monkeypatch.setenv("COLUMNS", width)
    ran = kanonym("profile many.csv --write suggested.yaml")
    *tables, run, _ = ran.text.split("\n")
    assert run == "  kanonym anonymize many.csv --policy suggested.yaml -o released.csv"
    assert max(map(len, tables)) <= int(width)
    said = " ".join(ran.text.split())
    assert "sex quasi-identifier Text. The name suggests: sex. 2 values distinguish" in said
    assert "columns without equal records" in said
    assert "written suggested.yaml" in said


def test_evidence_has_no_value_of_the_table(kanonym, many):
    """What is printed about names and diagnoses is counted, never quoted."""
    text = kanonym("profile many.csv").text
    table = ka.read_table(many)
    for column in ("name", "national_number", "diagnosis"):
        assert not any(str(value) in text for value in table[column].unique())


def test_the_policy_goes_to_standard_output(kanonym, folder):
    """`--write -` prints the policy alone; the tables go to standard error."""
    ran = kanonym("profile patients.csv --write - -k 2")
    assert ran.code == 0
    assert "role" in ran.error
    policy = ka.Policy.from_text(ran.text)
    assert policy.models[0] == ka.KAnonymity(2)
    assert not (folder / "-").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("profile", "INPUT"),
        ("profile patients.csv -k 0", "-k"),
        ("profile patients.csv -k many", "-k"),
        ("profile patients.csv --write patients.csv", "is INPUT already"),
        ("profile patients.csv --json --write -", "cannot hold both"),
        ("profile patients.csv --policy policy.yaml", "--policy"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_touches_nothing(kanonym, folder, line, said):
    """A command that makes no sense ends with 2 before anything is written."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    ran = kanonym(line)
    assert ran.code == 2
    assert ran.out == b""
    assert said in " ".join(ran.error.split())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("profile nowhere.csv", "no file nowhere.csv"),
        ("profile patients.csv -q height", "no such column: 'height'"),
        ("profile patients.csv --write away/policy.yaml", "away"),
    ],
)
def test_data_that_says_no_is_one_line_and_exit_code_1(refused, line, said):
    """What is wrong is one line, without a traceback, and no file is left."""
    assert said in refused(line)


@pytest.mark.parametrize("text", ["a,b\n", "a,b\n1,2\n", "a\n1\n1\n"])
def test_tables_that_tell_nothing_are_profiled(kanonym, text):
    """No record, one record, or one value: a table and a policy come out, not an error."""
    ran = kanonym("profile - --write suggested.yaml", stdin=text.encode())
    assert ran.code == 0
    assert f"records {text.count(chr(10)) - 1}" in " ".join(ran.text.split())


@pytest.mark.usefixtures("many")
def test_the_input_is_not_modified(kanonym, folder):
    """Profiling writes the policy and nothing else."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert kanonym("profile many.csv --write suggested.yaml").code == 0
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert after.pop("suggested.yaml")
    assert after == before


def test_answers_from_a_pipe_are_the_policy(kanonym, folder):
    """A line for each question; questions are on standard error, the policy where -o says."""
    ran = kanonym(
        "profile patients.csv --ask -o answered.yaml", stdin=b"yes\n\n-zip\nnone\n\nsex\n3\n"
    )
    assert ran.code == 0, ran.error
    assert "1. Is each row a person?" in ran.error
    policy = ka.Policy.from_file(folder / "answered.yaml")
    assert (policy.rows, policy.sensitive, policy.models[0].k) == ("persons", "none", 3)
    assert "Answered: each row is a person." in (folder / "answered.yaml").read_text("utf-8")
    assert kanonym("profile patients.csv --ask", stdin=b"\n" * 7).text.startswith("# Suggested")


def test_answers_that_end_too_early_write_nothing(kanonym, folder):
    """The error says which question was open; a wrong answer from a pipe is one, too."""
    ran = kanonym("profile patients.csv --ask -o answered.yaml", stdin=b"yes\n\n")
    assert ran.code == 3
    assert "standard input ended before question 3, of at most 7, was answered" in ran.error
    ran = kanonym("profile patients.csv --ask -o answered.yaml", stdin=b"perhaps\n")
    assert ran.code == 3
    assert "answer 1: 'perhaps'" in ran.error
    assert not (folder / "answered.yaml").exists()


@pytest.mark.parametrize(("columns", "values"), [(60, 2), (90, 20)])
def test_wide_tables_fit_on_a_screen(kanonym, columns, values):
    """At most 40 lines by profile, check and anonymize, and what columns cost each other."""
    random = np.random.default_rng(1)
    table = {f"v{i}": random.integers(0, values + i % 9, 120) for i in range(columns)}
    pl.DataFrame({"member_id": [f"M{i:04d}" for i in range(120)], **table}).write_csv("wide.csv")
    ran = kanonym("profile wide.csv -o wide.yaml")
    assert len(ran.text.splitlines()) <= 40
    assert ("loss: with 15 of them," in ran.text) == (columns > 60)
    assert len(kanonym("check wide.yaml wide.csv").text.splitlines()) <= 40
    ran = kanonym("anonymize wide.csv -p wide.yaml -o out.csv --algorithm mondrian")
    assert ran.code == 0
    assert len(ran.text.splitlines()) <= 40
