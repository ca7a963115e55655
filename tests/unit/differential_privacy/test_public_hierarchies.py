"""Public hierarchies: every value has a place before a record is looked at."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.errors import PolicyError
from kanonym.differential_privacy.cells import canonical_texts
from kanonym.differential_privacy.public_hierarchies import public_hierarchy

TREE = ka.hierarchy.from_mapping({"*": {"viral": ["flu", "hiv"], "other": ["none"]}})
NUMBERS = ka.hierarchy.from_mapping({"*": {"low": ["1", "2"], "high": ["3.50"]}})
AGES = ka.hierarchy.intervals(width=[5, 10], bottom=20, top=40)


def hierarchy_of(source, **written):
    """Return the public hierarchy of an attribute."""
    return public_hierarchy("a", ka.QuasiIdentifier(hierarchy=source, **written))


@pytest.mark.parametrize(
    "source",
    [
        None,
        ka.hierarchy.automatic(),
        ka.hierarchy.flat(),
        ka.hierarchy.masking(),
        ka.hierarchy.frequency(shares=[0.1]),
        ka.hierarchy.prefix(),
        ka.hierarchy.groups(2),
        ka.hierarchy.dates(),
        ka.hierarchy.intervals(quantiles=4),
        ka.hierarchy.intervals(width=5),
        ka.hierarchy.intervals(width=5, bottom=0),
        ka.hierarchy.intervals(bottom=0, top=9),
        TREE.bind(pl.Series("a", ["flu"])),
    ],
    ids=lambda one: type(one).__name__,
)
def test_hierarchies_that_depend_on_the_data_are_refused(source):
    """The message says why, and which ones are accepted."""
    with pytest.raises(PolicyError, match=r"attribute 'a'.*give.*width, bottom and top"):
        hierarchy_of(source)


@pytest.mark.parametrize(
    "values",
    [["flu"], ["flu", None], ["flu", "unheard of"], ["flu", "hiv", "none", None, "x", "y"], []],
)
def test_the_tree_is_the_same_for_every_table(values):
    """Null and values that are not listed have their place whether they occur or not."""
    found = hierarchy_of(TREE)
    leaves = found.leaves(pl.Series("a", values, dtype=pl.String))
    assert found.tree.values.to_list() == ["flu", "hiv", "none", "*", None]
    expected = [one if one in {"flu", "hiv", "none", None} else "*" for one in values]
    assert leaves.to_list() == expected
    at_one = found.tree.generalize(1)
    assert at_one == ["viral", "viral", "other", "*", None]


def test_unlisted_values_are_released_as_the_root_at_every_level():
    """Below the root, null stays null."""
    tree = hierarchy_of(TREE).tree
    assert [tree.label(level, 3) for level in range(3)] == ["*", "*", "*"]
    assert [tree.label(level, 4) for level in range(3)] == [None, None, "*"]


@pytest.mark.parametrize(
    ("column", "leaves"),
    [
        (pl.Series([1, 3, 7]), ["1", "*", "*"]),
        (pl.Series([1.0, 3.5, float("nan")]), ["1", "3.50", None]),
        (pl.Series(["1", "3.5", "x"]), ["1", "3.50", "*"]),
        (pl.Series(["1.0", " 2", "35e-1"]), ["1", "2", "3.50"]),
        (pl.Series([True, None]), ["*", None]),
    ],
    ids=["integers", "floats", "texts", "numbers as texts", "Booleans"],
)
def test_a_number_has_its_place_whatever_the_type_of_the_column(column, leaves):
    """One odd record turns a column of numbers into texts: the others stay where they were."""
    assert hierarchy_of(NUMBERS).leaves(canonical_texts(column)).to_list() == leaves


@pytest.mark.parametrize(
    ("column", "leaves"),
    [
        (pl.Series([3, 20, 24, 39, 40, 10**9]), [0, 1, 1, 4, 5, 5]),
        (pl.Series([-float("inf"), 24.99, 25.0, float("inf"), float("nan")]), [0, 1, 2, 5, 7]),
        (pl.Series(["20", "twenty", None]), [1, 6, 7]),
        (pl.Series([True]), [6]),
    ],
    ids=["integers", "floats", "texts", "Booleans"],
)
def test_intervals_take_every_value(column, leaves):
    """Infinite ones, texts and nulls included: none stops the run."""
    found = hierarchy_of(AGES)
    assert found.place(canonical_texts(column)).tolist() == leaves
    assert found.tree.labels[1] == (
        *("<20", "[20, 25)", "[25, 30)", "[30, 35)", "[35, 40)", ">=40"),
        *("*", None),
    )
    assert found.tree.n_levels == 4
    assert found.tree.labels[0] == found.tree.labels[1]


def test_intervals_keep_their_levels():
    """A level that adds nothing stays: level 2 means the same in every table."""
    tree = hierarchy_of(ka.hierarchy.intervals(bounds=[[18, 65], [18, 65]])).tree
    assert tree.n_levels == 4
    assert tree.labels[1] == tree.labels[2] == ("<18", "[18, 65)", ">=65", "*", None)


def test_a_root_that_names_something_else_is_refused():
    """Unlisted values would read as that value."""
    twice = ka.hierarchy.from_mapping({"*": {"*": ["a"], "b": ["c"]}})
    with pytest.raises(PolicyError, match="is the root and a label below it"):
        hierarchy_of(twice)


def test_a_number_that_is_listed_twice_is_refused():
    """`1` and `1.0` are one number."""
    both = ka.hierarchy.from_mapping({"1": "x", "1.0": "x"})
    with pytest.raises(PolicyError, match="listed twice"):
        hierarchy_of(both)
