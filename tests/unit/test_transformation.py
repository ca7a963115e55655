"""Actions on columns of a table, without classes."""

from __future__ import annotations

import narwhals as nw
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import kanonym as ka
from kanonym.data.frames import is_frame, to_polars
from kanonym.pipeline.transformation import example_of_actions

TABLE = {
    "name": ["Ada", "Bob", "Eve", "Dan"],
    "zip": ["01234", "01235", "01310", None],
    "income": [1_240, 2_680, 910, 4_050],
    "tags": [[1], [], [2, 3], []],
}


def plain():
    """Return a table of four persons."""
    return pl.DataFrame(TABLE)


def test_the_frame_that_comes_out_is_of_the_type_that_came_in(frame):
    """Every frame library gets its own type back, with rows and columns in their order."""
    given = frame({name: TABLE[name] for name in ("name", "zip", "income")})
    changed = ka.transform(given, {"income": {"type": "round", "to": 100}}, drop=["name"])
    assert is_frame(changed)
    assert type(nw.to_native(changed, pass_through=True)) is type(
        nw.to_native(given, pass_through=True)
    )
    found = to_polars(changed)
    assert found.columns == ["zip", "income"]
    assert found["income"].to_list() == [1200, 2700, 900, 4000]
    assert found["zip"].to_list() == TABLE["zip"]


def test_columns_without_an_action_stay_whatever_they_hold():
    """A column that nobody changes keeps its values and type, lists included."""
    changed = ka.transform(plain(), {"zip": "redact"})
    assert_frame_equal(changed.drop("zip"), plain().drop("zip"))
    assert changed["zip"].to_list() == ["***", "***", "***", None]


def test_the_input_is_not_modified():
    """Actions leave the table that came in as it was."""
    given = plain()
    ka.transform(given, {"income": "shuffle", "zip": ka.actions.Keep(first=1)}, sample=0.5)
    assert_frame_equal(given, plain())


def test_actions_of_a_column_are_applied_in_order():
    """Of a list, each action takes what the one before left."""
    several = [ka.actions.Round(to=1000), {"type": "bin", "bounds": [2000]}]
    changed = ka.transform(plain(), {"income": several})
    assert changed["income"].to_list() == ["<2000", ">=2000", "<2000", ">=2000"]


def test_an_action_sees_other_columns_as_they_came_in():
    """A subject that is pseudonymized, or dropped, still names who shares a shift."""
    visits = pl.DataFrame(
        {"patient": ["a", "b", "a"], "visit": ["2020-01-01", "2020-01-01", "2020-01-31"]}
    )
    shift = {"visit": ka.actions.ShiftDate(days=300, subject="patient")}
    dropped = ka.transform(visits, shift, drop=["patient"])["visit"]
    shared = ka.transform(visits, {**shift, "patient": "redact"})["visit"]
    for moved in (dropped, shared):
        days = moved.str.to_date()
        assert (days[2] - days[0]).days == 30


def test_one_seed_gives_one_table():
    """The same seed gives the same table, another seed another one."""
    table = pl.DataFrame({"x": range(100)})
    first, again, other = (
        ka.transform(table, {"x": "shuffle"}, sample=0.5, seed=seed) for seed in (1, 1, 2)
    )
    assert_frame_equal(first, again)
    assert not first.equals(other)


def test_a_sample_keeps_that_share_of_the_rows_in_their_order():
    """Sampled rows are whole rows, in order; the draw does not depend on actions."""
    table = pl.DataFrame({"x": range(200), "y": range(200)})
    kept = ka.transform(table, {}, sample=0.25, seed=3)
    assert kept.height == 50
    assert kept["x"].is_sorted()
    assert (kept["x"] == kept["y"]).all()
    rounded = ka.transform(table, {"y": ka.actions.Round(to=10)}, sample=0.25, seed=3)
    assert_frame_equal(rounded.select("x"), kept.select("x"))
    whole = ka.transform(table, {"y": ka.actions.Round(to=10)})
    assert_frame_equal(rounded, whole.filter(pl.col("x").is_in(kept["x"].implode())))


@pytest.mark.parametrize(
    ("actions", "more", "error", "said"),
    [
        ({"incom": "shuffle"}, {}, ka.SchemaError, "'incom' is an unknown column; did you mean"),
        ({}, {"drop": ["nam"]}, ka.SchemaError, "'nam' is an unknown column; did you mean 'name'"),
        ({}, {"drop": "name"}, ka.SchemaError, "give a list of columns to drop"),
        (
            {"zip": "redact"},
            {"drop": ["zip"]},
            ka.SchemaError,
            "column 'zip' is both dropped and changed",
        ),
        ({}, {"drop": list(TABLE)}, ka.SchemaError, "every column is dropped"),
        (
            {"zip": ka.actions.After(ka.actions.Swap())},
            {},
            ka.PolicyError,
            "zip.when: applies to values that an",
        ),
        ({"zip": "swap"}, {}, ka.PolicyError, "swap of column 'zip' needs equivalence classes"),
        ({"zip": "kep"}, {}, ka.PolicyError, "zip.type: 'kep' is an unknown type; did you mean 'k"),
        (
            [ka.actions.Redact()],
            {},
            ka.PolicyError,
            "actions must map each column's name to its action",
        ),
        ({}, {"sample": 0}, ka.PolicyError, "sample: share is 0"),
        ({}, {"seed": -1}, ka.PolicyError, "transform: seed is -1"),
        ({"tags": "redact"}, {}, ka.DataError, "column 'tags' holds List"),
        (
            {"zip": ka.actions.Round(to=5)},
            {},
            ka.SchemaError,
            "column 'zip' holds String, and round needs",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(actions, more, error, said):
    """Each refusal names the column and what to do."""
    with pytest.raises(error) as caught:
        ka.transform(plain(), actions, **more)
    assert str(caught.value).startswith(said)


def test_the_faults_of_all_columns_are_told_together():
    """Two wrong actions make one error of two lines."""
    with pytest.raises(ka.PolicyError, match=r"2 faults\n  zip\.type: .*\n  income\.to: "):
        ka.transform(plain(), {"zip": "kep", "income": {"type": "round", "to": "x"}})


def test_the_example_of_actions_has_the_cells_of_the_release():
    """With a seed, an action that looks at all records leaves the same cells in both."""
    table = pl.DataFrame({"age": [1, 2, 3, 4, 5, 6], "pay": [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]})
    policy = ka.Policy.from_text(
        "version: 1\n"
        "attributes:\n"
        "  age: {role: quasi-identifier}\n"
        "  pay: {role: sensitive, action: {type: gaussian-noise, scale: 1}}\n"
        "models: [{type: k-anonymity, k: 2}]\n"
        "seed: 7\n"
        "keep_order: true\n"
    )
    released = ka.anonymize(table, policy).frame["pay"].cast(pl.String).to_list()
    found = example_of_actions(table, policy, "pay")
    assert [after for _, after in found.cells] == released
    assert (found.changed, found.rows, found.sampled) == (6, 6, False)
