"""Labels that list many values are warned of."""

from __future__ import annotations

import polars as pl

import kanonym as ka
from kanonym.data.hierarchy.labels import set_label

TEN = set_label([f"a{i}" for i in range(10)])
ELEVEN = set_label([f"a, {i}" for i in range(11)])


def long_lists(table, count=None):
    """Return the findings of long lists in a released table."""
    names = [name for name in table.columns if name != count]
    policy = ka.Policy.from_columns(quasi_identifiers=names, k=1, rows="persons")
    found = ka.verify(table, policy, count=count).findings
    return [one for one in found if one.kind == "long-list"]


def test_eleven_listed_values_warn_and_ten_do_not():
    """Members are counted, commas within one are not."""
    table = pl.DataFrame({"town": [TEN, ELEVEN, ELEVEN, "Bonn", None], "age": [1, 2, 3, 4, 5]})
    (finding,) = long_lists(table)
    assert finding.columns == ("town",)
    assert finding.counts == {"longest": 11, "records": 2}
    assert long_lists(table.head(1)) == []


def test_records_of_the_aggregate_form_are_counted():
    """A row stands for as many records as its count says."""
    table = pl.DataFrame({"town": [ELEVEN, TEN], "n": [7, 2]})
    (finding,) = long_lists(table, count="n")
    assert finding.counts["records"] == 7


def test_a_release_with_long_lists_is_not_green_and_shows_no_listed_value():
    """Verdict, manifest and message say it."""
    table = pl.DataFrame({"zip": [f"{i:05}" for i in range(24)]})
    release = ka.anonymize(table, quasi_identifiers=["zip"], k=12)
    verification = release.verification
    assert verification.verdict == "satisfied with findings"
    (warning,) = release.to_dict()["verification"]["findings"]
    assert warning["counts"] == {"longest": 12, "records": 24}
    assert not any(value in warning["message"] for value in table["zip"])
    assert ka.verify(release.frame, release.policy).findings == verification.findings
