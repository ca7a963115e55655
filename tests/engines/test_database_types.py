"""Columns of engines have the types that local readers give them; what has none is refused."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import adbc_driver_postgresql.dbapi
import adbc_driver_sqlite.dbapi
import duckdb
import polars as pl
import pytest
import sqlglot
from polars.testing import assert_frame_equal

import kanonym as ka
from kanonym.data.errors import DataError
from kanonym.data.files import read_table
from kanonym.engines.database import scan_database, write_table
from kanonym.engines.database.sql import store_of
from kanonym.engines.duckdb import scan_duckdb
from kanonym.engines.duckdb.store import with_enumerations, with_texts
from kanonym.engines.sql.statements import count_query, empty_query

IN_POSTGRES = pytest.mark.xdist_group("postgresql")
IN_SQLITE = pytest.mark.xdist_group("sqlite")
IN_DUCKDB = pytest.mark.xdist_group("duckdb")

TYPED = pl.DataFrame(
    {
        "truth": [True, False, None],
        "whole": pl.Series([1, -2, None], dtype=pl.Int32),
        "real": [0.1, -2.5, None],
        "money": pl.Series([Decimal("1.50"), Decimal("-2.25"), None], dtype=pl.Decimal(10, 2)),
        "day": [dt.date(2020, 2, 29), dt.date(1969, 1, 1), None],
        "time": [dt.datetime(2020, 2, 29, 12, 30, 1, 500), dt.datetime(1969, 1, 1), None],
        "moment": pl.Series(
            [dt.datetime(2020, 2, 29, 12), dt.datetime(1969, 1, 1), None]
        ).dt.replace_time_zone("UTC"),
        "text": ["x", "", None],
        "rank": pl.Series(["low", "high", None], dtype=pl.Enum(["low", "middle", "high"])),
        "list": [[1, 2], [], None],
    }
)


def everything(source):
    """Return all rows of a source."""
    return source.store.fetch(source.query)


def store_class(url):
    """Return the class of the store of a database."""
    return type(store_of(url))


@pytest.fixture
def server(postgres):
    """Return a function that runs statements on the server, in a schema that is empty."""

    def run(*statements):
        with (
            adbc_driver_postgresql.dbapi.connect(postgres, autocommit=True) as connection,
            connection.cursor() as cursor,
        ):
            for statement in statements:
                cursor.execute(statement)

    run("DROP SCHEMA IF EXISTS clinic CASCADE", "CREATE SCHEMA clinic")
    return run


@pytest.fixture
def lite(tmp_path):
    """Return a function that runs statements on a SQLite file, and its URL."""
    path = tmp_path / "clinic.db"

    def run(*statements):
        with adbc_driver_sqlite.dbapi.connect(str(path)) as connection:
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
            connection.commit()
        return f"sqlite:///{path}"

    return run


@IN_DUCKDB
def test_frames_keep_their_types_in_duckdb():
    """A table of this process has in DuckDB the types that it has here, enumerations too."""
    source = scan_duckdb(TYPED)
    assert_frame_equal(everything(source), TYPED)
    assert source.store.fetch(empty_query(source.query)).schema == TYPED.schema


@IN_DUCKDB
def test_parquet_has_the_types_of_the_local_reader(tmp_path):
    """A Parquet file has the same types under DuckDB as locally."""
    path = str(tmp_path / "typed.parquet")
    TYPED.drop("rank").write_parquet(path)
    assert_frame_equal(everything(scan_duckdb(path)), read_table(path))


@IN_DUCKDB
def test_json_has_the_types_of_the_local_reader(tmp_path):
    """JSON numbers, truth values, dates and digits in quotes are read as locally."""
    path = tmp_path / "typed.jsonl"
    rows = [
        {"a": 1, "b": 0.5, "c": True, "d": "2020-02-29", "zip": "01234", "t": "x"},
        {"a": None, "b": 2.0, "c": None, "d": None, "zip": None, "t": ""},
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    assert_frame_equal(everything(scan_duckdb(path)), read_table(path))


@IN_DUCKDB
def test_types_of_relations():
    """UUIDs, JSON and intervals come as text, enumerations in their order, sums as integers."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TYPE mood AS ENUM ('sad', 'ok', 'gay')")
        relation = connection.sql(
            "SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID AS u, '{\"a\": 1}'::JSON AS j,"
            " INTERVAL 1 DAY AS i, 'ok'::mood AS m, sum(1) AS s, 1.50::DECIMAL(4, 2) AS d"
        )
        found = everything(scan_duckdb(relation))
        assert found.schema == {
            "u": pl.String, "j": pl.String, "i": pl.String,
            "m": pl.Enum(["sad", "ok", "gay"]), "s": pl.Int64, "d": pl.Decimal(4, 2),
        }  # fmt: skip
        assert found["u"][0] == "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"


