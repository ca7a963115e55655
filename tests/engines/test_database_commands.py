"""Tables of databases wherever a table is read: on the command line, and in Python."""

from __future__ import annotations

import json
from pathlib import Path

import adbc_driver_postgresql.dbapi
import polars as pl
import pytest

import kanonym as ka
from engines.postgres_servers import create_database
from kanonym.cli import main
from kanonym.engines.database import scan_database, write_table, write_tables
from kanonym.engines.duckdb import scan_duckdb, write_database

TABLE = pl.DataFrame(
    {
        "age": [23, 25, 28, 29] * 6,
        "zip": ["01234", "01235", "01310", "01311"] * 6,
        "disease": ["flu", "cold", "flu", "asthma", "cold", "flu"] * 4,
    }
)
POLICY = """\
version: 1
attributes:
  age: {role: quasi-identifier}
  zip: {role: quasi-identifier}
  disease: {role: insensitive}
models:
  - {type: k-anonymity, k: 3}
"""
LINKED = """\
version: 1
person: people
tables:
  people:
    key: id
    attributes:
      age: {role: quasi-identifier}
      zip: {role: insensitive}
      disease: {role: insensitive}
  visits:
    references: {person: people}
    attributes:
      ward: {role: quasi-identifier}
models:
  - {type: k-anonymity, k: 3}
"""
QUASI = ["-q", "age,zip"]


@pytest.fixture
def run(capsys):
    """Return a function that runs a command, and returns what it prints as JSON."""

    def run(*command):
        with pytest.raises(SystemExit) as caught:
            main([str(one) for one in command] + ["--json"])
        said = capsys.readouterr()
        assert caught.value.code == 0, said.err
        found = json.loads(said.out)
        for key in ("seconds", "written"):
            found.pop(key, None)
        return found

    return run


def test_every_command_reads_tables_of_databases(run, database, tmp_path):
    """Of a table in a database each command says what it says of the same table as a file."""
    write_table(TABLE, database, "visits")
    file, policy = tmp_path / "visits.parquet", tmp_path / "policy.yaml"
    TABLE.write_parquet(file)
    policy.write_text(POLICY)
    first, second = ["--table", "visits"], ["--released-table", "visits"]
    for before, given, after in (
        (["profile"], [], []),
        (["measure"], QUASI, []),
        (["verify"], ["--policy", policy, "--accept-findings"], []),
        (["compare"], [*QUASI, "--others", "insensitive", "--sweep", "k=2,3",
                       "--sweep", "algorithm=mondrian"], []),
    ):  # fmt: skip
        found = run(*before, database, *first, *given, *after)
        expected = run(*before, file, *given, *after)
        assert _without_seconds(found) == _without_seconds(expected)
    found = run("assess", database, database, *first, *second, *QUASI)
    assert found == run("assess", file, file, *QUASI)
    some = [*QUASI, "--attack", "linkage"]
    found = run("attack", database, database, *first, *second, *some)
    assert found == run("attack", file, file, *some)
    original = ["--original", database, "--original-table", "visits"]
    run("verify", file, "--policy", policy, "--accept-findings", *original)


@pytest.mark.parametrize(
    "command", ["check", "profile", "measure", "verify", "assess", "attack", "compare"]
)
def test_commands_read_a_table_of_a_schema(command, postgres, run, capsys, tmp_path):
    """--schema says where the table is; the error without it names the table."""
    from adbc_driver_postgresql import dbapi

    schema = f"clinic_{command}"
    with dbapi.connect(postgres, autocommit=True) as server, server.cursor() as cursor:
        cursor.execute(f"CREATE SCHEMA {schema}")
    write_table(TABLE, postgres, "stays", schema=schema)
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY)
    words = {
        "check": [policy, postgres, "--table", "stays"],
        "verify": [postgres, "--table", "stays", "--policy", policy, "--accept-findings"],
        "assess": [postgres, postgres, "--table", "stays", "--released-table", "stays", *QUASI],
        "attack": [
            *(postgres, postgres, "--table", "stays", "--released-table", "stays", *QUASI),
            *("--attack", "linkage"),
        ],
        "compare": [
            *(postgres, "--table", "stays", *QUASI, "--others", "insensitive", "--sweep", "k=2,3")
        ],
    }.get(command, [postgres, "--table", "stays", *(QUASI if command == "measure" else [])])
    assert run(command, *words, "--schema", schema)
    with pytest.raises(SystemExit):
        main([command, *map(str, words)])
    assert "'stays'" in capsys.readouterr().err


