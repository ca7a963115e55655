"""`kanonym fit` and `kanonym apply`: a recoding, and the batches that it releases."""

from __future__ import annotations

import io
import json
import threading
import time
from pathlib import Path

import polars as pl
import pytest

from kanonym.data.files import read_table
from kanonym.data.files.disk import lock_file
from kanonym.series import Fitted

FIT = "fit patients.csv --policy policy.yaml -o recoding.json"
APPLY = "apply recoding.json patients.csv -o out.csv"


def records(path):
    """Return the lines of a file in an order of their own."""
    return sorted(path.read_text("utf-8").splitlines())


@pytest.fixture
def fitted(kanonym, folder):
    """Return the folder, with a recoding of the patients in it."""
    assert kanonym(FIT).code == 0
    return folder


def test_the_fitted_table_is_released_as_anonymize_does(kanonym, fitted):
    """The recoding, applied to its own table, writes the very records."""
    assert kanonym("anonymize patients.csv --policy policy.yaml -o direct.csv").code == 0
    assert kanonym(APPLY).code == 0
    assert records(fitted / "out.csv") == records(fitted / "direct.csv")


def test_what_is_told_of_a_recoding(kanonym, fitted):
    """Tables for people, one JSON object with --json; neither holds a value of a record."""
    ran = kanonym(FIT.replace("recoding", "other"))
    assert "by boxes: 4 boxes, 4 classes" in ran.text
    assert "each batch, and the union" in ran.text
    found = kanonym(f"{FIT.replace('recoding', 'third')} --json").json
    assert found["fitted"]["rows"] == 8
    assert found["attributes"]["age"] == {"type": "Int64", "recoding": "interval"}
    assert found["written"] == ["third.json"]
    assert "Ada" not in ran.text + json.dumps(found) + (fitted / "recoding.json").read_text("utf-8")


def test_batches_are_counted_with_update(kanonym, fitted):
    """Without --update the file stays as it is, and the user is told so."""
    before = (fitted / "recoding.json").read_bytes()
    ran = kanonym(APPLY)
    assert "Not counted" in ran.text
    assert (fitted / "recoding.json").read_bytes() == before
    for number in (1, 2):
        found = kanonym(f"{APPLY} --update --json").json
        assert found["batch"]["number"] == number
        assert found["union"]["rows"] == 8 * number
        assert found["verification"]["satisfied"]
        assert found["counted"]


def test_no_count_is_lost_to_another_update(kanonym, fitted):
    """Who updates waits for who does so already, and counts on."""
    path = fitted / "recoding.json"
    begun = threading.Event()

    def other():
        with lock_file(path):
            recoding = Fitted.load(path)
            begun.set()
            recoding.apply(read_table("patients.csv"))
            time.sleep(0.5)
            recoding.save(path)

    thread = threading.Thread(target=other)
    thread.start()
    begun.wait()
    found = kanonym(f"{APPLY} --update --json").json
    thread.join()
    assert found["batch"]["number"] == 2
    assert found["union"]["rows"] == 16


def test_a_crash_before_the_count_is_mended_by_the_same_command(kanonym, fitted, monkeypatch):
    """The release is there, not counted: run again, the batch has the same number."""
    path = fitted / "recoding.json"
    before, real = path.read_bytes(), Path.replace

    def fails(self, target):
        if target == path.resolve():
            raise OSError(5, "Input/output error")
        return real(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fails)
        assert kanonym(f"{APPLY} --update").code == 3
    first = records(fitted / "out.csv")
    assert path.read_bytes() == before
    found = kanonym(f"{APPLY} --update --json").json
    assert records(fitted / "out.csv") == first
    assert (found["batch"]["number"], found["union"]["rows"]) == (1, 8)


def test_a_failing_batch_changes_no_file(refused, fitted):
    """A batch that fails is not written and not counted: the classes are named."""
    (fitted / "few.csv").write_text("name,age,zip,sex,disease\nZoe,24,01234,f,flu\n", "utf-8")
    before = (fitted / "recoding.json").read_bytes()
    error = refused("apply recoding.json few.csv -o few_out.csv --update", expected=1)
    assert "1 of 1 records would be suppressed, and suppression_limit 0 allows 0" in error
    assert "Zoe" not in error
    assert (fitted / "recoding.json").read_bytes() == before