@IN_DUCKDB
def test_columns_without_a_type_of_ours_are_refused():
    """A column that cannot be used is named, with its type."""
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT MAP {'a': 1} AS settings")
        with pytest.raises(DataError, match="'settings' has the type MAP"):
            scan_duckdb(relation)


@IN_DUCKDB
def test_names_that_differ_in_case_are_refused(tmp_path):
    """DuckDB takes two names for one that differ in case: such a table is not read."""
    frame = pl.DataFrame({"Age": [1], "age": [2]})
    frame.write_parquet(tmp_path / "ages.parquet")
    frame.write_csv(tmp_path / "ages.csv")
    for table in (frame, tmp_path / "ages.parquet", tmp_path / "ages.csv"):
        with pytest.raises(DataError, match="'Age' and 'age' differ only in case"):
            scan_duckdb(table)


@IN_DUCKDB
def test_what_is_no_table_of_duckdb():
    """Another object, another format and a missing file are refused with what to do."""
    with pytest.raises(DataError, match="this is dict"):
        scan_duckdb({"a": [1]})
    with pytest.raises(DataError, match="DuckDB reads Parquet, CSV"):
        scan_duckdb("patients.xlsx")
    with pytest.raises(DataError, match=r"no file nowhere\.parquet"):
        scan_duckdb("nowhere.parquet")
    with pytest.raises(DataError, match=r"none-\*\.parquet"):
        scan_duckdb("none-*.parquet")
    with pytest.raises(DataError, match="memory"):
        scan_duckdb(pl.DataFrame({"a": [1]}), memory="much")
    with duckdb.connect() as connection, pytest.raises(DataError, match="of kanonym's own"):
        scan_duckdb(connection.sql("SELECT 1 AS a"), memory="1GB")


@IN_DUCKDB
def test_several_files_are_one_table(tmp_path):
    """A pattern reads all files that it matches."""
    for number in range(3):
        pl.DataFrame({"a": [number]}).write_parquet(tmp_path / f"part-{number}.parquet")
    assert sorted(everything(scan_duckdb(tmp_path / "*.parquet"))["a"]) == [0, 1, 2]


@IN_DUCKDB
@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_repeated_texts_are_written_as_texts(tmp_path, kind, monkeypatch):
    """Repeated rows come back from every format as texts, however they were enumerated."""
    rows = pl.DataFrame(
        {
            "few": ["b", None, "a", "ü 'quoted\""],
            "many": ["1", "2", "3", "4"],
            "none": pl.Series([None] * 4, dtype=pl.String),
            "age": [1, 2, None, 4],
            "n": [2, 1500, 0, 1],
        }
    )
    monkeypatch.setattr("kanonym.engines.duckdb.store.MOST_WORDS", 3)
    store = scan_duckdb(rows).store
    repeated = store.repeat(store.put(rows), "n")
    held = store.relation(with_enumerations(store, repeated))
    assert [one.id for one in held.types] == ["enum", "varchar", "varchar", "bigint"]
    wanted = pl.concat(
        [rows.drop("n")[:1]] * 2 + [rows.drop("n")[1:2]] * 1500 + [rows.drop("n")[3:]]
    )
    assert_frame_equal(store.fetch(repeated), wanted)
    written = store.relation(with_texts(store, with_enumerations(store, repeated)))
    assert [one.id for one in written.types] == ["varchar", "varchar", "varchar", "bigint"]
    assert_frame_equal(pl.DataFrame(written.to_arrow_table()), wanted)
    staged = store.stage(repeated, str(tmp_path / f"release.{kind}"))
    found = store.fetch(staged.query)
    assert_frame_equal(found, wanted.cast({"none": found["none"].dtype}))
    released = store.stage(repeated, None).publish()
    store.close()
    assert [one.id for one in released.types] == ["varchar", "varchar", "varchar", "bigint"]


