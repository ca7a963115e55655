"""The file of a fitted recoding."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.files.disk import lock_file
from kanonym.series import Fitted, document, fit

TABLE = pl.DataFrame(
    {
        "name": ["Ada Secret", "Bob Secret", "Kim Secret", "Lea Secret"],
        "age": [23, 25, 41, 44],
        "town": ["Rome", "Rome", None, "Oslo"],
        "s": ["flu", "cold", "flu", "cold"],
    }
)

KEYED, NUMBERED = {"type": "keyed-hash"}, {"type": "surrogate"}


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
    counted = [tuple(row) for row in json.loads(text)["released"]["tally"]["rows"]]
    assert sorted(counted, key=str) == [
        ("[23, 25]", "Rome", "cold", 1),
        ("[23, 25]", "Rome", "flu", 1),
        ("[41, 44]", "{Oslo, null}", "cold", 1),
        ("[41, 44]", "{Oslo, null}", "flu", 1),
    ]


def test_of_suppressed_records_nothing_is_kept():
    """Whatever the values of a suppressed record are, the recoding holds the same."""
    policy = ka.Policy(
        attributes={"q": ka.QuasiIdentifier(), "s": ka.Sensitive(), "u": ka.Sensitive()},
        models=[ka.KAnonymity(2), ka.LDiversity("s", 1), ka.TCloseness("u", 1)],
        suppression_limit=1.0,
    )
    table = pl.DataFrame({"q": [1, 1], "s": ["flu", "cold"], "u": ["b", "c"]})
    held = []
    for value in ("z", "b"):
        fitted = fit(table, policy)
        alone = pl.DataFrame({"q": [3, 1, 1], "s": ["gout", "flu", "cold"], "u": [value, "b", "c"]})
        assert fitted.apply(alone).suppressed == 1
        held.append(fitted.released.to_dict())
    assert held[0] == held[1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("[23, 25]", "[22, 25]", 1), "was changed since"),
        (lambda text: text.replace('"version": 2', '"version": 3', 1), "is of version 3"),
        (lambda _: '{"kanonym": "other"}', "not a recoding"),
        (lambda _: "[1, 2]", "not a recoding"),
        (lambda text: text[:100], "not a recoding"),
        (lambda _: "", "not a recoding"),
        (lambda _: "[" * 100_000, "not a recoding"),
    ],
)
def test_a_changed_or_foreign_file_is_refused(fitted, tmp_path, change, said):
    """What kanonym did not write, or not so, is not applied."""
    path = tmp_path / "r.json"
    fitted.save(path)
    path.write_text(change(path.read_text("utf-8")), "utf-8")
    with pytest.raises(ka.DataError, match=said):
        Fitted.load(path)


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [("type", "Object", "ValueError"), ("bounds", {"Enum": [["x"]]}, "TypeError")],
)
def test_a_damaged_file_is_refused(fitted, tmp_path, part, value, said):
    """A file whose checksum fits, but whose parts do not, is no traceback."""
    content = fitted.to_dict()
    content["recoding"]["attributes"]["age"][part] = value
    document.save(tmp_path / "r.json", content)
    with pytest.raises(ka.DataError, match=f"damaged: {said}"):
        Fitted.load(tmp_path / "r.json")


def test_updates_wait_for_each_other(tmp_path):
    """Who reads a file, and writes it again, does so alone, though it is replaced each time."""
    path = tmp_path / "r.json"
    document.save(path, {"n": 0})

    def count():
        for _ in range(10):
            with lock_file(path):
                n = document.load(path)["n"]
                time.sleep(0.001)
                document.save(path, {"n": n + 1})

    with ThreadPoolExecutor(4) as pool:
        for one in [pool.submit(count) for _ in range(4)]:
            one.result()
    assert document.load(path)["n"] == 40
    assert {one.name for one in tmp_path.iterdir()} == {"r.json", ".r.json.lock"}


def test_keys_and_mappings_are_found_from_another_folder(tmp_path, monkeypatch):
    """Their places are relative to the recoding's own folder, wherever the policy stood."""
    for name in ("policies", "recodings", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "policies" / "secret.key").write_text("0123456789abcdef" * 4, "utf-8")
    form = {
        "version": 1,
        "attributes": {
            "name": {"role": "identifier", "action": [{**KEYED, "key": {"file": "secret.key"}}]},
            "town": {"role": "identifier", "action": [{**NUMBERED, "mapping": "towns.csv"}]},
            "age": {"role": "quasi-identifier"},
            "s": {"role": "insensitive"},
        },
        "models": [{"type": "k-anonymity", "k": 2}],
        "seed": 314159265358979,
    }
    (tmp_path / "policies" / "policy.yaml").write_text(json.dumps(form), "utf-8")
    monkeypatch.chdir(tmp_path)
    fitted = fit(TABLE, ka.Policy.from_file("policies/policy.yaml"))
    fitted.save("recodings/r.json")
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = Fitted.load("../recodings/r.json")
    frame = again.apply(TABLE).frame
    assert (tmp_path / "policies" / "towns.csv").is_file()
    again.save("r.json")
    assert Fitted.load("r.json").apply(TABLE).frame["name"].sort().equals(frame["name"].sort())


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