def test_the_union_alone_can_be_asked_for(kanonym, fitted):
    """With --union-only, one record is released once others of its class have been."""
    assert kanonym(f"{FIT} --union-only --overwrite").code == 0
    assert kanonym(f"{APPLY} --update").code == 0
    header, *rows = (fitted / "patients.csv").read_text("utf-8").splitlines()
    (fitted / "few.csv").write_text(f"{header}\n{rows[0]}\n", "utf-8")
    ran = kanonym("apply recoding.json few.csv -o few_out.csv --update")
    assert ran.code == 0
    assert "in the union" in ran.text
    assert len(read_table("few_out.csv")) == 1


def test_unseen_values_can_be_an_error(kanonym, refused, fitted):
    """--unseen error names the row and the value; root releases it as `*`."""
    text = (fitted / "patients.csv").read_text("utf-8").replace(",f,", ",x,")
    (fitted / "other.csv").write_text(text, "utf-8")
    assert kanonym("apply recoding.json other.csv -o out.csv").code == 0
    assert read_table("out.csv")["age"].to_list().count("*") == 4
    assert kanonym(f"{FIT} --unseen error --overwrite").code == 0
    error = refused("apply recoding.json other.csv -o other_out.csv")
    assert "row 1 falls in no class" in error


def test_levels_are_given_on_the_command_line(kanonym, fitted):
    """Full-domain recodings are told by level, and release new values at it."""
    line = "fit patients.csv -q age,zip -s disease -i name --others insensitive -k 2"
    assert kanonym(f"{line} --levels age=5,zip=3 -o levels.json").code == 0
    text = (fitted / "patients.csv").read_text("utf-8").replace(",01234,", ",01299,")
    (fitted / "other.csv").write_text(text, "utf-8")
    found = kanonym("apply levels.json other.csv -o out.csv --json").json
    assert found["algorithm"]["fitted_levels"]["zip"] == 3
    assert found["batch"]["unseen"] == {"age": 0, "zip": 0}


def test_standard_input_and_output_carry_the_batch(kanonym, fitted):
    """`-` reads standard input and writes standard output; what people read goes elsewhere."""
    patients = (fitted / "patients.csv").read_bytes()
    ran = kanonym("apply recoding.json - -o -", stdin=patients)
    assert len(pl.read_csv(io.BytesIO(ran.out))) == 8
    assert "released so far" in ran.error


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("apply policy.yaml patients.csv -o out.csv", "policy.yaml is not a recoding"),
        ("apply recoding.jsn patients.csv -o out.csv", "did you mean recoding.json?"),
        ("apply recoding.json patients.csv -o none/out.csv", "the folder none does not exist"),
        ("fit patients.csv --policy policy.yaml -o none/r.json", "the folder none does not exist"),
    ],
)
def test_wrong_places_are_refused(refused, fitted, line, said):
    """One line says which file is meant and what to do; nothing is written."""
    assert (fitted / "recoding.json").is_file()
    assert said in refused(line)


@pytest.mark.parametrize(
    "line",
    [
        "apply recoding.json patients.csv -o recoding.json",
        "apply recoding.json patients.csv -o - --json",
        "apply - patients.csv -o out.csv --update",
        f"{FIT} --unseen never",
        "fit patients.csv -o recoding.json",
        "fit patients.csv --policy policy.yaml -o patients.csv",
    ],
)
def test_wrong_usage_is_told(kanonym, fitted, line):
    """Exit code 2: outputs over inputs, two things for standard output, unknown words."""
    before = sorted((one, one.read_bytes()) for one in fitted.iterdir())
    assert kanonym(line).code == 2
    assert sorted((one, one.read_bytes()) for one in fitted.iterdir()) == before