@IN_DUCKDB
def test_relations_leave_nothing_in_their_connection():
    """When the store is closed, the connection of a relation is as it was, but for releases."""
    with duckdb.connect() as connection:
        source = scan_duckdb(connection.sql("SELECT 'x' AS a, 2 AS n"))
        store = source.store
        store.hold(store.repeat(store.put(everything(source)), "n"))
        released = store.stage(source.query, None).publish()
        store.stage(source.query, None).discard()
        store.close()
        assert len(connection.sql("SHOW TABLES").fetchall()) == 1
        kinds = connection.sql("SELECT * FROM duckdb_types() WHERE type_name LIKE 'kanonym%'")
        assert not kinds.fetchall()
        assert released.fetchall() == [("x", 2)]


@IN_POSTGRES
def test_types_of_postgresql(postgres, server):
    """Each type of PostgreSQL has one of ours: what polars has not is text."""
    server(
        "CREATE TYPE clinic.mood AS ENUM ('sad', 'ok')",
        "CREATE TABLE clinic.typed (small smallint, whole bigint, cents numeric(10, 2),"
        " free numeric, word text, short varchar(9), padded char(4), truth boolean, day date,"
        " time timestamp, moment timestamptz, id uuid, mood clinic.mood, many int[], doc jsonb,"
        " span interval, address inet, real4 real, real8 double precision, price money)",
        "INSERT INTO clinic.typed VALUES (1, 2, 3.5, 4.125, 'é', 'v', 'c', true, '2020-02-29',"
        " '2020-02-29 10:00', '2020-02-29 10:00+02', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',"
        " 'ok', '{1,2}', '{\"a\": 1}', '1 day', '::1', 1.5, 2.5, 5), (null, null, null, null,"
        " null, null, null, null, null, null, null, null, null, null, null, null, null, null,"
        " null, null)",
    )
    source = scan_database(postgres, "typed", schema="clinic")
    found = everything(source)
    assert found.row(0, named=True) == {
        "small": 1, "whole": 2, "cents": Decimal("3.50"), "free": Decimal("4.125"),
        "word": "é", "short": "v", "padded": "c", "truth": True,
        "day": dt.date(2020, 2, 29), "time": dt.datetime(2020, 2, 29, 10),
        "moment": dt.datetime(2020, 2, 29, 8, tzinfo=dt.UTC),
        "id": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "mood": "ok", "many": [1, 2],
        "doc": '{"a": 1}', "span": "1 day", "address": "::1/128", "real4": 1.5, "real8": 2.5,
        "price": Decimal("5.00"),
    }  # fmt: skip
    assert set(found.row(1)) == {None}
    kinds = source.store.fetch(empty_query(source.query)).schema
    assert {name for name in found.columns if kinds[name] != found[name].dtype} <= {"free", "price"}


@IN_POSTGRES
def test_unusable_types_of_postgresql(postgres, server):
    """A column that cannot be used is named, with its type; the view without it is taken."""
    server(
        "CREATE TABLE clinic.places (n int, here point)",
        "CREATE VIEW clinic.without AS SELECT n FROM clinic.places",
    )
    with pytest.raises(DataError, match=r"'here' has the type point.*make a view"):
        scan_database(postgres, "places", schema="clinic")
    assert everything(scan_database(postgres, "without", schema="clinic")).is_empty()


