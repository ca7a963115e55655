"""Hierarchies as a policy writes them."""

from __future__ import annotations

import json

import pytest

from kanonym.data import hierarchy
from kanonym.data.errors import HierarchyError

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
