"""Names that an engine keeps for itself, or that our own statements use, are names like others."""

from __future__ import annotations

import adbc_driver_postgresql.dbapi
import adbc_driver_sqlite.dbapi
import polars as pl
import pytest

import kanonym as ka
from kanonym.data.errors import DataError
from kanonym.data.files import read_table
from kanonym.engines.database import scan_database, write_table
from kanonym.engines.duckdb import scan_duckdb

ROW_NUMBERS = ["rowid", "_rowid_", "oid", "ROWID"]
OURS = ["c0", "n", "n0", "k0", "r0", "first", "last", "times", "value", "l0", "q", "t", "a", "m0",
        "kanonym_table", "kanonym_rows", "most"]  # fmt: skip
OTHERS = ["filename", "file_row_number", "_metadata", "__index_level_0__", "select"]
RESERVED = ["ctid", "tableoid", "xmin", "xmax", "cmin", "cmax"]

IN_SQLITE = pytest.mark.xdist_group("sqlite")
IN_POSTGRES = pytest.mark.xdist_group("postgresql")
IN_DUCKDB = pytest.mark.xdist_group("duckdb")


def ages(*names):
    """Return ten records whose quasi-identifiers are no numbers of rows."""
    values = [5, 5, 5, 5, 5, 900_000, 900_000, 900_000, -3, -3]
    columns = dict.fromkeys(names, values)
    return pl.DataFrame(
        {**columns, "disease": list("abababcdcd"), "note": [f"n{i}" for i in range(10)]}
    )


def released(source, names, place):
    """Release a table with every column but the note looked at; return the release."""
    policy = ka.Policy(
        attributes={name: ka.QuasiIdentifier() for name in names},
        models=[ka.KAnonymity(2)],
        others="insensitive",
    )
    return ka.anonymize(source, policy, output=str(place))


def ordered(frame):
    """Return the rows of a frame in an order of their own."""
    return frame.sort(frame.columns)


@pytest.mark.nightly(on="spark")  # which has no numbers of rows; the next test has these names
@pytest.mark.parametrize("name", ROW_NUMBERS)
def test_names_of_row_numbers(source, name, tmp_path):
    """A file from an engine holds every record that was decided, each with its values."""
    place = tmp_path / "released.csv"
    release = released(source(ages(name)), [name], place)
    assert release.rows_out == 10
    texts = pl.col(name).cast(pl.String)
    expected = ka.anonymize(ages(name), release.policy).frame.with_columns(texts)
    found = read_table(place) if place.is_file() else pl.read_csv(place / "*.csv")
    assert ordered(found.with_columns(texts)).equals(ordered(expected))


@pytest.mark.nightly(on="spark")
def test_names_of_engines_together(source, tmp_path):
    """A table may have the names that engines and our statements use, all at once."""
    table = ages(*ROW_NUMBERS[:3], *OURS, *OTHERS)
    place = tmp_path / "released.parquet"
    release = released(source(table), [*ROW_NUMBERS[:2], *OURS[:7]], place)
    found = pl.read_parquet(place if place.is_file() else place / "*.parquet")
    assert release.rows_out == len(found) == 10
    kept = [name for name in table.columns if name not in (*ROW_NUMBERS[:2], *OURS[:7])]
    assert ordered(found.select(kept)).equals(ordered(table.select(kept)))


AGES = (
    "INSERT INTO ages VALUES (0, 'a'), (-1, 'b'), (-2, 'c'), (-3, 'd'), (-4, 'e'),"
    " (0, 'f'), (-1, 'g'), (-2, 'h'), (-3, 'i'), (-4, 'j')"
)
WITHOUT_NUMBERS = {
    "without rowid": [
        "CREATE TABLE ages (rowid INTEGER, code TEXT PRIMARY KEY) WITHOUT ROWID",
        AGES,
    ],
    "view": [
        "CREATE TABLE ages (age INTEGER, code TEXT)",
        AGES,
        "ALTER TABLE ages RENAME TO held",
        "CREATE VIEW ages AS SELECT age AS rowid, code FROM held",
    ],
}