@IN_POSTGRES
def test_texts_that_a_collation_equals_stay_different(postgres, server):
    """Values are counted as they are, though the database takes them for equal."""
    server(
        "CREATE COLLATION clinic.blind (provider = icu, locale = 'und-u-ks-level2',"
        " deterministic = false)",
        "CREATE TABLE clinic.words (word text COLLATE clinic.blind)",
        "INSERT INTO clinic.words VALUES ('Bern'), ('bern')",
    )
    source = scan_database(postgres, "words", schema="clinic")
    assert source.store.fetch(count_query(source.query, ["word"]))["n"].to_list() == [1, 1]


@IN_POSTGRES
def test_decimals_beyond_ours_are_refused(postgres, server):
    """A number with more digits than a decimal holds is an error that names the column."""
    server("CREATE TABLE clinic.large AS SELECT 10::numeric ^ 60 + 0.5 AS amount")
    with pytest.raises(DataError, match="'amount' holds numbers that are infinite or have more"):
        everything(scan_database(postgres, "large", schema="clinic"))


@IN_POSTGRES
def test_a_source_sees_one_state_of_the_table(postgres, server):
    """Between counting and releasing, what others change is not seen."""
    server("CREATE TABLE clinic.visits AS SELECT 1 AS n")
    source = scan_database(postgres, "visits", schema="clinic")
    assert everything(source).height == 1
    server("INSERT INTO clinic.visits VALUES (2)")
    assert everything(source).height == 1
    source.store.close()
    assert everything(source).height == 2


@IN_SQLITE
def test_types_of_sqlite(lite):
    """SQLite has a type for each value: a column is what all of its values are."""
    url = lite(
        "CREATE TABLE typed (whole INTEGER, mixed NUMERIC, word TEXT, late TEXT, none TEXT)",
        "INSERT INTO typed VALUES (1, 1, 'a', NULL, NULL), (NULL, 2.5, NULL, 'x', NULL)",
    )
    source = scan_database(url, "typed")
    assert everything(source).rows() == [(1, 1.0, "a", None, None), (None, 2.5, None, "x", None)]
    assert source.store.fetch(empty_query(source.query)).schema == {
        "whole": pl.Int64, "mixed": pl.Float64, "word": pl.String, "late": pl.String,
        "none": pl.String,
    }  # fmt: skip


@IN_SQLITE
def test_several_types_in_a_column_of_sqlite(lite):
    """Numbers and texts in one column are refused, as they are locally."""
    url = lite("CREATE TABLE odd (code)", "INSERT INTO odd VALUES (1), ('x')")
    with pytest.raises(DataError, match=r"'code' holds values of several types \(integer, text\)"):
        scan_database(url, "odd")


@IN_SQLITE
def test_texts_that_sqlite_equals_stay_different(lite):
    """A column without case counts its values as they are."""
    url = lite(
        "CREATE TABLE words (word TEXT COLLATE NOCASE)",
        "INSERT INTO words VALUES ('Bern'), ('bern')",
    )
    source = scan_database(url, "words")
    assert source.store.fetch(count_query(source.query, ["word"]))["n"].to_list() == [1, 1]


@IN_SQLITE
def test_missing_tables_and_files(lite, tmp_path):
    """A table or a file that is not there is named; no file is created by looking."""
    url = lite("CREATE TABLE here (a)")
    with pytest.raises(DataError, match="no table 'there'"):
        scan_database(url, "there")
    with pytest.raises(DataError, match="no file"):
        scan_database(f"sqlite:///{tmp_path / 'other.db'}", "here")
    assert not (tmp_path / "other.db").exists()
    with pytest.raises(DataError, match="a database is postgresql:"):
        scan_database("mysql://ann:pw@host/clinic", "here")


def test_written_tables_come_back(database):
    """A table of this process is a new table of a database, with the types that it has."""
    frame = TYPED.drop("list")
    write_table(frame, database, "typed")
    found = everything(scan_database(database, "typed"))
    if database.startswith("sqlite"):
        assert found["truth"].to_list() == [1, 0, None]
        assert found["day"].to_list() == ["2020-02-29", "1969-01-01", None]
        frame, found = (one.select("real", "text") for one in (frame, found))
    expected = frame.with_columns(
        pl.col(name).cast(dtype)
        for name, dtype in {"rank": pl.String, "money": pl.Decimal(38, 2)}.items()
        if name in frame.columns
    )
    assert_frame_equal(found, expected)


