"""Numbers in place of values, and their mapping file."""

from __future__ import annotations

import csv
import stat
import subprocess
import sys

import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st

from action_context import applied
from effort import examples
from kanonym import DataError, PolicyError
from kanonym.actions import Surrogate


def test_sequential_numbers_follow_the_order_of_the_records():
    """The first value is 1."""
    assert applied(Surrogate(order="sequential"), ["b", "a", "b", None, "c"]) == [1, 2, 1, None, 3]


def test_random_numbers_are_a_permutation_that_seeds_choose():
    """From 1 to the number of values, in any order; 200 seeds give all six orders of three."""
    orders = {tuple(applied(Surrogate(), ["a", "b", "c"], seed=seed)) for seed in range(200)}
    assert len(orders) == 6
    assert all(sorted(order) == [1, 2, 3] for order in orders)


@pytest.mark.parametrize("order", ["random", "sequential"])
def test_tables_that_share_a_mapping_share_their_pseudonyms(order, tmp_path):
    """What is known keeps its number, what is new is numbered on."""
    action = Surrogate(order=order, mapping=tmp_path / "names.csv")
    first = applied(action, ["John", "Emily"], seed=1)
    assert sorted(first) == [1, 2]
    second = applied(action, ["Emily", "Sarah", "John", "Carl"], seed=2)
    assert [second[2], second[0]] == first
    assert sorted(second) == [1, 2, 3, 4]
    assert applied(action, ["John", "Carl"], seed=3) == [second[2], second[3]]


RUN = """
import sys
from action_context import applied
from kanonym.actions import Surrogate
first = int(sys.argv[2])
for step in range(0, 200, 10):
    applied(Surrogate(mapping=sys.argv[1]), [f"p{first + step + i}" for i in range(10)])
"""


def test_runs_on_one_mapping_lose_no_entry_and_share_no_number(tmp_path):
    """Three processes that number 600 persons at once leave 600 entries with 600 numbers."""
    path = tmp_path / "names.csv"
    folder = __file__.rsplit("tests", 1)[0] + "tests"
    runs = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"import sys; sys.path.insert(0, {folder!r})\n{RUN}",
                path,
                first,
            ]
        )
        for first in map(str, range(0, 600, 200))
    ]
    assert [run.wait(timeout=120) for run in runs] == [0] * 3
    with path.open(encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    assert {value for value, _ in rows} == {f"p{place}" for place in range(600)}
    assert sorted(int(number) for _, number in rows) == list(range(1, 601))


def test_a_mapping_that_stays_locked_is_an_error(tmp_path, monkeypatch):
    """Nothing is numbered without the lock; what is known already needs none."""
    path = tmp_path / "names.csv"
    applied(Surrogate(mapping=path), ["John"])
    monkeypatch.setattr("kanonym.data.files.disk.PATIENCE", 0.1)
    with FileLock(tmp_path / ".names.csv.lock"):
        assert applied(Surrogate(mapping=path), ["John"]) == [1]
        with pytest.raises(DataError, match="locked by another run"):
            applied(Surrogate(mapping=path), ["Emily"])
    assert "Emily" not in path.read_text("utf-8")


def test_a_mapping_is_a_table_of_values_and_numbers(tmp_path):
    """Anybody can read it; only its owner may."""
    path = tmp_path / "names.csv"
    applied(Surrogate(order="sequential", mapping=str(path)), ["b", "a, or c", None])
    assert path.read_bytes() == b'"value","pseudonym"\n"b",1\n"a, or c",2\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@given(st.lists(st.text(alphabet='ab",;\n\r é', max_size=4), min_size=1, max_size=5))
@settings(max_examples=examples(30), deadline=None)
def test_any_text_comes_back_from_a_mapping(tmp_path_factory, values):
    """Quotes, newlines and empty texts too: a second run numbers nothing anew."""
    action = Surrogate(mapping=tmp_path_factory.mktemp("mapping") / "m.csv")
    first = applied(action, values, seed=1)
    assert applied(action, values, seed=2) == first


def test_a_mapping_that_knows_all_values_is_not_written(tmp_path):
    """A read-only mapping serves tables without new values."""
    path = tmp_path / "names.csv"
    path.write_text("value,pseudonym\nJohn,7\n", encoding="utf-8")
    before = path.stat().st_mtime_ns
    assert applied(Surrogate(mapping=path), ["John"]) == [7]
    assert path.stat().st_mtime_ns == before


def test_a_mapping_that_cannot_be_written_stays_as_it_was(tmp_path):
    """Nothing half written is left behind."""
    missing = tmp_path / "nowhere" / "names.csv"
    with pytest.raises(DataError, match=r"names\.csv cannot be written: the folder .* not exist"):
        applied(Surrogate(mapping=missing), ["John"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,age\n", "is not a mapping: its first row must be value,pseudonym"),
        ("", "is not a mapping"),
        ("value,pseudonym\nJohn\n", "line 2: a row of a mapping is a value and a whole number"),
        ("value,pseudonym\nJohn,x\n", "line 2: a row of a mapping is"),
        ("value,pseudonym\nJohn,-1\n", "line 2: a row of a mapping is"),
        ("value,pseudonym\nJohn,0\n", "line 2: 0 is no number from 1"),
        ("value,pseudonym\nJohn,9223372036854775808\n", "is no number from 1"),
        ("value,pseudonym\nJohn,1\nJohn,2\n", "line 3: its value or its number 2 is given twice"),
        ("value,pseudonym\nJohn,1\nEmily,1\n", "line 3: its value or its number 1 is given twice"),
        ('value,pseudonym\n"John,1\n', "unexpected end of data"),
    ],
)
def test_a_file_that_is_no_mapping_is_refused_and_kept(tmp_path, text, message):
    """The message names file and line, no value."""
    path = tmp_path / "names.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message) as refusal:
        applied(Surrogate(mapping=path), ["Sarah"])
    assert "John" not in str(refusal.value)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"order": "sorted"}, "surrogate: order is 'sorted'; it must be random or sequential"),
        ({"mapping": "-"}, "surrogate: mapping is '-'; it must name a file"),
    ],
)
def test_surrogate_refuses_parameters_that_make_no_sense(parameters, message):
    """The message names the parameter."""
    with pytest.raises(PolicyError, match=message):
        Surrogate(**parameters)
