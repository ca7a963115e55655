"""Laws of the lookup: which classes leave a person's values open."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attack_tables import scene, shuffled
from effort import examples
from kanonym.evaluation.attacks.matching import lookup
from kanonym.evaluation.attacks.matching.lookup import classes_of, find_candidates, is_changed
from twins.cells import open_to

AGES = st.one_of(st.none(), st.integers(0, 9))
TOWNS = st.sampled_from(["Ulm", "Bonn", "Kiel", None])
CELLS = st.sampled_from(["[0, 4]", "[3, 7)", "[5, 9]", "*", None, "4", "<3"])
PLACES = st.sampled_from(["Ulm", "{Bonn, Ulm}", "{Kiel, null}", "*", None, "Bonn"])


@st.composite
def pairs(draw):
    """Draw persons, and a release that need not be of them."""
    n, m = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    original = {
        "age": [*draw(st.lists(AGES, min_size=n, max_size=n)), 0, 4, 9],
        "town": [*draw(st.lists(TOWNS, min_size=n, max_size=n)), "Ulm", "Bonn", "Kiel"],
    }
    original["town"].append(None)
    original["age"].append(None)
    release = {
        "age": draw(st.lists(CELLS, min_size=m, max_size=m)),
        "town": draw(st.lists(PLACES, min_size=m, max_size=m)),
    }
    schema = {"age": pl.String, "town": pl.String}
    return scene(original, pl.DataFrame(release, schema=schema), ["age", "town"]).pair


def listed(found):
    """Return the classes of each person as lists."""
    return [
        found.classes[start:end].tolist()
        for start, end in zip(found.offsets[:-1], found.offsets[1:], strict=True)
    ]


@given(pairs(), st.sampled_from([("age", "town"), ("town",), ()]))
@settings(max_examples=examples(150))
def test_it_finds_the_classes_whose_records_are_open(pair, names):
    """A class is a candidate exactly where its records leave all compared values open."""
    persons = np.arange(pair.n_original)
    open_ = open_to(pair, persons, np.arange(pair.n_released), names)
    expected = [sorted(set(pair.classes[row].tolist())) for row in open_]
    assert listed(find_candidates(pair, persons, names)) == expected


@given(pairs(), st.integers(1, 40))
@settings(max_examples=examples(60))
def test_memory_does_not_change_what_is_found(pair, cells):
    """However few cells are looked at together, the candidates are the same."""
    persons = np.arange(pair.n_original)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lookup, "CELLS", cells)
        few = find_candidates(pair, persons, nearest=True)
    assert listed(few) == listed(find_candidates(pair, persons, nearest=True))


@given(pairs())
@settings(max_examples=examples(60))
def test_classes_can_be_chosen(pair):
    """Among some classes, those are found that are found among all."""
    persons, chosen = np.arange(pair.n_original), np.unique(pair.classes)[::2].astype(np.int64)
    every = listed(find_candidates(pair, persons))
    some = listed(find_candidates(pair, persons, among=chosen))
    assert some == [[one for one in own if one in chosen] for own in every]


def test_many_classes_fill_several_words():
    """Among 300 classes each person finds the one of the same value."""
    table = {"age": list(range(300))}
    pair = scene(table, shuffled(table), ["age"]).pair
    found = find_candidates(pair, np.array([7, 299, 7]))
    _, rows = classes_of(pair)
    assert found.numbers.tolist() == [1, 1, 1]
    assert pair.column("age").low[rows[found.classes]].tolist() == [7, 299, 7]


def test_the_nearest_classes_are_found_where_none_is_open():
    """Between two means a person has the nearer one, in the middle both."""
    pair = scene({"age": [10, 20, 15, 16, 10]}, {"age": [10.0, 20.0]}, ["age"]).pair
    rows = find_candidates(pair, np.arange(4), nearest=True)
    ages = pair.column("age").low[classes_of(pair)[1]]
    assert [ages[own].tolist() for own in listed(rows)] == [[10], [20], [10, 20], [20]]
    assert listed(find_candidates(pair, np.arange(4)))[2:] == [[], []]


def test_another_category_is_farther_than_any_number():
    """A class of the person's town is nearer than one of the same age elsewhere."""
    original = {"age": [30, 60, 40], "town": ["Ulm", "Bonn", "Bonn"]}
    pair = scene(original, {"age": [30.0, 60.0], "town": ["Ulm", "Bonn"]}, ["age", "town"]).pair
    found = find_candidates(pair, np.array([2]), nearest=True)
    assert pair.column("age").low[classes_of(pair)[1]][found.classes].tolist() == [60]


@pytest.mark.parametrize(
    ("release", "changed"),
    [
        (["10", "20", "30", "40"], False),
        (["[10, 20]", "[10, 20]", "[30, 40]", "[30, 40]"], False),
        (["*", "*", "30", "40"], False),
        (["30", "40"], False),
        (["15", "15", "35", "35"], True),
        (["20", "20", "40", "40"], True),
    ],
)
def test_means_and_rounded_values_are_told_from_generalized_ones(release, changed):
    """Values are changed where more persons are left out than records are missing."""
    pair = scene({"age": [10, 20, 30, 40]}, {"age": release}, ["age"]).pair
    assert is_changed(pair) is changed


@given(pairs())
@settings(max_examples=examples(100))
def test_changed_is_what_leaves_persons_out(pair):
    """A column tells where more persons find no cell than records or cells are suppressed."""
    persons, missing = np.arange(pair.n_original), max(pair.n_original - pair.n_released, 0)
    found = []
    for name in pair.quasi_identifiers:
        hidden = pair.column(name).suppressed
        lost = ~open_to(pair, persons, np.flatnonzero(~hidden), (name,)).any(axis=1)
        found.append(lost.sum() > missing + hidden.sum())
    assert is_changed(pair) == any(found)


def test_a_release_without_a_record_has_no_candidates():
    """Nobody is found in nothing."""
    empty = pl.DataFrame({"age": []}, schema={"age": pl.Int64})
    found = find_candidates(scene({"age": [1, 2]}, empty, ["age"]).pair, np.arange(2), nearest=True)
    assert listed(found) == [[], []]
