"""Engines as fixtures: real ones, started here, on the loopback interface alone.

Each engine has a group of its own (`xdist_group`): its tests run in one process, one after the
other, and it is started once.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from kanonym.database import Database, DuckDB, write_table

ENGINES = ["duckdb", "sqlite", "postgresql"]

if importlib.util.find_spec("engines") and importlib.util.find_spec("engines.spark_sessions"):
    from engines.spark_sessions import spark  # noqa: F401 - a fixture

    ENGINES.append("spark")


def engines(*names):
    """Return engines as parameters, each in its group."""
    return [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in names]


@pytest.fixture(params=engines(*ENGINES))
def source(request, tmp_path):
    """Return a function that gives a frame to an engine and returns the source of it."""
    made = []
    giving = _FUNCTIONS[request.param](request, tmp_path)

    def give(frame):
        made.append(giving(frame))
        return made[-1]

    yield give
    for one in made:
        one.store.close()


@pytest.fixture(params=engines("sqlite", "postgresql"))
def database(request, tmp_path):
    """Return the URL of an empty database of each kind."""
    return _url(request.param, request, tmp_path)


@pytest.fixture(scope="session")
def postgres():
    """Start a PostgreSQL server for these tests; return the URL of its database, or skip."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), reverse=True)
    program = shutil.which("postgres") or (str(found[0]) if found else None)
    if program is None:
        pytest.skip("needs PostgreSQL: no program `postgres` on this machine")
    folder = Path(tempfile.mkdtemp(prefix="kanonym-postgres-"))
    before = []
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # the server refuses to run as root
        try:
            shutil.chown(folder, "postgres")
        except LookupError:
            pytest.skip("needs PostgreSQL: it does not run as root, and has no user `postgres`")
        before = ["runuser", "-u", "postgres", "--"]
    password = secrets.token_urlsafe(12)
    (folder / "password").write_text(password)
    (folder / "password").chmod(0o644)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    binaries = Path(program).parent
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c fsync=off -k {folder}"

    def run(*command):
        done = subprocess.run(
            [*before, *command],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    control = [str(binaries / "pg_ctl"), "-D", str(folder / "data"), "-w", "-s"]
    try:
        run(
            str(binaries / "initdb"), "-D", "data", "-U", "ann", "--auth=scram-sha-256",
            "--no-sync", "--pwfile=password", "--encoding=UTF8", "--locale=C",
        )  # fmt: skip
        run(*control, "-l", "log", "-o", options, "start")
        try:
            yield f"postgresql://ann:{password}@127.0.0.1:{port}/postgres"
        finally:
            run(*control, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _url(kind, request, tmp_path):
    """Return the URL of an empty database."""
    if kind == "sqlite":
        return f"sqlite:///{tmp_path / 'tables.db'}"
    url = request.getfixturevalue("postgres")
    name = f"tests_{secrets.token_hex(4)}"
    import adbc_driver_postgresql.dbapi

    with (
        adbc_driver_postgresql.dbapi.connect(url, autocommit=True) as server,
        server.cursor() as cursor,
    ):
        cursor.execute(f"CREATE DATABASE {name}")
    return f"{url.removesuffix('postgres')}{name}"


def _duckdb(_request, _tmp_path):
    return DuckDB


def _in_database(kind):
    def made(request, tmp_path):
        url = _url(kind, request, tmp_path)

        def give(frame):
            table = f"patients_{secrets.token_hex(4)}"
            write_table(frame, url, table)
            return Database(url, table)

        return give

    return made


def _spark(request, _tmp_path):
    from kanonym.spark import Spark

    session = request.getfixturevalue("spark")
    return lambda frame: Spark(session.createDataFrame(frame.to_arrow()))


_FUNCTIONS = {
    "duckdb": _duckdb,
    "sqlite": _in_database("sqlite"),
    "postgresql": _in_database("postgresql"),
    "spark": _spark,
}
