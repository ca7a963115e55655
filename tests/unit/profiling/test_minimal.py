"""Minimal unique sets and ε-keys against looking at every set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins.classes as naive
from effort import examples
from kanonym.profiling import minimal
from kanonym.profiling.minimal import Threshold, minimal_sets, separation_of


@st.composite
def tables(draw):
    """Draw up to five columns of few values, as names with lists of codes."""
    n = draw(st.integers(2, 12))
    codes = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    return {f"c{place}": draw(codes) for place in range(draw(st.integers(1, 5)))}


def encoded(columns):
    """Return columns as `Codes`."""
    return {name: (np.array(codes, np.int32), max(codes) + 1) for name, codes in columns.items()}


def digits(n_rows, width=7):
    """Return columns of the binary digits of row numbers: only all of them are a key."""
    rows = np.arange(n_rows)
    return {f"d{at}": ((rows >> at & 1).astype(np.int32), 2) for at in range(width)}


@settings(max_examples=examples(80))
@given(tables(), st.sampled_from([0, 0.5, 1, 2.5]))
def test_the_search_finds_every_minimal_set_and_no_other(columns, others):
    """By levels, with pruning, the sets are those that looking at each set finds."""
    n = len(columns["c0"])
    found = minimal_sets(encoded(columns), n, Threshold(others))
    assert [names for names, _ in found.sets] == naive.minimal_sets(columns, others)
    assert (found.cut, found.sampled, found.epsilon) == ("", 0, 0.0)


def test_a_set_comes_with_what_was_counted():
    """What is told of a set that was found was counted on all records."""
    columns = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
    ((names, counted),) = minimal_sets(encoded(columns), 4, Threshold(0)).sets
    assert names == ("a", "b")
    assert counted == separation_of(list(encoded(columns).values()), 4)
    assert counted.distinction == 1


@pytest.mark.parametrize("n_rows", [0, 1])
def test_fewer_than_two_records_have_no_unique_set(n_rows):
    """Where there is no pair of records there is nothing to tell apart."""
    columns = {"a": (np.zeros(n_rows, np.int32), 1)}
    assert minimal_sets(columns, n_rows, Threshold(0)).sets == ()


def test_many_columns_are_cut_to_those_that_tell_most(monkeypatch):
    """Of more columns than a search takes, the ones that tell most apart stay, and it says so."""
    monkeypatch.setattr(minimal, "MOST_COLUMNS", 2)
    columns = {"a": [0, 0, 0, 1], "b": [0, 1, 0, 1], "c": [0, 0, 1, 1]}
    found = minimal_sets(encoded(columns), 4, Threshold(0))
    assert [names for names, _ in found.sets] == [("b", "c")]
    assert "of 3 columns, the 2 that distinguish most" in found.cut


def test_a_search_that_stops_says_so_and_still_finds_one(monkeypatch):
    """Cut off before it found any, a search returns one minimal set, by leaving columns out."""
    monkeypatch.setattr(minimal, "MOST_SETS", 3)
    found = minimal_sets(digits(128), 128, Threshold(0))
    assert [names for names, _ in found.sets] == [tuple(f"d{at}" for at in range(7))]
    assert found.cut == "stopped among sets of 1 columns: 3 sets checked"
    assert found.to_dict()["cut"] == found.cut


def test_a_search_stops_when_it_has_found_enough(monkeypatch):
    """Further sets are not looked for."""
    monkeypatch.setattr(minimal, "MOST_FOUND", 1)
    columns = {"a": [0, 1, 2], "b": [2, 1, 0]}
    found = minimal_sets(encoded(columns), 3, Threshold(0))
    assert [names for names, _ in found.sets] == [("a",)]
    assert found.cut == "stopped among sets of 1 columns: 1 sets found"


def test_large_tables_are_searched_by_a_sample(monkeypatch):
    """The sample's keys are found; their numbers are those of all records, with the bound ε."""
    monkeypatch.setattr(minimal, "MOST_EXACT", 500)
    monkeypatch.setattr(minimal, "SAMPLE", 100)
    n = 1000
    rows = np.arange(n, dtype=np.int32)
    # Row 1 is row 0 again, but for b: the key is {a, b}, which a sample that lacks one of
    # both rows cannot see.
    columns = {"a": (np.maximum(rows, 1) - 1, n - 1), "b": (rows % 2, 2)}
    found = minimal_sets(columns, n, Threshold(0))
    assert found.sampled == 100
    assert found.epsilon == pytest.approx(2 / 100 * (2 * np.log(2) + np.log(1e6)))
    for names, counted in found.sets:
        assert counted.records == n
        assert counted.separation >= 1 - found.epsilon
        assert counted == separation_of([columns[name] for name in names], n)
    assert minimal_sets(columns, n, Threshold(0)) == found


def test_what_all_columns_do_not_tell_apart_no_sample_does(monkeypatch):
    """Two equal records mean that there is no unique set, whatever a sample shows."""
    monkeypatch.setattr(minimal, "MOST_EXACT", 500)
    monkeypatch.setattr(minimal, "SAMPLE", 100)
    rows = np.maximum(np.arange(1000, dtype=np.int32), 1)
    assert minimal_sets({"a": (rows, 1000)}, 1000, Threshold(0)).sets == ()


def test_what_a_sample_finds_holds_of_all_records(monkeypatch):
    """A set that tells the sample apart but not the table is made up to one that does."""
    monkeypatch.setattr(minimal, "MOST_EXACT", 500)
    monkeypatch.setattr(minimal, "SAMPLE", 20)
    n = 1000
    rows = np.arange(n, dtype=np.int32)
    # `a` alone has three pairs of equal records, which hardly any sample of 20 shows.
    a = rows.copy()
    a[[1, 3, 5]] = a[[0, 2, 4]]
    columns = {"a": (a, n), "b": (rows % 2, 2), "c": (rows % 2, 2)}
    found = minimal_sets(columns, n, Threshold(0))
    assert found.sampled == 20
    assert len(found.sets) == 1
    ((names, counted),) = found.sets
    assert names in {("a", "b"), ("a", "c")}
    assert counted.together == 0
    assert counted == separation_of([columns[name] for name in names], n)


def test_nearly_unique_sets_of_a_sample_hold_of_all_records(monkeypatch):
    """The average of others that is told is never above the threshold."""
    monkeypatch.setattr(minimal, "MOST_EXACT", 500)
    monkeypatch.setattr(minimal, "SAMPLE", 20)
    rng = np.random.default_rng(1)
    n = 1000
    columns = {name: (rng.integers(0, 60, n).astype(np.int32), 60) for name in "abcd"}
    for others in (0.1, 0.5, 1):
        for _, counted in minimal_sets(columns, n, Threshold(others)).sets:
            assert counted.others <= others
