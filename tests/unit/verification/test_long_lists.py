"""Labels that list many values are warned of."""

from __future__ import annotations

import numpy as np
import polars as pl

import kanonym as ka
from kanonym.data.hierarchy.labels import set_label
from kanonym.verification import WARNING_KINDS
from kanonym.verification.long_lists import long_list_warnings

TEN = set_label([f"a{i}" for i in range(10)])
ELEVEN = set_label([f"a, {i}" for i in range(11)])


def test_eleven_listed_values_warn_and_ten_do_not():
    """Members are counted, commas within one are not."""
    labels = pl.Series("town", [TEN, ELEVEN, ELEVEN, "Bonn", None])
    (warning,) = long_list_warnings([labels, pl.Series("age", [1, 2, 3, 4, 5])])
    assert (warning.kind, warning.columns) == ("long-list", ("town",))
    assert warning.counts == {"longest": 11, "records": 2}
    assert warning.kind in WARNING_KINDS
    assert long_list_warnings([labels.head(1)]) == []


def test_records_of_the_aggregate_form_are_counted():
    """A row stands for as many records as its count says."""
    (warning,) = long_list_warnings([pl.Series("town", [ELEVEN, TEN])], np.array([7, 2]))
    assert warning.counts["records"] == 7


def test_a_release_with_long_lists_is_not_green_and_shows_no_listed_value():
    """Verdict, manifest and message say it."""
    table = pl.DataFrame({"zip": [f"{i:05}" for i in range(24)]})
    release = ka.anonymize(table, quasi_identifiers=["zip"], k=12)
    verification = release.verification
    assert verification.verdict == "satisfied with warnings"
    (warning,) = release.to_dict()["verification"]["warnings"]
    assert warning["counts"] == {"longest": 12, "records": 24}
    assert not any(value in warning["message"] for value in table["zip"])
    assert ka.verify(release.frame, release.policy).warnings == verification.warnings
