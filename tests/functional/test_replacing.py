"""Files that exist: what a command replaces, and what it leaves alone."""

from __future__ import annotations

import pytest

RELEASE = "anonymize patients.csv -p policy.yaml -o out.csv --report r.html --report r.json"


def test_a_repeated_command_replaces_its_own_output_and_says_so(kanonym):
    """A release with its manifest, and reports, can be made again as they are."""
    assert kanonym(RELEASE).code == 0
    ran = kanonym(RELEASE)
    assert ran.code == 0
    for name in ("out.csv", "out.csv.manifest.json", "r.html", "r.json"):
        assert f"{name} is replaced: the same command wrote it before" in ran.error


def test_a_release_that_was_changed_is_not_replaced(kanonym, refused, folder):
    """Whoever edited a release keeps it, unless --overwrite says otherwise."""
    assert kanonym(RELEASE).code == 0
    edited = (folder / "out.csv").read_bytes() + b"\n"
    (folder / "out.csv").write_bytes(edited)
    assert "out.csv exists" in refused(RELEASE)
    assert (folder / "out.csv").read_bytes() == edited
    ran = kanonym(f"{RELEASE} --overwrite")
    assert ran.code == 0
    assert "out.csv is replaced, by --overwrite" in ran.error


def test_a_release_of_another_input_is_not_replaced(kanonym, refused, folder):
    """The manifest says which table it was made from."""
    assert kanonym(RELEASE).code == 0
    (folder / "others.csv").write_bytes((folder / "patients.csv").read_bytes())
    assert "out.csv exists" in refused(RELEASE.replace("patients", "others"))


@pytest.mark.parametrize(
    "line",
    [
        "anonymize patients.csv -p policy.yaml -o mine.csv",
        "anonymize patients.csv -p policy.yaml -o new.csv --report mine.html",
        "anonymize patients.csv -p policy.yaml -o new.csv --manifest mine.json",
        "fit patients.csv -p policy.yaml -o mine.json",
        "synthesize patients.csv -o mine.csv",
        "transform patients.csv --drop name -o mine.csv",
        "profile patients.csv --write mine.yaml",
        "profile patients.csv --report mine.html",
        "recommend patients.csv -k 2 --write mine.yaml",
    ],
)
def test_a_file_of_somebody_else_stays(refused, folder, line):
    """No command writes over a file that it did not write; nothing else is left behind."""
    for name in ("mine.csv", "mine.json", "mine.yaml", "mine.html"):
        (folder / name).write_text("mine")
    assert "exists" in refused(line)
    assert (folder / "mine.csv").read_text() == "mine"


def test_a_suggested_policy_is_written_again_until_it_is_edited(kanonym, refused, folder):
    """The same text is nothing new; another one is somebody's work."""
    line = "profile patients.csv -o suggested.yaml"
    assert kanonym(line).code == 0
    assert kanonym(line).code == 0
    with (folder / "suggested.yaml").open("a") as file:
        file.write("# checked by the officer\n")
    assert "suggested.yaml exists" in refused(line)


def test_a_workbench_without_its_table_is_an_error(refused):
    """The sentence names the file, and one that has nearly its name."""
    assert refused("workbench nofile.csv --no-browser") == "no file nofile.csv"
    assert "did you mean patients.csv" in refused("workbench patient.csv --no-browser")
