"""Laws of the examples: the invented value would get the label, and nobody gave it away."""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import effort
import kanonym as ka
from kanonym.data import hierarchy
from kanonym.reporting.distributions.examples import SHOWN, examples_of
from kanonym.reporting.distributions.rectangles import released_counts


def examples(divided, values, labels, recoding, *, tree=None, floor=2):
    """Return the examples of one attribute."""
    trees = {} if tree is None else {"x": tree}
    table, partition, recoded = divided({"x": values}, labels, {"x": recoding}, trees)
    kept = partition.labels[partition.labels >= 0]
    sizes = np.bincount(kept, minlength=partition.n_classes).astype(np.int64)
    return examples_of(
        table.domains[0], recoded[0], sizes, released_counts(table, partition, 0), floor
    )


@settings(max_examples=effort.examples(60), deadline=None)
@given(values=st.lists(st.integers(-10_000, 10_000), min_size=2, max_size=40))
def test_invented_numbers_lie_within_the_released_bounds(divided, values):
    """An invented number is between the ends of the interval that it is shown with."""
    labels = [i % max(1, len(values) // 4) for i in range(len(values))]
    found = examples(divided, values, labels, "interval")
    assert 0 < len(found) <= SHOWN
    for invented, released in found:
        ends = [float(end) for end in re.findall(r"-?\d+(?:\.\d+)?", released)]
        assert min(ends) <= float(invented) <= max(ends)


def test_invented_numbers_are_round():
    """The middle of bounds is rounded as far as it stays in the middle half."""
    from kanonym.reporting.distributions.examples import _middle

    assert [_middle(21, 38), _middle(1000, 1900), _middle(0.21, 0.29), _middle(7, 7)] == [
        "30",
        "1400",
        "0.25",
        "7",
    ]


def test_invented_dates_are_dates_between_the_ends(divided):
    """A date is invented half-way."""
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 31)]
    ((invented, released),) = examples(divided, days * 3, [0] * 6, "interval")
    assert invented == "2020-01-16"
    assert released == "[2020-01-01, 2020-01-31]"


def test_masks_are_filled_with_other_digits(divided):
    """A masked code is told with digits that do not come from the table."""
    codes = [f"{i:05}" for i in (*range(12_000, 12_500, 10), *range(34_000, 34_500, 10))]
    labels = [0] * 50 + [1] * 50
    found = examples(divided, codes, labels, "hierarchy", tree=hierarchy.masking())
    invented, released = found[0]
    assert re.fullmatch("12[0-9]{3}", invented)
    assert invented not in codes
    assert released == "12***"


def test_no_rare_category_is_named(divided):
    """A category that the released label does not name is no example, however frequent it is."""
    tree = hierarchy.from_mapping({"*": {"north": ["Bern", "Ruritania"], "south": ["Elbonia"]}})
    towns = ["Bern"] * 7 + ["Ruritania"] * 3 + ["Elbonia"] * 4
    found = examples(divided, towns, [0] * 10 + [1] * 4, "hierarchy", tree=tree, floor=5)
    assert found == (("", "north"), ("", "Elbonia"))


def test_a_rare_number_below_a_label_is_not_told(divided):
    """The middle of an interval of a hierarchy is that of the label, not of the values in it."""
    tree = hierarchy.intervals(width=[50], origin=0)
    values = [107, 108, *[20, 21] * 5]
    found = dict(examples(divided, values, [0] * 2 + [1] * 10, "hierarchy", tree=tree, floor=5))
    assert {label: invented for invented, label in found.items()} == {
        "[0, 50)": "20",
        "[100, 150)": "120",
    }


@pytest.mark.parametrize("recoding", ["mean", "median", "mode"])
def test_centroids_have_examples(divided, recoding):
    """A round number near a released mean stands for the values that it replaces."""
    found = examples(divided, [1.0, 2.0, 4.0] * 4, [0] * 12, recoding)
    assert len(found) == 1


def test_what_is_missing_is_not_invented(divided):
    """A class of nulls, and a release without a record, have no example."""
    assert examples(divided, [None] * 4, [0] * 4, "set") == ()
    assert examples(divided, [1, 2], [-1, -1], "interval") == ()


def test_sensitive_and_identifying_attributes_have_none(summary_of):
    """Only quasi-identifiers that no action changed are shown by example."""
    roles = {"name": "identifier", "x": "quasi-identifier", "d": "sensitive"}
    summary = summary_of({"x": [1, 2, 3, 4]}, [0, 0, 1, 1], roles=roles)
    told = {one.name: one.examples for one in summary.columns.transformations}
    assert (told["name"], told["d"]) == ((), ())
    assert told["x"]
    changed = summary_of(
        {"x": [1, 2, 3, 4]}, [0, 0, 1, 1], actions={"x": (ka.actions.Round(to=10),)}
    )
    assert changed.columns.transformations[0].examples == ()


def test_a_rare_category_is_no_example_of_a_set(divided):
    """A category that fewer records have than the floor is not named as an invented value."""
    towns = ["Arles"] * 6 + ["Rareville"]
    found = examples(divided, towns, [0] * 6 + [1], "set")
    assert [invented for invented, _ in found] == ["Arles"]
