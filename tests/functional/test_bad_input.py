"""Bad input through the command line: exit code 3, and a message that names the place."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = "anonymize patients.csv -p policy.yaml -o out.csv"
SHORT = "anonymize patients.csv -q age,zip -s disease -i name,sex -o out.csv"


def write(folder, name, text):
    """Write a file as UTF-8."""
    (folder / name).write_text(text, "utf-8")


def test_missing_file(refused):
    """A missing file is named, with the file that was probably meant."""
    error = refused("anonymize patient.csv -p policy.yaml -o out.csv")
    assert "no file patient.csv" in error
    assert "did you mean patients.csv?" in error


def test_missing_policy(refused):
    """A missing policy is named."""
    assert "polcy.yaml" in refused("anonymize patients.csv -p polcy.yaml -o out.csv")


def test_empty_file(refused, folder):
    """An empty file is told to be empty."""
    write(folder, "patients.csv", "")
    assert refused(RUN) == "patients.csv is empty"


def test_ragged_row(refused, folder):
    """A row of another length is named by file and line."""
    write(folder, "patients.csv", "name,age,zip,sex,disease\nAda,23,01234,f,flu\nBob,25,01235,m\n")
    error = refused(RUN)
    assert "patients.csv" in error
    assert "line 3" in error


def test_not_utf8(refused, folder):
    """A table in another encoding is refused, with the line and what to do."""
    (folder / "patients.csv").write_bytes("name,age\nJosé,23\n".encode("latin-1"))
    error = refused(RUN)
    assert "patients.csv is not UTF-8: line 2" in error
    assert "Save it as UTF-8" in error
    assert "--encoding windows-1252" in error


def test_a_table_in_another_encoding_is_released_in_utf8(kanonym, folder):
    """With `--encoding`, a table is read as it is written, and its release in UTF-8 beside it."""
    rows = "".join(f"Jos\xe9;{20 + n % 3};K\xf6ln\n" for n in range(12))
    (folder / "latin.csv").write_bytes(f"name;age;Stra\xdfe\n{rows}".encode("windows-1252"))
    asked = "-q age,Straße -i name --encoding windows-1252"
    kanonym(f"anonymize latin.csv {asked} -k 3 -o out.csv")
    assert "Köln" in (folder / "out.csv").read_text("utf-8")
    done = kanonym(f"assess latin.csv out.csv {asked.replace('-i name ', '')} --json")
    assert done.json["risk"]["k"]["value"] >= 3


def test_encoding_and_columns_are_those_of_every_file_that_is_read(kanonym, folder):
    """A file without a header gets its names; hierarchies and populations are read as encoded."""
    records = "".join(f"{20 + n % 3};{town}\n" for n in range(12) for town in ("Köln", "Münster"))
    (folder / "latin.csv").write_bytes(records.encode("windows-1252"))
    (folder / "town.csv").write_bytes("Köln;NRW;*\nMünster;NRW;*\n".encode("windows-1252"))
    (folder / "all.csv").write_bytes(f"age;town\n{records}".encode("windows-1252"))
    (folder / "kmap.yaml").write_text(
        "attributes:\n  age: {role: quasi-identifier}\n"
        "  town: {role: quasi-identifier, hierarchy: {file: town.csv}}\n"
        "models: [{type: k-map, k: 3, population: all.csv}]\nalgorithm: {type: full-domain}\n",
        "utf-8",
    )
    read = "--columns age,town --encoding windows-1252"
    assert kanonym(f"anonymize latin.csv {read} -p kmap.yaml -o out.csv").code == 0
    assert (folder / "out.csv").read_text("utf-8").startswith("age,town\n")


def test_a_file_without_a_header_is_refused(refused, folder):
    """The error says how to name the columns."""
    write(folder, "patients.csv", "23,f\n25,m\n23,f\n")
    assert "--columns a,b,c" in refused("profile patients.csv")


def test_unknown_column(refused):
    """A column that the table does not have is named, with the nearest one that it has."""
    error = refused("anonymize patients.csv -q agee -k 2 --others insensitive -o out.csv")
    assert "'agee'" in error
    assert "did you mean 'age'?" in error


def test_unknown_column_of_measure(refused):
    """`measure`, too, names a column that the table does not have."""
    assert "'agee'" in refused("measure patients.csv -q agee")


def test_column_in_two_roles(refused):
    """A column in two roles is named, with both roles."""
    error = refused("anonymize patients.csv -q age,zip -s age -k 2 -o out.csv")
    assert error == "column 'age' is in two roles: quasi-identifier and sensitive"


def test_column_twice_in_a_policy(refused, folder):
    """A column that stands twice in a policy is named with both lines."""
    write(
        folder, "policy.yaml", "attributes:\n  age: {role: identifier}\n  age: {role: sensitive}\n"
    )
    assert "policy.yaml, line 3: 'age' is given twice (first in line 2)" in refused(RUN)


def test_unclassified_columns(refused):
    """Columns that nobody classified are listed, and never released in silence."""
    error = refused("anonymize patients.csv -q age,zip -k 2 -o out.csv")
    assert "3 column(s) have no role: name, sex, disease" in error


def test_k_of_zero(kanonym):
    """k=0 is wrong usage, with what it must be."""
    assert "Invalid value for -k: 0 is not 1 or more" in kanonym(f"{SHORT} -k 0").error


def test_k_above_the_number_of_rows(refused):
    """A k that the whole table cannot reach is refused, with the best that is possible."""
    error = refused(f"{SHORT} -k 9", expected=1)
    assert "k-anonymity" in error
    assert "8" in error


def test_l_above_the_distinct_values(refused):
    """An l that the whole table cannot reach is refused, with the best that is possible."""
    error = refused(f"{SHORT} -l 4", expected=1)
    assert "l-diversity" in error
    assert "disease" in error
    assert "3" in error


def test_negative_t(kanonym):
    """A negative t is wrong usage, with its range."""
    assert "-t: -0.1 is not between 0 and 1" in kanonym(f"{SHORT} -t -0.1").error


@pytest.mark.parametrize("number", ["inf", "-inf"])
def test_infinite_number_in_a_quasi_identifier(refused, folder, number):
    """An infinite number in a quasi-identifier is named by its column and row."""
    write(folder, "patients.csv", f"age,disease\n23.5,flu\n{number},cold\n25.5,flu\n")
    error = refused("anonymize patients.csv -q age -s disease -k 2 -o out.csv")
    assert "column 'age', row 2" in error
    assert f"{number} is not a finite number" in error


def test_value_missing_from_a_hierarchy(refused, folder):
    """Values that a hierarchy does not know are named with their column and its file."""
    write(folder, "sex.csv", "f;*\nx;*\n")
    error = refused(
        "anonymize patients.csv -q sex --hierarchy sex=sex.csv -k 2 --others insensitive -o out.csv"
    )
    assert "column 'sex'" in error
    assert "sex.csv" in error
    assert "'m'" in error


def test_hierarchy_with_two_parents(refused, folder):
    """A label with two parents is named with file and both rows, and without the parents."""
    write(folder, "zip.csv", "01234;a;n;*\n01235;a;s;*\n")
    error = refused(
        "anonymize patients.csv -q zip --hierarchy zip=zip.csv -k 2 --others insensitive -o out.csv"
    )
    assert "zip.csv, row 2" in error
    assert "'a' of level 1 has two parents" in error
    assert "in row 1" in error


def test_missing_hierarchy_file(refused):
    """A missing hierarchy file is told under the column that needs it."""
    error = refused(f"{SHORT} -k 2 --hierarchy age=nowhere.csv")
    assert error.startswith("hierarchies.age: ")
    assert "nowhere.csv" in error


def test_misspelt_policy(refused, folder):
    """All faults of a policy are told at once, misspelt names with the nearest right ones."""
    write(
        folder,
        "policy.yaml",
        """\
