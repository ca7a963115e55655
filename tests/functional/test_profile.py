"""Profiles of real and invented tables: roles, and the policy that runs as it is written."""

from __future__ import annotations

import runpy

import pytest

import kanonym as ka
from kanonym.data.patients import patients
from kanonym.profiling import profile

IDENTIFIERS = {
    "patients": ["name", "national_number"],
    "adult": [],
    "loans": [],
    "households": ["ori_hid"],
}
SENSITIVE = {"patients": ["diagnosis"], "adult": ["salary-class"], "loans": [], "households": []}


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
    assert found.names(ka.Role.IDENTIFIER) == IDENTIFIERS[name]
    assert found.names(ka.Role.SENSITIVE) == SENSITIVE[name]
    for column in found.names(ka.Role.INSENSITIVE):
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