def test_an_error_names_the_column_and_those_of_the_table(postgres, capsys, tmp_path):
    """A column that the policy names and the table lacks is told with the table's columns."""
    write_table(TABLE.drop("zip"), postgres, "short")
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY)
    for command in (
        ["check", policy, postgres, "--table", "short"],
        ["verify", postgres, "--table", "short", "--policy", policy],
        ["measure", postgres, "--table", "short", *QUASI],
    ):
        with pytest.raises(SystemExit) as caught:
            main([str(one) for one in command])
        error = capsys.readouterr().err
        assert caught.value.code == 3
        assert "'zip'" in error or ": zip" in error
        assert "age, disease" in error


def _without_seconds(found):
    if isinstance(found, dict):
        return {key: _without_seconds(v) for key, v in found.items() if "seconds" not in key}
    return [_without_seconds(one) for one in found] if isinstance(found, list) else found


@pytest.mark.parametrize("option", ["--table", "--released-table"])
def test_the_table_is_to_be_named(option, capsys, tmp_path):
    """A database without a table's name is refused, with the option that is missing."""
    url = f"sqlite:///{tmp_path / 'clinic.db'}"
    write_table(TABLE, url, "visits")
    given = ["--table", "visits"] if option == "--released-table" else []
    with pytest.raises(SystemExit) as caught:
        main(["assess", url, url, *given, *QUASI])
    assert caught.value.code == 2
    assert option in capsys.readouterr().err


@pytest.mark.parametrize("place", ["clinic.sqlite", "clinic.duckdb"])
def test_a_database_file_is_named_by_its_path(place, run, capsys, monkeypatch, tmp_path):
    """SQLite's and DuckDB's files are read by path and table; what they hold is told."""
    monkeypatch.chdir(tmp_path)
    write = write_database if place.endswith("duckdb") else write_tables
    write({"visits": TABLE, "wards": TABLE.head(3)}, place)
    TABLE.write_parquet("visits.parquet")
    assert run("measure", place, "--table", "visits", *QUASI) == run(
        "measure", "visits.parquet", *QUASI
    )
    asked = ["anonymize", place, "--table", "visits", *QUASI, "--others", "insensitive", "-k", "3"]
    run(*asked, "-o", "released.csv")
    released = ka.read_table("released.csv")
    assert len(released) == len(TABLE)
    assert released.group_by("age", "zip").len()["len"].min() >= 3
    for given, code, said in (
        ([], 2, "visits, wards"),
        (["--table", "visit"], 3, "did you mean 'visits'? (its tables: visits, wards)"),
    ):
        with pytest.raises(SystemExit) as caught:
            main(["measure", place, *given, *QUASI])
        assert caught.value.code == code
        assert said in " ".join(capsys.readouterr().err.split())


def test_a_release_goes_into_a_new_sqlite_file(run, monkeypatch, tmp_path):
    """An output that is named as a SQLite file is a database of one table; DuckDB's is refused."""
    monkeypatch.chdir(tmp_path)
    TABLE.write_parquet("visits.parquet")
    asked = ["anonymize", "visits.parquet", *QUASI, "--others", "insensitive", "-k", "3"]
    run(*asked, "-o", "released.sqlite")
    assert len(scan_database("released.sqlite", "visits_released").to_polars()) == len(TABLE)
    with pytest.raises(SystemExit) as caught:
        main([*asked, "-o", "released.duckdb"])
    assert caught.value.code == 2
    assert not Path("released.duckdb").exists()


