"""The hierarchy itself."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kanonym.data import hierarchy
from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy import Hierarchy, HierarchySource

PARENTS = {"red": "warm", "orange": "warm", "blue": "cold"}


@pytest.fixture
def colours():
    """Return red, orange | blue | null."""
    return hierarchy.from_mapping(PARENTS).bind(pl.Series("colour", ["red", "blue", None]))


def tree(labels, codes, values=("a", "b", "c"), dtype=np.int32):
    """Make a hierarchy by hand."""
    return Hierarchy(pl.Series("x", values), labels, np.array(codes, dtype=dtype, order="C"))


def test_it_tells_labels_by_level_and_leaf(colours):
    """A label is found by level and leaf, and by level for all leaves."""
    assert (colours.n_levels, colours.size, colours.has_null) == (3, 4, True)
    assert colours.label(1, 1) == "warm"
    assert colours.label(1, 3) is None
    assert colours.generalize(1) == ["warm", "warm", "cold", None]
    assert colours.generalize(2) == ["*"] * 4


def test_it_counts_the_leaves_below_each_label(colours):
    """Leaf counts of a level add up to the number of leaves."""
    assert [colours.leaf_counts(level).tolist() for level in range(3)] == [
        [1, 1, 1, 1],
        [2, 1, 1],
        [4],
    ]
    assert colours.leaf_counts(1).dtype == np.int64


def test_it_finds_the_leaf_of_a_value(colours):
    """A value that is no leaf has leaf -1; null has its own."""
    asked = pl.Series(["blue", "green", None, "red"])
    assert colours.leaf_of(asked).tolist() == [2, -1, 3, 0]


@pytest.mark.parametrize(
    ("values", "leaves"),
    [
        (pl.Series([3, 1000, None], dtype=pl.Int64), [2, -1, 3]),
        (pl.Series([3.0, 2.5, float("nan")]), [2, -1, 3]),
        (pl.Series(["3", "x", None]), [2, -1, 3]),
        (pl.Series([None, None]), [3, 3]),
    ],
)
def test_values_of_another_type_match_only_when_equal(values, leaves):
    """No value is rounded or cut into a leaf, and none that does not fit becomes null."""
    small = pl.Series("x", [1, 2, 3, None], dtype=pl.Int8)
    assert hierarchy.flat().bind(small).leaf_of(values).tolist() == leaves


def test_nothing_to_generalize_is_a_hierarchy_too():
    """Without a value, and with null alone, there is still a root."""
    nobody = hierarchy.masking().bind(pl.Series("x", [], dtype=pl.String))
    assert (nobody.size, nobody.labels) == (0, ((), ("*",)))
    null = hierarchy.masking().bind(pl.Series("x", [None], dtype=pl.Null))
    assert null.labels == ((None,), ("*",))
    assert null.leaf_of(pl.Series([None])).tolist() == [0]


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        (((("a", "b", "c"), ("*",)), [[0, 1, 2]]), r"codes of shape \(1, 3\) for 2 levels"),
        (((("a", "b", "c"),), [[0, 1, 2]]), "for 1 levels"),
        (((("a", "b", "c"), ("*", "+")), [[0, 1, 2], [0, 0, 1]]), "2 roots"),
        (((("a", "b", "c"), ("*",)), [[0, 2, 1], [0, 0, 0]]), "level 0 must have one label"),
        (
            ((("a", "b", "c"), ("x", "y"), ("*",)), [[0, 1, 2], [0, 1, 0], [0, 0, 0]]),
            "codes of level 1 must count up from 0",
        ),
        (
            ((("a", "b", "c"), ("x", "y", "z"), ("*",)), [[0, 1, 2], [0, 0, 1], [0, 0, 0]]),
            "codes of level 1 must count up from 0",
        ),
        (
            ((("a", "b", "c"), ("x", "x"), ("*",)), [[0, 1, 2], [0, 1, 1], [0, 0, 0]]),
            "two branches of level 1 are both called 'x'",
        ),
        (
            (
                (("a", "b", "c"), ("x", "y"), ("u", "v"), ("*",)),
                [[0, 1, 2], [0, 1, 1], [0, 0, 1], [0, 0, 0]],
            ),
            "a label of level 1 has two parents",
        ),
    ],
)
def test_parts_that_make_no_tree_are_refused(parts, fault):
    """Labels and codes that do not make a tree are an error that says what is wrong."""
    with pytest.raises(HierarchyError, match=f"hierarchy of 'x': .*{fault}"):
        tree(*parts)


def test_codes_are_int32():
    """Kernels read int32: other codes are refused."""
    with pytest.raises(HierarchyError, match="codes must be int32 in C order"):
        tree((("a", "b", "c"), ("*",)), [[0, 1, 2], [0, 0, 0]], dtype=np.int64)


def test_binding_brings_leaves_into_the_type_of_the_column():
    """A hierarchy over texts binds to integers of the same reading, null as a further branch."""
    texts = hierarchy.masking().bind(pl.Series("zip", ["12", "13", "22"]))
    numbers = texts.bind(pl.Series("zip", [12, 22, None], dtype=pl.Int32))
    assert numbers.values.dtype == pl.Int32
    assert numbers.to_rows() == [
        ["12", "1*", "*"],
        ["13", "1*", "*"],
        ["22", "2*", "*"],
        ["", "", "*"],
    ]


def test_binding_changes_nothing_where_nothing_is_new(colours):
    """A hierarchy bound to a column that it was made for is itself."""
    assert colours.bind(pl.Series("colour", ["blue"])) is colours


def test_missing_values_are_named():
    """The first missing value is named, with its column, and the others are counted."""
    letters = pl.Series("letter", [*"abcdefghijklm"])
    known = hierarchy.from_mapping({"a": "*"})
    with pytest.raises(HierarchyError) as error:
        known.bind(letters)
    assert str(error.value) == (
        "column 'letter': 12 values are not in hierarchy mapping: 'b' and 11 more "
        "(--show-values names them). Add a row for each"
    )
    assert error.value.values == tuple("bcdefghijklm")
    with pytest.raises(HierarchyError, match="1 value is not in its hierarchy: 'b'"):
        known.bind(letters[:1]).bind(letters[:2])


def test_it_writes_what_it_reads(colours, tmp_path):
    """The file form has one row a leaf and empty cells for null, and reads back the same."""
    path = tmp_path / "colour.csv"
    colours.write(path)
    assert path.read_text(encoding="utf-8") == "red;warm;*\norange;warm;*\nblue;cold;*\n;;*\n"
    again = hierarchy.from_file(path).bind(pl.Series("colour", ["red"]))
    assert again.to_rows() == colours.to_rows()
    colours.write(path, separator=",")
    assert hierarchy.from_file(path).bind(colours.values).labels == colours.labels


def test_it_writes_what_a_label_holds(tmp_path):
    """Separators, quotes and ends of lines within labels come back from the file."""
    labels = ["a;b", 'c"d', "e\nf", "g\rh", " i "]
    found = hierarchy.flat().bind(pl.Series("x", labels))
    found.write(tmp_path / "x.csv")
    read = hierarchy.from_file(tmp_path / "x.csv").bind(pl.Series("x", labels))
    assert read.labels == found.labels


def test_its_policy_form_builds_it_again(colours):
    """`to_dict` gives a mapping, in which null without labels need not stand."""
    form = colours.to_dict()
    assert form == {
        "mapping": {"red": ["warm", "*"], "orange": ["warm", "*"], "blue": ["cold", "*"]}
    }
    assert hierarchy.from_dict(form).bind(colours.values).labels == colours.labels


def test_null_with_labels_stands_in_the_policy_form():
    """Labels that a file gives to null are not lost."""
    parents = {"a": ["x", "*"], None: ["missing", "*"]}
    bound = hierarchy.from_mapping(parents).bind(pl.Series("x", ["a", None]))
    assert bound.to_dict() == {"mapping": parents}


def test_a_small_tree_is_shown_whole(colours):
    """Every label of a small tree is drawn, with the number of leaves below it."""
    assert colours.show().splitlines() == [
        "* (4)",
        "├── warm (2)",
        "│   ├── red",
        "│   └── orange",
        "├── cold (1)",
        "│   └── blue",
        "└── null (1)",
        "    └── null",
    ]


def test_a_large_tree_is_shown_in_part():
    """A large tree is drawn along its first branch, what is left out is counted."""
    years = hierarchy.intervals(width=[10, 100]).bind(pl.Series("year", range(1000)))
    assert years.show(children=2, lines=10).splitlines() == [
        "* (1000)",
        "├── [0, 100) (100)",
        "│   ├── [0, 10) (10)",
        "│   │   ├── 0",
        "│   │   ├── 1",
        "│   │   └── … 8 more",
        "│   ├── [10, 20) (10)",
        "│   └── … 8 more",
        "├── [100, 200) (100)",
        "└── … 8 more",
    ]
    assert years.show().count("\n") < 60


def test_a_built_hierarchy_is_a_source(colours):
    """Built hierarchies and builders are sources; a table is none."""
    assert isinstance(colours, HierarchySource)
    assert isinstance(hierarchy.masking(), HierarchySource)
    assert not isinstance(pl.DataFrame(), HierarchySource)
