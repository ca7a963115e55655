"""Laws of the classes drawn over two quasi-identifiers."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data import hierarchy
from kanonym.data.errors import SchemaError
from kanonym.reporting.distributions import rectangles

RECORDS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 30), st.sampled_from("abcd")),
    min_size=1,
    max_size=40,
)


def drawn(summary_of, columns, labels, **options):
    """Return the map over the first two columns."""
    pair = tuple(columns)[:2]
    (only,) = summary_of(columns, labels, rectangles=pair, **options).loss.maps
    return only


@given(records=RECORDS)
def test_every_record_lies_inside_the_rectangle_of_its_class(summary_of, records):
    """Rectangles are exactly the bounds of the classes, and hold all released records."""
    used = sorted({label for label, _, _ in records})
    labels = [used.index(label) for label, _, _ in records]
    ages, towns = [age for _, age, _ in records], [town for _, _, town in records]
    shown = drawn(summary_of, {"age": ages, "town": towns}, labels)
    order = sorted(set(towns), key=lambda town: (-towns.count(town), town))
    expected = set()
    for label in set(labels):
        mine = [i for i, own in enumerate(labels) if own == label]
        codes = [order.index(towns[i]) for i in mine]
        own = [ages[i] for i in mine]
        expected.add((min(own) - 0.5, max(own) + 0.5, min(codes), max(codes) + 1))
    # Categories that no class tells apart share a place.
    ends = sorted({end for _, _, *both in expected for end in both})
    place = {end: i for i, end in enumerate(ends)}
    expected = {(a, b, place[low], place[high]) for a, b, low, high in expected}
    assert {one[:4] for one in shown.rectangles} == expected
    assert sum(one[4] for one in shown.rectangles) == len(records)
    assert sum(one[5] for one in shown.rectangles) == len(set(labels))


def test_classes_of_equal_bounds_are_one_rectangle(summary_of):
    """Classes that differ in other attributes only are drawn once, with all their records."""
    columns = {"age": [1, 2, 1, 2, 8], "size": [5, 6, 5, 6, 9], "sex": ["f", "f", "m", "m", "m"]}
    shown = drawn(summary_of, columns, [0, 0, 1, 1, 2])
    assert shown.rectangles == ((0.5, 2.5, 4.5, 6.5, 4, 2), (7.5, 8.5, 8.5, 9.5, 1, 1))


def test_hierarchy_shows_the_whole_subtree(summary_of):
    """A class under a common ancestor is drawn as all that the ancestor covers."""
    tree = hierarchy.from_mapping({"*": {"[10, 20)": [10, 13, 19], "[20, 30)": [20, 25]}})
    shown = drawn(
        summary_of,
        {"age": [10, 13, 20, 20, 19, 25], "size": [1, 1, 2, 2, 3, 3]},
        [0, 0, 1, 1, 2, 2],
        recodings={"age": "hierarchy"},
        hierarchies={"age": tree},
    )
    assert {one[:2] for one in shown.rectangles} == {(9.5, 19.5), (19.5, 20.5), (8.84, 21.16)}


def test_means_are_points(summary_of):
    """A mean is drawn where it is: the bounds of its class are not in the release."""
    shown = drawn(
        summary_of,
        {"age": [10, 13, 20, 24], "size": [1, 1, 2, 2]},
        [0, 0, 1, 1],
        recodings={"age": "mean"},
    )
    assert {one[:2] for one in shown.rectangles} == {(11.5, 11.5), (22.0, 22.0)}


def test_medians_of_dates_are_days(summary_of):
    """A median day is drawn as that day: the bounds of its class are not in the release."""
    days = [dt.date(1970, 1, day) for day in (2, 3, 9, 4)]
    columns = {"born": days, "size": [1, 1, 1, 2]}
    shown = drawn(summary_of, columns, [0, 0, 0, 1], recodings={"born": "median"})
    day = 86_400_000
    assert {one[:2] for one in shown.rectangles} == {(2 * day, 3 * day), (3 * day, 4 * day)}


def test_dates_are_milliseconds_and_last_a_day(summary_of):
    """A day covers its 24 hours, in milliseconds since 1970."""
    days = [dt.date(1970, 1, 2), dt.date(1970, 1, 4)]
    shown = drawn(summary_of, {"born": days, "size": [1, 1]}, [0, 0])
    assert shown.rectangles[0][:2] == (86_400_000, 4 * 86_400_000)
    assert shown.x.kind == "temporal"


def test_missing_values_are_counted_not_drawn(summary_of):
    """A class whose released value includes null has no place on a line; its records are told."""
    shown = drawn(summary_of, {"age": [1, None, 3, 4, 5], "size": [1, 1, 2, 2, 2]}, [0, 0, 1, 1, 1])
    assert shown.undrawn_missing == 2
    assert [one[4] for one in shown.rectangles] == [3]


def test_rare_categories_have_no_label(summary_of):
    """A category of fewer records than may be shown gets no name on the axis."""
    columns = {"age": [1, 1, 1, 2, 2], "town": ["Bern", "Bern", "Chur", "Bern", "Chur"]}
    assert drawn(summary_of, columns, [0, 0, 1, 2, 1]).y.labels == ("Bern", "Chur")
    columns["town"][4] = "Ems"
    assert drawn(summary_of, columns, [0, 0, 1, 0, 2]).y.labels == ("Bern", "", "")


def test_only_the_fullest_rectangles_are_drawn(summary_of, monkeypatch):
    """Above the cap those with most records are drawn, and their share is told."""
    monkeypatch.setattr(rectangles, "MOST_RECTANGLES", 2)
    labels = [0, 1, 1, 1, 2, 2, 2, 2]
    shown = drawn(summary_of, {"age": labels, "size": labels}, labels)
    assert [one[4] for one in shown.rectangles] == [4, 3]
    assert (shown.n_rectangles, shown.share) == (3, 7 / 8)


def test_pairs_are_chosen_by_variety_numbers_first(summary_of):
    """Without a named pair the most varied attributes are drawn, constant ones never."""
    labels = list(range(4))
    columns = {
        "town": ["a", "b", "c", "d"],
        "fixed": [1, 1, 1, 1],
        "sex": ["f", "m", "f", "m"],
        "age": [1, 1, 1, 2],
        "size": [1, 2, 3, 4],
        "weight": [1, 1, 3, 4],
    }
    made = summary_of(columns, labels)
    pairs = [{one.x.name, one.y.name} for one in made.loss.maps]
    assert pairs == [{"size", "weight"}, {"size", "age"}, {"weight", "age"}]
    assert len(made.loss.further_maps) == 7
    assert "fixed" not in {one.x.name for one in made.loss.further_maps}


@pytest.mark.parametrize("pair", [("age", "age"), ("age", "shoe"), ("shoe", "age")])
def test_named_pair_must_be_two_quasi_identifiers(summary_of, pair):
    """A pair that is none is refused, with the names that there are."""
    with pytest.raises(SchemaError, match="two different quasi-identifiers of age and size"):
        summary_of({"age": [1, 2], "size": [1, 2]}, [0, 0], rectangles=pair)


def test_named_pair_keeps_its_sides(summary_of):
    """The first named attribute lies across, the second up."""
    shown = summary_of(
        {"age": [1, 2], "size": [1, 2]}, [0, 0], rectangles=("size", "age")
    ).loss.maps[0]
    assert (shown.x.name, shown.y.name) == ("size", "age")
