"""What a fitted hierarchy says of values that the fit did not see."""

from __future__ import annotations

import json
from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.series.known_attribute import KnownAttribute, extend_hierarchy, rule_of

H = ka.hierarchy


def fitted(source, values):
    """Return a hierarchy over a column, and its rule."""
    column = pl.Series("q", values)
    hierarchy = source.bind(column)
    return hierarchy, rule_of(source, hierarchy, column)


def labels(source, values, new, level):
    """Return the labels that new values get at a level of a fitted hierarchy, None: strangers."""
    hierarchy, rule = fitted(source, values)
    column = pl.Series("q", new, dtype=hierarchy.values.dtype)
    wider = extend_hierarchy(hierarchy, rule, column)
    leaves = wider.hierarchy.leaf_of(column)
    return [
        None if wider.strangers[leaf] else wider.hierarchy.label(wider.levels[level], leaf)
        for leaf in leaves
    ]


AGES = [17, 18, 23, 31, 38, 52]
RULES = {
    "intervals": (H.intervals(width=[10, 20]), AGES, [19, 60], ["[10, 20)", "[60, 70)"]),
    "bounds": (H.intervals(bounds=[18, 40]), AGES, [3, 39, 99], ["<18", "[18, 40)", ">=40"]),
    "ends": (H.intervals(top=35), AGES, [60, 19], [">=35", "19"]),
    "quantiles": (H.intervals(quantiles=[2]), AGES, [3, 24, 30, 99], ["<31", "<31", "<31", ">=31"]),
    "dates": (
        H.dates(levels=["month", "year"]),
        [date(2020, 1, 3), date(2020, 1, 9), date(2021, 5, 5)],
        [date(2020, 1, 5), date(1999, 12, 31)],
        ["2020-01", "1999-12"],
    ),
    "texts of dates": (
        H.dates(levels=["year"]),
        ["2020-01-03", "2020-01-09", "2021-05-05"],
        ["2020-12-31", "soon"],
        ["2020", None],
    ),
    "masking": (
        H.masking(),
        ["13053", "13058", "13068", "14850"],
        ["13059", "99999", "130590", "1"],
        ["1305*", "9999*", None, "1****"],
    ),
    "suggested": (H.automatic(), list(range(40)), [40, -1], ["[40, 42)", "[-2, 0)"]),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_a_rule_places_new_values(name):
    """Numbers, dates and codes get the labels that the rule has for them; the rest none."""
    source, values, new, expected = RULES[name]
    assert labels(source, values, new, 1) == expected


@pytest.mark.parametrize(
    "source",
    [
        H.from_mapping({"a": "vowel", "b": "consonant", "e": "vowel"}),
        H.frequency(),
        H.prefix(),
        H.flat(),
    ],
)
def test_a_list_of_values_places_no_other(source):
    """What is no rule knows the values of the fit alone."""
    assert labels(source, ["a", "b", "b", "e"], ["c"], 0) == [None]


def test_null_that_the_fit_did_not_have_is_a_stranger():
    """A null is a value like others: unseen, it has no label."""
    assert labels(H.intervals(width=10), AGES, [None, 18], 1) == [None, "[10, 20)"]


def test_strangers_share_no_label_with_others():
    """Branches of strangers have names of their own, also where theirs is a label already."""
    hierarchy, rule = fitted(H.from_mapping({"a": "b", "c": "d"}), ["a", "c"])
    wider = extend_hierarchy(hierarchy, rule, pl.Series("q", ["b", None, "'0", "a"])).hierarchy
    assert wider.values.to_list() == ["a", "c", "b", "'0", None]
    *first, last = wider.generalize(1)
    assert (first[:2], last, len(set(first))) == (["b", "d"], None, 4)


def test_levels_that_the_fit_left_out_do_not_shift_the_others():
    """A width that grouped nothing in the fit may group in a batch: labels stay those of theirs."""
    source = H.intervals(width=[2, 10])
    hierarchy, _ = fitted(source, [1, 5, 9, 13])
    assert hierarchy.n_levels == 3
    assert labels(source, [1, 5, 9, 13], [0, 4, 8], 1) == ["[0, 10)"] * 3


@given(
    st.lists(st.integers(-30, 60), min_size=1, max_size=15),
    st.lists(st.integers(-60, 90), max_size=15),
    st.sampled_from([H.intervals(width=[5, 20]), H.intervals(bounds=[0, 18]), H.masking()]),
)
@settings(max_examples=examples(150), deadline=None)
def test_no_value_of_the_fit_changes_its_labels(values, new, source):
    """Whatever comes, the values of the fit keep their order and the labels of every level."""
    hierarchy, rule = fitted(source, values)
    wider = extend_hierarchy(hierarchy, rule, pl.Series("q", new, dtype=pl.Int64))
    leaves = wider.hierarchy.leaf_of(hierarchy.values)
    assert (np.diff(leaves) > 0).all()
    for level, now in enumerate(wider.levels):
        assert [wider.hierarchy.label(now, leaf) for leaf in leaves] == hierarchy.generalize(level)


@pytest.mark.parametrize(
    "values", [[1, 2, None], ["a", None, "b"], [1.5, 0.1], [date(2020, 1, 1), None], [True, False]]
)
def test_rows_give_the_hierarchy_again(values):
    """A hierarchy of any type comes back from its rows, null included."""
    column = pl.Series("q", values)
    hierarchy = H.flat().bind(column)
    form = json.loads(json.dumps(KnownAttribute("q", column.dtype, hierarchy).to_dict()))
    again = KnownAttribute.from_dict("q", form).hierarchy
    assert again.values.to_list() == hierarchy.values.to_list()
    assert again.labels == hierarchy.labels
    assert (again.codes == hierarchy.codes).all()
