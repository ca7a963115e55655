"""A process that is killed while it writes leaves nothing that reads as a release."""

from __future__ import annotations

import subprocess
import sys
import time

import duckdb
import polars as pl
import pytest
import sqlglot

import kanonym as ka
from kanonym.data.errors import DataError
from kanonym.engines.database import scan_database, write_table
from kanonym.engines.duckdb import scan_duckdb
from kanonym.engines.duckdb import store as duck_staging
from kanonym.engines.sql.statements import empty_query

WRITING = """
import sys, time
import polars as pl
from kanonym.engines.database import scan_database
from kanonym.engines.duckdb import scan_duckdb

where, table, place, how = sys.argv[1:]
source = scan_duckdb(table) if where == "duckdb" else scan_database(where, table)
store, query = source.store, source.query
if how == "within":
    query = store.repeat(store.put(pl.DataFrame({"age": range(10**5), "n": [3000] * 10**5})), "n")
    print("ready", flush=True)
staged = store.stage(query, place)
print("ready", flush=True)
time.sleep(60)
"""

PATIENTS = pl.DataFrame({"age": [34, 71], "city": ["Bern", "Chur"]})
IN_DUCKDB = pytest.mark.xdist_group("duckdb")


def killed(where, table, place, how, reached):
    """Start a process that writes, and kill it when `reached` says so."""
    command = [sys.executable, "-c", WRITING, where, str(table), str(place), how]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            end = time.monotonic() + 50
            while not reached():
                assert time.monotonic() < end
                assert process.poll() is None
                time.sleep(0.05)
        finally:
            process.kill()


def tables_in(folder):
    """Return the files of a folder that a pattern finds, and those that DuckDB reads by one."""
    files = [path for path in folder.iterdir() if path.suffix != ".tmp" or path.name[0] != "."]
    seen = duckdb.execute("SELECT file FROM glob($1)", [f"{folder}/*"]).fetchall()
    return files, [name for (name,) in seen if not name.endswith(".tmp")]


@IN_DUCKDB
@pytest.mark.parametrize(
    ("how", "form"),
    [
        ("within", "csv"),
        ("before publishing", "parquet"),
        pytest.param("within", "parquet", marks=pytest.mark.nightly),
        pytest.param("before publishing", "csv", marks=pytest.mark.nightly),
    ],
)
def test_killed_duckdb_leaves_no_file(tmp_path, form, how):
    """Killed in the midst of a file or after it, there is none; the next run cleans up."""
    folder = tmp_path / "out"
    folder.mkdir()
    PATIENTS.write_parquet(tmp_path / "patients.parquet")
    place = folder / f"released.{form}"

    def reached():
        large = [path for path in folder.glob(".kanonym*.tmp") if path.stat().st_size > 1 << 12]
        return how != "within" or large

    killed("duckdb", tmp_path / "patients.parquet", place, how, reached)
    assert tables_in(folder) == ([], [])
    assert len(list(folder.glob(".*"))) == 1
    source = scan_duckdb(tmp_path / "patients.parquet")
    source.store.stage(source.query, str(place)).publish()
    assert list(folder.iterdir()) == [place]


@pytest.mark.parametrize("place", ["released", "released.parquet"])
@pytest.mark.parametrize("how", ["before publishing", "within"])
def test_killed_database_leaves_nothing(database, tmp_path, place, how):
    """Killed before publishing, neither a table nor a file is there; the next run writes both."""
    if how == "within" and place != "released":
        pytest.skip("a file is written from a table that is complete")
    write_table(PATIENTS, database, "patients")
    place = place if place == "released" else str(tmp_path / place)

    killed(database, "patients", place, how, lambda: True)
    assert not list(tmp_path.glob("released*"))
    with pytest.raises(DataError, match="no table 'released'"):
        scan_database(database, "released")
    source = scan_database(database, "patients")
    source.store.stage(source.query, place).publish()
    source.store.close()
    found = scan_database(database, "released") if place == "released" else scan_duckdb(place)
    assert found.store.fetch(found.query).sort("age").equals(PATIENTS)


@IN_DUCKDB
def test_a_file_that_was_there_stays_until_the_end(tmp_path):
    """What stands in the place is replaced when the release is published, not before."""
    place = tmp_path / "released.csv"
    place.write_text("old\n")
    source = scan_duckdb(PATIENTS)
    staged = source.store.stage(source.query, str(place))
    assert place.read_text() == "old\n"
    staged.discard()
    assert place.read_text() == "old\n"
    source.store.stage(source.query, str(place)).publish()
    assert place.read_text() == "age,city\n34,Bern\n71,Chur\n"