def test_a_duckdb_file_is_read_with_a_limit_of_memory(tmp_path):
    """A table of a DuckDB file is anonymized where it is, and the file stays as it was."""
    place = tmp_path / "clinic.duckdb"
    write_database({"visits": TABLE}, str(place))
    before = place.read_bytes()
    held = scan_duckdb(place, name="visits", memory="1GB")
    asked = {"quasi_identifiers": ["age", "zip"], "others": "insensitive", "k": 3, "seed": 1}
    release = ka.anonymize(held, **asked)
    expected = ka.anonymize(TABLE, **asked).frame
    assert release.frame.pl().sort(pl.all()).equals(expected.sort(pl.all()))
    assert place.read_bytes() == before
    with pytest.raises(ka.DataError, match="name its table"):
        scan_duckdb(place)
    with pytest.raises(ka.DataError, match="no table 'there'"):
        scan_duckdb(place, name="there")
    with pytest.raises(ka.DataError, match="path of the file"):
        scan_duckdb(TABLE, name="visits")


@pytest.mark.parametrize("kind", ["sqlite", "duckdb", "duckdb csv"])
def test_python_takes_tables_of_engines(kind, tmp_path):
    """Functions that need rows fetch them: what they find is what they find of the frame."""
    url = f"sqlite:///{tmp_path / 'clinic.db'}"
    if kind == "sqlite":
        write_table(TABLE, url, "visits")
        held = scan_database(url, "visits")
    elif kind == "duckdb":
        held = scan_duckdb(TABLE)
    else:
        TABLE.write_csv(tmp_path / "visits.csv")
        held = scan_duckdb(tmp_path / "visits.csv")
    assert ka.profile(held).to_dict() == ka.profile(TABLE).to_dict()
    known = {"quasi_identifiers": ["age", "zip"]}
    assert ka.risk(held, **known).to_dict() == ka.risk(TABLE, **known).to_dict()
    assert ka.utility(held, held, **known).to_dict() == ka.utility(TABLE, TABLE, **known).to_dict()
    linked = {**known, "attacks": ["linkage"], "seed": 0}
    assert ka.attack(held, held, **linked).to_dict() == ka.attack(TABLE, TABLE, **linked).to_dict()
    found = ka.compare(held, **known, others="insensitive", sweep={"k": [2, 3]})
    assert len(found.trials) == 2


def test_linked_tables_go_into_a_database_whole_or_not_at_all(database):
    """Several tables are there together, or none of them is."""
    tables = {"people": TABLE, "visits": TABLE.head(3)}
    write_tables(tables, database)
    assert scan_database(database, "visits").to_polars().height == 3
    broken = {"first": TABLE, "people": TABLE}
    with pytest.raises(ka.DataError, match="table 'people' exists"):
        write_tables(broken, database)
    with pytest.raises(ka.DataError, match="no table 'first'"):
        scan_database(database, "first")


def test_linked_tables_of_a_server(postgres, tmp_path, run):
    """Linked tables go from a schema of PostgreSQL to another one, and verify there."""
    url = create_database(postgres)
    tables = {"people": TABLE.with_row_index("id")}
    tables["visits"] = pl.DataFrame({"person": range(24), "ward": ["a", "b"] * 12})
    write_tables(tables, url)
    (tmp_path / "linked.yaml").write_text(LINKED)
    with (
        adbc_driver_postgresql.dbapi.connect(url, autocommit=True) as server,
        server.cursor() as cursor,
    ):
        cursor.execute("CREATE SCHEMA released")
    policy = ["-p", tmp_path / "linked.yaml"]
    found = run("anonymize", *policy, "--from", url, "--to", url, "--to-schema", "released")
    assert found["verification"]["satisfied"]
    again = run("verify", url, "--schema", "released", *policy, "--accept-findings")
    assert again["tables"] == {"people": 24, "visits": 24}
    assert again["measured"]["persons_by_multiset_k"] >= 3


def test_texts_that_seem_to_be_dates_are_told_and_not_guessed(capsys, monkeypatch, tmp_path):
    """On an engine the first records do not decide how the others are read: the policy does."""
    monkeypatch.chdir(tmp_path)
    born = [f"{1 + n % 28:02}.{1 + n % 12:02}.{1940 + n % 50}" for n in range(60)]
    pl.DataFrame({"born": born}).write_parquet("people.parquet")
    with pytest.raises(SystemExit) as ended:
        main(["anonymize", "people.parquet", "--engine", "duckdb", "-q", "born", "-k3", "-oo.csv"])
    assert not ended.value.code
    told = " ".join(capsys.readouterr().err.split())
    assert "column 'born': the first texts are of type date, written as %d.%m.%Y" in told
