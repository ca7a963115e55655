"""Laws of attacks on releases in which numbers are sets: `{3, 5, 7}` does not leave 4 open."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kanonym as ka
from attack_tables import scene
from effort import examples
from kanonym.evaluation.attacks.matching.lookup import find_candidates
from kanonym.evaluation.attacks.matching.predicates import nearest_gaps

ALIKE = [
    "homogeneity",
    "background-knowledge",
    "inference",
    "intersection",
    "linkage",
    "downcoding",
]


def label(members):
    """Return a set as it is released."""
    return "{" + ", ".join(members) + "}" if len(members) > 1 else members[0]


@st.composite
def tables(draw):
    """Draw numbers from 10 to 16 in groups that are no intervals, as numbers and as texts."""
    group = draw(st.lists(st.integers(0, 2), min_size=7, max_size=7))
    values = draw(st.lists(st.integers(0, 6), min_size=2, max_size=20))
    assume(len({group[value] for value in values}) > 1)  # a set of all texts says nothing
    ill = draw(st.lists(st.sampled_from("ab"), min_size=len(values), max_size=len(values)))
    held = {i: [v for v in range(7) if group[v] == i and v in values] for i in range(3)}
    made = []
    for name in ("1{}", "value {}"):
        cells = [label([name.format(v) for v in held[group[value]]]) for value in values]
        own = [name.format(value) for value in values]
        original = pl.DataFrame({"a": own, "ill": ill})
        made.append((original, original.with_columns(a=pl.Series(cells, dtype=pl.String))))
    original, release = made[0]
    return [(original.with_columns(a=pl.col("a").cast(pl.Int64)), release), made[1]]


@given(tables())
@settings(max_examples=examples(25), deadline=None)
def test_sets_of_numbers_are_attacked_as_sets_of_texts(pairs):
    """What can be looked up has the same outcome whether members are numbers or texts."""
    found = [
        ka.attack(
            table,
            release,
            quasi_identifiers=["a"],
            sensitive=["ill"],
            second=release,
            aligned=True,
            attacks=ALIKE,
        )
        for table, release in pairs
    ]
    for one in ALIKE:
        assert found[0][one].targets.rate == pytest.approx(found[1][one].targets.rate), one
        assert found[0][one].baseline.rate == pytest.approx(found[1][one].baseline.rate), one


def test_a_number_between_the_members_is_nobody_of_the_set():
    """Persons of the control with a number between have no record, and are one step away."""
    table = {"age": [30, 50, 70, None, 90]}
    release = {"age": ["{30, 50, 70}"] * 3 + ["{90, null}"] * 2}
    sight = scene(table, release, ["age"], control={"age": [30, 40, 60, None, 99]})
    assert find_candidates(sight.pair, np.arange(5)).numbers.tolist() == [1] * 5
    assert find_candidates(sight.control, np.arange(5)).numbers.tolist() == [1, 0, 0, 1, 0]
    gaps = nearest_gaps(sight.control, np.arange(5), ["age"], sight.pair)
    assert gaps == pytest.approx([0, 10 / 60, 10 / 60, 0, 9 / 60])


def test_a_label_of_a_hierarchy_may_be_a_set_of_numbers():
    """A label of numbers between which others lie leaves these out."""
    tree = ka.hierarchy.from_mapping({1: "odd", 3: "odd", 2: "even", 4: "even"})
    table = {"a": [1, 2, 3, 4]}
    sight = scene(table, {"a": ["odd", "even", "odd", "even"]}, ["a"], hierarchies={"a": tree})
    assert find_candidates(sight.pair, np.arange(4)).numbers.tolist() == [1] * 4


def test_numbers_that_are_sets_are_singled_out_by_their_members():
    """A predicate on a set counts the persons who have one of its numbers."""
    table = pl.DataFrame({"a": [1, 3, 2, 2, 2], "b": list("xyzzz")})
    release = table.with_columns(a=pl.Series(["{1, 3}", "{1, 3}", "2", "2", "2"]))
    found = ka.attack(
        table, release.select("a"), quasi_identifiers=["a"], attacks=["singling-out"], aligned=True
    )["singling-out"]
    assert found.parts["multivariate"] == 0