def test_tables_that_exist_are_never_replaced(database):
    """A table of that name is refused and stays as it is; so is a view."""
    write_table(TYPED.select("text"), database, "typed")
    with pytest.raises(DataError, match="table 'typed' exists"):
        write_table(TYPED.select("real"), database, "typed")
    source = scan_database(database, "typed")
    with pytest.raises(DataError, match="table 'typed' exists"):
        source.store.stage(source.query, "typed")
    source.store.close()
    assert everything(scan_database(database, "typed")).columns == ["text"]


def test_relations_are_written_in_parts(database):
    """A relation of DuckDB becomes a table of a database without being here at once."""
    with duckdb.connect() as connection:
        write_table(connection.sql("SELECT range AS n FROM range(300000)"), database, "numbers")
    assert everything(scan_database(database, "numbers"))["n"].sum() == 299_999 * 150_000


def test_failed_writing_leaves_no_table(database):
    """When a later part cannot be written, the table is not there."""

    def parts():
        yield pl.DataFrame({"a": [1]})
        raise DataError("stopped")

    with pytest.raises(DataError, match="stopped"):
        write_table(parts(), database, "half")
    write_table(pl.DataFrame({"a": [1]}), database, "half")


EXACT = pl.DataFrame(
    {
        "large": pl.Series([2**53 + 1, 2**53, None]),
        "infinite": [float("inf"), float("-inf"), None],
        "fine": [0.30000000000000004, 0.3, 5e-324],
        "empty": ["", None, " "],
        "price": pl.Series([Decimal("0.10"), Decimal("99.95"), None]),
        "time": pl.Series([1, 2, None]).cast(pl.Datetime("us")),
        "fitting": pl.Series([1, 2, None], dtype=pl.UInt64),
    }
)

INEXACT = {
    "unsigned": pl.Series([2**64 - 1, 1], dtype=pl.UInt64),
    "huge": pl.Series([2**70, 1], dtype=pl.Int128),
    "struct": pl.Series([{"a": 1}, {"a": 2}]),
}
OF_POSTGRES = {
    "nanoseconds": pl.Series([1, 2]).cast(pl.Datetime("ns")),
    "clock": pl.Series([1, 2]).cast(pl.Time),
    "nul": pl.Series(["a\0b", "a"]),
}
OF_SQLITE = {
    "digits": pl.Series([Decimal("12345678901234567.89"), Decimal("12345678901234567.88")]),
    "lists": pl.Series([[1], [2]]),
}


def test_values_that_a_database_holds_come_back(database):
    """Large numbers, infinities, the last digit of a float, and "" beside null are kept."""
    write_table(EXACT, database, "exact")
    found = everything(scan_database(database, "exact"))
    for name in ("large", "infinite", "fine", "empty", "fitting"):
        assert found[name].equals(EXACT[name].cast(found[name].dtype), null_equal=True)
    assert found["price"].cast(pl.Float64).to_list() == [0.1, 99.95, None]
    assert found["time"].n_unique() == 3


@pytest.mark.parametrize("name", [*INEXACT, *OF_POSTGRES, *OF_SQLITE])
def test_values_that_a_database_would_change_are_refused(database, name):
    """A column that the database cannot hold exactly is named; there is no table then."""
    lite = database.startswith("sqlite")
    frame = pl.DataFrame({"n": [1, 2], name: (INEXACT | OF_POSTGRES | OF_SQLITE)[name]})
    if name in (OF_POSTGRES if lite else OF_SQLITE):
        write_table(frame, database, "kept")
        assert everything(scan_database(database, "kept"))[name].n_unique() == 2
        return
    with pytest.raises(DataError, match=f"'{name}' holds .* cannot store exactly"):
        write_table(frame, database, "changed")
    write_table(frame.select("n"), database, "changed")