attributes:
  age: {role: quasi-identifer}
  zip: {role: quasi-identifier, hierachy: masking}
models:
  - {type: k-anonymity, k: 0}
  - {type: l-diversty, attribute: disease, l: 2}
suppresion_limit: 0.1
""",
    )
    error = refused(RUN)
    assert error.startswith("policy.yaml: 5 faults")
    for fault in (
        "attributes.age.role: 'quasi-identifer' is an unknown role; did you mean 'quasi-ident",
        "attributes.zip.hierachy: 'hierachy' is an unknown key of quasi-identifier; did you mean",
        "models[0].k: is 0; it must be an integer of at least 1",
        "models[1].type: 'l-diversty' is an unknown type; did you mean 'l-diversity'?",
        "suppresion_limit: 'suppresion_limit' is an unknown key; did you mean 'suppression_limi",
    ):
        assert fault in error


@pytest.mark.parametrize("option", ["-o", "--report", "--manifest"])
def test_missing_output_folder(refused, option):
    """A missing folder of any output is told before the work begins."""
    place = "nowhere/out.csv" if option == "-o" else "nowhere/out.json"
    line = "anonymize patients.csv -p policy.yaml"
    error = refused(
        f"{line} -o {place}" if option == "-o" else f"{line} -o out.csv {option} {place}"
    )
    assert "nowhere" in error
    assert "does not exist" in error


def test_unknown_output_format(refused):
    """An extension that no format has is refused, with those that are known."""
    error = refused("anonymize patients.csv -p policy.yaml -o out.dat")
    assert ".parquet" in error


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device of Linux")
def test_full_device(refused):
    """A device that takes no byte is an error, not a success."""
    assert "No space left" in refused(
        "anonymize patients.csv -p policy.yaml -o /dev/full --format csv"
    )


@pytest.mark.skipif(os.name == "nt", reason="file size limits are a POSIX thing")
def test_full_disk_leaves_nothing_half_written(folder):
    """Where the disk takes some bytes and no more, the old file stays as it was."""
    outputs = [folder / f"out.{form}" for form in ("csv", "parquet", "xlsx", "json")]
    for output in outputs:
        output.write_text("yesterday's release", "utf-8")
    before = sorted(folder.iterdir())
    program = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
        "from kanonym.cli import main\n"
        "*line, number = sys.argv[1:]\n"
        "for output in line[-int(number):]:\n"
        "    try:\n"
        "        main([*line[:-int(number)], output])\n"
        "    except SystemExit as ended:\n"
        "        print(ended.code)\n"
    )

    ran = subprocess.run(
        [
            *(sys.executable, "-c", program, "--overwrite", *RUN.split()[:-1]),
            *(*(one.name for one in outputs), str(len(outputs))),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert ran.stdout.split() == ["3"] * len(outputs)
    assert "Traceback" not in ran.stderr
    for output in outputs:
        assert f"{output.name} cannot be written" in ran.stderr
        assert output.read_text("utf-8") == "yesterday's release"
    assert sorted(folder.iterdir()) == before


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_folder_without_permission(refused, folder):
    """A folder that one may not write to is told before the work begins."""
    (folder / "locked").mkdir(mode=0o500)
    assert "permission" in refused("anonymize patients.csv -p policy.yaml -o locked/out.csv")


def test_output_that_is_a_folder(refused, folder):
    """A folder in place of an output file is told."""
    (folder / "out.csv").mkdir()
    assert "is a folder" in refused(RUN)


def test_empty_standard_input(refused):
    """Nothing on standard input is told as such."""
    assert "standard input is empty" in refused("measure - -q age")