@pytest.mark.parametrize(
    "line",
    [
        "fit patients.csv --policy policy.yaml -o postgresql://u:hidden@h/db",
        "apply postgresql://u:hidden@h/db patients.csv -o out.csv",
        "apply recoding.json patients.csv -o postgresql://u:hidden@h/db",
    ],
)
def test_databases_are_refused_without_their_password(kanonym, fitted, line):
    """A recoding is fitted and applied to files; the error holds of a URL its scheme alone."""
    ran = kanonym(line)
    assert ran.code == 3
    assert "postgresql:// is not supported here" in ran.error
    assert "hidden" not in ran.error
    assert not (fitted / "out.csv").exists()


@pytest.mark.parametrize(
    "line",
    [
        "fit postgresql://u:hidden@127.0.0.1:1/db --table t --policy policy.yaml -o again.json",
        "apply recoding.json postgresql://u:hidden@127.0.0.1:1/db --table t -o out.csv",
    ],
)
def test_a_database_that_does_not_answer_keeps_its_password(kanonym, fitted, line):
    """The URL is named without the password."""
    ran = kanonym(line)
    assert ran.code == 3
    assert "postgresql://" in ran.error
    assert "hidden" not in ran.error + ran.text
    assert not (fitted / "out.csv").exists()


def test_a_changed_recoding_is_refused(refused, fitted):
    """A file that somebody edited is not applied."""
    path = fitted / "recoding.json"
    path.write_text(path.read_text("utf-8").replace('"batches": 0', '"batches": 3'), "utf-8")
    assert "was changed since kanonym wrote it" in refused(APPLY)


def test_a_recoding_counts_persons(kanonym, folder):
    """`fit --entity` makes k count persons: each has three rows of one age here."""
    visits = pl.DataFrame({"who": [n // 3 for n in range(36)], "age": [n // 3 for n in range(36)]})
    visits.write_csv(folder / "visits.csv")
    asked = "fit visits.csv --identifiers who -q age -k 4 --entity who -o recoding.json"
    assert kanonym(asked).code == 0
    assert kanonym("apply recoding.json visits.csv -o out.csv --json").code == 0
    rows = pl.read_csv(folder / "out.csv").group_by("age").len()["len"]
    assert rows.min() >= 3 * 4


def test_persons_of_several_batches_are_told(kanonym, folder):
    """`apply --person` tells how many persons earlier batches had, and keeps no name."""
    (folder / "key").write_text("a key of tests, of no data\n")
    assert kanonym("fit patients.csv -p policy.yaml -o fitted.json").code == 0
    asked = "--update --person name --person-key key --json"
    assert (
        kanonym(f"apply fitted.json patients.csv -o one.csv {asked}").json["repeated"]["persons"]
        == 0
    )
    found = kanonym(f"apply fitted.json patients.csv -o two.csv {asked}").json["repeated"]
    assert found["persons"] == 8
    assert found["known"] == {"disease": 0}
    assert "Ada" not in (folder / "fitted.json").read_text("utf-8")
    assert kanonym("apply fitted.json patients.csv -o x.csv --person name").code == 2
    assert kanonym("apply fitted.json patients.csv -o x.csv").code == 3


def test_a_recoding_is_printed_as_a_view_and_judged(kanonym, fitted):
    """--sql prints what makes the view, and what returns its violating classes; nothing is read."""
    asked = "apply recoding.json clinic.patients --sql duckdb"
    made, judged = kanonym(f"{asked} -o released").text.split(";\n\n")
    assert made.startswith('CREATE VIEW "released" AS')
    assert 'FROM "clinic"."patients"' in made
    assert 'FROM "released"' in judged
    assert kanonym(f"{asked} -o released --as table").text.startswith('CREATE TABLE "released" AS')
    alone = kanonym(f"{asked} -o -").text
    assert alone.startswith(("SELECT", "WITH"))
    assert "released" not in alone
    assert not (fitted / "released").exists()
    ran = kanonym(f"{asked} -o released --update")
    assert ran.code == 2
    assert "--update" in ran.error