@IN_DUCKDB
def test_what_cannot_be_written_leaves_nothing(tmp_path):
    """A folder that is not there, a column that the format cannot hold: an error, and no file."""
    source = scan_duckdb(PATIENTS.with_columns(pl.lit([1, 2]).alias("list")))
    with pytest.raises(DataError, match="does not exist"):
        source.store.stage(source.query, str(tmp_path / "none" / "released.csv"))
    for form in ("csv", "csv.gz", "xlsx"):
        with pytest.raises(DataError, match="'list' holds"):
            source.store.stage(source.query, str(tmp_path / f"released.{form}"))
    assert list(tmp_path.iterdir()) == []


def test_discarded_tables_were_never_there(database):
    """Nobody sees a table before it is published, nor after it is discarded."""
    write_table(PATIENTS, database, "patients")
    source = scan_database(database, "patients")
    staged = source.store.stage(source.query, "released")
    assert source.store.fetch(staged.query).height == 2
    if not database.startswith("sqlite"):  # which lets nobody look meanwhile
        with pytest.raises(DataError, match="no table"):
            scan_database(database, "released")
    staged.discard()
    with pytest.raises(DataError, match="no table"):
        scan_database(database, "released")
    assert source.store.fetch(empty_query(source.query)).columns == ["age", "city"]


def test_a_place_is_needed(database):
    """A database has no table that nobody named."""
    write_table(PATIENTS, database, "patients")
    source = scan_database(database, "patients")
    with pytest.raises(DataError, match="needs a place"):
        source.store.stage(source.query, None)


@IN_DUCKDB
def test_folders_of_dead_processes_are_removed(tmp_path):
    """What DuckDB had put aside for a process that was killed is removed by the next one."""
    (tmp_path / "patients").mkdir()
    PATIENTS.write_parquet(tmp_path / "patients" / "a.parquet")
    code = (
        "import os, sys; from kanonym.engines.duckdb import scan_duckdb; "
        "scan_duckdb(sys.argv[1], folder=sys.argv[2]); os.kill(os.getpid(), 9)"
    )
    folder = tmp_path / "aside"
    folder.mkdir()
    table = str(tmp_path / "patients" / "*.parquet")
    subprocess.run([sys.executable, "-c", code, table, str(folder)], check=False)
    (left,) = folder.iterdir()
    assert left.stat().st_mode & 0o077 == 0
    source = scan_duckdb(table, folder=folder)
    assert not left.exists()
    assert len(list(folder.iterdir())) == 1
    source.store.close()


@IN_DUCKDB
@pytest.mark.parametrize("form", ["csv", "tsv", "parquet"])
def test_a_file_that_duckdb_writes_otherwise_is_no_release(tmp_path, monkeypatch, form):
    """Cells that no model looks at are read back and compared, too."""
    name = "_parquet" if form == "parquet" else "_csv"
    write = getattr(duck_staging, name)

    def other(store, query, *rest):
        text = f'SELECT "age", upper("city") AS "city" FROM ({query.sql("duckdb")})'  # noqa: S608
        return write(store, sqlglot.parse_one(text, dialect="duckdb"), *rest)

    monkeypatch.setattr(duck_staging, name, other)
    asked = {"quasi_identifiers": ["age"], "others": "insensitive", "rows": "persons", "k": 1}
    with pytest.raises(DataError, match="column 'city' is not read back as it was written"):
        ka.anonymize(scan_duckdb(PATIENTS), **asked, output=tmp_path / f"out.{form}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("where", ["duckdb", "sqlite"])
def test_a_header_that_is_taken_for_a_record_is_not_written(tmp_path, where):
    """Numbers as names above numbers are refused by engines as they are for local tables."""
    table = pl.DataFrame({"1": [34, 34], "2": [1, 2]})
    source = scan_duckdb(table)
    if where == "sqlite":
        url = f"sqlite:///{tmp_path / 'tables.db'}"
        write_table(table, url, "t")
        source = scan_database(url, "t")
    with pytest.raises(DataError, match="is named like a value"):
        ka.anonymize(
            source,
            quasi_identifiers=["1"],
            others="insensitive",
            rows="persons",
            k=2,
            output=str(tmp_path / "out.csv"),
        )
    assert not (tmp_path / "out.csv").exists()


@IN_DUCKDB
@pytest.mark.parametrize("form", ["csv", "csv.gz", "json", "xlsx"])
def test_a_refusal_names_the_place_and_not_the_hidden_file(tmp_path, form):
    """What the format cannot hold is refused by the name that was given, and nothing is left."""
    source = scan_duckdb(pl.DataFrame({"age": [1, 2], "photo": [b"a", b"b"]}))
    place = tmp_path / f"released.{form}"
    with pytest.raises(DataError, match="column 'photo' holds Binary") as error:
        source.store.stage(source.query, str(place))
    assert ".kanonym" not in str(error.value)
    assert not list(tmp_path.iterdir())
