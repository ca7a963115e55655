"""What a user reads who presses Ctrl-C, or whose database cannot be read."""

from __future__ import annotations

import datetime as dt

import adbc_driver_manager
import duckdb
import polars as pl
import pytest

import kanonym as ka
from kanonym.data.errors import DataError
from kanonym.engines.database import scan_database, write_table
from kanonym.engines.database.sql import store_of
from kanonym.engines.duckdb import scan_duckdb
from kanonym.engines.duckdb.store import translate_errors

pytestmark = pytest.mark.xdist_group("duckdb")


@pytest.mark.parametrize(
    "error", [RuntimeError("Query interrupted"), duckdb.InterruptException("INTERRUPT Error")]
)
def test_duckdb_is_interrupted(error):
    """Ctrl-C in a statement of DuckDB is no error of the table."""
    with pytest.raises(KeyboardInterrupt), translate_errors():
        raise error


def test_other_faults_are_told_as_they_are():
    """What is no error of the engine is not taken for one."""
    with pytest.raises(ValueError, match="other"), translate_errors():
        raise ValueError("other")


def test_a_database_is_interrupted(tmp_path):
    """Ctrl-C in a statement of a database is no error, however its driver tells of it."""
    store = store_of(f"sqlite:///{tmp_path / 'clinic.db'}")
    cancelled = adbc_driver_manager.OperationalError(
        "CANCELLED: [libpq] ERROR:  canceling statement due to user request",
        status_code=adbc_driver_manager.AdbcStatusCode.CANCELLED,
    )
    unable = adbc_driver_manager.NotSupportedError("NOT_IMPLEMENTED")
    unable.__cause__ = KeyboardInterrupt()
    for error in (cancelled, unable):
        with pytest.raises(KeyboardInterrupt), store.translate_errors():
            raise error


def test_a_time_limit_of_the_server_is_told():
    """A statement that the server gives up is an error, without the statement."""
    store = store_of("postgresql://ann:s3cret@db/clinic")
    late = adbc_driver_manager.OperationalError(
        "CANCELLED: [libpq] Failed to execute query 'CREATE TABLE \"a\n' b\" AS SELECT 1': "
        "ERROR:  canceling statement due to statement timeout\n. SQLSTATE: 57014",
        status_code=adbc_driver_manager.AdbcStatusCode.CANCELLED,
        sqlstate="57014",
    )
    with pytest.raises(DataError, match="statement timeout") as told, store.translate_errors():
        raise late
    assert "CREATE" not in str(told.value)


def test_a_file_that_is_no_database_is_told(tmp_path):
    """The reason stands in the error, not the statement."""
    path = tmp_path / "table.csv"
    path.write_text("age,city\n" + "34,Bern\n" * 100)
    with pytest.raises(DataError, match="file is not a database"):
        scan_database(f"sqlite:///{path}", "patients")


def test_times_of_day_are_released_alike(tmp_path):
    """Times of day, also those in nanoseconds, have one type and one loss with DuckDB and here."""
    table = pl.DataFrame(
        {
            "woke": [dt.time(n % 7, n, 4, 5 * n) for n in range(40)],
            "slept": [dt.time(20 + n % 3) for n in range(40)],
        }
    )
    table.write_parquet(tmp_path / "nights.parquet")
    policy = ka.Policy(
        attributes={"woke": ka.QuasiIdentifier(), "slept": ka.Sensitive()},
        models=[ka.KAnonymity(3)],
    )
    expected = ka.anonymize(table, policy)
    for source in (scan_duckdb(table), scan_duckdb(tmp_path / "nights.parquet")):
        release = ka.anonymize(source, policy)
        found = release.frame.pl()
        assert found.schema == expected.frame.schema
        assert found.sort(pl.all()).equals(expected.frame.sort(pl.all()))
        assert release.utility.gcp == expected.utility.gcp


def test_times_of_day_are_written_to_sqlite(tmp_path):
    """SQLite has no times of day: they are text, as dates are."""
    url = f"sqlite:///{tmp_path / 'clinic.db'}"
    write_table(pl.DataFrame({"woke": [dt.time(7, 30), None]}), url, "nights")
    source = scan_database(url, "nights")
    assert source.store.fetch(source.query).rows() == [("07:30:00",), (None,)]
    source.store.close()
