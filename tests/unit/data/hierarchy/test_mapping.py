"""Tests: hierarchies from mappings and the other forms of a policy."""

from __future__ import annotations

import json
from datetime import date

import polars as pl
import pytest

from kanonym.data import hierarchy
from kanonym.data.errors import HierarchyError


def test_a_root_is_added_to_parents():
    """Values with one parent each get the root `*` above."""
    bound = hierarchy.from_mapping({1: "odd", 2: "even", 3: "odd"}).bind(pl.Series("n", [2]))
    assert bound.to_rows() == [["1", "odd", "*"], ["3", "odd", "*"], ["2", "even", "*"]]


def test_a_shared_last_label_is_the_root():
    """No root is added where all values share the last label."""
    bound = hierarchy.from_mapping({"a": ["x", "all"], "b": ["y", "all"]}).bind(pl.Series(["a"]))
    assert bound.labels == (("a", "b"), ("x", "y"), ("all",))


def test_a_tree_reads_from_the_root():
    """A mapping with one key that leads to a mapping is a tree, lists hold the values."""
    tree = {"all": {"warm": {"r": ["red"], "o": ["orange"]}, "cold": {"b": ["blue", "navy"]}}}
    bound = hierarchy.from_mapping(tree).bind(pl.Series("colour", ["navy"]))
    assert bound.to_rows() == [
        ["red", "r", "warm", "all"],
        ["orange", "o", "warm", "all"],
        ["blue", "b", "cold", "all"],
        ["navy", "b", "cold", "all"],
    ]


def test_values_may_be_of_any_type():
    """Dates, booleans and null are read as a file would hold them."""
    days = hierarchy.from_mapping({date(2020, 5, 17): "May", None: "unknown"})
    bound = days.bind(pl.Series("day", [None, date(2020, 5, 17)]))
    assert bound.values.to_list() == [date(2020, 5, 17), None]
    assert bound.generalize(1) == ["May", "unknown"]
    flags = hierarchy.from_mapping({True: "yes", False: "no"})
    assert flags.bind(pl.Series("flag", [True])).values.to_list() == [True, False]


def test_an_empty_text_is_a_value():
    """Unlike a file, a mapping tells an empty text from null."""
    bound = hierarchy.from_mapping({"": "none", "a": "some"}).bind(pl.Series("x", ["", None]))
    assert bound.values.to_list() == ["", "a", None]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (None, "a mapping is expected, not NoneType"),
        ({}, "hierarchy mapping is empty"),
        ({"a": "x", "b": {"y": ["c"]}}, "'b' leads to a mapping; a tree has one key, its root"),
        ({"*": {"a": "x"}}, "'a' must lead to a mapping or a list of values, not to a str"),
        ({"*": {"x": ["a"], "y": {"z": ["b"]}}}, "row 2: 4 columns, but row 1 has 3"),
        ({"*": {"x": ["a"], "y": ["a"]}}, "row 2: 'a' has a row already, row 1"),
        ({"a": ["x", "X"], "b": ["x", "Y"]}, "'x' of level 1 has two parents at level 2"),
        ({"a": "x", None: "x", "b": "y"}, "null is a branch of its own below the root"),
        ({"a": [None, "*"]}, "level 1 of 'a' is empty"),
    ],
)
def test_a_mapping_that_is_no_hierarchy_is_refused(mapping, message):
    """The error names the entry and what is wrong with it."""
    with pytest.raises(HierarchyError) as error:
        hierarchy.from_mapping(mapping)
    assert message in str(error.value)


def test_its_policy_form_is_plain():
    """The form holds what JSON can hold."""
    source = hierarchy.from_mapping({date(2020, 5, 17): ("May", "*"), 3: ["x", "*"]})
    assert source.to_dict() == {"mapping": {"2020-05-17": ["May", "*"], 3: ["x", "*"]}}


FORMS = [
    {"automatic": {}},
    {"flat": {}},
    {"masking": {}},
    {"masking": {"from": "left", "character": "#"}},
    {"prefix": {}},
    {"prefix": {"levels": 2}},
    {"frequency": {}},
    {"frequency": {"shares": [0.1, 0.5]}},
    {"dates": {"levels": ["month", "year"]}},
    {"groups": {"fan_outs": [3, 2]}},
    {"groups": {"fan_outs": [3], "order": ["a", "b"]}},
    {"intervals": {"width": [5, 10], "origin": 2.5, "bottom": 18, "top": 90}},
    {"intervals": {"bounds": [[18, 40, 65], [18, 65]]}},
    {"intervals": {"quantiles": [8, 4]}},
    {"mapping": {"a": "x", "b": "y"}},
    {"mapping": {"*": {"x": ["a"], "y": ["b"]}}},
]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_form_gives_a_source_that_gives_the_form(form):
    """`from_dict` and `to_dict` are each other's inverse, and the form is plain."""
    source = hierarchy.from_dict(form)
    assert isinstance(source, hierarchy.SOURCES[next(iter(form))])
    assert source.to_dict() == form
    assert json.loads(json.dumps(source.to_dict())) == form


def test_every_source_has_a_form():
    """The forms above name every source but the file, which has tests of its own."""
    assert {next(iter(form)) for form in FORMS} | {"file"} == set(hierarchy.SOURCES)


@pytest.mark.parametrize("form", ["masking", {"masking": None}, {"masking": {}}])
def test_parameters_may_be_left_out(form):
    """A name alone, or with nothing behind it, takes every default."""
    assert hierarchy.from_dict(form) == hierarchy.masking()


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (None, "a hierarchy is one of file, mapping, intervals, .* not None"),
        ({"masking": {}, "prefix": {}}, "a hierarchy is one of"),
        ({"interval": {}}, "hierarchy 'interval' is unknown; did you mean 'intervals'?"),
        ("zzz", "hierarchy 'zzz' is unknown; there are file, mapping"),
        (
            {"intervals": {"widths": 5}},
            "intervals has no parameter 'widths'; did you mean 'width'?",
        ),
        ({"flat": {"depth": 5}}, "flat has no parameter 'depth'; there are none"),
        ({"intervals": [5]}, r"intervals takes parameters by name, not a list of 1"),
        ({"groups": None}, "groups needs fan_outs"),
        ({"file": None}, "file needs path"),
        ({"mapping": None}, "a mapping is expected"),
    ],
)
def test_a_form_that_names_nothing_is_refused(form, message):
    """The error names the nearest right name, or what is missing."""
    with pytest.raises(HierarchyError, match=message):
        hierarchy.from_dict(form)


def test_files_are_relative_to_the_folder(tmp_path):
    """A policy's hierarchy files lie beside the policy."""
    (tmp_path / "x.csv").write_text("a;*\n", encoding="utf-8")
    assert hierarchy.from_dict({"file": "x.csv"}, tmp_path).rows.labels == (("a",), ("*",))
    assert hierarchy.from_dict({"file": str(tmp_path / "x.csv")}, "/").rows.labels[0] == ("a",)
