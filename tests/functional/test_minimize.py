"""`kanonym minimize`: a table, a label and an accuracy in, coarser features out."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from kanonym.cli import main


@pytest.fixture
def table(tmp_path):
    """Return the file of a table whose label depends on one column alone."""
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, 200)
    frame = pl.DataFrame(
        {
            "age": age,
            "town": rng.choice(["a", "b", "c"], 200),
            "income": rng.normal(50, 10, 200).round(2),
            "retired": np.where(age >= 65, "yes", "no"),
        }
    )
    frame.write_csv(tmp_path / "people.csv")
    return tmp_path / "people.csv"


def run(*arguments):
    """Run a command and return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(["minimize", *map(str, arguments)])
    return ended.value.code or 0


def test_records_differ_only_where_the_label_needs_it(table, tmp_path, capsys):
    """For a label of two values that one column tells, two different records are left."""
    target = tmp_path / "coarse.csv"
    assert not run(table, "--label", "retired", "-o", target, "--json")
    found = json.loads(capsys.readouterr().out)
    released = pl.read_csv(target)
    before = pl.read_csv(table)
    assert released["retired"].to_list() == before["retired"].to_list()
    assert before.drop("retired").n_unique() == 200
    assert released.drop("retired").n_unique() == 2
    assert found["relative_accuracy"] >= 0.95
    assert found["generalizations"]["ranges"]["income"] == []
    assert found["rows"] == 200
    assert found["unseen"] == 60


def test_columns_that_are_not_named_stay(table, tmp_path, capsys):
    """With --features, only these change; the terminal says that this is not anonymization."""
    target = tmp_path / "coarse.csv"
    assert not run(table, "--label", "income", "--features", "town", "-o", target)
    assert pl.read_csv(target).drop("town").equals(pl.read_csv(table).drop("town"))
    assert "not anonymization" in capsys.readouterr().out


def test_a_label_of_numbers_is_measured_by_r2(table, tmp_path, capsys):
    """A label of many numbers is predicted as a number."""
    target = tmp_path / "coarse.csv"
    assert not run(table, "--label", "age", "-k", 5, "--accuracy", 0.01, "-o", target, "--json")
    assert json.loads(capsys.readouterr().out)["model"] == "boosted trees, numbers"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--label", "retird"), 3, "no column 'retird'; it has age, town"),
        (("--label", "age", "--features", "age,town"), 3, "'age' is the label"),
        (("--label", "age", "--accuracy", 1.5), 2, "at most 1"),
    ],
)
def test_a_wrong_request_writes_nothing(table, tmp_path, capsys, arguments, code, message):
    """An unknown column, a label among the features or an accuracy above 1 is refused."""
    target = tmp_path / "coarse.csv"
    assert run(table, *arguments, "-o", target) == code
    assert message in capsys.readouterr().err
    assert not target.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (pl.lit("no"), "one value"),
        (pl.when(pl.col("age") < 30).then(None).otherwise(pl.col("retired")), "the label has no"),
    ],
)
def test_a_label_that_cannot_be_learned_is_refused(table, tmp_path, capsys, change, message):
    """A label with one value, or with none in some record, is an error that names it."""
    pl.read_csv(table).with_columns(retired=change).write_csv(table)
    assert run(table, "--label", "retired", "-o", tmp_path / "coarse.csv") == 3
    assert message in capsys.readouterr().err
