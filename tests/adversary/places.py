"""Where the trial's tables are and releases go: files and engines, and who reads them again.

A place holds a table, releases it, and gives the rows of the release as readers of other houses
see them: the standard library, pandas, openpyxl, pyarrow, sqlite3, psql.
"""

from __future__ import annotations

import csv
import io
import os
import secrets
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import polars as pl
import pytest

import kanonym as ka
from adversary.independent import rows_by_pandas, rows_of_file, rows_of_sqlite
from kanonym.engines.database import write_table

FILES = ("csv", "tsv", "jsonl", "json", "parquet", "feather", "xlsx", "csv.gz", "jsonl.gz")
FORMATS = {
    "local": FILES,
    "duckdb": FILES,
    "sqlite": ("table",),
    "postgresql": ("table",),
    "spark": ("parquet", "csv", "tsv", "jsonl", "json"),
}
"""What each engine writes."""

_OLD = pl.CompatLevel.oldest()


class Places:
    """Engines of a trial; servers are started when they are first needed."""

    def __init__(self):
        self._stack = ExitStack()
        self._servers = {}
        self.absent = {}

    def __enter__(self):
        """Return itself; nothing is started yet."""
        return self

    def __exit__(self, *_):
        """Stop what was started."""
        self._stack.close()

    def released(self, table, policy, engine, form, folder):
        """Return a release, and its rows as each independent reader sees them."""
        path = folder / f"released.{form}"
        if engine == "local":
            release = ka.anonymize(table, policy)
            release.write(path)
        elif engine == "duckdb":
            release = ka.anonymize(ka.engines.scan_duckdb(table), policy, output=path)
        elif engine == "sqlite":
            file = folder / "hostile.db"
            write_table(table, f"sqlite:///{file}", "t")
            source = ka.engines.scan_database(f"sqlite:///{file}", "t")
            release = ka.anonymize(source, policy, output="t_released")
            return release, [rows_of_sqlite(file, "t_released")]
        elif engine == "postgresql":
            return self._in_postgres(table, policy)
        else:
            from kanonym.engines.spark import scan_spark

            held = self._servers["spark"].createDataFrame(table.to_arrow(compat_level=_OLD))
            release = ka.anonymize(scan_spark(held), policy, output=str(path))
            parts = sorted(path.glob("part-*"))
            return release, [[row for part in parts for row in _rows_of_part(part, form)]]
        rows = [rows_of_file(path)]
        if form in ("csv", "tsv", "csv.gz", "xlsx") and release.rows_out:
            rows.append(rows_by_pandas(path))
        return release, rows

    def start(self, engine):
        """Start the server of an engine; return whether it is there."""
        if engine in self._servers or engine in ("local", "duckdb", "sqlite"):
            return True
        if engine in self.absent:
            return False
        try:
            if engine == "postgresql":
                from engines.postgres_servers import postgres_server

                self._servers[engine] = self._stack.enter_context(postgres_server())
            else:
                self._servers[engine] = self._spark_session()
        except pytest.skip.Exception as error:
            self.absent[engine] = str(error)
            return False
        return True

    def _spark_session(self):
        from engines.spark_sessions import settings, spark_home

        spark_home()
        from pyspark.sql import SparkSession

        from kanonym.engines.spark.session import silence_logs

        builder = SparkSession.builder.appName("trial")
        for name, value in settings().items():
            builder = builder.config(name, value)
        with silence_logs():
            session = builder.getOrCreate()
        self._stack.callback(session.stop)
        return session

    def _in_postgres(self, table, policy):
        url = self._servers["postgresql"]
        name = f"t_{secrets.token_hex(4)}"
        write_table(table, url, name)
        try:
            source = ka.engines.scan_database(url, name)
            release = ka.anonymize(source, policy, output=f"{name}_released")
            return release, [_rows_by_psql(url, f"{name}_released")]
        finally:
            _psql(url, f'DROP TABLE IF EXISTS "{name}", "{name}_released"')


def _rows_of_part(path, form):
    """Return the rows of one file of a folder that Spark has written."""
    kind = "jsonl" if form == "json" else form  # its JSON is a record per line
    return rows_of_file(path.rename(path.with_suffix(f".{kind}")))


def _rows_by_psql(url, table):
    text = _psql(url, f"COPY \"{table}\" TO STDOUT WITH (FORMAT csv, HEADER, NULL '\\N')")
    lines = [line or [""] for line in csv.reader(io.StringIO(text, newline=""))]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def _psql(url, statement):
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/psql"), reverse=True)
    program = shutil.which("psql") or str(found[0])
    at = urlsplit(url)
    ran = subprocess.run(
        [
            program, "-X", "-q", "-h", at.hostname, "-p", str(at.port), "-U", at.username,
            "-d", at.path.strip("/"), "-c", statement,
        ],
        env={**os.environ, "PGPASSWORD": at.password, "PGCLIENTENCODING": "UTF8"},
        capture_output=True,
        check=True,
        timeout=60,
    )  # fmt: skip
    return ran.stdout.decode()