def test_a_table_that_comes_back_changed_is_not_written(database, monkeypatch):
    """What is read back before the end of the transaction must be what was written."""
    store = store_class(database)
    load = store.load

    def changing(self, name, table, **how):
        load(self, name, table.with_columns(pl.col("a").replace(2, 1)), **how)

    monkeypatch.setattr(store, "load", changing)
    with pytest.raises(DataError, match="column 'a' is not read back as it was written"):
        write_table(pl.DataFrame({"a": [1, 2], "b": [1, 1]}), database, "changed")
    monkeypatch.undo()
    write_table(pl.DataFrame({"a": [1]}), database, "changed")


@pytest.mark.parametrize("lost", [0, 1])
def test_rows_that_are_lost_are_noticed(database, monkeypatch, lost):
    """Fewer rows than were written are an error, also where no value of a column is missing."""
    store = store_class(database)
    load = store.load
    monkeypatch.setattr(
        store, "load", lambda self, name, table, **how: load(self, name, table[lost + 1 :], **how)
    )
    with pytest.raises(DataError, match="4 rows were written and"):
        write_table(pl.DataFrame({"a": [1, 1, 1, 1]}), database, "lost")


def test_moments_keep_their_zone_in_sqlite(tmp_path):
    """A moment is written in UTC, and says so."""
    url = f"sqlite:///{tmp_path / 'clinic.db'}"
    moment = pl.Series("at", [dt.datetime(2020, 7, 1, 12)]).dt.replace_time_zone("Europe/Berlin")
    write_table(moment.to_frame(), url, "moments")
    assert everything(scan_database(url, "moments"))["at"][0] == "2020-07-01T10:00:00.000000+00:00"


@IN_DUCKDB
def test_types_that_a_file_of_duckdb_would_change_are_refused(tmp_path):
    """DuckDB writes numbers of 128 bits to Parquet as floating-point ones: refused."""
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT (2::HUGEINT ** 70)::HUGEINT + range AS n FROM range(2)")
        source = scan_duckdb(relation)
        with pytest.raises(DataError, match="column 'n': DuckDB writes HUGEINT to Parquet as"):
            source.store.stage(source.query, str(tmp_path / "released.parquet"))
        assert list(tmp_path.iterdir()) == []


@IN_DUCKDB
def test_a_relation_whose_connection_is_closed():
    """DuckDB's own errors are ours, whenever they come."""
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT 1 AS a")
    with pytest.raises(DataError, match="the relation"):
        scan_duckdb(relation)


@IN_DUCKDB
def test_nothing_is_loaded_from_the_network():
    """An extension that is not there is an error that names it; none is looked for elsewhere."""
    store = scan_duckdb(pl.DataFrame({"a": [1]})).store
    asked = "SELECT current_setting('autoinstall_known_extensions') AS a,"
    settings = sqlglot.parse_one(f"{asked} current_setting('autoload_known_extensions') AS b")
    assert store.fetch(settings).row(0) == (False, False)
    with pytest.raises(DataError, match="needs the extension httpfs"):
        store.fetch(
            sqlglot.parse_one("SELECT * FROM READ_PARQUET('https://127.0.0.1:1/x.parquet')")
        )


@IN_DUCKDB
@pytest.mark.parametrize("dtype", [pl.Int128, pl.UInt128])
@pytest.mark.parametrize("quasi_identifiers", [["age"], ["age", "n"]])
def test_integers_of_128_bits_go_to_duckdb(dtype, quasi_identifiers):
    """The release is that of this process; what DuckDB cannot return is refused."""
    table = pl.DataFrame({"age": [1, 1, 2, 2], "n": [2**100 + i for i in range(4)]})
    table = table.with_columns(pl.Series("n", table["n"].to_list(), dtype=dtype))
    policy = ka.Policy.from_columns(quasi_identifiers=quasi_identifiers, others="insensitive", k=2)
    here = ka.anonymize(table, policy).frame
    there = ka.anonymize(scan_duckdb(table), policy).frame
    assert sorted(there.fetchall()) == sorted(here.rows())
    large = table.with_columns(n=pl.Series([10**38] * 4, dtype=dtype))
    with pytest.raises(DataError, match="column 'n' holds whole numbers of more than 38 digits"):
        scan_duckdb(large)
