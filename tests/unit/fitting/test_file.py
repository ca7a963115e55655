"""The file of a fitted recoding."""

from __future__ import annotations

import json

import polars as pl
import pytest

import kanonym as ka
from kanonym.fitting import Fitted, document, fit

TABLE = pl.DataFrame(
    {
        "name": ["Ada Secret", "Bob Secret", "Kim Secret", "Lea Secret"],
        "age": [23, 25, 41, 44],
        "town": ["Rome", "Rome", None, "Oslo"],
        "s": ["flu", "cold", "flu", "cold"],
    }
)


@pytest.fixture
def fitted():
    """Return a recoding by boxes that has released its own table."""
    fitted = fit(
        TABLE, identifiers=["name"], quasi_identifiers=["age", "town"], sensitive=["s"], k=2, l=2
    )
    fitted.apply(TABLE)
    return fitted


def test_a_file_is_read_as_it_was_written(fitted, tmp_path):
    """Policy, recoding and count come back; the next batch is the same."""
    fitted.save(tmp_path / "r.json")
    again = Fitted.load(tmp_path / "r.json")
    assert again.to_dict() == fitted.to_dict()
    assert again.policy.to_dict() == fitted.policy.to_dict()
    assert again.apply(TABLE).frame.equals(fitted.apply(TABLE).frame)


def test_a_file_holds_no_record(fitted, tmp_path):
    """No identifier, and no column of a record beside another but as released."""
    fitted.save(tmp_path / "r.json")
    text = (tmp_path / "r.json").read_text("utf-8")
    assert "Secret" not in text
    assert json.loads(text)["released"]["tally"]["rows"] == [
        *sorted(
            json.loads(text)["released"]["tally"]["rows"], key=lambda row: text.index(str(row[0]))
        )
    ]
    assert {row[-1] for row in json.loads(text)["released"]["tally"]["rows"]} == {1}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("[23, 25]", "[22, 25]", 1), "was changed since"),
        (lambda text: text.replace('"version": 1', '"version": 2', 1), "is of version 2"),
        (lambda _: '{"kanonym": "other"}', "no recoding"),
        (lambda _: "[1, 2]", "no recoding"),
        (lambda text: text[:100], "no recoding"),
        (lambda _: "", "no recoding"),
    ],
)
def test_a_changed_or_foreign_file_is_refused(fitted, tmp_path, change, said):
    """What kanonym did not write, or not so, is not applied."""
    path = tmp_path / "r.json"
    fitted.save(path)
    path.write_text(change(path.read_text("utf-8")), "utf-8")
    with pytest.raises(ka.DataError, match=said):
        Fitted.load(path)


def test_a_damaged_file_is_refused(fitted, tmp_path):
    """A file whose checksum fits, but whose parts do not, is no traceback."""
    content = fitted.to_dict()
    content["recoding"]["attributes"]["age"]["type"] = "Object"
    document.save(tmp_path / "r.json", content)
    with pytest.raises(ka.DataError, match="damaged: ValueError"):
        Fitted.load(tmp_path / "r.json")


def test_a_missing_file_is_named(tmp_path):
    """The error names it."""
    with pytest.raises(ka.DataError, match=r"no file .*r\.json"):
        Fitted.load(tmp_path / "r.json")


def test_hierarchy_files_are_not_needed_again(tmp_path):
    """A recoding stands alone: its hierarchies are in it, those of sensitive attributes, too."""
    towns, sick = tmp_path / "towns.csv", tmp_path / "sick.csv"
    towns.write_text("Rome;Italy;*\nOslo;Norway;*\nBergen;Norway;*\n;none;*\n", "utf-8")
    sick.write_text("flu;airway;*\ncold;airway;*\nulcer;gut;*\n", "utf-8")
    policy = ka.Policy(
        attributes={
            "town": ka.QuasiIdentifier(ka.hierarchy.from_file(towns)),
            "s": ka.Sensitive(ka.hierarchy.from_file(sick)),
        },
        models=[ka.KAnonymity(1), ka.TCloseness("s", 1, "hierarchical")],
        others="insensitive",
        algorithm=ka.FullDomain(levels={"town": 1}),
        keep_order=True,
    )
    fitted = fit(TABLE, policy)
    fitted.save(tmp_path / "r.json")
    towns.unlink()
    sick.unlink()
    again = Fitted.load(tmp_path / "r.json")
    later = TABLE.with_columns(town=pl.Series(["Bergen", None, "Rome", "Paris"]))
    assert again.apply(later).frame["town"].to_list() == ["Norway", "none", "Italy", "*"]


def test_the_place_must_be_one_that_can_be_written(fitted, tmp_path):
    """A folder that does not exist is refused, and nothing is left behind."""
    with pytest.raises(ka.DataError, match="does not exist"):
        fitted.save(tmp_path / "none" / "r.json")
    assert list(tmp_path.iterdir()) == []
