"""What pages refuse, say and keep: faults that stewards met, each on one small table."""

from __future__ import annotations

import re

import pytest

from kanonym.data.files import write_table
from kanonym.data.patients import patients
from kanonym.policy import Policy
from kanonym.workbench.screens.explore import is_offered
from kanonym.workbench.work import exploration
from workbench_servers import Visitor, act, idle, running, text_of


@pytest.fixture(scope="module", name="visitor")
def fixture_visitor(tmp_path_factory):
    """Give somebody who opened a table of 120 invented patients."""
    folder = tmp_path_factory.mktemp("faults")
    write_table(patients(120), folder / "patients.csv")
    given = str(folder / "patients.csv")
    with running(given, folder=folder / "project", upload_limit=1 << 20) as (server, addresses):
        visitor = Visitor.enter(addresses[-1])
        visitor.at = visitor.place.rpartition("/")[0]
        visitor.folder, visitor.addresses, visitor.workbench = folder, addresses, server
        idle(visitor)
        yield visitor


def test_no_solution_is_below_the_requirement(monkeypatch):
    """Class sizes start at the one that is required; a requirement that was raised is kept."""
    monkeypatch.setattr(exploration, "SIZES", (1.0, 2.0))
    form = {"quasi_identifiers": ["sex", "postal_code"], "others": "insensitive"}
    found = exploration.compare(patients(60), Policy.from_columns(**form, k=11), str)
    assert {one.size for one in found.solutions} == {11, 22}
    asked = {"models": [{"type": "k-anonymity", "k": 11}], "algorithm": {"type": "auto"}}
    raised = {**asked, "models": [{"type": "k-anonymity", "k": 22}]}
    least, larger = (next(one for one in found.solutions if one.size == k) for k in (11, 22))
    assert is_offered(least, asked, asked)
    assert not is_offered(least, asked, raised)
    assert is_offered(larger, asked, raised)
    assert not is_offered(larger, asked, {**asked, "suppression_limit": 0.1})