@IN_SQLITE
@pytest.mark.parametrize("kind", WITHOUT_NUMBERS)
def test_tables_of_sqlite_without_numbers_of_rows(kind, tmp_path):
    """Views, and tables that have no numbers of rows, are written whole."""
    path = tmp_path / "clinic.db"
    with adbc_driver_sqlite.dbapi.connect(str(path)) as connection:
        with connection.cursor() as cursor:
            for statement in WITHOUT_NUMBERS[kind]:
                cursor.execute(statement)
        connection.commit()
    for place in (tmp_path / "released.csv", tmp_path / "released.parquet", "released"):
        release = released(scan_database(f"sqlite:///{path}", "ages"), ["rowid"], place)
        assert release.rows_out == 10
    assert len(read_table(tmp_path / "released.csv")) == 10
    assert read_table(tmp_path / "released.csv")["code"].n_unique() == 10
    assert len(read_table(tmp_path / "released.parquet")) == 10


@IN_SQLITE
def test_a_page_of_rows_that_is_lost_is_noticed(tmp_path, monkeypatch):
    """Where a file holds fewer records than were decided, it is not released."""
    url = f"sqlite:///{tmp_path / 'clinic.db'}"
    write_table(ages("age"), url, "ages")
    source = scan_database(url, "ages")
    parts = type(source.store).parts
    monkeypatch.setattr(
        type(source.store), "parts", lambda *given: (one.slice(0, 6) for one in parts(*given))
    )
    with pytest.raises(DataError, match="10 records were counted for the release, and 6"):
        released(source, ["age"], tmp_path / "released.csv")
    assert not (tmp_path / "released.csv").exists()


@IN_POSTGRES
@pytest.mark.parametrize("name", RESERVED)
def test_names_that_postgresql_reserves(postgres, name):
    """A name that no table of PostgreSQL may have is refused, in a view and for a new table."""
    with (
        adbc_driver_postgresql.dbapi.connect(postgres, autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("DROP VIEW IF EXISTS odd")
        cursor.execute(f"CREATE VIEW odd AS SELECT 1 AS {name}")
    for act in (
        lambda: scan_database(postgres, "odd"),
        lambda: write_table(ages(name), postgres, "reserved"),
    ):
        with pytest.raises(DataError, match=f"'{name}': PostgreSQL reserves this name"):
            act()


@IN_POSTGRES
def test_names_that_postgresql_would_cut(postgres):
    """Names of more than 63 bytes are refused: cut, two of them may be one."""
    long = "a" * 64
    with pytest.raises(DataError, match="cuts names after 63 bytes"):
        write_table(pl.DataFrame({long: [1]}), postgres, "long")
    with pytest.raises(DataError, match="cuts names after 63 bytes"):
        write_table(ages("age"), postgres, long)


@IN_SQLITE
def test_names_that_sqlite_takes_for_one(tmp_path):
    """SQLite would rename a column without a word: two names that differ in case are refused."""
    url = f"sqlite:///{tmp_path / 'clinic.db'}"
    with pytest.raises(DataError, match="'age' and 'AGE' differ only in case"):
        write_table(ages("age", "AGE"), url, "ages")
    write_table(ages("age", "AGE_min"), url, "ages")
    with pytest.raises(DataError, match="differ only in case"):
        ka.anonymize(
            scan_database(url, "ages"), quasi_identifiers=["age"], k=2, others="insensitive",
            recoding="range", output="released",
        )  # fmt: skip


@IN_DUCKDB
def test_a_table_of_the_users_is_not_taken_for_ours():
    """A relation's own connection may have tables of any name."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE kanonym_table AS SELECT 'theirs' AS age")
        relation = connection.from_arrow(ages("age").to_arrow())
        release = ka.anonymize(relation, quasi_identifiers=["age"], k=2, others="insensitive")
        assert len(release.frame.pl()) == 10


@IN_DUCKDB
def test_a_folder_that_names_a_column_changes_nothing(tmp_path):
    """What is verified is the file's own column, not what DuckDB makes of a folder's name."""
    folder = tmp_path / "age=5"
    folder.mkdir()
    ages("age").write_parquet(folder / "in.parquet")
    for form in ("parquet", "csv"):
        source = scan_duckdb(folder / "in.parquet")
        assert source.store.fetch(source.query)["age"].n_unique() == 3
        release = released(source, ["age"], folder / f"out.{form}")
        assert release.verification.to_dict()["classes"] == 3
